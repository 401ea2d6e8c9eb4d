"""From cells to the best groups."""
