import numpy as np
import pytest

from fairgroups import Cells, InputError, group_rates, load_adult, make_synthetic


@pytest.mark.parametrize("distribution", ["uniform", "truncated", "clipped"])
def test_synthetic_data(distribution):
    data = make_synthetic(20_000, distribution, seed=5)
    assert data.sensitive.min() >= 0
    assert data.sensitive.max() <= 100
    assert set(np.unique(data.outcome)) == {0, 1}
    again = make_synthetic(20_000, distribution, seed=5)
    assert (data.sensitive == again.sensitive).all()
    assert (data.outcome == again.outcome).all()
    codes = data.partition.assign(data.sensitive)
    assert [data.outcome[codes == k].mean() for k in range(5)] == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9], abs=0.05)


@pytest.mark.parametrize(("distribution", "variance"), [("uniform", 0.068), ("truncated", 0.0306), ("clipped", 0.0322)])
def test_variance_of_the_true_groups(distribution, variance):
    data = make_synthetic(1_000_000, distribution, seed=0)
    # Rates without noise: the population's variance, which the paper prints as 0.068 and 0.032.
    cells = Cells.from_arrays(data.sensitive, data.rate, measure="mean")
    assert group_rates(cells, data.partition, "mean").variance == pytest.approx(variance, abs=4e-4)


def test_bad_options():
    with pytest.raises(InputError, match="`distribution` must be"):
        make_synthetic(10, "normal")
    with pytest.raises(InputError, match="`n` must be"):
        make_synthetic(0)


def test_adult():
    table = load_adult()
    assert {len(column) for column in table.values()} == {45_222}
    assert table["age"].min() == 17
    assert set(table["income_over_50k"]) == {0, 1}
