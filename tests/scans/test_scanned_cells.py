"""Places in the data: who is inside, how far they are, and what would have been noticed."""

import numpy as np
import pytest

import fairgroups as fg


def test_rates_and_differences_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    n = 3000
    table = {"age": rng.integers(18, 80, n), "sex": rng.choice(["f", "m"], n)}
    table["y"] = rng.random(n) < 0.3 + 0.2 * (table["age"] < 30) * (table["sex"] == "f")
    found = fg.scan(table, outcome="y")
    for one in (*found.attributes, *found.pairs):
        held = np.ones(n, dtype=bool)
        for name, side in zip(one.names, one.worst.sides, strict=True):
            x = table[name]
            held &= np.isin(x, side.names) if isinstance(side, fg.Levels) else (x >= side.low) & (x < side.high)
        assert one.worst.n == held.sum()
        assert one.worst.rate == pytest.approx(table["y"][held].mean())
        assert one.worst.phi == pytest.approx(table["y"][held].mean() - table["y"].mean())
        assert one.worst.low <= one.worst.phi <= one.worst.high


@pytest.mark.parametrize("sign", [-1, 1])
def test_what_is_said_to_be_noticed_is_noticed(sign):
    """Planted in a tenth of the people of one of eight columns: four of five samples, about."""
    noticed = []
    for seed in range(40):
        rng = np.random.default_rng([seed, 3])
        n = 3000
        table = {f"x{i}": rng.normal(size=n) for i in range(8)}
        nothing = fg.scan(table | {"y": rng.random(n) < 0.3}, outcome="y", pairs=False)
        least = next(one.detectable for one in nothing.attributes if one.names == ("x0",))
        start = rng.uniform(0, 0.9)
        rank = np.argsort(np.argsort(table["x0"])) / n
        rate = 0.3 + sign * least * ((rank >= start) & (rank < start + 0.1))
        noticed.append(
            ("x0",)
            in [one.names for one in fg.scan(table | {"y": rng.random(n) < rate}, outcome="y", pairs=False).shown]
        )
    assert 0.6 <= np.mean(noticed) <= 0.97
