"""Counting people where they are: lazy frames of Polars, DuckDB, Ibis, Dask and PySpark."""
