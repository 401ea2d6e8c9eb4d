"""Making scores fair, group by group, and measuring the dependence that remains."""
