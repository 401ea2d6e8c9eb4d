"""Time functions the way ratios need it: the best of several runs, one after the other in one process."""

from __future__ import annotations

import time


def standing(ratio: float) -> str:
    """Say how we stand, given a peer's time over ours; within a fifth is level: machines are noisy."""
    return "ahead" if ratio > 1.25 else "behind" if ratio < 0.8 else "level"


def best_time(function, repeat: int = 5) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)
