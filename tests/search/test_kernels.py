"""Kernels called in ways that do not fit: a ValueError each time, never a read past the end or an abort."""

import itertools

import numpy as np
import pytest

import fairgroups as fg
from fairgroups import _kernels as kernels


def quiet(_):
    pass


ONES = np.ones(6)
GRID = [(2, False), (3, False)]
RULE = (1.0, 1.0, 1.0, 6.0, 6.0, True, 0.0)
RUNNING = np.arange(7.0)


@pytest.mark.parametrize("name", ["best_segments", "best_sorted", "best_increasing"])
def test_searches_on_the_line(name):
    search = getattr(kernels, name)
    for lengths in itertools.permutations((6, 5, 4)):
        with pytest.raises(ValueError, match="equal length"):
            search(*(np.ones(n) for n in lengths), 2, 0.0, 0.0)
    for n_groups, a in ((0, ONES), (2, np.full(6, np.nan)), (2, np.full(6, 1e200)), (2, np.empty(0))):
        with pytest.raises(ValueError, match=r"group|finite|equal|cell"):
            search(a, ONES if a.size else a, ONES if a.size else a, n_groups, 0.0, 0.0)
    with pytest.raises(ValueError, match="negative"):
        search(ONES, -ONES, ONES, 2, 0.0, 0.0)
    assert len(search(np.arange(6.0), ONES, ONES, 500, 0.0, 0.0)) <= 6


def test_the_most_different_range():
    for start, stop in ((0, 7), (3, 3), (5, 2), (9, 12)):
        with pytest.raises(ValueError, match="within the cells"):
            kernels.most_different(RUNNING, RUNNING, RUNNING, RUNNING, start, stop, *RULE, 0.0, 0.0, False)
    with pytest.raises(ValueError, match="equal length"):
        kernels.most_different(RUNNING, RUNNING[:5], RUNNING, RUNNING, 0, 6, *RULE, 0.0, 0.0, False)
    with pytest.raises(ValueError, match="must not fall"):
        kernels.most_different(RUNNING, RUNNING[::-1].copy(), RUNNING, RUNNING, 0, 6, *RULE, 0.0, 0.0, False)


@pytest.mark.parametrize(
    "axes",
    [[], [(2, False), (4, False)], [(0, False), (6, False)], [(1, False)] * 9, [(70, True)], [(6, False), (0, True)]],
)
def test_grids_that_do_not_fit(axes):
    with pytest.raises(ValueError, match=r"axes|cell|levels"):
        kernels.best_boxes(ONES, ONES, ONES, axes, 2, 0.0, 0.0, 0, quiet)
    with pytest.raises(ValueError, match=r"axes|cell|levels"):
        kernels.best_frontiers([(ONES, ONES)], ONES, axes, 2, 0.0, 0.0, False, 10, quiet)
    with pytest.raises(ValueError, match=r"axes|cell|levels"):
        kernels.most_different_box(np.ones((6, 4)), axes, *RULE, 0.0, 0.0)
    with pytest.raises(ValueError, match=r"axes|cell|levels"):
        kernels.box_maxima(np.ones((6, 16), dtype=np.float32), np.ones((6, 3)), axes, 0.3, 1.0, True)


def test_boxes_and_their_maxima():
    with pytest.raises(ValueError, match="one group"):
        kernels.best_boxes(ONES, ONES, ONES, GRID, 0, 0.0, 0.0, 0, quiet)
    with pytest.raises(ValueError, match="rate"):
        kernels.best_frontiers([], ONES, GRID, 2, 0.0, 0.0, False, 10, quiet)
    with pytest.raises(ValueError, match="four sums"):
        kernels.most_different_box(np.ones((6, 3)), GRID, *RULE, 0.0, 0.0)
    draws = np.ones((6, 16), dtype=np.float32)
    for drift, sums, rate in (
        (draws[:, :7].copy(), np.ones((6, 3)), 0.3),
        (draws, np.ones((6, 2)), 0.3),
        (draws, np.ones((5, 3)), 0.3),
        (draws, np.ones((6, 3)), 0.0),
        (draws * np.float32(np.inf), np.ones((6, 3)), 0.3),
    ):
        with pytest.raises(ValueError, match=r"draws|length|rate|finite"):
            kernels.box_maxima(drift, sums, GRID, rate, 1.0, True)
    with pytest.raises(ValueError, match="too many levels"):
        kernels.box_maxima(
            np.ones((18, 16), dtype=np.float32), np.ones((18, 3)), [(9, True), (2, False)], 0.3, 1.0, True
        )


def test_simulated_lines():
    with pytest.raises(ValueError, match="equal length"):
        kernels.cell_maxima(np.ones((4, 8)), np.arange(5.0), 0.3, 1.0)
    with pytest.raises(ValueError, match="rate"):
        kernels.cell_maxima(np.ones((4, 8)), np.arange(4.0), 1.3, 1.0)
    for lengths in ([0], [9], [-1]):
        with pytest.raises(ValueError, match="lengths"):
            kernels.window_maxima(np.arange(6, dtype=np.int32), np.array(lengths), 0.3)
        with pytest.raises(ValueError, match="lengths"):
            kernels.gaussian_window_maxima(np.arange(6.0), np.array(lengths))


def test_a_measure_of_huge_numbers_is_refused_in_words():
    rng = np.random.default_rng(0)
    huge = fg.Measure("huge", "huge rate", lambda y, _: (1e200 * y, np.ones_like(y)), binary=False)
    table = {"x": rng.random(50), "z": rng.random(50), "y": rng.integers(0, 2, 50)}
    for sensitive in ("x", ["x", "z"]):
        with pytest.raises(fg.InputError, match="too large"):
            fg.audit(table, sensitive=sensitive, outcome="y", measure=huge)
