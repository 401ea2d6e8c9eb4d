"""Whether anything differs: the band and the trend share one error, and the answer never contradicts the band."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups import Band, Cells
from fairgroups.evidence.any_difference import any_difference


def people(rng, n, rate, values=0, effect=None):
    x = rng.integers(0, values, n) if values else rng.random(n)
    rates = np.full(n, rate)
    if effect is not None:
        share, more = effect
        width = max(1, round(share * values)) if values else share
        start = rng.integers(0, values - width + 1) if values else rng.random() * (1 - share)
        rates[(x >= start) & (x < start + width)] += more
    return Cells.from_arrays(x, (rng.random(n) < rates).astype(float))


def found(cells):
    return any_difference(Band(cells, "statistical_parity"))


@pytest.mark.parametrize(
    ("n", "rate", "values", "runs"), [(500, 0.3, 0, 500), (2000, 0.02, 0, 400), (2000, 0.3, 30, 700)]
)
def test_false_alarms(n, rate, values, runs):
    rng = np.random.default_rng(0)
    alarms = sum(found(people(rng, n, rate, values)).found for _ in range(runs))
    assert alarms / runs <= 0.05 + 1.64 * np.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize(
    ("effect", "power"), [((0.03, 0.25), 0.48), ((0.1, 0.15), 0.66), ((0.27, 0.08), 0.56), ((0.5, 0.06), 0.45)]
)
def test_power(effect, power):
    """The whole table is in docs/how-many.md; here with room for chance."""
    rng = np.random.default_rng(1)
    runs = 200
    assert np.mean([found(people(rng, 2000, 0.3, 30, effect)).found for _ in range(runs)]) >= power


def test_no_answer_contradicts_its_band():
    rng = np.random.default_rng(2)
    for i in range(250):
        cells = people(rng, 1000, 0.3, 30 if i % 2 else 0, (0.1, 0.12))
        known = found(cells)
        shown = known.band.largest_excess()[0] > 0
        assert shown == (known.region is not None)
        assert known.found or known.region is None


def test_a_range_that_the_band_shows_is_always_named():
    rng = np.random.default_rng(3)
    for _ in range(60):
        x = rng.integers(0, 30, 2000)
        start = rng.integers(0, 28)
        y = rng.random(2000) < 0.3 + 0.15 * ((x >= start) & (x < start + 3))
        audit = fg.audit({"x": x, "y": y}, sensitive="x", outcome="y", checks=False)
        if audit.band.largest_excess()[0] > 0:
            assert audit.verdict == "different"
            assert audit.finding.groups or audit.finding.range is not None
        else:
            assert audit.verdict != "different"


def test_five_groups_are_still_found():
    """In docs/how-many.md; fifty data sets."""
    data = [fg.make_synthetic(20_000, seed=seed) for seed in range(20)]
    groups = [fg.FairGroups().fit(one.sensitive, one.outcome).n_groups_ for one in data]
    assert sum(n == 5 for n in groups) >= 19


def test_scale_and_shift_of_an_outcome_change_nothing():
    rng = np.random.default_rng(4)
    for seed in range(12):
        x = rng.random(1500)
        score = np.clip(rng.beta(2, 5, 1500) + 0.03 * (seed % 4) * (x < 0.2), 0, 1)
        verdicts = []
        for times, plus in ((1.0, 0.0), (10.0, 0.0), (1.0, -5.0), (-2.0, 3.0)):
            one = fg.audit({"x": x, "y": times * score + plus}, sensitive="x", outcome="y", checks=False)
            flipped = {"lower": "higher", "higher": "lower"} if times < 0 else {}
            verdicts.append((one.verdict, [flipped.get(r.verdict, r.verdict) for r in one.records]))
            assert one.partition.edges == pytest.approx(verdicts and one.partition.edges)
        assert all(other == verdicts[0] for other in verdicts)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_what_is_said_to_be_noticed_is_noticed_in_80_of_100_samples(share):
    rng = np.random.default_rng(5)
    n, rate, runs = 2000, 0.3, 300
    x = rng.random(n)
    nothing = found(Cells.from_arrays(x, (np.arange(n) % 10 < 3).astype(float)))
    less = Band(nothing.band.cells, "statistical_parity", level=0.975).detectable(share)
    noticed = 0
    for _ in range(runs):
        start = rng.random() * (1 - share)
        inside = (x >= start) & (x < start + share)
        rates = np.where(inside, rate + less, rate - less * inside.mean() / (1 - inside.mean()))
        noticed += found(Cells.from_arrays(x, (rng.random(n) < rates).astype(float))).found
    assert noticed / runs == pytest.approx(0.8, abs=0.08)


def test_nobody_is_told_of_fewer_people_than_allowed():
    rng = np.random.default_rng(0)
    age, tenure = rng.integers(18, 66, 60), rng.integers(0, 31, 60)
    table = {"age": age, "tenure": tenure, "fired": (age >= 50) & (tenure < 9)}
    for asked in (["age", "tenure"], "tenure"):
        for least in (10, 20):
            found = fg.audit(table, sensitive=asked, outcome="fired", favourable=False, min_cell=least)
            assert found.finding.range is None or found.finding.range.n >= least
            assert all(record.n >= least for record in found.records)
            page = found.to_html()
            assert "too small, or too uniform, to show any" not in page or found.verdict == "not enough evidence"
            assert "1 groups" not in page
    x = rng.integers(18, 70, 400)
    few = {"x": x, "t": rng.random(400) < 0.15, "y": rng.random(400) < np.where(x > 40, 0.8, 0.2)}
    for asked in ("x", ["x", "z"]):
        found = fg.audit(
            few | {"z": rng.random(400)},
            sensitive=asked,
            outcome="y",
            truth="t",
            measure="equal_opportunity",
            n_groups=4,
        )
        assert all(record.counted >= 10 for record in found.records)
