"""Several rows per person: the intervals must not take repetitions for evidence."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups import Band, Cells, InputError, group_rates
from fairgroups.search.intervals import best_intervals

PARITY = "statistical_parity"


def people(seed, alike, n=400, times=5):
    """Persons with `times` rows each; a row repeats the person's own outcome with probability `alike`."""
    rng = np.random.default_rng(seed)
    x = np.repeat(rng.random(n), times)
    person = np.repeat(np.arange(n), times)
    own = np.repeat(rng.random(n) < 0.3, times)
    y = np.where(rng.random(n * times) < alike, own, rng.random(n * times) < 0.3)
    return x, y.astype(float), person


def covered(seed, alike, *, known):
    x, y, person = people(seed, alike)
    cells = Cells.from_arrays(x, y, cluster=person if known else None)
    path = best_intervals(cells, PARITY, 5)
    bounds = Band(cells, PARITY).bounds(group_rates(cells, path.partition(5), PARITY))
    return bool(np.all((bounds.low <= 0) & (bounds.high >= 0)))


@pytest.mark.parametrize("alike", [1.0, 0.5, 0.0])
def test_clusters_keep_the_coverage(alike):
    assert np.mean([covered(seed, alike, known=True) for seed in range(150)]) >= 0.94


def test_without_clusters_repetitions_cry_wolf():
    assert np.mean([covered(seed, 1.0, known=False) for seed in range(50)]) < 0.2


def test_effective_sizes_follow_the_resemblance():
    sizes = []
    for alike in (1.0, 0.5, 0.0):
        x, y, person = people(0, alike, n=3000)
        sizes.append(Cells.from_arrays(x, y, cluster=person)[PARITY].size)
    assert sizes[0] == pytest.approx(3000, rel=0.01)
    assert sizes[0] < sizes[1] < sizes[2] <= 15_000
    assert sizes[2] > 9000


def test_duplicates_are_as_good_as_their_persons():
    rng = np.random.default_rng(0)
    x, y = rng.random(500), (rng.random(500) < 0.4).astype(float)
    once = Band(Cells.from_arrays(x, y), PARITY).interval(0.2, 0.7)
    times = Cells.from_arrays(np.repeat(x, 4), np.repeat(y, 4), cluster=np.repeat(np.arange(500), 4))
    four = Band(times, PARITY).interval(0.2, 0.7)
    assert (four.low, four.high) == pytest.approx((once.low, once.high), abs=1e-3)


def test_persons_whose_rows_lie_apart():
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(300), 6)
    held = []
    for _ in range(60):
        own = np.repeat(rng.random(300) < 0.5, 6)
        x = np.repeat(rng.random(300), 6) + rng.normal(0, 0.1, 1800)
        cells = Cells.from_arrays(x, own.astype(float), cluster=person)
        path = best_intervals(cells, PARITY, 4)
        bounds = Band(cells, PARITY).bounds(group_rates(cells, path.partition(4), PARITY))
        held.append(bool(np.all((bounds.low <= 0) & (bounds.high >= 0))))
    assert np.mean(held) >= 0.93


def test_an_audit_takes_them_by_name():
    x, y, person = people(0, 1.0)
    labels = [f"person {i}" for i in person]
    found = fg.audit({"x": x, "y": y, "who": labels}, sensitive="x", outcome="y", cluster="who")
    assert len(found.records) == 1
    assert any("belong to 400 clusters" in note for note in found.notes)
    assert fg.audit({"x": x, "y": y}, sensitive="x", outcome="y", checks=False).selection.n_groups > 1
    labels[3] = None
    with pytest.raises(InputError, match="'who' holds 1 missing"):
        fg.audit({"x": x, "y": y, "who": labels}, sensitive="x", outcome="y", cluster="who")
    amounts = fg.audit({"x": x, "y": 100 * y, "who": person}, sensitive="x", outcome="y", cluster="who", checks=False)
    assert len(amounts.records) == 1


def test_what_levels_are_called_changes_nothing():
    rng = np.random.default_rng(20)
    level, ok = rng.choice(list("ABCDEF"), 600), rng.random(600) < 0.4
    weight = np.where(ok, rng.choice([1.0, 2, 3], 600), rng.choice([1.0, 2], 600))
    sizes, verdicts = set(), set()
    for names in ("ABCDEF", "CDEABF", "FEDCBA"):
        called = np.array([dict(zip("ABCDEF", names, strict=True))[x] for x in level])
        table = {"a": np.arange(600) % 50, "c": called, "ok": ok, "w": weight}
        found = fg.audit(table, sensitive=["a", "c"], outcome="ok", weight="w", n_groups=1, checks=False)
        sizes.add(round(found.records[0].counted, 9))
        verdicts.add(fg.audit(table, sensitive=["a", "c"], outcome="ok", weight="w", checks=False).verdict)
    assert (len(sizes), len(verdicts)) == (1, 1)
