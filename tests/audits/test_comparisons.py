import numpy as np
import pandas as pd
import pytest

import fairgroups as fg

RNG = np.random.default_rng(0)
N = 6000
AGE = RNG.integers(18, 80, N)
YEAR = RNG.choice([2022, 2023, 2024], N)
TABLE = {
    "age": AGE,
    "year": YEAR,
    "ok": (RNG.random(N) < 0.5 - 0.1 * (AGE < 40) - 0.25 * (AGE < 40) * (YEAR == 2024)) * 1,
}


def test_scales_are_judged_as_named_in_advance():
    found = fg.audit(TABLE, sensitive="age", outcome="ok", scales={"law": [40], "my": [30, 60]}, checks=False)
    for one, borders in zip(found.classes, ([40], [30, 60]), strict=True):
        named = fg.audit(TABLE, sensitive="age", outcome="ok", partition=borders, checks=False)
        assert repr(one.records) == repr(named.records)
    assert [one.against for one in found.classes] == ["rest", "everyone"]
    again = fg.Audit.from_json(found.to_json())
    assert again == found
    assert "Classes named in advance: law" in again.to_markdown()
    assert "Classes named in advance: law" in again.to_html()
    assert list(found.tables["classes"]["scale"]) == ["law", "law", "my", "my", "my"]


def test_scales_on_engines_have_the_very_same_numbers():
    import polars as pl

    x = RNG.normal(50, 10, 100_000)
    table = pl.DataFrame({"x": x, "y": (RNG.random(100_000) < 0.3 + 0.1 * (x > 51.37)).astype(int)})
    options = {"sensitive": "x", "outcome": "y", "scales": {"law": [51.37]}, "checks": False}
    assert repr(fg.audit(table.lazy(), **options).classes) == repr(fg.audit(table, **options).classes)


def test_periods_follow_the_groups():
    found = fg.audit(pd.DataFrame(TABLE), sensitive="age", outcome="ok", partition=[40], by="year", checks=False)
    told = found.over_time
    assert [period.label for period in told.periods] == ["2022", "2023", "2024"]
    for t, year in enumerate((2022, 2023, 2024)):
        young = (AGE < 40) & (year == YEAR)
        rate = TABLE["ok"][young].mean()
        assert told.periods[t].groups[0].rate == pytest.approx(rate)
        assert told.periods[t].groups[0].phi == pytest.approx(rate - TABLE["ok"][year == YEAR].mean())
    assert [change.verdict for change in told.changes] == ["fell", "rose"]
    assert told.changes[0].low < told.changes[0].difference < told.changes[0].high < 0
    assert fg.Audit.from_json(found.to_json()) == found
    assert "By year" in found.to_html()
    assert set(found.tables["over_time"]["period"]) == {"2022", "2023", "2024"}


def test_nothing_changes_where_nothing_does():
    """With 95% confidence no group is said to have moved; 60 tables, three periods, groups that were searched for."""
    moved = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        age = rng.integers(18, 80, 3000)
        table = {"age": age, "t": rng.integers(0, 3, 3000), "ok": (rng.random(3000) < 0.4 + 0.2 * (age > 50)) * 1}
        found = fg.audit(table, sensitive="age", outcome="ok", by="t", checks=False)
        moved += any(change.verdict in ("rose", "fell") for change in found.over_time.changes)
    assert moved <= 4


def test_periods_of_every_kind():
    days = np.array(["2023-01-15", "2023-03-01"], dtype="datetime64[D]")
    for column, names in (
        (np.resize(days, N), ["2023-01", "2023-03"]),
        (np.resize(np.array([10.0, 9.0]), N), ["9", "10"]),
        (np.resize(np.array(["b", "a"]), N), ["a", "b"]),
    ):
        found = fg.audit({**TABLE, "t": column}, sensitive="age", outcome="ok", partition=[40], by="t", checks=False)
        assert [period.label for period in found.over_time.periods] == names


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"by": "id"}, "6,000 values; at most 60 periods"),
        ({"by": "one"}, "all rows are of one period"),
        ({"by": "few"}, "few = 1 has only 1 row"),
        ({"by": "gap"}, "'gap', which periods are told by, holds 1 missing"),
        ({"by": "year", "given": "id"}, "does not go with factors"),
        ({"scales": {"law": [40]}, "sensitive": ["age", "year"]}, "borders of one attribute"),
        ({"scales": [40]}, "must map names to borders"),
        ({"scales": {"law": [40, 20]}}, "finite and increasing"),
    ],
)
def test_what_cannot_be_compared_is_said(options, said):
    gap = YEAR.astype(float)
    gap[3] = np.nan
    table = {**TABLE, "id": np.arange(N), "one": np.ones(N), "few": (np.arange(N) == 5) * 1, "gap": gap}
    with pytest.raises(fg.InputError, match=said):
        fg.audit(table, **{"sensitive": "age", "outcome": "ok", "checks": False, **options})


def test_the_baseline_is_in_every_shape(tmp_path):
    old = {key: np.asarray(value)[YEAR == 2022] for key, value in TABLE.items()}
    new = {key: np.asarray(value)[YEAR == 2024] for key, value in TABLE.items()}
    options = {
        "sensitive": "age",
        "outcome": "ok",
        "favourable": True,
        "partition": [40],
        "against": "everyone",
        "checks": False,
    }
    before, after = fg.audit(old, **options), fg.audit(new, **options)
    told = fg.since_baseline(after, before, fg.compare_to_baseline(after, before))
    assert [change.verdict for change in told.since.changes] == ["worse", "better"]
    assert told.since.changes[0].rate_before == pytest.approx(old["ok"][old["age"] < 40].mean())
    again = fg.Audit.from_json(told.to_json())
    assert again == told
    for text in (again.to_html(), again.to_markdown()):
        assert "Worse off than in the baseline: age under 40." in text


def test_a_period_of_one_group_shows_no_change():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, 4000)
    year = np.where(age < 40, rng.choice([1, 2], 4000), 1)
    table = {"age": age, "year": year, "y": rng.random(4000) < np.where(age < 40, 0.6, 0.3)}
    found = fg.audit(table, sensitive="age", outcome="y", by="year", partition=[40], checks=False)
    assert {change.verdict for change in found.over_time.changes} == {"not enough evidence"}
    assert found.to_html()


@pytest.mark.parametrize(
    ("sensitive", "options"),
    [("age", {"n_cells": 8}), (["age", "pay"], {}), (["age", "pay"], {"missing": "group"}), (["age", "g"], {})],
)
def test_periods_are_judged_on_the_grid_of_all_people(sensitive, options):
    rng = np.random.default_rng(3)
    n = 3000
    age, year = rng.normal(50, 10, n), rng.integers(2019, 2022, n)
    pay = np.where(rng.random(n) < 0.4, 0, np.round(np.exp(rng.normal(8, 1.5, n)), 2))
    if options.get("missing"):
        pay[::50] = np.nan
    ok = (rng.random(n) < 0.3 + 0.3 * ((age < 45) & ~(pay > 100))).astype(int)
    table = pd.DataFrame({"age": age, "pay": pay, "g": rng.choice(list("uvw"), n), "ok": ok, "year": year})
    found = fg.audit(table, sensitive=sensitive, outcome="ok", by="year", **options)
    assert found.partition.n_groups > 1
    group = found.partition.assign(table[list(found.partition.columns)] if len(found.partition.columns) > 1 else age)
    for period in found.over_time.periods:
        for k, one in enumerate(period.groups):
            inside = (group == k) & (year == int(period.label))
            assert one.n == inside.sum()
            if one.n >= 10:
                assert one.rate == pytest.approx(ok[inside].mean())
                assert one.low <= one.phi <= one.high
