"""Simulate the quantiles that the band uses when it does not simulate on the data's own cells.

    python scripts/band_table.py [--processes 2]

writes src/fairgroups/evidence/band_quantiles.json. For each number of rows N and each rate p, rows are drawn without
any discrimination and the largest statistic over all ranges of rows is recorded: of the range's rate against the true
rate ("rate"), and of the range against its complement ("phi"). Rows without ties have the most ranges, so the table is
safe for data with ties. Above 10 000 rows, range lengths beyond 1 000 run in steps of 1 %.
"""

from __future__ import annotations

import argparse
import json
import math
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from fairgroups._kernels import gaussian_window_maxima, window_maxima

OUT = Path(__file__).parents[1] / "src/fairgroups/evidence/band_quantiles.json"
LEVELS = [0.5, 0.8, 0.9, 0.95, 0.975, 0.99, 0.995]
ROWS = [30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000]
RATES = [0.5, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001]
GAUSSIAN = "gaussian"


def lengths_of(n_rows: int) -> np.ndarray:
    """Choose the range lengths: all of them for few rows, then a fine geometric grid and its mirror image."""
    if n_rows <= 10_000:
        return np.arange(1, n_rows + 1)
    steps = math.ceil(math.log(n_rows / 1_000) / math.log(1.01))
    short = np.unique(np.concatenate([np.arange(1, 1_000), np.geomspace(1_000, n_rows, steps).astype(int)]))
    return np.unique(np.concatenate([short, n_rows - short[short < n_rows]]))


def draws_of(n_rows: int) -> int:
    """Choose how many data sets to draw."""
    return {30: 40_000, 100: 40_000, 300: 40_000, 1_000: 20_000, 3_000: 20_000}.get(
        n_rows, 8_000 if n_rows < 100_000 else 4_000 if n_rows < 1_000_000 else 800
    )


def simulate(task: tuple[int, float | str, int, int]) -> tuple[int, float | str, np.ndarray]:
    """Draw some data sets of one kind and give their two largest statistics."""
    n_rows, rate, n_draws, seed = task
    rng = np.random.default_rng([seed, n_rows, 0 if rate == GAUSSIAN else round(float(rate) * 1e6)])
    lengths = lengths_of(n_rows)
    out = np.empty((n_draws, 2))
    for d in range(n_draws):
        if isinstance(rate, str):
            prefix = np.concatenate([[0.0], np.cumsum(rng.standard_normal(n_rows))])
            out[d] = gaussian_window_maxima(prefix, lengths)
        else:
            prefix = np.zeros(n_rows + 1, dtype=np.int32)
            np.cumsum(rng.random(n_rows) < rate, out=prefix[1:])
            out[d] = window_maxima(prefix, lengths, rate)
    return n_rows, rate, out


def upper_quantiles(draws: np.ndarray) -> list[float]:
    """Give the quantiles at the levels, each one Monte Carlo standard error to the safe side."""
    n = draws.size
    safe = [min(1.0, level + math.sqrt(level * (1 - level) / n)) for level in LEVELS]
    return [round(float(q), 3) for q in np.quantile(draws, safe, method="higher")]


def main() -> None:
    """Simulate everything and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    parts = 4
    tasks = [
        (n, rate, draws_of(n) // parts, seed) for n in ROWS for rate in [*RATES, GAUSSIAN] for seed in range(parts)
    ]
    found: dict[tuple[int, float | str], list[np.ndarray]] = {}
    with ProcessPoolExecutor(options.processes) as pool:
        for n, rate, draws in pool.map(simulate, tasks[::-1]):
            found.setdefault((n, rate), []).append(draws)
            print(n, rate, np.quantile(draws, 0.95, axis=0).round(3), flush=True)
    table = {
        kind: [[upper_quantiles(np.concatenate(found[n, rate])[:, i]) for rate in [*RATES, GAUSSIAN]] for n in ROWS]
        for i, kind in enumerate(("rate", "phi"))
    }
    OUT.write_text(json.dumps({"levels": LEVELS, "rows": ROWS, "rates": [*RATES, GAUSSIAN], **table}) + "\n")


if __name__ == "__main__":
    main()
