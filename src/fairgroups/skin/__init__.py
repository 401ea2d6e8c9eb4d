"""Skin tone as numbers: colours in CIELAB, the typology angle ITA, hue, and published scales.

>>> from fairgroups import skin
>>> lab = skin.rgb_to_lab([[224, 172, 105], [60, 46, 40]])  # 8-bit colours
>>> skin.ita(lab[..., 0], lab[..., 2]).round(1).tolist()
[29.8, -78.0]
"""

from fairgroups.skin.colour import chroma, hue_angle, ita, lab_to_rgb, linear_to_srgb, rgb_to_lab, srgb_to_linear
from fairgroups.skin.scales import ITA_CLASSES, ITA_NAMES, LIGHTNESS, LIGHTNESS_AND_HUE, MONK, monk_tone

__all__ = [
    "ITA_CLASSES",
    "ITA_NAMES",
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
