import numpy as np
import pandas as pd
import pytest

import fairgroups as fg
from fairgroups import Partition
from fairgroups.cells.sample import Sample
from fairgroups.checks.amplification import PAIR, amplification
from fairgroups.rows.rows import Rows


def world(seed, n=4000, extra=0.0, noise=0.15):
    """Labels that differ by group, and decisions that differ by `extra` more."""
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    label = rng.random(n) < 0.3 + 0.2 * (x > 0.5)
    flip = rng.random(n) < noise
    more = rng.random(n) < extra
    model = np.where(flip, rng.random(n) < 0.4, label) & ~(more & (x < 0.5)) | (more & (x > 0.5))
    return x, label, model


def compare(seed, **options):
    x, label, model = world(seed, **options)
    rows = Rows.from_arrays(x, model, base=label)
    return amplification(Sample(rows, PAIR), Partition.from_edges([0.5]))


def test_numbers_are_those_of_the_groups():
    x, label, model = world(0)
    found = amplification(
        Sample(Rows.from_arrays(x, model, base=label), PAIR), Partition.from_edges([0.5]), names=("m", "y")
    )
    left = x < 0.5
    phi = [v[left].mean() - v.mean() for v in (label, model)]
    assert found.records[0].base_phi == pytest.approx(phi[0])
    assert found.records[0].model_phi == pytest.approx(phi[1])
    assert found.records[0].difference == pytest.approx(phi[1] - phi[0])
    assert found.base_variance == pytest.approx(sum(p * q**2 for p, q in zip(*_groups(x, label), strict=True)))
    assert found.curves["model"]


def _groups(x, y):
    sides = [x < 0.5, x >= 0.5]
    return [s.mean() for s in sides], [y[s].mean() - y.mean() for s in sides]


def test_amplified_kept_and_dampened():
    assert [r.effect for r in compare(1, extra=0.3).records] == ["amplifies", "amplifies"]
    assert {r.effect for r in compare(1, noise=0.0).records} == {"keeps"}
    assert [r.effect for r in compare(1, noise=0.8).records] == ["dampens", "dampens"]
    assert {r.effect for r in compare(1, n=100).records} <= {"not enough evidence", "keeps"}


def test_intervals_hold_and_use_the_pairing():
    covered, widths = [], []
    for seed in range(150):
        _, label, model = world(seed, n=1500)
        found = compare(seed, n=1500)
        truth = 0.15 * 0.1  # a flip takes away the label's difference, −0.1 on the left
        record = found.records[0]
        covered.append(record.low <= truth <= record.high)
        apart = np.hypot(*(np.std(v) for v in (label, model)))
        widths.append((record.high - record.low) / apart)
    assert np.mean(covered) >= 0.94
    unpaired = 2 * 4.3 * 0.5 * np.sqrt(4 / 1500)
    assert np.mean(widths) < 0.8 * unpaired


def test_audit_compares_with_the_truth_or_another_model():
    x, label, model = world(3, extra=0.3)
    table = pd.DataFrame({"x": x, "label": label, "first": world(3)[2], "second": model})
    found = fg.audit(table, sensitive="x", outcome="second", truth="label")
    assert found.checks.amplification.base == "label"
    said = "in “second” is shown to lie further from everybody's than in “label”: the model amplifies"
    assert said in found.conclusion
    other = fg.audit(table, sensitive="x", outcome="second", compare_with="first")
    assert other.checks.amplification.base == "first"
    assert other.checks.amplification.records[0].effect == "amplifies"
    plane = fg.audit(
        table.assign(z=np.random.default_rng(0).random(4000)),
        sensitive=["x", "z"],
        outcome="second",
        truth="label",
        n_groups=2,
    )
    assert {r.effect for r in plane.checks.amplification.records} == {"amplifies"}
