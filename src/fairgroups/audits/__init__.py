"""audit(): a table in, an Audit out; what an audit found, as plain data; comparisons of audits."""
