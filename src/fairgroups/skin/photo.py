"""A photograph → face → skin pixels → apparent skin colour, with its spread and what to be careful about.

The summary follows Thong, Joniak and Xiang (2023): smooth, cluster the skin's pixels, keep the lighter clusters (the
others are shadow), take each one's mode and average by size. It says what colour the skin has in this photograph, in
this light; not what colour the person has.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.skin.colour import chroma, hue_angle, ita, rgb_to_lab
from fairgroups.skin.finders import Face, FaceFinder, FinderName, finder_of
from fairgroups.skin.images import open_image

__all__ = ["FLAGS", "Tone", "is_grey", "skin_coloured", "skin_pixels", "skin_tone", "summarise"]

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

#: What a measurement may be marked with.
FLAGS = {
    "no face": "no face was found; nothing is measured",
    "several faces": "the largest of several faces was measured",
    "few pixels": "fewer than 400 pixels of skin",
    "blurred": "the face is out of focus or was enlarged from few pixels",
    "clipped light": "more than a twentieth of the skin is over- or underexposed",
    "side light": "one side of the face is lighter than the other by more than 10 in L*",
    "odd colours": "most of where skin was expected has no colour of skin: hair, glasses, a mask, coloured light",
    "no colour": "the picture is grey: it has a lightness, no hue and no typology angle",
}
FEW, NONE = 400, 30
FACE_WIDTH = 200  # pixels; larger faces are made smaller: what is measured is no detail
CLUSTERS, KEPT = 5, 3


@dataclass(frozen=True)
class Tone:
    """The apparent skin colour of a face.

    Attributes
    ----------
    L, a, b, ita, hue : float
        CIELAB, typology angle and hue angle (−180 to 180) in degrees; NaN where nothing could be measured. Grey
        pictures have neither of the angles.
    L_spread, hue_spread : float
        Half the distance between the 16th and 84th percentile of the skin's pixels: one standard deviation, were they
        normal.
    pixels, faces : int
        Skin pixels used, faces found.
    flags : tuple of str
        See `FLAGS`.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import skin_tone
    >>> photo = np.full((80, 60, 3), [92, 56, 36], dtype=np.uint8)
    >>> tone = skin_tone(photo, mask=np.ones((80, 60), dtype=bool))
    >>> round(tone.L), tone.flags
    (27, ())
    """

    L: float
    a: float
    b: float
    ita: float
    hue: float
    L_spread: float
    hue_spread: float
    pixels: int
    faces: int
    flags: tuple[str, ...]


def skin_tone(
    photo: str | Path | Pixels,
    *,
    mask: Any = None,
    finder: FinderName | FaceFinder = "auto",
) -> Tone:
    """Measure the apparent skin colour in a photograph.

    Parameters
    ----------
    photo : path or array
        A file, or an upright array (height, width, 3) of 8-bit sRGB. Balance its white first, if at all: see
        `grey_card`.
    mask : array of bool, optional
        Where skin is; then no face is looked for, and everything in it is taken for skin.
    finder : str or FaceFinder
        mesh (mediapipe), cascade (scikit-image), aligned (every face in the same place), or auto: the mesh where it is
        installed, else the cascade. Or a function of one's own from a photograph to a list of `Face`.

    Returns
    -------
    Tone

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import skin_tone
    >>> photo = np.full((80, 60, 3), [198, 134, 66], dtype=np.uint8)
    >>> tone = skin_tone(photo, mask=np.ones((80, 60), dtype=bool))
    >>> round(tone.L, 1), round(tone.hue, 1), round(tone.ita, 1)
    (61.2, 68.4, 13.8)
    """
    rgb = _photograph(photo)
    if mask is not None:
        return summarise(rgb, _own_mask(mask, rgb.shape[:2]), faces=1, given=True)
    faces = finder_of(finder)(rgb)
    if not faces:
        return _nothing(0, ("no face",))
    crop, inside = _cropped(rgb, faces[0])
    return summarise(crop, inside, faces=len(faces))


def skin_pixels(photo: str | Path | Pixels, *, finder: FinderName | FaceFinder = "auto") -> Mask:
    """Return which pixels of a photograph would be measured, to look at.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import skin_pixels
    >>> photo = np.full((218, 178, 3), [198, 134, 66], dtype=np.uint8)
    >>> bool(skin_pixels(photo, finder="aligned").any())
    True
    """
    rgb = _photograph(photo)
    faces = finder_of(finder)(rgb)
    if not faces:
        return np.zeros(rgb.shape[:2], dtype=bool)
    used = faces[0].mask.copy()
    used[used] = _usable(rgb[used])
    return used


def summarise(rgb: Pixels, mask: Mask, *, faces: int, given: bool = False) -> Tone:
    """Return the colour of the skin where a mask says it is; a mask that was `given` is believed."""
    from scipy.ndimage import gaussian_filter

    flags = ["several faces"] if faces > 1 else []
    where = np.nonzero(mask)
    raw = rgb[where]
    if raw.shape[0] < NONE:
        return _nothing(faces, (*flags, "few pixels"))
    if not given and _is_blurred(rgb):
        flags.append("blurred")
    if ((raw.max(axis=1) >= 253) | (raw.max(axis=1) <= 6)).mean() > 0.05:
        flags.append("clipped light")
    usable = _lit(raw) if given else _usable(raw)
    if usable.mean() < 0.5:
        flags.append("odd colours")
    if usable.sum() < NONE:
        return _nothing(faces, (*flags, "few pixels"))
    if usable.sum() < FEW:
        flags.append("few pixels")
    # Smoothing over the mask alone: what lies beside the skin must not run into it.
    weight = np.zeros(mask.shape)
    weight[where[0][usable], where[1][usable]] = 1.0
    sigma = max(0.5, 0.01 * np.sqrt(mask.sum()))
    blurred = (
        gaussian_filter(rgb * weight[..., None], (sigma, sigma, 0))
        / np.maximum(gaussian_filter(weight, sigma), 1e-9)[..., None]
    )
    kept = weight > 0
    lab = rgb_to_lab(np.clip(blurred[kept] / 255, 0.0, 1.0))
    columns = np.nonzero(kept)[1]
    third, two_thirds = np.percentile(columns, [33, 67])
    left, right = lab[columns < third, 0], lab[columns > two_thirds, 0]
    if min(left.size, right.size) >= NONE / 3 and abs(np.median(left) - np.median(right)) > 10:
        flags.append("side light")
    found = _modes(lab)
    grey = float(np.median(chroma(lab[:, 1], lab[:, 2]))) < 1.5
    if grey:
        flags.append("no colour")
    angles = hue_angle(lab[:, 1], lab[:, 2])
    hue = float(hue_angle(found[1], found[2], signed=True))
    off = (angles - hue + 180) % 360 - 180
    return Tone(
        L=float(found[0]),
        a=float(found[1]),
        b=float(found[2]),
        ita=float("nan") if grey else float(ita(found[0], found[2])),
        hue=float("nan") if grey else hue,
        L_spread=_spread(lab[:, 0]),
        hue_spread=float("nan") if grey else _spread(off[np.isfinite(off)]),
        pixels=int(kept.sum()),
        faces=faces,
        flags=tuple(flags),
    )


def skin_coloured(rgb: Pixels) -> Mask:
    """Say which colours may be skin, of the lightest and the darkest people and in most light.

    The range is wide on purpose: hue from purplish red to greenish yellow, not grey unless dark, not vivid. What tells
    skin from the rest is where it is on a face, not a narrow range of colours that fits some people only.
    """
    lab = rgb_to_lab(rgb)
    angle, strength = hue_angle(lab[..., 1], lab[..., 2]), chroma(lab[..., 1], lab[..., 2])
    warm = (angle < 100) | (angle > 340)
    coloured: Mask = (lab[..., 0] > 5) & (lab[..., 0] < 98) & (strength < 62) & (warm & (strength > 2.5))
    return coloured


def _photograph(photo: Any) -> Pixels:
    if isinstance(photo, str | Path):
        return open_image(photo)
    given = np.asarray(photo)
    if given.ndim != 3 or given.shape[-1] != 3 or given.dtype != np.uint8 or not given.size:
        raise InputError(
            f"a photograph is an array (height, width, 3) of uint8; got shape {given.shape} of {given.dtype}.",
            "pass a path, or convert it to 8-bit RGB.",
        )
    return given


def _own_mask(mask: Any, shape: tuple[int, ...]) -> Mask:
    given = np.asarray(mask)
    if given.shape != shape:
        raise InputError(f"the mask's shape {given.shape} is not that of the picture, {shape}.")
    return given > (127 if given.dtype == np.uint8 and given.max(initial=0) > 1 else 0)


def _cropped(rgb: Pixels, face: Face) -> tuple[Pixels, Mask]:
    """Cut the face out, and bring a large one to a width at which photographs of any size can be compared."""
    from PIL import Image

    rows, columns = np.nonzero(face.mask)
    if not rows.size:
        return rgb[:1, :1], face.mask[:1, :1]
    cut = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    pixels, mask = rgb[cut], face.mask[cut]
    scale = face.width / FACE_WIDTH
    if scale <= 1:
        return pixels, mask
    size = (max(1, round(pixels.shape[1] / scale)), max(1, round(pixels.shape[0] / scale)))
    small = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BOX))
    return small, np.asarray(Image.fromarray(mask).resize(size, Image.Resampling.NEAREST))


def _lit(rgb: Pixels) -> Mask:
    """Say which pixels are neither burnt out nor black."""
    brightest = rgb.max(axis=-1)
    lit: Mask = (brightest < 254) & (brightest > 6)
    return lit


def _usable(rgb: Pixels) -> Mask:
    """Say which pixels count: lit, and coloured like skin unless the whole picture is grey."""
    return _lit(rgb) if is_grey(rgb) else _lit(rgb) & skin_coloured(rgb)


def is_grey(rgb: Pixels) -> bool:
    """Whether pixels have no colour to tell skin by."""
    return bool(np.median(np.ptp(rgb.astype(np.int16), axis=-1)) <= 3)


def _is_blurred(rgb: Pixels) -> bool:
    """Whether a face holds no fine detail: next to no change of slope between neighbouring pixels."""
    from scipy.ndimage import laplace

    grey = rgb.astype(np.float64).mean(axis=-1)
    return min(grey.shape) >= 16 and float(laplace(grey).std()) < 0.11 * max(float(grey.std()), 5.0)


def _modes(lab: Array) -> Array:
    """Average the modes of the lighter clusters, by size; what lies far from most is an eye, hair or a gleam."""
    from scipy.cluster.vq import kmeans2

    off = np.abs(lab[:, 0] - np.median(lab[:, 0]))
    lab = lab[off <= max(8.0, 3.0 * float(np.median(off)))]
    if np.ptp(lab, axis=0).max() < 0.5:
        return np.asarray(np.median(lab, axis=0))
    order = lab[np.argsort(lab[:, 0], kind="stable")]
    starts = order[((np.arange(CLUSTERS) + 0.5) / CLUSTERS * len(order)).astype(int)]  # no chance: same in, same out
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an empty cluster is one less
        centres, label = kmeans2(lab, starts, iter=20, minit="matrix")
    sizes = np.bincount(label, minlength=CLUSTERS)
    lightest = [k for k in np.argsort(-centres[:, 0], kind="stable") if sizes[k] >= 0.05 * len(lab)][:KEPT]
    modes = np.array([[_mode(lab[label == k, i]) for i in range(3)] for k in lightest])
    return np.asarray(np.average(modes, axis=0, weights=sizes[lightest]))


def _mode(values: Array) -> float:
    """Return where values lie closest together: the middle of the shortest range that holds half of them."""
    ordered = np.sort(values)
    half = max(1, ordered.size // 2)
    widths = ordered[half:] - ordered[: ordered.size - half]
    if not widths.size:
        return float(ordered.mean())
    at = int(np.argmin(widths))
    return float(ordered[at : at + half + 1].mean())


def _spread(values: Array) -> float:
    return float(np.subtract(*np.percentile(values, [84, 16])) / 2) if values.size else float("nan")


def _nothing(faces: int, flags: tuple[str, ...]) -> Tone:
    nan = float("nan")
    return Tone(nan, nan, nan, nan, nan, nan, nan, 0, faces, flags)
