import itertools

import numpy as np
import pytest

import fairgroups as fg
from fairgroups import Cells, FairGroups, InputError, make_synthetic
from fairgroups.measures import EQUALIZED_ODDS
from fairgroups.rows.rows import Rows
from fairgroups.search import frontier
from fairgroups.search.frontier import best_frontier_boxes, best_frontier_path, frontier_variance
from fairgroups.search.path import Limits

PARITY = fg.MEASURES["statistical_parity"]


def value(a, b, starts, *, against_rest):
    groups = [np.add.reduceat(x, starts, axis=1) for x in (a, b)]
    return frontier_variance(*groups, against_rest=against_rest) if (groups[1] > 0).all() else -np.inf


def brute(a, b, k, *, against_rest):
    cuts = itertools.combinations(range(1, a.shape[1]), k - 1)
    return max(value(a, b, np.array([0, *cut]), against_rest=against_rest) for cut in cuts)


def instance(seed, *, joint):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 60))
    x = rng.integers(0, 9, n)
    y, truth = rng.integers(0, 2, n), rng.integers(0, 2, n)
    weight = rng.random(n) + 0.1 if seed % 2 else None
    measures = EQUALIZED_ODDS.parts if joint else (PARITY,)
    return Cells.from_arrays(x, y, truth=truth, weight=weight, measure=measures), measures


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_equals_brute_force_on_the_line(seed, joint):
    cells, measures = instance(seed, joint=joint)
    a, b = (np.stack([getattr(cells[m], x) for m in measures]) for x in "ab")
    path, gaps = best_frontier_path(cells, measures, 4, Limits(), against_rest=not joint)
    for k in range(1, len(path) + 1):
        best = brute(a, b, k, against_rest=not joint)
        assert path.variance[k - 1] == pytest.approx(best, abs=1e-12)
        assert gaps[k - 1] == pytest.approx(0, abs=1e-9)
        starts = np.concatenate([[0], path.borders[k - 1]]).astype(int)
        assert value(a, b, starts, against_rest=not joint) == pytest.approx(path.variance[k - 1], abs=1e-12)


def tilings(k, box):
    """Every tiling by successive cuts."""
    if k == 1:
        yield [box]
        return
    for axis in (0, 1):
        low, high = box[axis]
        for c in range(low + 1, high):
            left, right = list(box), list(box)
            left[axis], right[axis] = (low, c), (c, high)
            for k1 in range(1, k):
                for one in tilings(k1, tuple(left)):
                    for two in tilings(k - k1, tuple(right)):
                        yield one + two


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_equals_brute_force_in_the_plane(seed, joint):
    rng = np.random.default_rng(seed)
    n = 150
    x, z = rng.integers(0, 4, n), rng.integers(0, 3, n)
    x[:12], z[:12] = np.repeat(range(4), 3), np.tile(range(3), 4)
    y, truth = rng.integers(0, 2, n), rng.integers(0, 2, n)
    rows = Rows.from_arrays({"x": x, "z": z}, y, truth=truth)
    measures = EQUALIZED_ODDS.parts if joint else (PARITY,)
    found = best_frontier_boxes(rows, measures, 4, Limits(), against_rest=not joint)
    sums = [np.zeros((len(measures), 2, 4, 3))][0]
    for i, m in enumerate(measures):
        for s, column in enumerate(m.sums(rows.outcome, rows.truth)):
            np.add.at(sums[i, s], (x, z), column)
    for k in range(1, 5):
        best = -np.inf
        for boxes in tilings(k, ((0, 4), (0, 3))):
            a, b = (
                np.array([[sums[m, s, p[0] : p[1], q[0] : q[1]].sum() for p, q in boxes] for m in range(len(measures))])
                for s in (0, 1)
            )
            if (b > 0).all():
                best = max(best, frontier_variance(a, b, against_rest=not joint))
        assert found.variance[k - 1] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("attribute", ["uniform", "truncated"])
def test_the_certified_gap_is_small_on_the_papers_data(attribute):
    data = make_synthetic(50_000, attribute)
    cells = Cells.from_arrays(data.sensitive, data.outcome, n_cells=100)
    path, gaps = best_frontier_path(cells, (PARITY,), 5, Limits(), against_rest=True)
    assert (gaps <= 0.01).all()
    assert len(path) == 5


def test_the_certificate_is_true_when_candidates_are_joined(monkeypatch):
    monkeypatch.setattr(frontier, "WIDTH", 3)
    gaps = []
    for seed in range(25):
        cells, measures = instance(seed, joint=False)
        a, b = (np.stack([getattr(cells[m], x) for m in measures]) for x in "ab")
        path, gap = best_frontier_path(cells, measures, 5, Limits(), against_rest=True)
        for k in range(2, len(path) + 1):
            best = brute(a, b, k, against_rest=True)
            assert path.variance[k - 1] <= best + 1e-12
            assert path.variance[k - 1] * (1 + gap[k - 1]) >= best - 1e-12
            gaps.append(gap[k - 1])
    assert max(gaps) > 0


def test_borders_are_moved_over_all_values():
    rng = np.random.default_rng(0)
    x, truth = rng.random(20_000), rng.integers(0, 2, 20_000)
    y = rng.random(20_000) < np.where(x < 1 / 3, 0.2, 0.6)
    found = FairGroups(2, measure="equalized_odds").fit(x, y, truth=truth)
    assert found.partition_.edges[0] == pytest.approx(1 / 3, abs=0.001)
    rest = FairGroups(2, against="rest", min_group_size=0.1).fit(x, y)
    assert rest.partition_.edges[0] == pytest.approx(1 / 3, abs=0.001)
    assert rest.phi_ == pytest.approx([rest.rates_[0] - rest.rates_[1], rest.rates_[1] - rest.rates_[0]])


def test_limits_are_kept():
    rng = np.random.default_rng(0)
    x, y = rng.random(3000), rng.random(3000) < 0.4
    found = FairGroups(4, against="rest", min_group_size=300).fit(x, y)
    assert (np.bincount(found.predict(x)) >= 300).all()


def test_audits_of_both():
    rng = np.random.default_rng(0)
    n = 8000
    x, truth = rng.random(n), rng.integers(0, 2, n)
    y = rng.random(n) < np.where(x < 0.4, 0.3, 0.6)
    table = {"x": x, "y": y, "t": truth}
    odds = fg.audit(table, sensitive="x", outcome="y", truth="t", measure="equalized_odds", favourable=True)
    assert [part.measure.name for part in odds.parts] == ["equal_opportunity", "predictive_equality"]
    assert odds.parts[0].partition == odds.parts[1].partition
    assert odds.conclusion.startswith("True positive rate: People whose x is under")
    assert "False positive rate: People whose x is under" in odds.conclusion
    assert len(odds.to_dict()["parts"]) == 2
    rest = fg.audit(table, sensitive="x", outcome="y", against="rest", n_groups=2)
    record = rest.records[0]
    assert record.phi == pytest.approx(rest.records[0].rate - rest.records[1].rate)
    assert record.low <= -0.3 <= record.high
    assert "for the rest" in rest.conclusion
    assert rest.variance == pytest.approx(rest.variance_path[-1])
    plane = fg.audit({**table, "z": rng.random(n)}, sensitive=["x", "z"], outcome="y", against="rest", n_groups=2)
    assert plane.records[0].verdict == "lower"


def test_one_rate_where_one_is_needed():
    with pytest.raises(InputError, match="two rates"):
        fg.FairKMeans(measure="equalized_odds").fit(np.arange(9.0), np.arange(9) % 2, truth=np.arange(9) % 2)
    with pytest.raises(InputError, match="`monotonic`"):
        FairGroups(2, against="rest", monotonic="increasing").fit(np.arange(9.0), np.arange(9) % 2)


def test_an_automatic_number_against_the_rest_keeps_the_groups_it_is_for():
    data = fg.make_synthetic(6000, seed=1)
    asked = {"sensitive": "x", "outcome": "y", "checks": False}
    rest, everyone = (
        fg.audit({"x": data.sensitive, "y": data.outcome}, **asked, against=a) for a in ("rest", "everyone")
    )
    assert rest.partition == everyone.partition
    assert rest.selection == everyone.selection
