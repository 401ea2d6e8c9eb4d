"""Sums by value of the attribute: all that a search or an interval needs from the rows."""
