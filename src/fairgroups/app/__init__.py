"""A local page for people without a terminal: drop a table, answer three questions, get the report."""
