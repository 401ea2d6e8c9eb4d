"""Which pixels of a face may be skin, by their colour: as little as possible is decided by it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairgroups.skin.colour import chroma, hue_angle, rgb_to_lab

__all__ = ["is_grey", "is_lit", "is_toned", "like_most", "skin_coloured"]

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]
SAMPLE = 4000  # pixels of a picture that say whether it has colours
VIVID = 62.0  # chroma that no skin has
NEAR = 12.0  # how far a*, b* of skin may lie from the line between grey and the colour of most of a face


def is_lit(rgb: Pixels) -> Mask:
    """Return which pixels are neither burnt out, in two channels or more, nor black."""
    lit: Mask = (np.sort(rgb, axis=-1)[..., 1] < 253) & (rgb.max(axis=-1) > 6)
    return lit


def skin_coloured(rgb: Pixels) -> Mask:
    """Return which colours may be skin, of the lightest and the darkest people and in most light.

    The range is wide on purpose: hue from purplish red to greenish yellow, not grey unless dark, not vivid. What tells
    skin from the rest is where it is on a face, not a narrow range of colours that fits some people only.
    """
    lab = rgb_to_lab(rgb)
    angle, strength = hue_angle(lab[..., 1], lab[..., 2]), chroma(lab[..., 1], lab[..., 2])
    warm = (angle < 100) | (angle > 340)
    dark = lab[..., 0] < 25
    coloured: Mask = (lab[..., 0] > 5) & (lab[..., 0] < 98) & (strength < VIVID) & (dark | (warm & (strength > 2.5)))
    return coloured


def like_most(rgb: Pixels) -> Mask:
    """Return which pixels of a face have the hue that most of its colour has, strong or weak: skin, in any light."""
    lit = is_lit(rgb)
    if not lit.any():
        return lit
    lab = rgb_to_lab(rgb)
    total = lab[lit][:, 1:].sum(axis=0)  # what is strong in colour counts for more
    strength = float(np.hypot(*total))
    along = total / strength if strength > 0 else np.array([1.0, 0.0])
    forward = lab[..., 1:] @ along
    aside = np.abs(lab[..., 2] * along[0] - lab[..., 1] * along[1])
    allowed = max(NEAR, 3 * float(np.median(aside[lit])))
    near: Mask = lit & (aside <= allowed) & (forward > -NEAR) & (forward < VIVID)
    return near


def is_grey(rgb: Pixels) -> bool:
    """Whether pixels have no colour to tell skin by."""
    return bool(np.median(np.ptp(rgb.astype(np.int16), axis=-1)) <= 3)


def is_toned(photo: Pixels) -> bool:
    """Whether a whole picture is black and white, or toned in one colour as old prints and scans are.

    Its colours are then weak and follow from lightness alone, but for a scan's noise.
    """
    flat = photo.reshape(-1, 3)
    lab = rgb_to_lab(flat[:: max(1, len(flat) // SAMPLE)])
    if float(lab[:, 0].std()) < 5 or float(np.quantile(chroma(lab[:, 1], lab[:, 2]), 0.9)) > 16:
        return False
    coloured = lab[chroma(lab[:, 1], lab[:, 2]) > 2.5, 1:]
    if len(coloured) and np.mean(coloured @ np.median(coloured, axis=0) > 0) < 0.97:
        return False  # two colours that differ in lightness are not one
    powers = np.stack([np.ones(len(lab)), lab[:, 0], lab[:, 0] ** 2, lab[:, 0] ** 3], axis=1)
    fitted = powers @ np.linalg.lstsq(powers, lab[:, 1:], rcond=None)[0]
    off = np.hypot(*(lab[:, 1:] - fitted).T)
    return bool(np.median(off) < 1.5 and np.quantile(off, 0.95) < 5)
