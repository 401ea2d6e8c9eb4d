from types import SimpleNamespace

import pytest

from fairgroups.cli.exit_codes import exit_code_of, gravest


@pytest.mark.parametrize(
    ("limit", "changes", "code"),
    [
        (None, [], 0),
        ("kept", [], 0),
        ("exceeded", [], 1),
        ("not enough evidence", [], 3),
        ("kept", ["worse"], 1),
        ("not enough evidence", ["worse"], 1),
        ("kept", ["not comparable", "unchanged"], 3),
        ("exceeded", ["not comparable"], 1),
    ],
)
def test_the_gravest_of_limit_and_changes_counts(limit, changes, code):
    assert exit_code_of(limit, [SimpleNamespace(verdict=verdict) for verdict in changes]) == code


def test_several_jobs_exit_as_the_gravest():
    assert gravest([0, 3, 1, 2]) == 2
    assert gravest([0, 3, 1]) == 1
    assert gravest([0, 3]) == 3
    assert gravest([0]) == 0
