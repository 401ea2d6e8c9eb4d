"""Data to try things on: the paper's synthetic data, and the Adult census table."""
