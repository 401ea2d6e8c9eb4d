"""White balance: taking the colour of the light out of a photograph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.skin.colour import TO_XYZ, WHITE, linear_to_srgb, srgb_to_linear

__all__ = ["grey_card", "grey_world"]


def grey_world(rgb: Any) -> NDArray[np.uint8]:
    """Balance a photograph as if its colours averaged to grey.

    The brightness stays. The assumption fails where one colour fills the picture: a close portrait is made of skin,
    and skin would be turned to grey. Use it for whole scenes, and a reference card where there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import grey_world
    >>> warm = np.full((4, 4, 3), [200, 180, 150], dtype=np.uint8)
    >>> grey_world(warm)[0, 0].tolist()
    [183, 183, 183]
    """
    light = _light(rgb)
    mean = light.reshape(-1, 3).mean(axis=0)
    return _balanced(light, mean, float(mean @ TO_XYZ[1]))


def grey_card(rgb: Any, box: Sequence[int], *, lightness: float | None = None) -> NDArray[np.uint8]:
    """Balance a photograph by a neutral card in it.

    Parameters
    ----------
    rgb : array, shape (height, width, 3)
        8-bit sRGB.
    box : four ints
        Left, top, right and bottom of the card's inside, in pixels.
    lightness : float, optional
        The card's true L*; then the exposure is set by it too. A card of 18% grey has 49.5. Without it the
        brightness stays.

    Returns
    -------
    array of uint8

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import grey_card
    >>> warm = np.full((4, 4, 3), [200, 180, 150], dtype=np.uint8)  # a grey card in warm light
    >>> grey_card(warm, (0, 0, 4, 4))[0, 0].tolist()
    [183, 183, 183]
    """
    light = _light(rgb)
    left, top, right, bottom = (int(x) for x in box)
    height, width = light.shape[:2]
    if not (0 <= left < right <= width and 0 <= top < bottom <= height):
        raise InputError(
            f"the card ({left}, {top}, {right}, {bottom}) does not lie in the picture of {width} × {height} pixels.",
            "give left, top, right, bottom in pixels, from the upper left corner.",
        )
    card = np.median(light[top:bottom, left:right].reshape(-1, 3), axis=0)
    if card.min() <= 0.001 or card.max() >= 0.98:
        raise InputError("the card is black or overexposed there.", "take a part of it that is neither.")
    target = float(card @ TO_XYZ[1])
    if lightness is not None:
        if not 1 < lightness < 100:
            raise InputError(f"the card's lightness must lie between 1 and 100; got {lightness}.")
        f = (lightness + 16) / 116
        target = float(WHITE[1] * (f**3 if lightness > 8 else (f - 16 / 116) / 7.787))
    return _balanced(light, card, target)


def _light(rgb: Any) -> NDArray[np.float64]:
    given = np.asarray(rgb)
    if given.ndim != 3 or given.shape[-1] != 3 or given.dtype != np.uint8 or not given.size:
        raise InputError("a photograph is an array (height, width, 3) of uint8.", "read it with skin.open_image.")
    light: NDArray[np.float64] = srgb_to_linear(np.arange(256) / 255)[given]
    return light


def _balanced(light: NDArray[np.float64], neutral: NDArray[np.float64], target: float) -> NDArray[np.uint8]:
    gains = target / np.maximum(neutral, 1e-4)
    return np.round(linear_to_srgb(np.clip(light * gains, 0.0, 1.0)) * 255).astype(np.uint8)
