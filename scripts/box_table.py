"""Simulate the quantiles that the band over boxes uses when it does not simulate on the data's own cells.

    python scripts/box_table.py

writes src/fairgroups/evidence/box_quantiles.json. For some numbers of boxes, grids of that many are filled with people
who are spread evenly and treated alike, and the largest statistics over all boxes are recorded, as in band_table.py.
The table holds the largest quantile over grids of two, three and four attributes, with and without a category.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from fairgroups._kernels import box_maxima

OUT = Path(__file__).parents[1] / "src/fairgroups/evidence/box_quantiles.json"
LEVELS = [0.9, 0.95, 0.975, 0.99, 0.995]
ROWS = [300, 1_000, 5_000, 30_000, 300_000]
RATES: list[float | str] = [0.5, 0.2, 0.05, 0.02, "gaussian"]
DRAWS, BLOCK = 1024, 256
# Numbers of cells; negative ones are levels of a category. The longest number comes last.
GRIDS = {
    1_300: [(8, 8), (4, 4, 4), (-3, 16)],
    10_000: [(13, 13), (6, 6, 6), (-4, 36), (-3, 8, 8)],
    51_000: [(20, 20), (8, 8, 8), (-5, 56), (-2, 14, 14), (5, 5, 5, 5)],
    120_000: [(25, 25), (9, 9, 9), (-6, 61), (-4, 13, 13), (5, 5, 5, 5), (-5, 87)],
}


def quantiles(grid: tuple[int, ...], n: int, rate: float | str) -> np.ndarray:
    """Return the quantiles of rate and Φ, by level, on one grid."""
    rng = np.random.default_rng([n, *map(abs, grid)])
    axes = [(abs(m), m < 0) for m in grid]
    size = int(np.prod([m for m, _ in axes]))
    people = rng.multinomial(n, np.full(size, 1 / size))
    sums = np.repeat(people[:, None].astype(float), 3, axis=1)
    found = []
    for _ in range(DRAWS // BLOCK):
        if isinstance(rate, str):
            drift, at = rng.standard_normal((size, BLOCK)) * np.sqrt(people)[:, None], -1.0
        else:
            drift, at = rng.binomial(people[:, None], rate, (size, BLOCK)) - rate * people[:, None], rate
        found.append(box_maxima(np.ascontiguousarray(drift, dtype=np.float32), sums, axes, at, 1.0, True))
    draws = np.concatenate([np.array(one) for one in found], axis=1)
    safe = [level + np.sqrt(level * (1 - level) / DRAWS) for level in LEVELS]
    return np.quantile(draws, np.minimum(safe, 1 - 1 / DRAWS), axis=1, method="higher").T


def main() -> None:
    """Write the table."""
    table: dict[str, object] = {"levels": LEVELS, "rows": ROWS, "rates": RATES, "boxes": list(GRIDS)}
    cube = np.array(
        [
            [[np.max([quantiles(grid, n, rate) for grid in grids], axis=0) for rate in RATES] for n in ROWS]
            for grids in GRIDS.values()
        ]
    )  # boxes, rows, rates, kind, level
    for i, kind in enumerate(("rate", "phi")):
        table[kind] = np.round(cube[:, :, :, i], 4).tolist()
    OUT.write_text(json.dumps(table) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
