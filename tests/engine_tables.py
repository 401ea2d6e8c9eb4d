"""The same people as a table of every engine; what is absent skips with a reason."""

import os
import shutil
import sys

import pytest


def as_lists(people, _):
    return {name: people[name].tolist() for name in people}


def as_numpy(people, _):
    return {name: people[name].to_numpy() for name in people}


def as_pandas(people, _):
    return people


def as_pandas_arrow(people, _):
    return people.convert_dtypes(dtype_backend="pyarrow")


def as_polars(people, _):
    return pytest.importorskip("polars").from_pandas(people)


def as_polars_lazy(_, parquet):
    return pytest.importorskip("polars").scan_parquet(parquet)


def as_pyarrow(_, parquet):
    return pytest.importorskip("pyarrow.parquet").read_table(parquet)


def as_duckdb(_, parquet):
    return pytest.importorskip("duckdb").connect().read_parquet(str(parquet))


def as_ibis(_, parquet):
    return pytest.importorskip("ibis").duckdb.connect().read_parquet(parquet)


def as_dask(people, _):
    return pytest.importorskip("dask.dataframe").from_pandas(people, npartitions=5)


def as_pyspark(_, parquet):
    pyspark = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers run what we run
    session = (
        pyspark.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session.read.parquet(str(parquet))
