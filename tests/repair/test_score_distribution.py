import numpy as np
import pytest

from fairgroups.repair.score_distribution import Width, _Look, _Near, levels_along, nearness_of
from fairgroups.repair.score_table import ScoreTable
from fairgroups.rows.column_kinds import Column


def table(effect, n=4000, seed=0, **kinds):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 100, n)
    columns = [Column("x", x)]
    shift = effect(x)
    if kinds.get("category"):
        sex = rng.integers(0, 2, n).astype(float)
        columns.append(Column("sex", sex, ("f", "m")))
        shift = shift + kinds["category"] * sex
    return ScoreTable.of(columns, rng.normal(shift, 1.0), [np.ones(n)], 512)


def test_the_error_is_that_of_people_foretold_by_all_others():
    """Against leaving out each person in turn and fitting again, by brute force."""
    rng = np.random.default_rng(1)
    x, score = np.repeat(np.arange(6.0), 10), rng.integers(0, 5, 60).astype(float)
    whole = ScoreTable.of([Column("x", x)], score, [np.ones(60)], 512)
    widths = [Width(0.4, people=False)]
    look = _Look(whole)
    marks = whole.knots[np.unique(np.minimum(np.searchsorted(np.cumsum(whole.share), (np.arange(64) + 0.5) / 64), 4))]
    total = 0.0
    for i in range(60):
        weight = np.ones(60)
        weight[i] = 1e-12  # left out, though the cells stay what they are
        rest = ScoreTable.of([Column("x", x)], score, [weight], 512)
        told = (_Near(rest, 0).weights(widths) @ rest.at[0])[int(x[i])]
        at = np.searchsorted(whole.knots, marks)
        total += float(((told[at] - (score[i] <= marks)) ** 2) @ look.share) / 60
    assert look.error(widths) == pytest.approx(total, rel=1e-3)


def reach(nearness):
    """Return about how many cells count in the estimate of each."""
    return 1 / np.sum(nearness[0] ** 2, axis=1)


def test_wide_where_little_happens_narrow_where_much_does():
    slow, quick = (nearness_of(table(effect)) for effect in (lambda x: x / 50, lambda x: 2 * (x % 20 < 10)))
    assert np.median(reach(slow)) > 4 * np.median(reach(quick))
    both = reach(nearness_of(table(lambda x: np.where(x < 25, 3 * np.sin(x / 1.5), x / 100), n=20_000)))
    assert np.median(both[:25]) < 0.6 * np.median(both[-50:])  # stretch by stretch


def test_nothing_is_smoothed_to_one_distribution():
    none = sum(nearness_of(table(lambda x: 0 * x, seed=seed)) is None for seed in range(20))
    assert none >= 10  # else something wide
    apart, alike = (nearness_of(table(lambda x: x / 30, category=size))[0] for size in (1.5, 0.0001))
    sex = np.arange(apart.shape[0]) % 2
    lent = [np.sum(found * (sex[:, None] != sex[None, :]), axis=1).mean() for found in (apart, alike)]
    assert lent[0] < 0.1 < 0.2 < lent[1]


def test_levels_are_near_the_truth_and_rise():
    from scipy.stats import norm

    held = table(lambda x: x / 30, n=20_000)
    lower, upper = levels_along(held, nearness_of(held))
    assert (np.diff(upper, axis=1) >= 0).all()
    assert (lower <= upper).all()
    truth = norm.cdf(held.knots[None, :] - held.axes[0].centres[:, None] / 30)
    assert np.abs(upper - truth).max() < 0.06
    assert np.sqrt(np.mean((upper - truth) ** 2)) < 0.01
