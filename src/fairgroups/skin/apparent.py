"""The colour of a face's skin from its pixels: modes of the lighter clusters (Thong, Joniak and Xiang 2023)."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

__all__ = ["apparent_colour", "blur_of", "spread_of"]

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]
CLUSTERS, KEPT = 5, 3
LEAST, LIT = 0.05, 0.13  # shares of the pixels: of a cluster that counts, and of one that says how light the face is
SHADOW, GLEAM = 11.0, 14.0  # how much darker or lighter than the lit face is shadow or a gleam, in L*
WIDTH = 160  # pixels across a face, at which edges are measured
FINE, COARSE = 0.01, 0.03  # shares of the face's width


def apparent_colour(lab: Array) -> Array:
    """Average the modes of the lighter clusters, by size.

    Shadow is dropped first, however much of the face lies in it, and so are gleams: the lightest cluster that holds an
    eighth of the pixels says how light the lit face is, and what is far from it in lightness is something else.
    """
    if np.ptp(lab, axis=0).max() < 0.5:
        return np.asarray(np.median(lab, axis=0))
    centres, _, share = _clusters(lab)
    lit = next((centres[k, 0] for k in _lightest(centres, share) if share[k] >= LIT), float(np.median(lab[:, 0])))
    lab = lab[(lab[:, 0] > lit - SHADOW) & (lab[:, 0] < lit + GLEAM)]
    if np.ptp(lab, axis=0).max() < 0.5:
        return np.asarray(np.median(lab, axis=0))
    centres, label, share = _clusters(lab)
    kept = _lightest(centres, share)[:KEPT]
    modes = np.array([[_mode(lab[label == k, i]) for i in range(3)] for k in kept])
    return np.asarray(np.average(modes, axis=0, weights=share[kept]))


def _clusters(lab: Array) -> tuple[Array, NDArray[np.intp], Array]:
    """Return clusters of colours: their centres, which each pixel is in, and their shares."""
    from scipy.cluster.vq import kmeans2

    order = lab[np.argsort(lab[:, 0], kind="stable")]
    starts = order[((np.arange(CLUSTERS) + 0.5) / CLUSTERS * len(order)).astype(int)]  # no chance: same in, same out
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an empty cluster is one less
        centres, label = kmeans2(lab, starts, iter=20, minit="matrix")
    return centres, label, np.bincount(label, minlength=CLUSTERS) / len(lab)


def _lightest(centres: Array, share: Array) -> list[int]:
    """Return the clusters that are large enough to count, the lightest first."""
    return [int(k) for k in np.argsort(-centres[:, 0], kind="stable") if share[k] >= LEAST]


def spread_of(values: Array) -> float:
    """Return half the distance between the 16th and 84th percentile: one standard deviation of normal values."""
    return float(np.subtract(*np.percentile(values, [84, 16])) / 2) if values.size else float("nan")


def blur_of(face: Pixels) -> float:
    """Return over how much of a face's width its edges are smeared: the spread of an edge, as a share.

    The slopes of a picture that is smeared by σ shrink by √((σ² + f²)/(σ² + c²)) when it is smeared more, by c instead
    of f; from how much they do, σ follows. NaN where a face has no edges.
    """
    from PIL import Image
    from scipy.ndimage import gaussian_filter

    height, width = face.shape[:2]
    if min(height, width) < 8:
        return float("nan")
    size = (WIDTH, max(8, round(height * WIDTH / width)))
    grey = np.asarray(Image.fromarray(face).convert("L").resize(size, Image.Resampling.BICUBIC), dtype=np.float64)
    slopes = []
    for share in (FINE, COARSE):
        smooth = gaussian_filter(grey, share * WIDTH)
        steep = np.hypot(*np.gradient(smooth))
        slopes.append(float(np.mean(np.sort(steep.ravel())[-max(1, steep.size // 50) :])))  # where edges are
    if not slopes[0] > 0.3:
        return float("nan")
    ratio = (slopes[1] / slopes[0]) ** 2
    if ratio >= 0.999:
        return 1.0
    return float(np.sqrt(max(ratio * COARSE**2 - FINE**2, 0.0) / (1 - ratio)))


def _mode(values: Array) -> float:
    """Return where values lie closest together: the middle of the shortest range that holds half of them."""
    ordered = np.sort(values)
    half = max(1, ordered.size // 2)
    widths = ordered[half:] - ordered[: ordered.size - half]
    if not widths.size:
        return float(ordered.mean())
    at = int(np.argmin(widths))
    return float(ordered[at : at + half + 1].mean())
