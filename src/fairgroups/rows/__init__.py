"""A user's columns, read, checked and of equal length; who is left out is counted."""
