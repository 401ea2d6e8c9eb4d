import numpy as np
import pytest

from fairgroups.repair.along import _Look, _Near, levels_along, widths_of
from fairgroups.repair.score_table import ScoreTable
from fairgroups.rows.attributes import Column


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
    x, score = rng.integers(0, 6, 60).astype(float), rng.integers(0, 5, 60).astype(float)
    whole = ScoreTable.of([Column("x", x)], score, [np.ones(60)], 512)
    widths = [type(widths_of(table(lambda x: x / 10))[0])(0.4, False)]
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


def test_wide_where_little_happens_narrow_where_much_does():
    slow, quick = (widths_of(table(effect))[0] for effect in (lambda x: x / 50, lambda x: 2 * (x % 20 < 10)))
    assert slow.size > 4 * quick.size


def test_nothing_is_smoothed_to_one_distribution():
    none = sum(widths_of(table(lambda x: 0 * x, seed=seed)) is None for seed in range(20))
    assert none >= 10  # else something wide
    apart = widths_of(table(lambda x: x / 30, category=1.5))
    assert apart[1].size <= 0.1
    alike = widths_of(table(lambda x: x / 30, category=0.0001))
    assert alike[1].size >= 0.3


def test_levels_are_near_the_truth_and_rise():
    from scipy.stats import norm

    held = table(lambda x: x / 30, n=20_000)
    lower, upper = levels_along(held, widths_of(held))
    assert (np.diff(upper, axis=1) >= 0).all()
    assert (lower <= upper).all()
    truth = norm.cdf(held.knots[None, :] - held.axes[0].centres[:, None] / 30)
    assert np.abs(upper - truth).max() < 0.06
    assert np.sqrt(np.mean((upper - truth) ** 2)) < 0.01
