"""Skin tone as numbers: colours in CIELAB, the typology angle ITA, hue, and published scales.

>>> from fairgroups import skin
>>> lab = skin.rgb_to_lab([[224, 172, 105], [60, 46, 40]])  # 8-bit colours
>>> skin.ita(lab[..., 0], lab[..., 2]).round(1).tolist()
[29.8, -78.0]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairgroups.skin.colour import chroma, hue_angle, ita, lab_to_rgb, linear_to_srgb, rgb_to_lab, srgb_to_linear
    from fairgroups.skin.scales import ITA_CLASSES, LIGHTNESS, LIGHTNESS_AND_HUE, MONK, monk_tone

_HOME = {
    "chroma": "colour",
    "hue_angle": "colour",
    "ita": "colour",
    "lab_to_rgb": "colour",
    "linear_to_srgb": "colour",
    "rgb_to_lab": "colour",
    "srgb_to_linear": "colour",
    "ITA_CLASSES": "scales",
    "LIGHTNESS": "scales",
    "LIGHTNESS_AND_HUE": "scales",
    "MONK": "scales",
    "monk_tone": "scales",
}

__all__ = [
    "ITA_CLASSES",
    "LIGHTNESS",
    "LIGHTNESS_AND_HUE",
    "MONK",
    "chroma",
    "hue_angle",
    "ita",
    "lab_to_rgb",
    "linear_to_srgb",
    "monk_tone",
    "rgb_to_lab",
    "srgb_to_linear",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'fairgroups.skin' has no attribute {name!r}")
    value = getattr(import_module(f"fairgroups.skin.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
