"""A scan as Markdown."""

import numpy as np

import fairgroups as fg


def test_tables_stay_tables():
    rng = np.random.default_rng(0)
    n = 1500
    table = {"a|b": rng.integers(18, 80, n), "*c*": rng.choice(["<i>", "`x`"], n)}
    table["y"] = rng.random(n) < 0.4 - 0.2 * (table["a|b"] > 60)
    found = fg.scan(table, outcome="y")
    lines = [line for line in found.to_markdown().splitlines() if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
    assert len(lines) == 2 + len(found.attributes) + len(found.pairs)
    assert "<i>" not in found.to_markdown()
