from dataclasses import fields

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.audits.options import AuditOptions

OWN = fg.Measure("own", rate="own rate", columns=lambda y, _: (y, np.ones_like(y)))


def asked(**options):
    return AuditOptions(sensitive="x", outcome="y", **options)


def test_what_is_not_the_default_is_said():
    assert asked().call() == "fairgroups.audit(data, sensitive='x', outcome='y')"
    options = asked(n_groups=np.int64(3), partition=fg.Partition.from_edges([1, 2]), measure=fg.EQUALIZED_ODDS)
    assert options.call().endswith("measure='equalized_odds', n_groups=3, partition=[1.0, 2.0])")
    assert "measure=…" in asked(measure=OWN).call()
    right = fg.Partition.from_edges([1], closed="right")
    assert f"partition=fairgroups.Partition.from_dict({right.to_dict()!r})" in asked(partition=right).call()
    assert asked(verbose=True, explore=True).call() == asked().call()


def test_options_as_plain_data():
    plain = asked(measure=OWN, partition=fg.Partition.from_edges([1]), level=np.float64(0.9)).to_dict()
    assert plain["measure"] == "own"
    assert plain["partition"]["schema"] == "fairgroups/partition"
    assert plain["level"] == 0.9
    assert "verbose" not in plain


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "`level` must lie between 0 and 1"),
        ({"n_groups": 0}, "`n_groups` must be a whole number"),
        ({"n_groups": "few"}, "or 'auto'"),
        ({"selection": "aic"}, "`selection` must be"),
        ({"inference": "split"}, "`inference` must be"),
        ({"band_width": "wide"}, "`band_width` must be"),
        ({"against": "men"}, "`against` must be"),
        ({"monotonic": "up"}, "`monotonic` must be"),
        ({"missing": "skip"}, "`missing` must be"),
        ({"max_gap": -1}, "`max_gap` must be a number of at least 0"),
        ({"relevant_gap": "5 %"}, "`relevant_gap` must be"),
        ({"seed": -1}, "`seed` must be"),
        ({"budget": 0}, "`budget` must be"),
        ({"n_cells": 0}, "`n_cells` must be"),
        ({"favourable": "yes"}, "`favourable` must be True, False or None"),
        ({"favourable": 1}, "`favourable` must be True, False or None; got 1"),
        ({"checks": "no"}, "`checks` must be True or False"),
        ({"title": 3}, "`title` must be text"),
        ({"unit": 5}, "`unit` must be a word"),
        ({"weight": "y"}, "'y' is the outcome, and cannot be the weight"),
        ({"truth": 3}, "`truth` must be the name"),
        ({"partition": []}, "classes need a border"),
        ({"scales": {"law": []}}, "classes need a border"),
        ({"level": 0.05}, "how sure the intervals are"),
    ],
)
def test_options_are_checked_before_anything_is_read(options, message):
    with pytest.raises(fg.InputError, match=message):
        fg.audit("nowhere.csv", sensitive="x", outcome="y", **options)


def test_unknown_options():
    with pytest.raises(TypeError, match="no option 'n_group'; did you mean 'n_groups'"):
        fg.audit({}, sensitive="x", outcome="y", n_group=3)


def test_what_a_call_needs_is_told_by_the_name_that_users_know():
    with pytest.raises(TypeError, match=r"^audit\(\) needs outcome"):
        fg.audit({}, sensitive="x")
    with pytest.raises(TypeError, match=r"^scan\(\) needs outcome"):
        fg.scan({})


def test_flags_of_numpy_are_true_or_false():
    assert AuditOptions(sensitive="x", outcome="y", favourable=np.True_).favourable is True


def test_an_outcome_is_not_audited_by_itself():
    with pytest.raises(fg.InputError, match="'y' is the outcome, and goes with itself"):
        fg.audit("nowhere.csv", sensitive=["x", "y"], outcome="y")
    score = np.linspace(0.01, 0.99, 2000)
    table = {"score": score, "label": np.random.default_rng(0).random(2000) < score}
    found = fg.audit(table, sensitive="score", outcome="score", truth="label", measure="calibration", checks=False)
    assert found.verdict != "different"


def test_the_help_names_every_measure_and_every_option_has_a_panel():
    from fairgroups.cli.parameters import panel_of
    from fairgroups.measures import MEASURES, RATES
    from fairgroups.scans.options import ScanOptions

    for record, names in ((AuditOptions, MEASURES), (ScanOptions, RATES)):
        told = {one.name: one.metadata["help"] for one in fields(record)}
        assert all(name in told["measure"] for name in names), record
        own_boxes = {"verbose", "explore", "audits"}  # of Python, or with help of their own on the command line
        assert {name for name in told if panel_of(name) is None} <= own_boxes
