"""Sparklines in the terminal."""

import numpy as np

import fairgroups as fg
from fairgroups.cli.scan_job import BLOCKS, sparkline


def test_sparklines_rise_with_the_rate():
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    found = fg.scan({"x": x, "z": rng.normal(size=4000), "y": rng.random(4000) < 1 / (1 + np.exp(-2 * x))}, outcome="y")
    line = sparkline(found, found.attributes[0])
    heights = [BLOCKS.index(block) for block in line]
    assert heights[0] == 0
    assert heights[-1] == len(BLOCKS) - 1
    assert np.corrcoef(heights, np.arange(len(heights)))[0, 1] > 0.95
    assert max(map(BLOCKS.index, sparkline(found, found.attributes[1]))) < len(BLOCKS) - 1
