"""The width of the band over boxes: all of them are covered at once, in any order of rows."""

import numpy as np
import pytest

from fairgroups import Band, InputError, SpaceCells
from fairgroups.evidence.box_width import boxes_from_table


def coverage(rate_at, runs, n, seed, n_cells=10, **columns):
    """How often every box's Φ is covered at once; `rate_at` gives each person's true rate."""
    hits = 0
    for i in range(runs):
        rng = np.random.default_rng([seed, i])
        x, y = rng.random((2, n))
        table = {"x": x, "y": y} | {name: draw(rng, n) for name, draw in columns.items()}
        p = rate_at(x, y)
        cells = SpaceCells.from_arrays(table, rng.random(n) < p, n_cells=n_cells)
        band = Band(cells, "statistical_parity")
        codes = [
            a.codes(table[a.name]) if a.levels is None else np.searchsorted(a.levels, table[a.name]) for a in cells.axes
        ]
        truth = np.zeros(cells.shape)
        np.add.at(truth, tuple(codes), p)
        n_at, a_at = (z.reshape(cells.shape) for z in (cells.rows, cells["statistical_parity"].a))
        hits += covered(band, truth, n_at, a_at, p.mean())
    return hits / runs


def covered(band, truth, n_at, a_at, overall):
    """Whether no box's likelihood root at its true difference exceeds what the band allows."""
    pads = [(1, 0)] * 2 + [(0, 0)] * (n_at.ndim - 2)
    sums = [np.pad(x.cumsum(0).cumsum(1), pads) for x in (n_at.astype(float), a_at, truth)]
    m = n_at.shape
    pairs = [np.array([(i, j) for i in range(k) for j in range(i + 1, k + 1)]) for k in m[:2]]
    (i0, i1), (j0, j1) = pairs[0].T, pairs[1].T
    boxes = [s[i1][:, j1] - s[i0][:, j1] - s[i1][:, j0] + s[i0][:, j0] for s in sums]
    own, yes, expected = (b.reshape(-1, *m[2:]) for b in boxes)
    if own.ndim > 1:  # every set of levels
        sets = np.array([[h >> i & 1 for i in range(m[2])] for h in range(1, 2 ** m[2])]).T
        own, yes, expected = (x @ sets for x in (own, yes, expected))
    keep = (own > 0) & (own < n_at.sum())
    own, yes, expected = own[keep], yes[keep], expected[keep]
    rest = n_at.sum() - own
    mu, nu = expected / own, (truth.sum() - expected) / rest
    difference = mu - nu
    # The profile likelihood of the difference, by a one-dimensional search over the rate of the rest.
    p, q = yes / own, (a_at.sum() - yes) / rest
    low, high = np.maximum(0, -difference), np.minimum(1, 1 - difference)

    def loss(at):
        def kl(s, t):
            t = np.clip(t, 1e-12, 1 - 1e-12)
            with np.errstate(divide="ignore", invalid="ignore"):
                one = np.where(s > 0, s * np.log(s / t), 0.0)
                return one + np.where(s < 1, (1 - s) * np.log((1 - s) / (1 - t)), 0.0)

        return own * kl(p, at + difference) + rest * kl(q, at)

    golden = (5**0.5 - 1) / 2
    for _ in range(40):
        left, right = high - golden * (high - low), low + golden * (high - low)
        better = loss(left) < loss(right)
        low, high = np.where(better, low, left), np.where(better, right, high)
    root = np.sqrt(np.maximum(2 * loss((low + high) / 2), 0))
    allowed = band.quantiles.phi + np.sqrt(2 * (1 + np.log(n_at.sum() / np.minimum(own, rest))))
    return bool(np.all(root <= allowed + 1e-6))


SCENES = {
    "null": lambda x, y: np.full(x.size, 0.3),
    "four": lambda x, y: np.select([(x < 0.5) & (y < 0.5), x < 0.5, y < 0.5], [0.2, 0.35, 0.3], 0.4),
    "smooth": lambda x, y: 0.2 + 0.2 * x * y + 0.1 * np.sin(3 * x),
    "xor": lambda x, y: 0.35 + 0.1 * np.where((x < 0.5) == (y < 0.5), 1, -1),
    "rare": lambda x, y: np.where((x < 0.3) & (y < 0.3), 0.06, 0.02),
}


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("n", [2000, 20_000])
def test_every_box_is_covered_at_once(scene, n):
    runs = 200
    error = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert coverage(SCENES[scene], runs, n, 1) >= 0.95 - error


@pytest.mark.parametrize("scene", ["null", "rare", "four"])
def test_every_box_of_a_category_is_covered_at_once(scene):
    runs = 150
    levels = {"z": lambda rng, n: rng.choice(list("abcde"), n, p=[0.4, 0.3, 0.15, 0.1, 0.05])}
    error = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert coverage(SCENES[scene], runs, 3000, 2, n_cells=6, **levels) >= 0.95 - error


def test_the_order_of_rows_and_a_seed_do_not_matter():
    rng = np.random.default_rng(0)
    n = 2000
    table, y = {"x": rng.random(n), "z": rng.integers(0, 9, n)}, rng.random(n) < 0.2
    order = rng.permutation(n)
    one = Band(SpaceCells.from_arrays(table, y), "statistical_parity", seed=1)
    other = Band(
        SpaceCells.from_arrays({k: v[order] for k, v in table.items()}, y[order]), "statistical_parity", seed=2
    )
    assert one.quantiles == other.quantiles


def test_the_table_is_close_to_the_simulation_and_safe_for_correlated_attributes():
    rng = np.random.default_rng(0)
    for n, apart in ((1000, 1.0), (5000, 0.3)):
        base = rng.standard_normal(n)
        table = {"x": base, "y": base + apart * rng.standard_normal(n)}
        cells = SpaceCells.from_arrays(table, rng.random(n) < 0.3)
        drawn = Band(cells, "statistical_parity").quantiles.phi
        known = Band(cells, "statistical_parity", band_width="table").quantiles
        assert known.source == "table"
        assert drawn - 0.1 <= known.phi <= drawn + 0.6


def test_levels_between_and_beyond_the_table():
    rng = np.random.default_rng(0)
    cells = SpaceCells.from_arrays({"x": rng.random(500), "y": rng.random(500)}, rng.integers(0, 2, 500))
    levels = [0.8, 0.93, 0.95, 0.975, 0.985, 0.995, 0.999]
    found = [boxes_from_table(cells, 500, 0.3, level).phi for level in levels]
    assert found == sorted(found)
    assert boxes_from_table(cells, 500, None, 0.95) is not None


def test_too_many_boxes_are_refused():
    rng = np.random.default_rng(0)
    cells = SpaceCells.from_arrays({"x": rng.random(500), "y": rng.random(500)}, rng.integers(0, 2, 500), n_cells=200)
    with pytest.raises(InputError, match="too many for a band"):
        Band(cells, "statistical_parity")
