"""The best groups, exactly: from cells or points to partitions; one file for each algorithm."""
