"""A photograph with what was measured drawn on it, to look at: the face, and the pixels that were used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.skin.colours_of_skin import is_toned
from fairgroups.skin.finders import FaceFinder
from fairgroups.skin.photo import used_pixels

__all__ = ["overlay"]

TINT = np.array([0, 158, 115])  # green, of the colours that anybody can tell apart
LONGEST = 480


def overlay(rgb: NDArray[np.uint8], finder: FaceFinder) -> Any:
    """Return a picture of a photograph, made smaller, with used pixels tinted and the others of the face outlined.

    Parameters
    ----------
    rgb : array of uint8
        The photograph.
    finder : FaceFinder
        What finds faces.

    Returns
    -------
    PIL.Image.Image

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import AlignedFinder, overlay
    >>> overlay(np.full((218, 178, 3), [198, 134, 66], dtype=np.uint8), AlignedFinder()).size
    (178, 218)
    """
    from PIL import Image, ImageDraw

    shown = rgb.copy()
    faces = finder(rgb)
    toned = bool(faces) and is_toned(rgb)
    for face in faces:
        used = face.mask.copy()
        if used.any():
            used[used] = used_pixels(rgb[used], outlined=face.outlined, toned=toned)[0]
        shown[used] = (0.55 * shown[used] + 0.45 * TINT).astype(np.uint8)
    image = Image.fromarray(shown)
    pen = ImageDraw.Draw(image)
    thick = max(1, max(image.size) // 200)
    for i, face in enumerate(faces):
        pen.rectangle(face.box, outline=tuple(int(x) for x in TINT) if i == 0 else (150, 150, 150), width=thick)
    image.thumbnail((LONGEST, LONGEST), Image.Resampling.BOX)
    return image
