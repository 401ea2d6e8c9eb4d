import numpy as np
import pytest

from fairgroups import Cells, InputError, Measure, group_rates
from fairgroups.measures import RATES, resolve_any
from fairgroups.partition.partition import Partition

Y = np.array([1, 0, 1, 1, 0, 0, 1, 0.0])
T = np.array([1, 1, 0, 1, 0, 1, 1, 0.0])
G = np.array([0, 0, 0, 0, 1, 1, 1, 1.0])


def rates(measure, y=Y, t=T, **options):
    cells = Cells.from_arrays(G, y, truth=t, measure=measure, **options)
    return group_rates(cells, Partition.from_edges([1]), measure)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("statistical_parity", [3 / 4, 1 / 4]),
        ("equal_opportunity", [2 / 3, 1 / 2]),
        ("predictive_equality", [1, 0]),
        ("error_rate", [2 / 4, 1 / 4]),
        ("precision", [2 / 3, 1]),
        ("mean", [3 / 4, 1 / 4]),
        ("calibration", [0, 1 / 4]),
    ],
)
def test_rates_by_hand(name, expected):
    found = rates(name)
    assert found.rate == pytest.approx(expected)
    assert np.sum(found.share * found.phi) == pytest.approx(0)
    assert found.variance == pytest.approx(np.sum(found.share * found.phi**2))


def test_directions():
    said = {name: m.direction(favourable=None) for name, m in RATES.items()}
    assert said == {
        "statistical_parity": "neutral",
        "equal_opportunity": "neutral",
        "predictive_equality": "neutral",
        "error_rate": "neutral",
        "precision": "neutral",
        "mean": "neutral",
        "calibration": "neutral",
    }
    assert RATES["statistical_parity"].direction(favourable=False) == "worse"
    assert RATES["equal_opportunity"].direction(favourable=False) == "worse"
    assert RATES["predictive_equality"].direction(favourable=False) == "worse"
    assert RATES["predictive_equality"].direction(favourable=True) == "better"
    assert RATES["error_rate"].direction(favourable=False) == "neutral"
    assert RATES["mean"].direction(favourable=True) == "better"


def test_a_measure_of_ones_own():
    long_wait = Measure(
        "long_wait", rate="waits", columns=lambda d, _: ((d > 10) * 1.0, np.ones_like(d)), higher="worse", binary=False
    )
    cells = Cells.from_arrays(G, [5, 11, 12, 3, 20, 30, 1, 50], measure=long_wait)
    assert group_rates(cells, Partition.from_edges([1]), long_wait).rate.tolist() == [0.5, 0.75]


@pytest.mark.parametrize(
    "columns",
    [
        lambda y, _: (y[:2], y[:2]),
        lambda y, _: (y, -np.ones_like(y)),
        lambda y, _: (y * np.nan, np.ones_like(y)),
        lambda y, _: (np.ones_like(y), np.zeros_like(y)),
    ],
)
def test_a_bad_measure_of_ones_own_is_refused(columns):
    with pytest.raises(InputError, match="bad"):
        Cells.from_arrays(G, Y, measure=Measure("bad", rate="x", columns=columns))


def test_unknown_names_and_missing_truth():
    with pytest.raises(InputError, match="unknown measure 'fairness'.*\nHint: .*statistical_parity"):
        Cells.from_arrays(G, Y, measure="fairness")
    with pytest.raises(InputError, match="no truth was given"):
        Cells.from_arrays(G, Y, measure="equal_opportunity")
    with pytest.raises(InputError, match="'better', 'worse' or 'neutral'"):
        Measure("x", rate="x", columns=lambda y, _: (y, y), higher="good")


def test_scores_need_the_mean():
    with pytest.raises(InputError, match="needs a yes/no outcome"):
        Cells.from_arrays(G, Y * 0.3, measure="statistical_parity")
    with pytest.raises(InputError, match="needs a yes/no truth"):
        Cells.from_arrays(G, Y, truth=T * 0.3, measure="error_rate")


@pytest.mark.parametrize(
    ("said", "ours"),
    [
        ("false_positive_rate", "predictive_equality"),
        ("True positive rate", "equal_opportunity"),
        ("FPR", "predictive_equality"),
        ("recall", "equal_opportunity"),
        ("demographic parity", "statistical_parity"),
        ("equalised-odds", "equalized_odds"),
        ("Error-Rate", "error_rate"),
    ],
)
def test_measures_by_other_names_are_told_by_ours(said, ours):
    with pytest.raises(InputError, match=f"it is called '{ours}' here"):
        resolve_any(said, outcome_is_binary=True)
