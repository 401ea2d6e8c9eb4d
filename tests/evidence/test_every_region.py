"""Every range and every box at once, against a loop over them."""

import numpy as np
import pytest

from fairgroups._kernels import region_maxima
from fairgroups.evidence.every_region import EveryRegion

GRIDS = [
    ((5, False),),
    ((4, False), (3, True)),
    ((3, True), (4, False), (2, False)),
    ((9, True), (3, False)),
    ((2, True), (3, True)),
    ((3, False), (2, False), (2, False), (2, True)),
]


def members(axes, region):
    out = np.ones(1)
    for (size, categorical), (low, high) in zip(axes, region, strict=True):
        side = [(low >> i & 1) if categorical else low <= i < high for i in range(size)]
        out = np.multiply.outer(out, np.array(side, dtype=float)).ravel()
    return out


@pytest.mark.parametrize("axes", GRIDS)
def test_sums_and_forms_are_those_of_each_region(axes):
    every = EveryRegion(axes)
    rng = np.random.default_rng(0)
    cells, matrix = rng.normal(size=(every.n_cells, 3)), rng.normal(size=(every.n_cells, every.n_cells))
    sums, forms = every.sums(cells), every.forms(matrix)
    seen = set()
    for k in range(every.n):
        held = members(axes, every.region(k))
        assert np.allclose(sums[k], held @ cells)
        assert forms[k] == pytest.approx(held @ matrix @ held)
        seen.add(held.tobytes())
    assert len(seen) == every.n


@pytest.mark.parametrize("axes", GRIDS)
def test_the_kernel_takes_the_largest(axes):
    every = EveryRegion(axes)
    rng = np.random.default_rng(1)
    draws = rng.normal(size=(2, every.n_cells, 16)).astype(np.float32)
    above, below, charge = (rng.random(every.n).astype(np.float32) for _ in range(3))
    above[::3] = 0.0
    largest = np.full(32, -1e9, dtype=np.float32)
    region_maxima(draws, list(axes), above, below, charge, largest)
    sums = [every.sums(block) for block in draws]
    stats = [np.maximum(x * above[:, None], -x * below[:, None]) - charge[:, None] for x in sums]
    expected = np.concatenate([np.where(above[:, None] > 0, x, -1e9).max(axis=0) for x in stats])
    assert np.allclose(largest, expected, atol=1e-5)


def test_the_kernel_refuses_what_does_not_fit():
    draws = np.zeros((1, 4, 16), dtype=np.float32)
    ones, out = np.ones(10, dtype=np.float32), np.zeros(16, dtype=np.float32)
    region_maxima(draws, [(4, False)], ones, ones, ones, out)
    for bad in (
        (draws, [(5, False)], ones, ones, ones, out),
        (draws, [(4, False)], ones[:9], ones, ones, out),
        (draws, [(4, False)], ones, ones, ones, out[:8]),
        (draws[:, :, :8].copy(), [(4, False)], ones, ones, ones, out),
        (draws, [], ones, ones, ones, out),
    ):
        with pytest.raises(ValueError, match="must|there|sixteen"):
            region_maxima(*bad)


def test_sides_that_hold_nearly_everybody_are_open():
    every = EveryRegion(((3, False), (2, True)))
    people = np.array([[1.0, 1], [48, 48], [1, 1]])
    found = every.open_side(people.ravel(), 0.9)
    for at in range(every.n):
        (low, high), (held, _) = every.region(at)
        wide = [people[low:high].sum(), sum(people[:, i].sum() for i in range(2) if held >> i & 1)]
        assert found[at] == (max(wide) > 90)
