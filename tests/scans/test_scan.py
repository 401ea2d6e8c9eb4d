"""fg.scan: a table in, what matters out."""

import datetime as dt
import re

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairgroups as fg
from fairgroups.errors import ColumnError, InputError, MissingValuesError


def people(n=3000, seed=0, **more):
    rng = np.random.default_rng(seed)
    table = {
        "age": rng.integers(18, 80, n),
        "income": np.round(rng.lognormal(10, 0.5, n)),
        "team": rng.choice(["north", "south", "west"], n),
        "remote": rng.random(n) < 0.4,
        "joined": np.datetime64("2020-01-01") + rng.integers(0, 1500, n),
    }
    rate = 0.4 - 0.25 * (table["age"] >= 60)
    return table | {"hired": rng.random(n) < rate} | more


def test_the_one_that_matters_is_found_and_the_others_are_not():
    found = fg.scan(people(), outcome="hired", favourable=True)
    assert [one.names for one in found.shown] == [("age",)]
    first = found.attributes[0]
    assert first.worst.verdict == "disadvantaged"
    assert first.worst.label.startswith("age 6")
    assert first.worst.high < 0
    assert first.protected == ("age",)
    assert first.step == 1
    assert found.verdict == "different"
    assert len(found.attributes) == 5
    assert "age" in found.conclusion
    assert "adds" not in found.conclusion


def test_nothing_is_not_proof():
    rng = np.random.default_rng(3)
    found = fg.scan(people(hired=rng.random(3000) < 0.3), outcome="hired")
    assert found.verdict == "not enough evidence"
    assert found.shown == ()
    assert "nothing differs more than chance makes it" in found.conclusion
    assert "would have been found in 80 of 100 such tables" in found.conclusion


def test_columns_that_go_together_are_told_apart_or_not():
    rng = np.random.default_rng(1)
    n = 6000
    tenure = rng.normal(size=n)
    age = tenure + 0.6 * rng.normal(size=n)
    hired = rng.random(n) < 1 / (1 + np.exp(-tenure))
    found = fg.scan({"age": age, "tenure": tenure, "hired": hired}, outcome="hired")
    by_name = {one.names[0]: one for one in found.attributes}
    assert by_name["age"].shown
    assert by_name["age"].beyond == ("tenure",)
    assert by_name["tenure"].beyond == ()
    assert found.steps[0].names in (("tenure",), ("age", "tenure"))


def test_a_second_place_is_found_after_the_first():
    rng = np.random.default_rng(2)
    n = 6000
    table = {f"x{i}": rng.normal(size=n) for i in range(5)}
    rate = 0.3 + 0.2 * (table["x0"] > 1) - 0.15 * ((table["x1"] > 0) & (table["x2"] < 0))
    found = fg.scan(table | {"y": rng.random(n) < rate}, outcome="y")
    listed = {name for step in found.steps for name in step.names}
    assert {"x0", "x1", "x2"} <= listed
    assert not {"x3", "x4"} & listed
    assert {"x1", "x2"} in [set(pair.names) for pair in found.pairs]


def test_at_equal_factors_what_they_explain_is_gone():
    rng = np.random.default_rng(4)
    n = 5000
    school = rng.integers(0, 6, n)
    age = school + rng.normal(size=n)
    table = {"age": age, "school": school, "x": rng.normal(size=n), "y": rng.random(n) < 0.1 + 0.12 * school}
    assert ("age",) in [one.names for one in fg.scan(table, outcome="y").shown]
    held = fg.scan(table, outcome="y", given="school")
    assert held.shown == ()
    assert held.data.strata == 6
    assert "at equal school" in held.conclusion


def test_engines_rows_and_order_say_the_same(tmp_path):
    table = pd.DataFrame(people(1500))
    first = fg.scan(table, outcome="hired")
    assert isinstance(first.to_frame(), pd.DataFrame)
    shuffled = fg.scan(table.sample(frac=1, random_state=1), outcome="hired")
    frame = pl.from_pandas(table)
    table.to_parquet(tmp_path / "people.parquet")
    table.to_csv(tmp_path / "people.csv", index=False)
    for other in (
        shuffled,
        fg.scan(frame, outcome="hired"),
        fg.scan(frame.lazy(), outcome="hired"),
        fg.scan({name: list(table[name]) for name in table}, outcome="hired"),
        fg.scan(tmp_path / "people.parquet", outcome="hired"),
        fg.scan(tmp_path / "people.csv", outcome="hired"),
    ):
        for one, two in zip(first.attributes, other.attributes, strict=True):
            assert one.worst.label == two.worst.label
            assert (one.worst.phi, one.worst.low, one.p_value) == (two.worst.phi, two.worst.low, two.p_value)
    assert isinstance(fg.scan(frame, outcome="hired").to_frame(), pl.DataFrame)


def test_amounts_weights_and_clusters():
    rng = np.random.default_rng(5)
    table = people(2000, pay=0, w=rng.uniform(0.5, 2, 2000), who=np.arange(2000) // 2)
    table["pay"] = rng.gamma(2, 100, 2000) * (1 - 0.4 * (table["age"] >= 60))
    for more in ({}, {"weight": "w"}, {"cluster": "who"}):
        left = [name for name in ("w", "who", "hired") if name not in more.values()]
        found = fg.scan(table, outcome="pay", without=left, **more)
        assert found.attributes[0].names == ("age",)
        assert found.attributes[0].shown
        assert not found.data.percent


def test_a_rate_among_some_people_only():
    rng = np.random.default_rng(6)
    table = people(4000, good=rng.random(4000) < 0.5)
    table["hired"] = rng.random(4000) < np.where(table["good"], 0.7 - 0.3 * (table["age"] >= 60), 0.2)
    found = fg.scan(table, outcome="hired", truth="good", measure="equal_opportunity", favourable=True)
    assert found.attributes[0].names == ("age",)
    assert found.attributes[0].worst.n < 1500
    with pytest.raises(InputError, match="one rate"):
        fg.scan(table, outcome="hired", truth="good", measure="equalized_odds")


def test_what_is_missing_is_looked_at():
    table = people(3000)
    age = table["age"].astype(float)
    age[:300] = np.nan
    table["age"], table["hired"] = age, np.where(np.arange(3000) < 300, False, table["hired"])
    found = fg.scan(table, outcome="hired")
    lines = {(one.names[0], one.missing) for one in found.shown}
    assert ("age", True) in lines
    table["hired"] = np.where(np.arange(3000) % 50 == 0, np.nan, table["hired"].astype(float))
    with pytest.raises(MissingValuesError):
        fg.scan(table, outcome="hired")
    assert fg.scan(table, outcome="hired", missing="drop").data.dropped == 60


def test_limits_and_what_they_need():
    table = people()
    assert fg.scan(table, outcome="hired", max_gap=0.01).limit == "exceeded"
    assert fg.scan(table, outcome="hired", max_gap=0.9).limit == "kept"
    assert fg.scan(table, outcome="hired", max_gap=0.3).limit == "not enough evidence"
    assert fg.scan(table, outcome="hired", favourable=True, max_harm=0.05).limit == "exceeded"
    with pytest.raises(InputError, match="what harms"):
        fg.scan(table, outcome="hired", max_harm=0.1)


def test_audits_on_request():
    found = fg.scan(people(1500), outcome="hired", audits=True, pairs=False)
    assert found.attributes[0].audit.verdict == "different"
    assert found.attributes[-1].audit is None
    assert fg.Scan.from_json(found.to_json()) == found


def test_bad_input_is_told():
    table = people(200)
    with pytest.raises(ColumnError):
        fg.scan(table, outcome="hird")
    with pytest.raises(ColumnError):
        fg.scan(table, outcome="hired", attributes=["agee"])
    with pytest.raises(InputError, match="no column to look at"):
        fg.scan({"hired": table["hired"]}, outcome="hired")
    with pytest.raises(InputError, match="no column is left"):
        fg.scan({"one": np.ones(200), "hired": table["hired"]}, outcome="hired")
    with pytest.raises(InputError, match="another part"):
        fg.scan(table, outcome="hired", attributes="hired")
    with pytest.raises(TypeError, match="did you mean 'outcome'"):
        fg.scan(table, outcom="hired")
    with pytest.raises(InputError, match="length"):
        fg.scan({"a": [1, 2, 3], "y": [0, 1]}, outcome="y")
    with pytest.raises(InputError, match="cannot read a table"):
        fg.scan(dt.date(2024, 1, 1), outcome="y")


def test_few_rows_and_odd_values():
    found = fg.scan({"x": [1, 2, 3] * 10, "z": ["a", "b"] * 15, "y": [0, 1] * 15}, outcome="y", min_cell=5)
    assert found.verdict == "not enough evidence"
    assert "a copy" in found.columns[1].told
    rng = np.random.default_rng(0)
    wild = {"x": rng.standard_cauchy(400), "inf": np.where(rng.random(400) < 0.1, np.inf, rng.normal(size=400)),
            "y": rng.random(400) < 0.5}  # fmt: skip
    assert fg.scan(wild, outcome="y").data.n == 400
    alike = fg.scan({"x": rng.normal(size=100), "y": np.ones(100)}, outcome="y")
    assert alike.verdict == "not enough evidence"


def test_false_alarms_over_a_whole_table():
    """Ten columns and their pairs, nobody treated differently: 5 of 100 tables may alarm."""
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng([seed, 9])
        base = rng.normal(size=(800, 1))
        table = {f"x{i}": (base + rng.normal(size=(800, 1)))[:, 0] for i in range(5)}
        table |= {f"c{i}": rng.integers(0, 2 + i, 800).astype(str) for i in range(5)}
        alarms += fg.scan(table | {"y": rng.random(800) < 0.2}, outcome="y").verdict == "different"
    assert alarms <= 11  # more in one of a hundred cases at 5 %


def test_amounts_that_scatter_more_in_some_places_are_no_finding():
    """Equal means everywhere, but a few of one level win much and the others lose a little."""
    alarms = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        x, z = rng.normal(size=(2, 1500))
        risky = rng.random(1500) < 0.06
        y = np.where(risky, np.where(rng.random(1500) < 0.1, 9.0, -1.0), 0.1 * rng.normal(size=1500))
        table = {"x": x, "z": z, "c": np.where(risky, "risky", "safe"), "y": y}
        alarms += fg.scan(table, outcome="y").verdict == "different"
    assert alarms <= 3


def test_intervals_of_rates_near_0_hold():
    rates = np.array([0.002, 0.01, 0.03, 0.9, 0.5, *[0.05] * 15])
    names = np.array([f"l{i:02}" for i in range(20)])
    missed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        level = rng.integers(0, 20, 2000)
        found = fg.scan({"g": names[level], "y": rng.random(2000) < rates[level]}, outcome="y", pairs=False)
        one = found.attributes[0]
        for place in (one.worst, *one.more):
            held = np.isin(names[level], place.sides[0].names)
            truth = rates[level][held].mean() - rates[level].mean()
            missed += not place.low <= truth <= place.high
    assert missed <= 6


def test_no_interval_reaches_where_no_rate_can_be():
    rng = np.random.default_rng(4)
    n = 6000
    x, level = rng.normal(size=n), rng.choice(list("abc"), n)
    y = np.where(x > 1.5, 1, np.where(x < -1.5, 0, rng.random(n) < 0.25)).astype(int)
    found = fg.scan({"x": x, "level": level, "y": y}, outcome="y", min_cell=10)
    (one,) = (one for one in found.attributes if one.names == ("x",))
    overall = y.mean()
    unsure = 10 * np.sqrt(overall * (1 - overall) / n)  # of everybody's rate
    for place in (one.worst, *one.more):
        assert -overall - unsure <= place.low <= place.phi <= place.high <= 1 - overall + unsure
    assert any(place.rate in (0, 1) for place in (one.worst, *one.more))


def test_a_limit_that_nothing_was_held_against_is_not_kept():
    with pytest.raises(InputError, match="no range of any column holds 10 of the 15 people"):
        fg.scan({"a": list(range(15)), "b": list("ab" * 7 + "a"), "y": [1, 0, 1] * 5}, outcome="y", max_gap=0.01)


def test_limits_agree_with_the_intervals_that_are_printed():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        few = np.arange(3000) < 400
        y = rng.random(3000) < np.where(few, 0.05, 0.001)
        found = fg.scan({"g": np.where(few, "A", "B"), "y": y}, outcome="y", pairs=False, max_gap=0.043)
        one = found.attributes[0].worst
        if found.limit == "kept":
            assert max(abs(one.low), abs(one.high)) <= 0.043 + 1e-9
        if found.limit == "exceeded":
            assert max(one.low, -one.high) > 0.043


def test_a_tick_or_nothing_is_looked_at():
    rng = np.random.default_rng(0)
    ticked = rng.random(3000) < 0.3
    y = rng.random(3000) < np.where(ticked, 0.2, 0.6)
    for values in (np.where(ticked, "yes", None), np.where(ticked, 1.0, np.nan)):
        assert fg.scan({"t": values, "z": rng.normal(size=3000), "y": y}, outcome="y").shown[0].names == ("t",)


def test_constants_clusters_codes_and_labels():
    rng = np.random.default_rng(1)
    n = 600
    assert fg.scan({"a": rng.normal(size=n), "b": np.arange(n) % 3, "y": np.full(n, 3.3)}, outcome="y").shown == ()
    table = {"a": rng.normal(size=n), "y": rng.random(n) < 0.4, "who": rng.integers(0, 60, n)}
    renamed = {**table, "who": rng.permutation(60)[table["who"]]}
    one, other = (fg.scan(t, outcome="y", cluster="who") for t in (table, renamed))
    assert one.attributes == other.attributes
    pay = rng.integers(1000, 5000, 2000).astype(float)
    pay[:100] = 99999
    found = fg.scan({"pay": pay, "y": rng.random(2000) < 0.3 + 0.3 * (pay < 2000)}, outcome="y", audits=True,
                    label={"pay": "Pay", "y": "Hired"})  # fmt: skip
    assert sum(r.n for r in found.attributes[0].audit.records) == 1900
    assert "Hired" in found.conclusion
    assert "for Pay under" in found.conclusion


def test_shuffled_rows_say_the_same_to_the_last_digit():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(people(1500))
    frame["pay"] = rng.gamma(2, 100, 1500)
    one = fg.scan(frame, outcome="pay")
    assert fg.scan(frame.sample(frac=1, random_state=0), outcome="pay") == one


def test_columns_of_no_kind_are_left_out_and_the_others_are_looked_at():
    import pyarrow as pa

    rng = np.random.default_rng(3)
    table = pl.DataFrame({"a": rng.normal(size=300), "lists": [[1, 2]] * 300, "y": rng.random(300) < 0.5})
    found = fg.scan(table, outcome="y")
    assert [check.used for check in found.columns] == [True, False]
    texts = {"a": ["inf" if i % 3 else str(i % 7) for i in range(300)], "b": rng.normal(size=300), "y": table["y"]}
    assert fg.scan(texts, outcome="y").data.n == 300
    twice = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "a", "y"])
    with pytest.raises(InputError, match="cannot read the table"):
        fg.scan(twice, outcome="y")
    held = pa.table({"a": pa.array(["u", "v", None] * 200).dictionary_encode(), "y": rng.random(600) < 0.4})
    assert fg.scan(held, outcome="y").columns[0].missing == 200


@pytest.mark.parametrize(("few", "weight"), [(1, 1e4), (1, 1e12), (5, 2000.0)])
def test_weights_of_which_a_few_outweigh_all_are_refused(few, weight):
    """With one weight of 10,000 the rate is that person's outcome, and everybody else differs from it."""
    rng = np.random.default_rng(6)
    table = {"a": rng.normal(size=400), "b": rng.normal(size=400), "y": rng.random(400) < 0.3}
    table["w"] = np.where(np.arange(400) < few, weight, 1.0)
    with pytest.raises(fg.InputError, match="a few rows weigh nearly as much as all others: 400 rows tell as much as"):
        fg.scan(table, outcome="y", weight="w")


def mixed(seed, n=1500):
    """Ties in years and in rounded incomes, and a box that is hard to see."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(45, 16, n).round(), 18, 95)
    income = np.round(rng.lognormal(10, 0.5, n), -2)
    rate = 0.3 + 0.12 * ((age > 60) & (income > np.median(income)))
    return pd.DataFrame({"age": age, "income": income, "y": rng.random(n) < rate})


def test_neither_the_order_of_rows_nor_names_decide():
    for seed in (1, 7, 33, 54):
        table = mixed(seed)
        found = fg.scan(table, outcome="y", max_gap=0.0)
        for k in range(2):
            assert fg.scan(table.sample(frac=1, random_state=k), outcome="y", max_gap=0.0) == found
        renamed = fg.scan(table.rename(columns={"age": "zage"}), outcome="y")
        assert sorted(one.p_value for one in renamed.attributes) == sorted(one.p_value for one in found.attributes)
        assert renamed.data.p_value == found.data.p_value


def test_the_p_value_of_nothing_is_that_of_pairs_as_well():
    """Nothing at 95%, a pair at 93%: what is printed lies between."""
    table = mixed(33)
    found, looser = (fg.scan(table, outcome="y", level=level) for level in (0.95, 0.93))
    assert found.verdict == "not enough evidence"
    assert looser.verdict == "different"
    assert 0.05 < found.data.p_value <= 0.075
    assert f"(p = {found.data.p_value:.2g})" in found.conclusion


def test_limits_that_no_rates_reach_are_refused():
    table = mixed(0, 300)
    for name in ("max_gap", "max_harm"):
        with pytest.raises(fg.InputError, match="at most 1; got 30"):
            fg.scan(table, outcome="y", favourable=True, **{name: 30})
    fg.scan({"x": table["age"], "pay": table["income"]}, outcome="pay", max_gap=2000)


def test_who_gains_more_is_said_where_harm_is_said_first():
    rng = np.random.default_rng(1)
    n = 1500
    x, group = rng.normal(size=n), rng.choice(list("abcd"), n)
    table = {
        "x": x,
        "group": group,
        "z": rng.normal(size=n),
        "y": rng.random(n) < 0.3 + 0.4 * ((group == "a") & (x > 0)),
    }
    found = fg.scan(table, outcome="y", favourable=True)
    assert found.steps[0].worst.verdict == "disadvantaged"
    assert re.search(
        r"\. For x .* and group a \(\d+ people\), it is \d\d\.\d%, 3\d\.\d points higher", found.conclusion
    )
    assert "points higher" not in fg.scan(table, outcome="y", favourable=False).conclusion.split(". ")[1]


def test_factors_that_leave_nobody_to_compare_are_told():
    rng = np.random.default_rng(0)
    a = rng.normal(size=2000)
    y = rng.random(2000) < np.where(a > 0, 0.6, 0.1)
    table = {"a": a, "b": rng.normal(size=2000), "y": y, "id": [f"p{i}" for i in range(2000)], "copy": y.astype(int)}
    with pytest.raises(fg.InputError, match="different for nearly everybody"):
        fg.scan(table, outcome="y", given="id", attributes=["a", "b"])
    with pytest.raises(fg.InputError, match="the outcome is the same for all"):
        fg.scan(table, outcome="y", given="copy", attributes=["a", "b"])
    table["few"] = [f"p{i}" if i < 900 else "others" for i in range(2000)]
    found = fg.scan({**table, "y": rng.random(2000) < 0.3}, outcome="y", given="few", attributes=["b"], pairs=False)
    assert found.data.alone == 900
    assert "900 of 2,000 people have nobody alike in few to be compared with" in found.conclusion


def test_the_same_outcome_for_all_is_told():
    rng = np.random.default_rng(0)
    found = fg.scan({"a": rng.normal(size=500), "b": rng.normal(size=500), "y": np.ones(500, dtype=int)}, outcome="y")
    assert found.conclusion == "Nothing can be compared: all 500 people have the same y."


@pytest.mark.parametrize(("n", "rate", "side"), [(2000, 0.1, 1), (3000, 0.3, -1), (2000, 0.95, -1)])
def test_the_stated_difference_is_shown_in_four_of_five(n, rate, side):
    """A tenth of the people, anywhere, exactly as far from everybody as is stated; rare outcomes as well."""
    shown, runs = 0, 60
    stated = None
    for seed in range(runs):
        rng = np.random.default_rng([2, n, seed])
        table = {f"x{i}": rng.normal(size=n) for i in range(6)}
        if stated is None:
            found = fg.scan({**table, "y": rng.random(n) < rate}, outcome="y", pairs=False)
            stated = next(one.detectable for one in found.attributes if one.names == ("x0",))
        rank = np.argsort(np.argsort(table["x0"])) / n
        start = rng.uniform(0, 0.9)
        inside = (rank >= start) & (rank < start + 0.1)
        table["y"] = rng.random(n) < rate + side * stated * np.where(inside, 1, -1 / 9)
        found = fg.scan(table, outcome="y", pairs=False)
        shown += any(one.names == ("x0",) for one in found.shown)
    assert 0.7 * runs <= shown <= 0.97 * runs


def test_the_order_of_columns_does_not_matter():
    table = people()
    back = dict(reversed(table.items()))
    one, other = (fg.scan(x, outcome="hired") for x in (table, back))
    ends = [{a.said: (a.worst.label, a.worst.low, a.worst.high) for a in scan.attributes} for scan in (one, other)]
    assert ends[0] == ends[1]


def test_no_border_sets_fewer_apart_than_may_be_shown():
    rng = np.random.default_rng(0)
    counts = np.concatenate([np.zeros(2000), rng.integers(1, 4, 400), [17]])
    hired = rng.random(counts.size) < np.where(counts > 0, 0.7, 0.4)
    (found,) = fg.scan({"counts": counts, "hired": hired}, outcome="hired").shown
    assert found.worst.label.endswith("1 or over")
    assert found.worst.n == 401


def test_one_column_and_no_name():
    table = people()
    said = fg.scan({"": table["age"], "hired": table["hired"]}, outcome="hired").conclusion
    assert said.startswith("There is a difference in hired by the column without a name: for 60 or over (")


def test_what_decides_the_outcome_is_no_copy_that_nobody_hears_of():
    rng = np.random.default_rng(0)
    n = 3000
    sex, other = rng.choice(["Female", "Male"], n), rng.normal(size=n)
    table = {"sex": sex, "x": other, "hired": rng.random(n) < np.where(sex == "Male", 0.985, 0.018)}
    found = fg.scan(table, outcome="hired", favourable=True, max_gap=0.2)
    assert found.attributes[0].names == ("sex",)
    assert found.limit == "exceeded"
    blind = fg.scan({"q17" if k == "sex" else k: v for k, v in table.items()}, outcome="hired", max_gap=0.2)
    assert "q17 was left out" in blind.conclusion
    assert blind.limit == "not enough evidence"
    asked = fg.scan({"q17" if k == "sex" else k: v for k, v in table.items()}, outcome="hired", attributes=["q17", "x"])
    assert asked.attributes[0].names == ("q17",)


@pytest.mark.parametrize(("n", "yes", "most"), [(60, 3, 240), (60, 3, 5000), (40, 20, 160), (100, 3, 10**9)])
def test_noise_in_a_small_table_is_no_copy(n, yes, most):
    copies = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.arange(n) < yes)
        table = {"x": rng.integers(0, most, n), "level": rng.choice(list("abcdefghijklmnop"), n), "y": y}
        found = fg.scan(table, outcome="y", pairs=False, audits=False, min_cell=5)
        copies += any("copy" in check.told for check in found.columns)
    assert copies <= 1


def test_who_misses_a_value_is_looked_at_beside_the_same_column_without_holes():
    rng = np.random.default_rng(0)
    n = 4000
    x, hole = rng.normal(size=n), rng.random(n) < 0.09
    table = {"x": x, "x2": np.where(hole, np.nan, x), "y": rng.random(n) < np.where(hole, 0.9, 0.3)}
    found = fg.scan(table, outcome="y", audits=False)
    assert ("x2",) in [one.names for one in found.shown]


def test_where_a_rate_is_the_same_everywhere_nothing_is_compared():
    rng = np.random.default_rng(0)
    n = 1500
    score = rng.normal(size=n)
    fit = (score > 0).astype(int)
    table = {"score": score, "z": rng.normal(size=n), "fit": fit, "hired": np.where(fit == 1, 1, rng.integers(0, 2, n))}
    found = fg.scan(table, outcome="hired", truth="fit", measure="equal_opportunity")
    assert found.conclusion == "Nothing can be compared: the true positive rate for hired is 100.0% everywhere."
    assert found.to_html()


def test_audits_of_a_scan_tell_of_no_few_people():
    rng = np.random.default_rng(1)
    n = 3000
    h = rng.choice(list("abc"), n).astype(object)
    h[:3], h[3:8] = "zz", "yy"
    y = (rng.random(n) < np.where(h == "a", 0.6, 0.3)).astype(int)
    y[:3] = 1
    found = fg.scan(
        {"h": h, "w": rng.normal(size=n), "y": y}, outcome="y", audits=True, label={"h": "House", "w": "Width"}
    )
    (one,) = found.shown
    assert one.audit is not None
    assert min(record.n for record in one.audit.records) >= 10
    assert "zz" not in found.to_html()


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_clusters_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    n = 600
    person = np.array([f"p{i}" for i in rng.integers(0, 150, n)], dtype=object)
    table = {"age": rng.integers(20, 30, n), "sex": rng.choice(["f", "m"], n), "person": person}
    table["y"] = (rng.random(n) < np.where(table["age"] < 23, 0.5, 0.3)).astype(int)
    order = rng.permutation(n)
    asked = {"outcome": "y", "cluster": "person", "audits": False}
    one, other = (fg.scan(t, **asked) for t in (table, {k: v[order] for k, v in table.items()}))
    assert one == other


def test_columns_that_are_left_out_are_not_read(tmp_path):
    rng = np.random.default_rng(0)
    pay = [f"{x:,}" for x in rng.integers(10_000, 99_999, 300)]
    table = pd.DataFrame({"pay": pay, "age": rng.integers(20, 60, 300), "y": rng.integers(0, 2, 300)})
    table.to_parquet(tmp_path / "people.parquet")
    found = fg.scan(tmp_path / "people.parquet", outcome="y", without="pay", audits=False)
    assert [check.name for check in found.columns] == ["age"]


def test_no_limit_contradicts_a_printed_interval():
    rng = np.random.default_rng(3)
    n = 4000
    x = rng.normal(size=n)
    table = {"x": x, "z": rng.normal(size=n), "y": rng.random(n) < np.where(x > 1.2, 0.02, 0.08)}
    found = fg.scan(table, outcome="y", audits=False)
    ends = [max(p.low, -p.high) for one in (*found.attributes, *found.pairs) for p in (one.worst, *one.more)]
    assert fg.scan(table, outcome="y", audits=False, max_gap=0.99 * max(ends)).limit == "exceeded"


def test_a_number_is_not_shown_for_those_who_miss_it():
    rng = np.random.default_rng(2)
    n = 4000
    income, miss = rng.lognormal(10, 0.5, n), rng.random(n) < 0.2
    table = {
        "income": np.where(miss, np.nan, income),
        "z": rng.normal(size=n),
        "y": rng.random(n) < np.where(miss, 0.9, 0.4),
    }
    found = fg.scan(table, outcome="y", audits=False)
    beyond = {one.said: one.beyond for one in found.attributes}
    assert beyond == {"income (known or not)": (), "income": ("whether income is known",), "z": ()}


def test_amounts_that_are_zero_for_most_are_told_apart_where_they_are_not():
    rng = np.random.default_rng(2)
    n = 20_000
    gain = np.where(rng.random(n) < 0.92, 0, np.round(rng.lognormal(8, 1, n)))
    y = rng.random(n) < np.select([gain == 0, gain < 3000], [0.3, 0.05], 0.8)
    found = fg.scan({"gain": gain, "z": rng.normal(size=n), "y": y}, outcome="y", audits=False)
    (one,) = found.shown
    borders = {end for place in (one.worst, *one.more) for end in place.sides[0].ends}
    assert any(abs(end - 3000) < 200 for end in borders)


def test_scores_become_decisions():
    rng = np.random.default_rng(0)
    flag, score = rng.integers(0, 2, 1000), rng.integers(1, 11, 1000)
    table = {"age": rng.integers(18, 80, 1000), "flag": flag}
    table["score"] = np.where(flag == 1, np.minimum(score + 2, 10), score)
    found = fg.scan(table, outcome="score", threshold=6)
    decided = fg.scan(table | {"score": table["score"] >= 6}, outcome="score")
    assert found.data.percent
    assert [one.worst for one in found.attributes] == [one.worst for one in decided.attributes]
    assert "difference in score ≥ 6 is by" in found.conclusion
    assert ("flag = 1" in found.conclusion) or ("flag = 0" in found.conclusion)  # and not "flag under 1"
    with pytest.raises(InputError, match="no value of 'score' reaches the threshold 60: the largest is 10"):
        fg.scan(table, outcome="score", threshold=60)
    with pytest.raises(InputError, match="leave one out"):
        fg.scan(table, outcome="score", threshold=6, positive=3)


def test_audits_of_a_scan_count_those_who_count():
    rng = np.random.default_rng(0)
    g = np.array(["A"] * 500 + ["a rarer level"] * 488 + ["C"] * 12, dtype=object)
    y = np.r_[rng.random(500) < 0.2, rng.random(488) < 0.6, np.ones(12)].astype(float)
    y[-9:] = np.nan  # so that three of C are known
    found = fg.scan({"g": g, "y": y}, outcome="y", missing="drop", audits=True)
    one = found.attributes[0]
    assert min(record.counted for record in one.audit.records) >= 10
    assert {record.label for record in one.audit.records} == {"g A", "g a rarer level (rare)"}
    whole = np.r_[y[:988], np.ones(12)]
    truth = np.r_[np.ones(991), np.zeros(9)]
    asked = {"outcome": "y", "truth": "t", "measure": "equal_opportunity", "audits": True}
    found = fg.scan({"g": g, "y": whole, "t": truth}, **asked)
    assert min(record.counted for record in found.attributes[0].audit.records) >= 10


def test_who_is_left_out_of_an_audit_is_told_by_the_column_they_miss():
    rng = np.random.default_rng(0)
    age, edu = rng.integers(18, 70, 1500), rng.choice(["low", "mid", "high"], 1500).astype(object)
    edu[:143] = None
    y = rng.random(1500) < np.where(age > 50, 0.2, 0.5)
    page = fg.scan({"age": age, "edu": edu, "y": y}, outcome="y", given="edu", audits=True).to_html()
    assert "Without the 143 people whose edu is not known." in page
    assert "whose age is not known" not in page


def test_ages_from_dates_of_birth_are_looked_at_wherever_the_table_is(tmp_path):
    rng = np.random.default_rng(0)
    days = rng.integers(0, 20_000, 2000)
    table = pd.DataFrame({"dob": pd.Timestamp("1950-01-01") + pd.to_timedelta(days, unit="D")})
    table["y"] = (rng.random(2000) < np.where(days < 5_000, 0.2, 0.5)).astype(int)
    table.to_csv(tmp_path / "people.csv", index=False)
    asked = {"outcome": "y", "attributes": ["age(dob, 2024-01-01)"]}
    said = {fg.scan(data, **asked).conclusion for data in (table, tmp_path / "people.csv", duckdb.from_df(table))}
    assert len(said) == 1
    assert re.search(r" by Age \(on 2024-01-01\): for Age \(on 2024-01-01\) 6[01] or over", said.pop())
    with pytest.raises(ColumnError):
        fg.scan(table, outcome="y", attributes=["age(birth, 2024-01-01)"])


def test_a_table_of_copies_is_told():
    rng = np.random.default_rng(0)
    people = {"sex": rng.choice(["f", "m"], 500), "age": rng.integers(20, 60, 500), "y": rng.integers(0, 2, 500)}
    copied = {name: np.tile(values, 3) for name, values in people.items()}
    assert any("stands in the table 3 times" in line for line in fg.scan(copied, outcome="y").data.converted)
    who = np.tile(np.arange(500), 3)
    assert not fg.scan(copied | {"who": who}, outcome="y", cluster="who").data.converted
    assert not fg.scan(people, outcome="y").data.converted


def test_a_column_of_long_numbers_stops_no_scan():
    rng = np.random.default_rng(0)
    table = {"age": rng.integers(18, 70, 1500), "y": rng.integers(0, 2, 1500)}
    for ids in ([2**60 + i for i in range(1499)] + [None], np.array([2**60 + i for i in range(1500)])):
        check = fg.scan(table | {"id": ids}, outcome="y").columns[1]
        assert (check.name, check.used, check.distinct) == ("id", False, 1500)
        assert "too long to be told apart" in check.told


def test_a_place_is_not_cut_to_be_small():
    """Three quarters of the people are worse off alike: all of them are told, not two thirds of everybody."""
    rng = np.random.default_rng(0)
    race = rng.choice(["Asian", "Black", "Hispanic", "White"], 8000)
    table = {"race": race, "ok": rng.random(8000) < np.where(race == "White", 0.6, 0.3)}
    worst = fg.scan(table, outcome="ok", favourable=True).attributes[0].worst
    assert (worst.label, worst.n) == ("race not White", int((race != "White").sum()))
    assert fg.scan(table, outcome="ok").attributes[0].worst.label == "race White"


def test_a_stray_word_changes_no_verdict():
    rng = np.random.default_rng(1)
    age = rng.integers(18, 90, 4000)
    ok = (rng.random(4000) < np.where(age >= 54, 0.28, 0.62)).astype(int)
    stray = age.astype(str).astype(object)
    stray[7] = "unknown"
    found = fg.scan({"age": stray, "ok": ok}, outcome="ok", max_gap=0.1, audits=True)
    assert (found.limit, found.attributes[0].kind) == ("exceeded", "number")
    assert found.attributes[0].audit is not None
    assert "taken as not known" in found.columns[0].told


def test_texts_that_were_not_read_keep_no_limit():
    rng = np.random.default_rng(2)
    days = pd.Timestamp("2018-01-01") + pd.to_timedelta(rng.integers(0, 1500, 4000), unit="D")
    table = {"hired": days.strftime("%d/%m/%Y"), "sex": rng.choice(["f", "m"], 4000), "ok": rng.random(4000) < 0.4}
    found = fg.scan(pd.DataFrame(table), outcome="ok", max_gap=0.3)
    assert found.limit == "not enough evidence"
    assert "hired was left out: its texts look like dates." in found.conclusion
    assert "'99/99/9999'" in found.columns[0].told


def test_outcomes_and_factors_that_may_be_codes_are_told():
    rng = np.random.default_rng(3)
    age, years = rng.integers(18, 70, 4000), rng.integers(8, 20, 4000).astype(float)
    ok = (rng.random(4000) < 0.5).astype(int)
    ok[rng.random(4000) < 0.05], years[rng.random(4000) < 0.03], years[:50] = 9, 99, np.nan
    said = " ".join(fg.scan({"age": age, "years": years, "ok": ok}, outcome="ok", given="years").data.converted)
    assert "The outcome's values 0, 1, 9 were averaged as amounts." in said
    assert "rows share years = 99, far from all others" in said
    assert "years: 50 rows without it are held against one another." in said


def test_what_is_printed_holds_whom_it_counts():
    rng = np.random.default_rng(4)
    place = 52.5 + rng.normal(0, 0.001, 3000)
    north = fg.scan({"place": place, "ok": rng.random(3000) < np.where(place > 52.5007, 0.6, 0.3)}, outcome="ok")
    worst = north.attributes[0].worst
    assert worst.n == int((place >= float(re.search(r"[\d.]+", worst.label)[0])).sum())
    times = pd.Timestamp("2024-05-06 08:00") + pd.to_timedelta(rng.integers(0, 36000, 3000), unit="s")
    late = rng.random(3000) < np.where(times < pd.Timestamp("2024-05-06 13:30"), 0.6, 0.3)
    found = fg.scan(pd.DataFrame({"t": times, "late": late}), outcome="late").attributes[0]
    from_on = next(x for x in (found.worst, *found.more) if x.label.endswith(" on"))
    assert from_on.n == int((times >= pd.Timestamp(from_on.label[len("t from ") : -len(" on")])).sum())


def test_columns_are_called_as_asked():
    rng = np.random.default_rng(1)
    tenure = rng.normal(size=6000)
    chance = 1 / (1 + np.exp(-tenure))
    table = {"age": tenure + 0.6 * rng.normal(size=6000), "tenure": tenure, "ok": rng.random(6000) < chance}
    found = fg.scan(table, outcome="ok", label={"age": "Alter", "tenure": "Jahre"})
    assert found.attributes[1].beyond == ("Jahre",)
    assert "Alter is not shown to add anything to Jahre" in found.conclusion


def test_of_two_copies_the_same_is_kept_in_any_order():
    rng = np.random.default_rng(5)
    age = rng.integers(18, 70, 2000)
    table = {"age": age, "birth_year": 2024 - age, "ok": rng.random(2000) < 0.4}
    for names in (["age", "birth_year", "ok"], ["birth_year", "age", "ok"]):
        kept = fg.scan({name: table[name] for name in names}, outcome="ok").attributes
        assert [one.names for one in kept] == [("age",)]


def test_a_column_of_0_and_1_is_drawn_as_two_groups():
    rng = np.random.default_rng(6)
    female = rng.integers(0, 2, 3000)
    found = fg.scan({"female": female, "ok": rng.random(3000) < 0.3 + 0.2 * female}, outcome="ok", audits=True)
    assert found.attributes[0].audit.data.attributes[0].levels == ("False", "True")


def test_a_cluster_that_is_half_of_the_rows_is_refused():
    rng = np.random.default_rng(0)
    half = rng.random(1000) < 0.5
    table = {"who": np.where(half, 0, np.arange(1000) + 1), "age": rng.integers(18, 80, 1000)}
    table["y"] = rng.integers(0, 2, 1000)
    with pytest.raises(fg.InputError, match="of the rows"):
        fg.scan(table, outcome="y", cluster="who")
