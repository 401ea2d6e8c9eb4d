"""One photograph of a folder → a row, or a reason; whatever is wrong with it must not stop the others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.output import replacing
from fairgroups.skin.balance import grey_card, grey_world
from fairgroups.skin.finders import FaceFinder
from fairgroups.skin.images import SUFFIXES, ImageError, open_scaled
from fairgroups.skin.overlay import overlay
from fairgroups.skin.photo import Tone, every_tone, skin_tone

__all__ = ["BOX", "NUMBERS", "ToneOptions", "measure_file", "stamp_of_file"]

#: The columns of a tone that are numbers.
NUMBERS = (
    *("L", "a", "b", "ita", "hue", "L_spread", "hue_spread"),
    *("side", "clipped", "kept", "blur", "roll", "yaw", "pitch"),
)
BOX = ("left", "top", "right", "bottom")


@dataclass(frozen=True)
class ToneOptions:
    """How photographs are measured.

    Attributes
    ----------
    finder : str
        auto, mesh, cascade or aligned.
    balance : str or None
        grey-world, or None: colours as they are.
    card : tuple of four ints, optional
        A neutral card, in the same place in every picture: left, top, right, bottom.
    card_lightness : float, optional
        Its L*.
    masks : str, optional
        A folder of masks, named as the photographs are, with any suffix.
    every_face : bool
        A row for each face of a picture, not for the largest alone.
    overlays : str, optional
        A folder for pictures that show what was measured.

    Examples
    --------
    >>> from fairgroups.skin import ToneOptions
    >>> ToneOptions(finder="aligned", card=(20, 20, 60, 60), card_lightness=49.5).finder
    'aligned'
    """

    finder: str = "auto"
    balance: str | None = None
    card: tuple[int, int, int, int] | None = None
    card_lightness: float | None = None
    masks: str | None = None
    every_face: bool = False
    overlays: str | None = None


def measure_file(root: Path, name: str, options: ToneOptions, finder: FaceFinder) -> dict[str, Any]:
    """Measure one photograph; whatever is wrong with it becomes a reason. Further faces are listed in `more`."""
    row: dict[str, Any] = {"stamp": stamp_of_file(root, name, options)}
    try:
        rgb, size = open_scaled(root / name)
        scale = size[0] / rgb.shape[1]  # given in pixels of the file, which was made smaller
        if options.card is not None:
            rgb = grey_card(rgb, [round(end / scale) for end in options.card], lightness=options.card_lightness)
        elif options.balance == "grey-world":
            rgb = grey_world(rgb)
        tones = _tones(rgb, name, size, options, finder)
    except InputError as error:
        return row | {"reason": error.fact}
    except Exception as error:  # noqa: BLE001  one bad picture must not stop the others
        return row | {"reason": f"{type(error).__name__}: {error}"}
    first, *others = [_plain(tone, scale) for tone in tones]
    return row | first | ({"more": others} if others else {})


def _tones(rgb: Any, name: str, size: tuple[int, int], options: ToneOptions, finder: FaceFinder) -> list[Tone]:
    if options.masks is not None:
        mask = _mask_of(Path(options.masks), name, size, rgb.shape[:2])
        return [skin_tone(rgb, mask=mask)]
    if options.overlays is not None:
        own = name.lower().endswith(".jpg")  # a.png and a.jpg are two photographs
        target = Path(options.overlays) / (name if own else f"{name}.jpg")
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as temporary:
            overlay(rgb, finder).save(temporary, "JPEG", quality=85)
    if options.every_face:
        return every_tone(rgb, finder=finder) or [skin_tone(rgb, finder=finder)]
    return [skin_tone(rgb, finder=finder)]


def _plain(tone: Tone, scale: float) -> dict[str, Any]:
    numbers = {name: getattr(tone, name) for name in NUMBERS} | dict(zip(BOX, tone.box, strict=True))
    row: dict[str, Any] = {name: value if np.isfinite(value) else None for name, value in numbers.items()}
    row |= {end: None if row[end] is None else round(row[end] * scale, 1) for end in BOX}
    row |= {"pixels": tone.pixels, "faces": tone.faces, "finder": tone.finder, "marks": "; ".join(tone.marks)}
    if not np.isfinite(tone.L):
        row["reason"] = (
            "no face was found" if "no face" in tone.marks else "too little of the face has a colour of skin"
        )
    return row


def stamp_of_file(root: Path, name: str, options: ToneOptions) -> list[int]:
    """Tell a file from another of the same name, and its mask."""
    mask = None if options.masks is None else _mask_path(Path(options.masks), name)
    stamp = []
    for path in [root / name] if mask is None else [root / name, mask]:
        try:
            about = path.stat()
            stamp += [about.st_size, about.st_mtime_ns]
        except OSError:
            stamp += [0, 0]
    return stamp


def _mask_path(folder: Path, name: str) -> Path | None:
    stem = folder / Path(name).with_suffix("")
    places = (stem.with_name(stem.name + suffix) for suffix in (Path(name).suffix, ".png", *SUFFIXES))
    return next((path for path in places if path.is_file()), None)


def _mask_of(folder: Path, name: str, size: tuple[int, int], shape: tuple[int, ...]) -> NDArray[np.uint8]:
    from PIL import Image

    path = _mask_path(folder, name)
    if path is None:
        raise ImageError(f"there is no mask {Path(name).stem!r}")
    pixels, its_size = open_scaled(path)
    if its_size != size:
        raise ImageError(f"its mask has {its_size[0]} × {its_size[1]} pixels, not {size[0]} × {size[1]}")
    mask = pixels.max(axis=-1)
    marked = Image.fromarray(np.where(mask > (127 if mask.max(initial=0) > 1 else 0), 255, 0).astype(np.uint8))
    # The photograph was perhaps made smaller in another way.
    return np.asarray(marked.resize((shape[1], shape[0]), Image.Resampling.NEAREST))
