"""A photograph → face → skin pixels → apparent skin colour, with its spread and numbers to doubt it by.

It says what colour the skin has in this photograph, in this light; not what colour the person has.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.skin.apparent import apparent_colour, blur_of, spread_of
from fairgroups.skin.colour import chroma, hue_angle, ita, rgb_to_lab
from fairgroups.skin.colours_of_skin import is_grey, is_lit, is_toned, like_most, skin_coloured
from fairgroups.skin.finders import Face, FaceFinder, FinderName, finder_of, name_of
from fairgroups.skin.images import open_image
from fairgroups.skin.marks import marks_of

__all__ = ["Tone", "every_tone", "skin_pixels", "skin_tone", "used_pixels"]

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]
NONE = 30  # pixels; with fewer nothing is measured
FACE_WIDTH = 200  # pixels; larger faces are made smaller: what is measured is no detail
WEAK = 6.0  # chroma; where most of a face is weaker and has no colour of skin, the picture is as good as grey
NAN = float("nan")


@dataclass(frozen=True)
class Tone:
    """The apparent skin colour of a face.

    Attributes
    ----------
    L, a, b, ita, hue : float
        CIELAB, typology angle and hue angle (−180 to 180) in degrees; NaN where nothing could be measured. Grey and
        toned pictures have neither of the angles.
    L_spread, hue_spread : float
        Half the distance between the 16th and 84th percentile of the skin's pixels: one standard deviation, were they
        normal.
    pixels, faces : int
        Skin pixels used, faces found.
    side : float
        L* of the picture's left third of the skin minus that of its right third.
    clipped : float
        The share of the skin that is burnt out in two channels or more, or black.
    kept : float
        The share of where skin was expected that was used.
    blur : float
        Over how much of the face's width edges are smeared (standard deviation, as a share of the width).
    finder : str
        What found the face.
    box : tuple of float
        Left, top, right and bottom of the face, in pixels of the photograph.
    roll, yaw, pitch : float
        How the head is turned, in degrees, about: to a shoulder, to a side, up or down; NaN where the finder cannot
        tell.
    marks : tuple of str
        What follows from these numbers; see `MARKS`.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import skin_tone
    >>> photo = np.full((80, 60, 3), [92, 56, 36], dtype=np.uint8)
    >>> tone = skin_tone(photo, mask=np.ones((80, 60), dtype=bool))
    >>> round(tone.L), tone.marks
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
    side: float = NAN
    clipped: float = NAN
    kept: float = NAN
    blur: float = NAN
    finder: str = ""
    box: tuple[float, float, float, float] = (NAN, NAN, NAN, NAN)
    roll: float = NAN
    yaw: float = NAN
    pitch: float = NAN
    marks: tuple[str, ...] = ()


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
        return _of_mask(rgb, _own_mask(mask, rgb.shape[:2]))
    found = every_tone(rgb, finder=finder)
    return found[0] if found else _nothing(("no face",), name_of(finder_of(finder)))


def every_tone(photo: str | Path | Pixels, *, finder: FinderName | FaceFinder = "auto") -> list[Tone]:
    """Measure every face in a photograph, the largest first; see `skin_tone`.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import every_tone
    >>> [round(tone.L) for tone in every_tone(np.full((218, 178, 3), [198, 134, 66], dtype=np.uint8), finder="aligned")]
    [61]
    """
    rgb = _photograph(photo)
    used = finder_of(finder)
    faces = used(rgb)
    toned = bool(faces) and is_toned(rgb)
    return [_of_face(rgb, face, len(faces), name_of(used), toned=toned) for face in faces]


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
    used[used] = used_pixels(rgb[used], outlined=faces[0].outlined, toned=is_toned(rgb))[0]
    return used


def used_pixels(raw: Pixels, *, outlined: bool, toned: bool) -> tuple[Mask, bool, bool]:
    """Return which pixels of a face count, whether they have no colour, and whether it is an odd one.

    Where the finder outlined the face, skin need not be told by its colour: what is lit and coloured like most of it
    counts, whatever the light. Where it only knows about where cheeks are, colours must be those of skin.
    """
    lit = is_lit(raw)
    if toned or is_grey(raw):
        return lit, True, False
    skin = lit & skin_coloured(raw)
    mostly = skin.sum() >= 0.5 * max(lit.sum(), 1)
    if not mostly:
        lab = rgb_to_lab(raw[lit]) if lit.any() else np.zeros((1, 3))
        if float(np.median(chroma(lab[:, 1], lab[:, 2]))) < WEAK and _mostly_light(lab):
            return lit, True, False
    if outlined:
        return like_most(raw), False, not mostly
    return skin, False, not mostly


def _mostly_light(lab: Array) -> bool:
    """Whether a face is light enough for its colour to be told: very dark skin has little, and is not grey for that."""
    return float(np.median(lab[:, 0])) > 25


def _of_face(rgb: Pixels, face: Face, faces: int, finder: str, *, toned: bool) -> Tone:
    """Measure the skin of a face that was found."""
    crop, mask = _cropped(rgb, face)
    about: dict[str, Any] = {"finder": finder, "box": face.box, "roll": face.roll, "yaw": face.yaw, "pitch": face.pitch}
    raw = crop[mask]
    if raw.shape[0] < NONE:
        return _nothing(("few pixels",), faces=faces, **about)
    usable, grey, odd = used_pixels(raw, outlined=face.outlined, toned=toned)
    left, top, right, bottom = (max(0, round(end)) for end in face.box)
    blur = blur_of(rgb[top:bottom, left:right]) if bottom > top and right > left else NAN
    return _summary(crop, mask, usable, faces=faces, grey=grey, odd=odd, blur=blur, **about)


def _of_mask(rgb: Pixels, mask: Mask) -> Tone:
    """Measure where a user says that skin is; all of it is believed."""
    raw = rgb[mask]
    if raw.shape[0] < NONE:
        return _nothing(("few pixels",), faces=1, finder="mask")
    grey = is_grey(raw) or float(np.median(chroma(*rgb_to_lab(raw)[:, 1:].T))) < 1.5
    return _summary(rgb, mask, is_lit(raw), faces=1, grey=grey, odd=False, blur=NAN, finder="mask")


def _summary(
    rgb: Pixels, mask: Mask, usable: Mask, *, faces: int, grey: bool, odd: bool, blur: float, **about: Any
) -> Tone:
    """Return the colour of the pixels of a mask that are usable, and what there is to doubt about it."""
    from scipy.ndimage import gaussian_filter

    where = np.nonzero(mask)
    clipped, kept = float(1 - is_lit(rgb[where]).mean()), float(usable.mean())
    numbers: dict[str, Any] = {"clipped": clipped, "kept": kept, "blur": blur}
    if usable.sum() < NONE:
        marks = marks_of(faces=faces, pixels=0, side=0.0, grey=False, odd=odd, **numbers)
        return _nothing(marks, faces=faces, **numbers, **about)
    # Smoothing over the mask alone: what lies beside the skin must not run into it.
    weight = np.zeros(mask.shape)
    weight[where[0][usable], where[1][usable]] = 1.0
    sigma = max(0.5, 0.01 * np.sqrt(mask.sum()))
    smooth = (
        gaussian_filter(rgb * weight[..., None], (sigma, sigma, 0))
        / np.maximum(gaussian_filter(weight, sigma), 1e-9)[..., None]
    )
    inside = weight > 0
    lab = rgb_to_lab(np.clip(smooth[inside] / 255, 0.0, 1.0))
    side = _side(lab[:, 0], np.nonzero(inside)[1])
    found = apparent_colour(lab)
    hue = float(hue_angle(found[1], found[2], signed=True))
    off = (hue_angle(lab[:, 1], lab[:, 2]) - hue + 180) % 360 - 180
    pixels = int(inside.sum())
    told = 0.0 if np.isnan(side) else side
    return Tone(
        L=float(found[0]),
        a=float(found[1]),
        b=float(found[2]),
        ita=NAN if grey else float(ita(found[0], found[2])),
        hue=NAN if grey else hue,
        L_spread=spread_of(lab[:, 0]),
        hue_spread=NAN if grey else spread_of(off[np.isfinite(off)]),
        pixels=pixels,
        faces=faces,
        side=side,
        marks=marks_of(faces=faces, pixels=pixels, side=told, grey=grey, odd=odd, **numbers),
        **numbers,
        **about,
    )


def _side(lightness: Array, columns: NDArray[np.intp]) -> float:
    """Return the lightness of the left third of the skin less that of the right third."""
    third, two_thirds = np.percentile(columns, [33, 67])
    left, right = lightness[columns < third], lightness[columns > two_thirds]
    return float(np.median(left) - np.median(right)) if min(left.size, right.size) >= NONE / 3 else NAN


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


def _nothing(marks: tuple[str, ...], finder: str = "", faces: int = 0, **about: Any) -> Tone:
    return Tone(NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, faces, finder=finder, marks=marks, **about)
