"""What a scan says, read as a person reads it."""

import re

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.results import Scan
from fairgroups.scans.conclusion import adds, cannot_say, certainty, limit_lines, steps_said


def scan_of(kind, n=3000):
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, n))
    table = {"x": x, "z": z, "w": rng.choice(list("abc"), n)}
    rate = {
        "nothing": 0.3,
        "one": 0.3 + 0.2 * (x > 1),
        "pair": 0.3 + 0.3 * ((x > 0) ^ (z > 0)),
        "both": 0.2 + 0.2 * (x > 0.5) + 0.2 * (z > 0.5),
    }[kind]
    return fg.scan(table | {"y": rng.random(n) < rate}, outcome="y", max_gap=0.05)


ONE = re.compile(
    r"^The clearest difference in y is by x: for x [^()]+ \([\d,]+ people\), the positive rate is [\d.]+%, against "
    r"[\d.]+% for everybody: [\d.]+ points higher \(95% interval [\d.]+ to [\d.]+\)\. 1 of the 3 columns"
)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("nothing", r"^No attribute is shown to be related to y: over 3 columns and 3 pairs, nothing differs more"),
        ("one", ONE),
        ("pair", r"^The clearest difference .* is by x and z: for x .* and z .*\. None of the 3 columns alone is"),
        ("both", r"\. 2 of the 3 columns are shown to be related to y\."),
    ],
)
def test_conclusions(kind, said):
    found = scan_of(kind)
    assert re.search(said, found.conclusion), found.conclusion
    assert found.conclusion.endswith(".")
    assert ".." not in found.conclusion
    assert "hold at once" in certainty(found)
    assert all(line.endswith(".") for line in (*cannot_say(found), *limit_lines(found)))
    for step in found.steps:
        assert steps_said(found, step).endswith(".")
    for one in found.attributes:
        assert adds(found, one) == "" or adds(found, one).endswith(".")


def test_the_headline_never_contradicts_a_line_below():
    for kind in ("nothing", "one", "both"):
        found = scan_of(kind)
        assert (found.verdict == "different") == bool(found.shown or found.pairs)
        for one in found.shown:
            assert one.worst.low > 0 or one.worst.high < 0
            assert one.p_value <= 0.05


def still_there(n=6000, columns=4):
    """More steps than the short list has, and a column that only follows another."""
    rng = np.random.default_rng(3)
    table = {f"b{i}": rng.integers(0, 2, n) for i in range(columns)}
    table["follower"] = np.where(rng.random(n) < 0.9, table["b0"], 1 - table["b0"])
    rate = 0.1 + sum(0.16 * values for name, values in table.items() if name != "follower")
    return fg.scan(table | {"y": rng.random(n) < rate}, outcome="y", pairs=False)


def test_what_the_short_list_leaves_of_the_others_is_said():
    found = still_there(columns=5)
    of = {one.names[0]: one for one in found.attributes}
    (left,) = {f"b{i}" for i in range(5)} - {step.said for step in found.steps}
    assert (of[left].remains, of["follower"].remains) == (True, False)
    assert found.conclusion.endswith(
        f" Differences by {left} remain among people alike in all of these; follower is not shown to add anything to "
        "these."
    )
    assert adds(found, of[left]) == "Still differs at equal values of the short list."
    assert "b0" in of["follower"].beyond
    assert Scan.from_json(found.to_json()) == found


def test_a_column_on_the_short_list_is_not_said_to_add_nothing():
    rng = np.random.default_rng(5)
    income = rng.normal(size=4000)
    income[rng.random(4000) < 0.1] = np.nan
    rate = np.where(np.isnan(income), 0.6, 0.2 + 0.3 * (income > 0))
    found = fg.scan({"income": income, "y": rng.random(4000) < rate}, outcome="y")
    assert len([one for one in found.shown if one.names == ("income",)]) == 2
    assert "add anything" not in found.conclusion
    assert "still differs" not in found.conclusion


def test_too_few_alike_to_tell_is_said():
    rng = np.random.default_rng(2)
    table = {f"c{i}": rng.integers(0, 12, 4000) for i in range(5)}
    rate = 0.1 + sum(0.15 * (values < 5) for values in table.values())
    letters = {name: np.array(list("abcdefghijkl"))[values] for name, values in table.items()}
    found = fg.scan(letters | {"y": rng.random(4000) < rate}, outcome="y", pairs=False)
    untold = [one for one in found.shown if one.step == 0]
    assert len(untold) == 2
    assert {one.remains for one in untold} == {None}
    assert {adds(found, one) for one in untold} == {
        "Too few are alike in the short list to tell whether it adds anything."
    }
    assert "add to these cannot be told, as there are too few people alike in all of these." in found.conclusion


def test_a_later_step_that_is_not_shown_alone_is_said_so():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=3000), rng.choice(list("xyz"), 3000), rng.normal(size=3000)
    y = rng.random(3000) < 1 / (1 + np.exp(-1.5 * a - 0.3 * (b == "z")))
    found = fg.scan({"a": a, "b": b, "c": c, "y": y}, outcome="y", pairs="none")
    assert " 1 of the 3 columns is shown to be related to y." in found.conclusion
    assert found.conclusion.endswith(" b still matters among people alike in a, though not shown alone.")


def test_columns_that_could_not_be_read_are_named():
    rng = np.random.default_rng(4)
    table = {"inc": [f"{x:.2f}".replace(".", ",") for x in rng.lognormal(7, 0.5, 500)], "n": rng.normal(size=500)}
    found = fg.scan(table | {"y": rng.random(500) < 0.4}, outcome="y")
    assert "inc was left out: its texts look like numbers. Convert it to look at it." in found.conclusion
