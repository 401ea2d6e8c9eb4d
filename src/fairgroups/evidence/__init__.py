"""What may be believed about a partition."""
