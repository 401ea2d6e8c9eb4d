"""Making scores fair: exact transport, what it gives and costs on people left out."""
