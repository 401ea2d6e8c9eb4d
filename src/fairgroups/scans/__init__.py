"""scan(): which attributes of a table matter, out of all of them, with one error over everything looked at."""
