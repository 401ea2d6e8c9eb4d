from collections.abc import Callable

from numpy import float32, float64, int32, int64, uint16
from numpy.typing import NDArray

def end_threads(end: bool) -> None: ...
def best_segments(
    a: NDArray[float64],
    b: NDArray[float64],
    rows: NDArray[float64],
    n_groups: int,
    min_rows: float,
    min_b: float,
    most_work: float = 0.0,
) -> list[list[int]]: ...
def best_sorted(
    a: NDArray[float64],
    b: NDArray[float64],
    rows: NDArray[float64],
    n_groups: int,
    min_rows: float,
    min_b: float,
    most_work: float = 0.0,
) -> list[list[int]]: ...
def best_increasing(
    a: NDArray[float64],
    b: NDArray[float64],
    rows: NDArray[float64],
    n_groups: int,
    min_rows: float,
    min_b: float,
    most_work: float = 0.0,
) -> list[list[int]]: ...
def isotonic_blocks(a: NDArray[float64], b: NDArray[float64]) -> list[int]: ...
def best_boxes(
    a: NDArray[float64],
    b: NDArray[float64],
    rows: NDArray[float64],
    axes: list[tuple[int, bool]],
    n_groups: int,
    min_rows: float,
    min_b: float,
    width: int,
    progress: Callable[[float], object],
) -> list[tuple[float, list[list[tuple[int, int]]]]]: ...
def best_frontiers(
    sums: list[tuple[NDArray[float64], NDArray[float64]]],
    rows: NDArray[float64],
    axes: list[tuple[int, bool]],
    n_groups: int,
    min_rows: float,
    min_b: float,
    against_rest: bool,
    width: int,
    progress: Callable[[float], object],
) -> list[tuple[float, float, list[list[tuple[int, int]]]]]: ...
def cell_maxima(
    prefix: NDArray[float64], sizes: NDArray[float64], rate: float, weight: float
) -> tuple[list[float], list[float]]: ...
def window_maxima(prefix: NDArray[int32], lengths: NDArray[int64], rate: float) -> tuple[float, float]: ...
def gaussian_window_maxima(prefix: NDArray[float64], lengths: NDArray[int64]) -> tuple[float, float]: ...
def most_different(
    a: NDArray[float64],
    b: NDArray[float64],
    bb: NDArray[float64],
    rows: NDArray[float64],
    start: int,
    stop: int,
    quantile: float,
    penalty: float,
    least_root: float,
    n: float,
    all_rows: float,
    equal_weights: bool,
    scale: float,
    min_rows: float,
    min_b: float,
    decide: bool,
) -> tuple[float, int, int]: ...
def box_maxima(
    drift: NDArray[float32],
    sums: NDArray[float64],
    axes: list[tuple[int, bool]],
    rate: float,
    weight: float,
    equal_weights: bool,
    n: float = 0.0,
    reached: NDArray[float64] | None = None,
) -> tuple[list[float], list[float]]: ...
def most_different_box(
    sums: NDArray[float64],
    axes: list[tuple[int, bool]],
    quantile: float,
    penalty: float,
    least_root: float,
    n: float,
    all_rows: float,
    equal_weights: bool,
    scale: float,
    min_rows: float,
    min_b: float,
) -> tuple[float, list[tuple[int, int]]]: ...
def deal_sums(
    starts: NDArray[int64],
    yes: NDArray[int64] | None,
    values: NDArray[float64] | None,
    weights: NDArray[float64] | None,
    clusters: NDArray[int32] | None,
    codes: NDArray[uint16],
    sizes: list[int],
    out: NDArray[float32],
    seed: int,
) -> None: ...
def deal_pairs(
    starts: NDArray[int64],
    yes: NDArray[int64] | None,
    values: NDArray[float64] | None,
    weights: NDArray[float64] | None,
    clusters: NDArray[int32] | None,
    codes: NDArray[uint16],
    axes: list[tuple[int, bool]],
    pairs: NDArray[int32],
    first: NDArray[int64],
    above: NDArray[float32],
    below: NDArray[float32],
    charge: NDArray[float32],
    chosen: NDArray[int32],
    out: NDArray[float32],
    seed: int,
) -> None: ...
def region_maxima(
    draws: NDArray[float32],
    axes: list[tuple[int, bool]],
    above: NDArray[float32],
    below: NDArray[float32],
    charge: NDArray[float32],
    largest: NDArray[float32],
) -> None: ...
