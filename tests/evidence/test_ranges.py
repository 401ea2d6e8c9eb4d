"""The most different range, against its definition."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairgroups import Band, Cells
from fairgroups._kernels import most_different
from fairgroups.evidence.likelihood import kl

PARITY = "statistical_parity"


def by_hand(a, b, bb, rows, start, stop, rule, min_rows, min_b):
    """The most different range, straight from the definition."""
    quantile, penalty, least_root, n, all_rows, equal, scale = rule
    best = -np.inf
    group = [x[stop] - x[start] for x in (a, b, bb, rows)]
    for i in range(start, stop):
        for j in range(i + 1, stop + 1):
            own = [x[j] - x[i] for x in (a, b, bb, rows)]
            rest = [g - o for g, o in zip(group, own, strict=True)]
            if j - i == stop - start or min(own[3], rest[3]) < min_rows or min(own[1], rest[1]) < min_b:
                continue
            sizes = [min(own[1] ** 2 / own[2], n), rest[1] ** 2 / rest[2]]
            p, q = own[0] / own[1], rest[0] / rest[1]
            ratio = max(n / min(sizes), 1.0)
            if not equal:
                ratio = max(ratio, all_rows / min(own[3], rest[3]))
            need = max(quantile + penalty * np.sqrt(2 * (1 + np.log(ratio))), least_root)
            if scale > 0:
                root = abs(p - q) / (scale * np.sqrt(1 / sizes[0] + 1 / sizes[1]))
            else:
                m = (sizes[0] * p + sizes[1] * q) / sum(sizes)
                d = [float(kl(np.clip(r, 0, 1), np.array(m))) for r in (p, q)]
                root = np.sqrt(2 * max(sizes[0] * d[0] + sizes[1] * d[1], 0))
            best = max(best, root - need)
    return best


@example(2688, False, 0.0)  # two cells alike: the root is 0, and no more than nothing
@example(6124, False, 0.0)
@example(130, False, 0.0)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([0.0, 0.7]))
@settings(max_examples=60, deadline=None)
def test_the_kernel_finds_the_most_different_range(seed, weighted, scale):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 50))
    rows = rng.integers(1, 5, m).astype(float)
    b = rows * rng.uniform(0.2, 3, m) if weighted else rows
    bb = b * rng.uniform(0.5, 3, m) if weighted else b
    a = b * rng.binomial(rows.astype(int), rng.uniform(0.05, 0.95)) / rows if scale == 0 else b * rng.normal(size=m)
    sums = [np.concatenate([[0.0], np.cumsum(x)]) for x in (a, b, bb, rows)]
    start, stop = sorted(int(x) for x in rng.choice(m + 1, 2, replace=False))
    rate = (sums[0][stop] - sums[0][start]) / (sums[1][stop] - sums[1][start])
    if scale == 0 and not 1e-9 < rate < 1 - 1e-9:  # sums are rounded
        return  # everybody has the same outcome
    rule = (
        1.7,
        float(rng.choice([0.7, 1.0])),
        2.7,
        float(b.sum() ** 2 / bb.sum()),
        float(rows.sum()),
        not weighted,
        scale,
    )
    least = (float(rng.integers(0, 6)), float(rng.integers(0, 3)))
    wanted = by_hand(*sums, start, stop, rule, *least)
    found = most_different(*sums, start, stop, *rule, *least, False)
    assert found[0] == pytest.approx(wanted, abs=2e-7)  # near 0 a root makes 1e-8 of what is rounded in the 16th digit
    decided = most_different(*sums, start, stop, *rule, *least, True)
    assert (decided[0] > 0) == (wanted > 1e-12) or abs(wanted) < 2e-7


def test_everybody_is_homogeneous_exactly_when_no_interval_excludes_zero():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 30, 400)
        cells = Cells.from_arrays(x, (rng.random(400) < 0.3 + 0.15 * (x > 20)).astype(float))
        band = Band(cells, PARITY, level=0.8)
        start, stop = (t.ravel() for t in np.meshgrid(np.arange(len(cells)), np.arange(1, len(cells) + 1)))
        keep = (start < stop) & (stop - start < len(cells))
        _, bounds = band.judge(np.stack([start[keep], stop[keep]], axis=1)[:, None])
        shown = bool(np.any((bounds.low > 0) | (bounds.high < 0)))
        assert (band.largest_excess()[0] > 0) == shown
