import numpy as np
import pytest

from fairgroups import InputError
from fairgroups.options import at_least_zero, one_of, seed_of, share_of, whole_number


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


def test_words_are_listed():
    with pytest.raises(InputError, match="`it` must be 'a', 'b' or None; got 1"):
        one_of(1, "it", ("a", "b", None))
    with pytest.raises(InputError, match="got array"):
        one_of(np.arange(2), "it", ("a", "b"))
