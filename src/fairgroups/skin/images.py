"""Opening photographs safely: what a camera, a scanner or an attacker wrote becomes upright 8-bit sRGB, or a reason.

Needs Pillow (the extra `skin`).
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError

__all__ = ["MOST_PIXELS", "SUFFIXES", "ImageError", "open_image", "open_scaled"]

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp", ".gif", ".ppm", ".pgm", ".jp2", ".jfif", ".avif")
MOST_PIXELS = 200_000_000  # decoded this is 600 MB; more is taken for an attack
WIDEST = 1600  # a face needs no more; larger photographs are made smaller while they are read


class ImageError(InputError):
    """A file cannot be read as a photograph; the message says why.

    Examples
    --------
    >>> from fairgroups.skin import ImageError, open_image
    >>> try:
    ...     open_image("nowhere.png")
    ... except ImageError as error:
    ...     print("not read")
    not read
    """


def open_image(path: str | Path, *, widest: int = WIDEST) -> NDArray[np.uint8]:
    """Read a photograph as an upright array (height, width, 3) of 8-bit sRGB.

    Orientation marks are followed, embedded colour profiles turned into sRGB, 16 bits brought to 8, CMYK, grey and
    palettes to RGB; what is transparent becomes black, which no measurement takes for skin. Of a moving picture the
    first frame is read.

    Parameters
    ----------
    path : path
        The file.
    widest : int
        Longer sides are made smaller.

    Returns
    -------
    array of uint8

    Raises
    ------
    ImageError
        If the file is empty, damaged, too large or no picture.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from fairgroups.skin import open_image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("L", (3, 2), 128).save(Path(folder, "grey.png"))
    ...     open_image(Path(folder, "grey.png")).shape
    (2, 3, 3)
    """
    return open_scaled(path, widest=widest)[0]


def open_scaled(path: str | Path, *, widest: int = WIDEST) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """Read a photograph as `open_image` does, and give the upright width and height that it had."""
    Image = _pillow()
    file = Path(path)
    try:
        return _read(Image, file, widest)
    except ImageError:
        raise
    except Image.DecompressionBombError as error:
        raise ImageError(f"it would unpack to more than {MOST_PIXELS:,} pixels") from error
    except Image.UnidentifiedImageError as error:
        raise ImageError("it is no picture, or of a kind that cannot be read") from error
    except MemoryError as error:
        raise ImageError("it does not fit into memory") from error
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError, AttributeError) as error:
        # Pillow's readers raise all of these on damaged files.
        raise ImageError(f"it cannot be read: {str(error) or type(error).__name__}") from error


def _read(Image: Any, file: Path, widest: int) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    if not file.stat().st_size:
        raise ImageError("the file is empty")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd marks in a file are not the user's concern; what fails raises
        with Image.open(file) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise ImageError(f"{width} × {height} pixels are more than {MOST_PIXELS:,}")
            image.draft("RGB", (widest, widest))  # a JPEG is then decoded smaller
            image.load()
            pixels = _upright(image, widest)
            turned = (pixels.shape[1] > pixels.shape[0]) != (width > height) and width != height
            return pixels, (height, width) if turned else (width, height)


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise InputError("reading photographs needs Pillow.", "pip install 'fairgroups[skin]'") from error
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    return Image


def _upright(image: Any, widest: int) -> NDArray[np.uint8]:
    from PIL import Image, ImageOps

    image = ImageOps.exif_transpose(image)
    if image.mode in ("I", "F") or image.mode.startswith("I;"):
        grey = _eight_bits(np.asarray(image.convert("I") if image.mode != "F" else image))
        image = Image.fromarray(np.repeat(grey[..., None], 3, 2))
    see_through = image.mode in ("LA", "PA", "RGBA", "La", "RGBa") or "transparency" in image.info
    if see_through or image.mode in ("P", "1"):
        image = image.convert("RGBA" if see_through else "RGB")
    if max(image.size) > widest:
        image.thumbnail((widest, widest), Image.Resampling.BOX, reducing_gap=2.0)
    pixels = np.array(_in_srgb(image).convert("RGB"))
    if see_through:
        pixels[np.asarray(image.getchannel("A")) < 128] = 0
    return pixels


def _eight_bits(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Bring grey values of more bits to eight: 16 bits by their range, floats from 0 to 1 or to the largest."""
    if not np.isfinite(values).all():
        raise ImageError("it holds numbers that are not finite")
    most = float(values.max(initial=0.0))
    full = 255 if 1 < most <= 255 else 65_535 if 255 < most <= 65_535 else max(most, 1.0)
    return np.clip(np.round(values / full * 255), 0, 255).astype(np.uint8)


def _in_srgb(image: Any) -> Any:
    """Follow an embedded colour profile; a damaged one is passed over."""
    from PIL import ImageCms

    profile = image.info.get("icc_profile")
    if not profile or image.mode not in ("RGB", "RGBA", "CMYK", "L"):
        return image
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        return ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return image
