"""Time functions the way ratios need it: the best of several runs, one after the other in one process."""

from __future__ import annotations

import time


def best_time(function, repeat: int = 5) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)
