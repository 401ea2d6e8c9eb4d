import numpy as np
import pandas as pd
import pytest

import fairgroups as fg
from fairgroups import FairGroups, InputError, Partition, drift, make_synthetic, transfer


def table(seed, n=10_000, shift=0.0):
    data = make_synthetic(n, seed=seed)
    rng = np.random.default_rng([seed, 7])
    y = data.outcome * (rng.random(n) >= shift * (data.sensitive < 20))
    return pd.DataFrame({"x": data.sensitive, "y": y})


def test_a_partition_carries_over():
    found = FairGroups(5).fit(table(1)[["x"]], table(1)["y"]).partition_
    other = transfer(found, table(2), sensitive="x", outcome="y")
    assert other.variance <= other.own_variance
    assert other.variance > 0.97 * other.own_variance
    assert other.rand > 0.97
    assert 0.9 < other.adjusted_rand <= 1
    assert other.own.n_groups == 5
    same = transfer(other.own, table(2), sensitive="x", outcome="y")
    assert same.variance == same.own_variance
    assert same.rand == 1
    fixed = transfer(Partition.from_edges([50]), table(2), sensitive="x", outcome="y", own=Partition.from_edges([50]))
    assert fixed.rand == 1
    with pytest.raises(InputError, match="the partition is of"):
        transfer(Partition.from_edges([50], name="age"), table(2), sensitive="x", outcome="y")


def test_no_change_is_called_so():
    said = []
    for seed in range(60):
        found = drift(table(2 * seed, 2000), table(2 * seed + 1, 2000), sensitive="x", outcome="y", n_groups=5)
        said.append(any(r.verdict in ("rose", "fell") for r in found.records))
    assert np.mean(said) <= 0.1


def test_a_change_is_found():
    found = drift(table(1), table(2, shift=0.9), sensitive="x", outcome="y", partition=Partition.from_edges([20]))
    assert [r.verdict for r in found.records] == ["fell", "rose"]
    record = found.records[0]
    assert record.difference == pytest.approx(record.phi_after - record.phi_before)
    assert record.low <= record.difference <= record.high
    assert isinstance(found.groups, pd.DataFrame)


def test_several_attributes_need_groups():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(2000), "b": rng.random(2000)})
    frame["y"] = rng.random(2000) < np.where((frame.a < 0.5) & (frame.b < 0.5), 0.2, 0.6)
    with pytest.raises(InputError, match="must be given"):
        drift(frame, frame, sensitive=["a", "b"], outcome="y")
    groups = FairGroups(3).fit(frame[["a", "b"]], frame["y"]).partition_
    found = drift(frame, frame, sensitive=["a", "b"], outcome="y", partition=groups)
    assert {r.difference for r in found.records} == {0.0}
    assert transfer(groups, frame, sensitive=["a", "b"], outcome="y").rand > 0.9
    with pytest.raises(InputError, match="`level`"):
        fg.drift(frame, frame, sensitive="a", outcome="y", level=2)


def years(change=0.0, seed=0, n=6_000):
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 8, n)
    age = np.clip(np.round(28 + 3 * z + 8 * rng.normal(size=n)), 18, 75)
    return {"age": age, "z": z, "y": rng.random(n) < np.clip(0.25 + 0.06 * z - (0.1 + change) * (age < 35), 0, 1)}


def test_drift_and_transfer_at_equal_factors():
    asked = {"sensitive": "age", "outcome": "y", "given": "z"}
    before, same, worse = years(seed=1), years(seed=2), years(0.2, seed=3)
    groups = fg.audit(before, **asked, checks=False).partition
    assert {r.verdict for r in fg.drift(before, same, **asked, partition=groups).records} <= {
        "no relevant change",
        "not enough evidence",
    }
    found = fg.drift(before, worse, **asked, partition=groups).records[0]
    assert found.verdict == "fell"
    one = fg.audit(before, **asked, partition=groups, checks=False).reasons.groups[0]
    assert found.phi_before == pytest.approx(one.unexplained, abs=1e-12)
    with pytest.raises(fg.InputError, match="must be named"):
        fg.drift(before, same, **asked)
    carried = fg.transfer(groups, same, **asked)
    raw = fg.transfer(groups, same, sensitive="age", outcome="y")
    assert 0 < carried.variance < raw.variance
    assert carried.own_variance >= carried.variance - 1e-12
    assert fg.transfer(groups, same, **asked, own=groups).rand == 1.0


def test_a_group_that_is_everybody_has_changed_from_nobody():
    data = fg.make_synthetic(4000, seed=1)
    before = {"x": data.sensitive, "y": data.outcome}
    one = {"x": data.sensitive[:1], "y": data.outcome[:1]}
    found = fg.drift(before, one, sensitive="x", outcome="y")
    assert {record.verdict for record in found.records} == {"not enough evidence"}
