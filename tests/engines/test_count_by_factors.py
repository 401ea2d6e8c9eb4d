"""Attributes, factors and outcomes counted where they are: the same as in memory."""

from dataclasses import asdict

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import engine_tables as engine
import fairgroups as fg


def table(n=6_000, seed=0):
    rng = np.random.default_rng(seed)
    z, c = rng.integers(0, 12, n), rng.choice(["north", "south", "west"], n)
    age = np.clip(np.round(30 + 2 * z + 9 * rng.normal(size=n)), 18, 75).astype(int)
    y = (rng.random(n) < 0.2 + 0.04 * z - 0.15 * (age < 33)).astype(int)
    return pd.DataFrame({"age": age, "y": y, "z": z, "c": c, "b": z > 6, "w": rng.uniform(0.5, 2, n)})


def engines(frame):
    yield "polars", pl.from_pandas(frame).lazy()
    yield "duckdb", duckdb.from_df(frame)


ASKED = {"sensitive": "age", "outcome": "y", "favourable": True, "checks": False}
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    "more", [{}, {"partition": [30, 50]}, {"measure": "equal_opportunity", "truth": "t"}, {"weight": "w"}]
)
def test_every_engine_says_the_same(more):
    frame = table()
    frame["t"] = (np.arange(len(frame)) % 3 > 0).astype(int)
    own = fg.audit(frame, **ASKED, given=["z", "c", "b"], **more)
    for name, lazy in engines(frame):
        other = fg.audit(lazy, **ASKED, given=["z", "c", "b"], **more)
        assert other.conclusion == own.conclusion, name
        assert other.partition == own.partition
        assert other.reasons.strata == own.reasons.strata
        for one, two in zip(own.reasons.groups, other.reasons.groups, strict=True):
            a, b = ({k: v for k, v in asdict(x).items() if k != "label"} for x in (one, two))
            assert a == pytest.approx(b, abs=1e-6 if more.get("weight") else 1e-9, nan_ok=True)


def test_numbers_of_many_values_are_cut_where_they_are():
    rng = np.random.default_rng(1)
    n = 20_000
    z = rng.lognormal(size=n)
    x = np.log(z) + rng.normal(size=n)
    y = (rng.random(n) < 0.2 + 0.5 * (z > 1) * (x > -5) - 0.15 * (x < -1)).astype(int)
    frame = pd.DataFrame({"age": x, "y": y, "z": z})
    own = fg.audit(frame, **ASKED, given="z")
    for name, lazy in engines(frame):
        other = fg.audit(lazy, **ASKED, given="z")
        assert other.partition.n_groups == own.partition.n_groups, name
        assert other.reasons.groups[0].matched == pytest.approx(own.reasons.groups[0].matched, abs=0.02)


@pytest.mark.parametrize("missing", ["error", "drop", "group"])
def test_missing_factors(missing):
    frame = table(2_000)
    frame["z"] = frame["z"].astype(float)
    frame.loc[:40, "z"] = np.nan
    lazy = pl.from_pandas(frame, nan_to_null=True).lazy()
    if missing == "error":
        for data in (frame, lazy):
            with pytest.raises(fg.MissingValuesError, match="'z' holds 41 missing"):
                fg.audit(data, **ASKED, given="z")
        return
    own, other = (fg.audit(data, **ASKED, given="z", missing=missing) for data in (frame, lazy))
    assert other.conclusion == own.conclusion
    assert other.data.rows == own.data.rows == (2_000 if missing == "group" else 1_959)
    assert other.data.dropped == own.data.dropped


def test_rows_are_read_where_counts_cannot_answer():
    frame = table(2_000)
    lazy = pl.from_pandas(frame).lazy()
    own, other = (fg.audit(data, **ASKED, given="z", seek="raw") for data in (frame, lazy))
    assert other.conclusion == own.conclusion
    assert "read into memory" in other.notes[0]
    with pytest.raises(fg.InputError, match="no column 'nope'"):
        fg.audit(lazy, **ASKED, given="nope")


@pytest.mark.parametrize("kind", ["polars_lazy", "duckdb", "ibis", "dask", "pyspark"])
def test_all_lazy_frames_say_the_same(kind, tmp_path):
    frame = table(3_000)[["age", "y", "z", "c"]]
    frame.to_parquet(tmp_path / "people.parquet", index=False)
    lazy = getattr(engine, f"as_{kind}")(frame, tmp_path / "people.parquet")
    own, other = (fg.audit(data, **ASKED, given=["z", "c"]) for data in (frame, lazy))
    assert other.conclusion == own.conclusion
    assert other.reasons.groups[0].statistic == pytest.approx(own.reasons.groups[0].statistic, abs=1e-9)
