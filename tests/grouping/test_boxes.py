"""How many boxes: as the band calls for, on the grid that it covers, without a seed."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.cells.space import SpaceCells
from fairgroups.evidence.boxes import Boxes
from fairgroups.grouping.boxes import GridSearch
from fairgroups.measures import RATES
from fairgroups.search.path import Limits

PARITY = RATES["statistical_parity"]


def table(rate_at, n=6000, seed=0, **more):
    rng = np.random.default_rng(seed)
    x, y = rng.random((2, n))
    return {"x": x, "y": y, "ok": (rng.random(n) < rate_at(x, y)).astype(int)} | {k: v(rng, n) for k, v in more.items()}


def audited(data, sensitive=("x", "y"), **options):
    return fg.audit(data, sensitive=list(sensitive), outcome="ok", checks=False, **options)


@pytest.mark.parametrize(
    ("rate_at", "groups"),
    [
        (lambda x, y: np.full(x.size, 0.4), 1),
        (lambda x, y: np.where(x < 0.4, 0.25, 0.5), 2),
        (lambda x, y: 0.4 + 0.15 * np.where((x < 0.5) == (y < 0.5), 1, -1), 4),
        (lambda x, y: np.where((x < 0.3) & (y < 0.3), 0.7, 0.35), 3),
    ],
)
def test_the_number_is_that_of_the_differences(rate_at, groups):
    audit = audited(table(rate_at))
    assert audit.partition.n_groups == groups
    assert audit.selection.criterion == "band"
    assert (audit.verdict == "different") == (groups > 1)
    assert sum(record.n for record in audit.records) == 6000  # everybody is counted


def test_five_boxes_of_a_pinwheel():
    def pinwheel(x, y):
        arms = [(x < 0.7) & (y < 0.3), (x >= 0.7) & (y < 0.7), (x >= 0.3) & (y >= 0.7), (x < 0.3) & (y >= 0.3)]
        return np.select(arms, [0.2, 0.35, 0.5, 0.65], 0.85)

    audit = audited(table(pinwheel, 20_000))
    assert audit.partition.n_groups == 5


def test_same_people_same_answer():
    data = table(lambda x, y: np.where(x + y < 0.8, 0.2, 0.45), 3000)
    order = np.random.default_rng(9).permutation(3000)
    first = audited(data)
    for again in (audited(data, seed=7), audited({k: v[order] for k, v in data.items()})):
        assert again.partition == first.partition
        assert [r.low for r in again.records] == pytest.approx([r.low for r in first.records], rel=1e-9)


def test_borders_lie_on_the_grid_and_are_covered_by_the_band():
    data = table(lambda x, y: np.where(x + y < 0.8, 0.2, 0.45), 5000)
    audit = audited(data)
    cells = SpaceCells.from_arrays({"x": data["x"], "y": data["y"]}, data["ok"])
    for d, axis in enumerate(cells.axes):
        assert set(audit.partition.borders(d)) <= set(axis.first)
    bounds = audit.band.bounds(_rates(audit, data))
    assert [r.low for r in audit.records] == pytest.approx(bounds.low)


def _rates(audit, data):
    from fairgroups.evidence.rates import group_rates
    from fairgroups.rows.rows import Rows

    return group_rates(Rows.from_arrays({"x": data["x"], "y": data["y"]}, data["ok"]), audit.partition, PARITY)


def test_fair_groups_and_audit_choose_the_same():
    data = table(lambda x, y: np.where((x < 0.3) & (y < 0.3), 0.7, 0.35))
    groups = fg.FairGroups().fit(np.column_stack([data["x"], data["y"]]), data["ok"])
    audit = audited(data)
    assert groups.partition_.groups == audit.partition.groups


def test_equalized_odds_is_two_bands():
    rng = np.random.default_rng(3)
    n = 8000
    x, y, truth = rng.random(n), rng.random(n), rng.integers(0, 2, n)
    ok = rng.random(n) < np.where(truth == 1, np.where(x < 0.5, 0.5, 0.7), np.where(y < 0.5, 0.2, 0.35))
    audit = fg.audit(
        {"x": x, "y": y, "ok": ok, "t": truth}, sensitive=["x", "y"], outcome="ok", truth="t", measure="equalized_odds"
    )
    assert [part.band is not None for part in audit.parts] == [True, True]
    assert audit.verdict == "different"
    assert audit.parts[0].band.level == pytest.approx(0.975)


def test_missing_values_are_a_group_of_their_own():
    data = table(lambda x, y: np.where(x < 0.4, 0.25, 0.5), 4000)
    data["x"] = np.where(np.arange(4000) % 20 == 0, np.nan, data["x"])
    audit = audited(data, missing="group")
    assert audit.records[-1].label == "x or y missing"
    assert audit.records[-1].n == 200
    assert sum(record.n for record in audit.records) == 4000


def test_of_too_many_attributes_a_few_are_chosen_first():
    rng = np.random.default_rng(0)
    n = 1200
    many = {f"x{i}": rng.random(n) for i in range(9)} | {"ok": rng.integers(0, 2, n)}
    audit = fg.audit(many, sensitive=[f"x{i}" for i in range(9)], outcome="ok", checks=False, n_groups=2)
    assert audit.settings.inference == "band"
    assert audit.verdict != "different"
    assert any("looked for first" in note for note in audit.notes)


def test_too_many_levels_are_judged_on_people_set_aside():
    rng = np.random.default_rng(0)
    n = 1200
    levels = {c: rng.choice([f"{c}{i}" for i in range(10)], n) for c in "ab"}
    levels |= {"z": rng.random(n), "ok": rng.integers(0, 2, n)}
    audit = fg.audit(levels, sensitive=["a", "b", "z"], outcome="ok", checks=False)
    assert audit.settings.inference == "crossfit"
    assert any("too many boxes" in note for note in audit.notes)


def test_a_category_of_many_levels():
    rng = np.random.default_rng(1)
    n = 4000
    town = rng.choice([f"t{i:02}" for i in range(14)], n)
    low = np.isin(town, ["t02", "t05", "t11"])
    data = {"age": rng.integers(20, 60, n), "town": town, "ok": (rng.random(n) < np.where(low, 0.2, 0.5)).astype(int)}
    audit = audited(data, ("age", "town"))
    assert audit.verdict == "different"
    assert {"t02", "t05", "t11"} == set(audit.records[1].label.removeprefix("town ").replace(" or ", ", ").split(", "))


def test_the_search_is_certified_where_it_is_not_exact():
    data = table(lambda x, y: 0.2 + 0.5 * x * y, 3000)
    cells = SpaceCells.from_arrays({"x": data["x"], "y": data["y"]}, data["ok"])
    exact = GridSearch(cells, (PARITY,), Limits(1, 1))
    quick = GridSearch(cells, (PARITY,), Limits(1, 1), budget=1e-9)
    assert exact.up_to(6) == quick.up_to(6) == 6
    assert max(exact.gaps) == 0
    for k in range(6):
        assert quick.variance[k] <= exact.variance[k] + 1e-12
        assert exact.variance[k] <= quick.variance[k] * (1 + quick.gaps[k]) + 1e-12


def test_limits_look_at_every_wide_box():
    data = table(lambda x, y: np.where((x < 0.5) & (y < 0.5), 0.2, 0.5), 5000)
    assert audited(data, max_gap=0.05).limit == "exceeded"
    alike = table(lambda x, y: np.full(x.size, 0.4), 20_000)
    assert audited(alike, max_gap=0.2).limit == "kept"


def test_a_corner_of_three_attributes_is_not_lost_between_coarse_cells():
    """Cells along the borders of a group are a large part of it where there are few: 8 along each of three numbers."""
    rng = np.random.default_rng(2)
    n = 3000
    data = {"age": rng.integers(18, 66, n), "tenure": rng.integers(0, 31, n), "score": rng.integers(0, 101, n)}
    corner = (data["age"] >= 45) & (data["tenure"] >= 18) & (data["score"] >= 50)
    data["ok"] = (rng.random(n) < np.where(corner, 0.1, 0.3)).astype(int)
    audit = audited(data, ("age", "tenure", "score"))
    (named,) = (r for r in audit.records if r.verdict in ("lower", "disadvantaged"))
    assert all(name in named.label for name in ("age", "tenure", "score"))
    assert named.rate < 0.12


def test_a_strip_along_a_border_asks_for_no_group_of_its_own():
    space = SpaceCells.from_arrays({"x": np.random.default_rng(0).random(4000), "c": list("ab") * 2000}, [0, 1] * 2000)
    boxes = Boxes(space, space[PARITY])
    whole = boxes.whole[1]
    assert boxes.is_along_a_border(((3, 4), whole), ((3, 9), whole))  # the first cell of a group
    assert boxes.is_along_a_border(((4, 9), whole), ((3, 9), whole))  # all but the first
    assert boxes.is_along_a_border(((3, 8), (1, 0)), ((3, 9), whole))
    assert not boxes.is_along_a_border(((3, 9), (1, 0)), ((3, 9), whole))
    assert not boxes.is_along_a_border(((3, 6), whole), ((3, 9), whole))
    assert not boxes.is_along_a_border(((0, 1), whole), ((0, 9), whole))  # at the end of the data there is no border
    assert not boxes.is_along_a_border(((0, 3), whole), ((0, 9), (1, 0)))


def test_boxes_asked_for_beyond_those_that_are_chosen():
    x, y = np.random.default_rng(0).random((2, 40_000))
    ok = (np.random.default_rng(1).random(40_000) < 0.2 + 0.6 * x * y).astype(int)
    found = audited({"x": x, "y": y, "ok": ok}, max_groups=12)
    assert len(found.records) == 8
    assert any("8 groups were the most allowed (of boxes 8 at most; for more name" in note for note in found.notes)
