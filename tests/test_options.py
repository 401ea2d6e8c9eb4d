import numpy as np
import pytest

from fairgroups import InputError
from fairgroups.options import (
    at_least_zero,
    column_of,
    columns_of,
    epsilon_of,
    level_of,
    one_of,
    seed_of,
    share_of,
    whole_number,
)


def test_what_is_taken():
    assert whole_number(np.int64(3), "k") == 3
    assert seed_of(0) == 0
    assert at_least_zero(np.float32(0.5), "gap") == 0.5
    assert share_of(0.95, "level") == 0.95
    assert one_of(None, "monotonic", (None, "either")) is None


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (whole_number, 0),
        (whole_number, 2.0),
        (whole_number, True),
        (whole_number, "3"),
        (whole_number, None),
        (at_least_zero, -1),
        (at_least_zero, float("nan")),
        (at_least_zero, float("inf")),
        (at_least_zero, "1"),
        (at_least_zero, 1j),
        (share_of, 1),
        (share_of, 0),
        (share_of, None),
        (seed_of, -1),
    ],
)
def test_what_is_refused(check, value):
    with pytest.raises(InputError, match="`it` must"):
        check(value, "it")


def test_an_error_rate_is_no_level():
    assert level_of(0.5) == 0.5
    with pytest.raises(InputError) as told:
        level_of(0.05)
    assert "say level=0.95 if 0.05 is the error that you allow" in str(told.value)
    with pytest.raises(InputError, match="customary"):
        level_of(1e-12)


@pytest.mark.parametrize("epsilon", [0, 0.001, 101, 1e9, "1", None, float("nan")])
def test_privacy_that_hides_nobody_or_everything_is_refused(epsilon):
    with pytest.raises(InputError, match="`private` must"):
        epsilon_of(epsilon)


def test_words_are_listed():
    with pytest.raises(InputError, match="`it` must be 'a', 'b' or None; got 1"):
        one_of(1, "it", ("a", "b", None))
    with pytest.raises(InputError, match="got array"):
        one_of(np.arange(2), "it", ("a", "b"))


def test_columns_are_named_by_text():
    assert column_of("age", "outcome") == "age"
    assert columns_of("age", "sensitive") == ("age",)
    assert columns_of(["age", "income", "age"], "sensitive") == ("age", "income")
    for check, value in ((column_of, 0), (columns_of, 0), (columns_of, [0, 1]), (columns_of, (np.int64(3),))):
        with pytest.raises(InputError, match=r"(?s)must be the name of a column.*give numbered columns names first"):
            check(value, "sensitive")
    with pytest.raises(InputError, match="got None"):
        column_of(None, "outcome")


def test_numbered_columns_are_told_wherever_they_come():
    import pandas as pd

    import fairgroups as fg

    frame = pd.DataFrame({0: range(30), 1: [0, 1] * 15})
    for ask in (
        lambda: fg.audit(frame, sensitive="0", outcome="1"),
        lambda: fg.audit(frame, sensitive=0, outcome=1),
        lambda: fg.scan(frame, outcome=1),
        lambda: fg.tradeoff(frame, score=0, sensitive=0),
        lambda: fg.ScoreRepair().fit(frame[0], sensitive=frame[[0]]),
    ):
        with pytest.raises(InputError, match="give numbered columns names first"):
            ask()
