"""Skin tone as numbers: from photographs, as colours in CIELAB, typology angle, hue, and by published scales.

>>> from fairgroups import skin
>>> lab = skin.rgb_to_lab([[224, 172, 105], [60, 46, 40]])  # 8-bit colours
>>> skin.ita(lab[..., 0], lab[..., 2]).round(1).tolist()
[29.8, -78.0]
"""

from fairgroups.skin.balance import grey_card, grey_world
from fairgroups.skin.colour import chroma, hue_angle, ita, lab_to_rgb, linear_to_srgb, rgb_to_lab, srgb_to_linear
from fairgroups.skin.file import ToneOptions
from fairgroups.skin.finders import AlignedFinder, CascadeFinder, Face, FaceFinder, MeshFinder
from fairgroups.skin.folder import FolderTones, measure_folder
from fairgroups.skin.images import ImageError, open_image
from fairgroups.skin.marks import MARKS
from fairgroups.skin.overlay import overlay
from fairgroups.skin.persons import Reliability, person_tones, persons_of, reliability
from fairgroups.skin.photo import Tone, every_tone, skin_pixels, skin_tone
from fairgroups.skin.scales import ITA_CLASSES, ITA_NAMES, LIGHTNESS, LIGHTNESS_AND_HUE, MONK, monk_tone

__all__ = [
    "ITA_CLASSES",
    "ITA_NAMES",
    "LIGHTNESS",
    "LIGHTNESS_AND_HUE",
    "MARKS",
    "MONK",
    "AlignedFinder",
    "CascadeFinder",
    "Face",
    "FaceFinder",
    "FolderTones",
    "ImageError",
    "MeshFinder",
    "Reliability",
    "Tone",
    "ToneOptions",
    "chroma",
    "every_tone",
    "grey_card",
    "grey_world",
    "hue_angle",
    "ita",
    "lab_to_rgb",
    "linear_to_srgb",
    "measure_folder",
    "monk_tone",
    "open_image",
    "overlay",
    "person_tones",
    "persons_of",
    "reliability",
    "rgb_to_lab",
    "skin_pixels",
    "skin_tone",
    "srgb_to_linear",
]
