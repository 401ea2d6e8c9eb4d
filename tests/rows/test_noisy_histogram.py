import math

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.rows.noisy_histogram import noise_variance, two_sided_geometric

OPTIONS = {"sensitive": "age", "outcome": "ok", "private": 1.0, "known_range": (18, 89), "checks": False}
pytestmark = pytest.mark.usefixtures("known_noise")


def people(n, seed, gap=0.0, rate=0.3):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    return {"age": age, "ok": (rng.random(n) < rate + gap * (age < 40)).astype(int)}


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_the_noise_is_geometric(epsilon):
    """Chances in the ratio e^(−ε|k|): the whole of what privacy rests on."""
    drawn = two_sided_geometric(epsilon, 6000)
    rest = math.exp(-epsilon)
    sizes = np.arange(-3, 4)
    expected = 6000 * (1 - rest) / (1 + rest) * rest ** np.abs(sizes)
    seen = np.array([(drawn == k).sum() for k in sizes])
    assert np.all(np.abs(seen - expected) < 4.5 * np.sqrt(expected))
    assert drawn.var() == pytest.approx(noise_variance(epsilon), rel=0.15)


def test_five_groups_are_found_through_the_noise():
    for seed in range(5):
        data = fg.make_synthetic(50_000, seed=seed)
        table = {"age": data.sensitive, "ok": data.outcome}
        found = fg.audit(table, **{**OPTIONS, "known_range": (0, 100)})
        plain = fg.audit(table, sensitive="age", outcome="ok", checks=False)
        assert found.partition.n_groups == 5
        assert fg.rand_index(found.partition, plain.partition, data.sensitive) >= 0.98


def test_no_alarm_where_nothing_is():
    alarms = sum(fg.audit(people(2000, seed), **OPTIONS).verdict in ("different", "depends") for seed in range(60))
    assert alarms <= 7  # 5% allowed: more than 7 of 60 would happen in 2 of 100 such tests


@pytest.mark.long
@pytest.mark.parametrize(("n", "rate", "epsilon"), [(50_000, 0.3, 1.0), (2000, 0.3, 0.5), (5000, 0.05, 1.0)])
def test_intervals_allow_for_the_noise(n, rate, epsilon):
    """Every group's difference at once, the true one of its people, in 300 tables."""
    covered = 0
    for seed in range(300):
        table = people(n, seed, gap=0.1, rate=rate)
        found = fg.audit(table, **{**OPTIONS, "private": epsilon})
        truth = rate + 0.1 * (np.arange(18, 90) < 40)
        group = np.asarray(found.partition.assign(np.arange(18, 90.0)))
        hits = [
            r.low - 1e-9 <= truth[group == k].mean() - truth.mean() <= r.high + 1e-9
            for k, r in enumerate(found.records)
        ]
        covered += all(hits)
    assert covered >= 0.93 * 300


def test_nothing_exact_leaves():
    table = people(3000, 0, gap=0.2)
    found = fg.audit({**table, "truth": table["ok"]}, **OPTIONS, truth="truth", measure="equal_opportunity")
    again = fg.audit({**table, "truth": table["ok"]}, **OPTIONS, truth="truth", measure="equal_opportunity")
    assert found.data.rows != 3000 or again.data.rows != 3000 or found.records != again.records
    assert found.data.dropped == {}
    assert (found.data.attributes[0].low, found.data.attributes[0].high) == (18, 89)
    assert "ε = 1" in found.notes[0]
    assert fg.Audit.from_json(found.to_json()) == found
    assert "noisy histogram" in found.to_html()


def test_values_beyond_what_is_known_are_put_at_the_ends():
    table = people(4000, 1)
    table["age"] = table["age"] + 40
    found = fg.audit(table, **OPTIONS)
    assert found.data.attributes[0].high <= 89


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"known_range": None}, "the smallest and the largest value"),
        ({"known_range": (90, 18)}, "the smallest and the largest value"),
        ({"private": 0.0}, "at least 0.01"),
        ({"private": None}, "goes with `private`"),
        ({"weight": "w"}, "does not go with `private`"),
        ({"outcome": "amount"}, "yes and no"),
        ({"sensitive": ["age", "w"]}, "one attribute"),
    ],
)
def test_what_would_tell_more_is_refused(options, said):
    table = {**people(500, 0), "w": np.ones(500), "amount": np.arange(500.0)}
    with pytest.raises(fg.InputError, match=said):
        fg.audit(table, **{**OPTIONS, **options})


def test_shares_between_two_whole_numbers_are_not_taken_for_whole():
    """Ends of 0 and 1 look whole: the values say, through noise of their own, that they are not."""
    rng = np.random.default_rng(0)
    share = rng.random(20_000)
    table = {"age": share, "ok": (rng.random(20_000) < 0.3 + 0.2 * (share < 0.4)).astype(int)}
    found = fg.audit(table, **{**OPTIONS, "known_range": (0, 1)})
    assert found.partition.n_groups == 2
    assert found.partition.edges[0] == pytest.approx(0.4, abs=0.03)
    stars = {"age": rng.integers(1, 6, 20_000)}
    stars["ok"] = (rng.random(20_000) < 0.3 + 0.2 * (stars["age"] < 3)).astype(int)
    found = fg.audit(stars, **{**OPTIONS, "known_range": (1, 5)})
    assert [str(label) for label in found.partition.labels] == ["age < 3", "age ≥ 3"]
