"""What may be believed about groups: rates, intervals, the band over all ranges, verdicts."""
