"""A column means the same whatever the table is and however large it is."""

from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairgroups as fg
from fairgroups import reading

N = 600
KINDS = {
    "whole": lambda rng: pl.Series(rng.integers(0, 9, N)),
    "float": lambda rng: pl.Series(rng.choice([0.5, 1.25, 7.0], N)),
    "truth": lambda rng: pl.Series(rng.random(N) < 0.4),
    "text": lambda rng: pl.Series(rng.choice(["a", "b", "c"], N)),
    "level": lambda rng: pl.Series(rng.choice(["low", "high"], N)).cast(pl.Categorical),
    "money": lambda rng: pl.Series([Decimal(int(x)) / 4 for x in rng.integers(10, 90, N)], dtype=pl.Decimal(10, 2)),
    "digits": lambda rng: pl.Series(rng.choice(["10", "20.5", "30"], N)),
}
OUTCOMES = {
    "0/1": lambda rng: pl.Series(rng.integers(0, 2, N)),
    "truth": KINDS["truth"],
    "labels": lambda rng: pl.Series(rng.choice(["no", "yes"], N)),
    "amount": lambda rng: pl.Series(rng.normal(50, 9, N).round(2)),
}


def told(data, **options):
    """What an audit says, or the message that it ends with."""
    try:
        found = fg.audit(data, **options, checks=False)
    except fg.InputError as error:
        return str(error)
    rates = [round(r.rate, 9) for r in found.records]
    return found.partition.labels, [r.n for r in found.records], rates


@given(
    st.integers(0, 99),
    st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=2, unique=True),
    st.sampled_from(sorted(OUTCOMES)),
)
@settings(max_examples=25, deadline=None)
def test_memory_duckdb_and_polars_agree(seed, kinds, outcome):
    if len(kinds) > 1 and outcome == "amount":
        return  # halves of people whose outcomes are numbers are dealt one by one, which counts cannot repeat
    rng = np.random.default_rng(seed)
    people = pl.DataFrame({**{kind: KINDS[kind](rng) for kind in kinds}, "y": OUTCOMES[outcome](rng)})
    options = {"sensitive": kinds[0] if len(kinds) == 1 else kinds, "outcome": "y", "n_groups": 2}
    options |= {"positive": "yes"} if outcome == "labels" else {}
    known = told(people, **options)
    assert told(people.lazy(), **options) == known
    with duckdb.connect() as connection:
        connection.register("people", people.to_arrow())
        assert told(connection.sql("SELECT * FROM people"), **options) == known


@pytest.mark.parametrize("role", ["x", "y"])
def test_dates_are_refused_alike(role):
    days = pl.Series(pd.date_range("2024-01-01", periods=N))
    people = pl.DataFrame({"x": range(N), "y": [0, 1] * (N // 2)}).with_columns(days.alias(role))
    messages = {told(data, sensitive="x", outcome="y") for data in (people, people.lazy())}
    assert len(messages) == 1
    assert "holds dates or durations" in messages.pop()


@pytest.mark.parametrize(
    "options",
    [
        {"cluster": "who"},
        {"outcome": "amount", "weight": "w"},
        {"truth": "score", "measure": "calibration"},
        {"compare_with": "score", "outcome": "amount"},
        {"sensitive": "digits"},
    ],
    ids=str,
)
def test_where_counts_cannot_answer_rows_are_read(options, tmp_path, monkeypatch):
    monkeypatch.setattr("fairgroups.reading.FEW_ROWS", 0)
    rng = np.random.default_rng(0)
    people = pl.DataFrame(
        {
            "x": rng.normal(50, 10, N),
            "y": rng.integers(0, 2, N),
            "amount": rng.normal(90, 5, N),
            "score": rng.normal(80, 5, N),
            "w": rng.uniform(1, 2, N),
            "who": rng.integers(0, 200, N),
            "digits": rng.choice(["1", "2", "3"], N),
        }
    )
    options = {"sensitive": "x", "outcome": "y", "n_groups": 2, **options}
    known = told(people, **options)
    assert isinstance(known, tuple)
    assert told(people.lazy(), **options) == known
    people.write_parquet(tmp_path / "people.parquet")
    assert told(tmp_path / "people.parquet", **options) == known
    monkeypatch.setattr(reading, "LARGE", 100)
    large = fg.audit(tmp_path / "people.parquet", **options, checks=False)
    assert told(tmp_path / "people.parquet", **options) == known
    assert any("were read into memory" in note for note in large.notes)


@pytest.mark.parametrize(
    "options",
    [
        {"sensitive": "income"},
        {"sensitive": ["age", "income"], "checks": True},
        {"sensitive": "age", "given": ["day", "income"]},
        {"sensitive": "income", "outcome": "amount", "weight": "w"},
        {"sensitive": "b"},
    ],
    ids=str,
)
def test_a_small_lazy_frame_is_read_as_memory_is(options):
    """Value by value: many different values are no fewer cells, and tests see the same."""
    rng = np.random.default_rng(0)
    n = 2500
    table = pd.DataFrame({"age": rng.integers(18, 70, n), "income": rng.lognormal(10, 0.7, n).round(2)})
    table["y"], table["b"] = rng.random(n) < 0.3 + 0.1 * (table.age < 30), rng.random(n) < 0.5
    table["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    table["amount"], table["w"] = rng.normal(50, 9, n), rng.uniform(1, 3, n)
    asked = {"outcome": "y", "checks": False, **options}

    def told(data):
        found = fg.audit(data, **asked).to_dict()
        return {key: value for key, value in found.items() if key not in ("data", "notes")}

    memory = told(table)
    assert told(pl.from_pandas(table).lazy()) == memory
    assert told(duckdb.from_df(table)) == memory


@pytest.mark.parametrize("positive", [1, 0, "2"])
@pytest.mark.parametrize("options", [{}, {"truth": "t", "measure": "equal_opportunity"}, {"given": "g"}], ids=str)
def test_one_number_of_several_counts_as_yes_before_people_are_counted(positive, options):
    rng = np.random.default_rng(0)
    n = 20_000
    table = pl.DataFrame(
        {
            "x": rng.normal(50, 10, n).round(0),
            "y": rng.choice([0, 1, 2], n),
            "t": rng.integers(0, 2, n),
            "g": rng.choice([1, 2, 3], n),
        }
    )
    asked = {"sensitive": "x", "outcome": "y", "positive": positive, "checks": False, **options}
    memory = fg.audit(table, **asked)
    for data in (table.lazy(), duckdb.from_arrow(table.to_arrow())):
        found = fg.audit(data, **asked)
        assert (found.overall, found.partition, found.conclusion) == (
            memory.overall,
            memory.partition,
            memory.conclusion,
        )
        assert found.data.converted == memory.data.converted
    assert memory.overall == pytest.approx(1 / 3, abs=0.03)


def test_numbers_of_yes_and_no_are_counted_where_they_are(monkeypatch):
    monkeypatch.setattr(reading, "_collected", None)
    rng = np.random.default_rng(0)
    table = pl.DataFrame({k: rng.integers(0, 2, 20_000) for k in "yt"} | {"x": rng.integers(0, 50, 20_000)})
    found = fg.audit(table.lazy(), sensitive="x", outcome="y", truth="t", positive=0, checks=False)
    assert found.overall == pytest.approx(1 - table["y"].mean())
    with pytest.raises(
        fg.InputError, match="`positive` is 3.5, which is no value of 'x'; it holds the numbers 0, 1, 2"
    ):
        fg.audit(table.lazy(), sensitive="t", outcome="x", positive=3.5)


def test_scores_above_a_threshold_are_told_on_engines_too():
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"x": rng.integers(0, 50, 20_000), "score": rng.uniform(0, 1, 20_000)})
    asked = {"sensitive": "x", "outcome": "score", "threshold": 0.5, "checks": False}
    assert fg.audit(table.lazy(), **asked).data.converted == fg.audit(table, **asked).data.converted


def test_ages_of_lazy_frames():
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"days": rng.integers(0, 20_000, 12_000), "y": rng.integers(0, 2, 12_000)})
    table = table.with_columns(dob=pl.date(1950, 1, 1) + pl.duration(days=pl.col("days")))
    asked = {"sensitive": "age(dob, 2024-01-01)", "outcome": "y", "checks": False}
    memory = fg.audit(table, **asked)
    for data in (table.lazy(), duckdb.from_arrow(table.to_arrow())):
        found = fg.audit(data, **asked)
        assert (found.partition, found.overall, found.conclusion) == (
            memory.partition,
            memory.overall,
            memory.conclusion,
        )
        assert "ages follow from dates of birth" in found.notes[0]


def test_what_was_decided_is_told_where_rows_are_read_after_all():
    rng = np.random.default_rng(0)
    n = 12_000
    table = pl.DataFrame(
        {"x": rng.integers(0, 50, n), "score": rng.uniform(0, 1, n).round(2), "who": rng.integers(0, 4000, n)}
    )
    asked = {"sensitive": "x", "outcome": "score", "threshold": 0.5, "cluster": "who", "checks": False}
    memory, lazy = fg.audit(table, **asked), fg.audit(table.lazy(), **asked)
    assert lazy.data.converted == memory.data.converted != ()
    assert lazy.overall == memory.overall


def test_the_label_of_the_truth_is_asked_of_the_truth(monkeypatch):
    """A threshold makes yes of the outcome's numbers; `positive` is then a label of the truth."""
    monkeypatch.setattr("fairgroups.reading.FEW_ROWS", 0)
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.integers(18, 70, N), "score": rng.integers(0, 10, N)})
    table["t"], table["b"] = rng.choice(["no", "yes"], N, p=[0.3, 0.7]), rng.integers(0, 2, N)
    same = {"sensitive": "x", "outcome": "score", "threshold": 5, "measure": "equal_opportunity", "n_groups": 2}
    for asked in ({"truth": "t", "positive": "no"}, {"truth": "b", "positive": 0}, {"truth": "t"}):
        known = told(table, **same, **asked)
        assert isinstance(known, tuple)
        assert told(pl.from_pandas(table).lazy(), **same, **asked) == known
        assert told(duckdb.from_df(table), **same, **asked) == known


def test_numbers_that_are_not_known_are_neither_yes_nor_no(monkeypatch):
    monkeypatch.setattr("fairgroups.reading.FEW_ROWS", 0)
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"x": rng.integers(18, 70, N), "y": rng.integers(0, 3, N).astype(float)})
    table = table.with_columns(pl.when(pl.int_range(N) < 90).then(float("nan")).otherwise("y").alias("y"))
    connection = duckdb.connect()
    connection.execute(
        f"CREATE TABLE people AS SELECT i % 50 AS x, CASE WHEN i < 90 THEN 'nan'::DOUBLE ELSE i % 3 END AS y "
        f"FROM range({N}) r(i)"
    )
    held = connection.table("people")
    for asked in ({"threshold": 2}, {"positive": 2}, {}):
        same = {"sensitive": "x", "outcome": "y", "n_groups": 2, **asked}
        for lazy, memory in ((table.lazy(), table), (held, held.fetchnumpy())):
            assert told(lazy, missing="drop", **same) == told(memory, missing="drop", **same)
            assert "90 missing value(s)" in told(lazy, **same)
    with pytest.raises(fg.InputError, match="the largest is 2"):
        fg.audit(held, sensitive="x", outcome="y", threshold=3, missing="drop")
