"""Published scales of skin tone, as groups that an audit can judge or compare with.

References
----------
Chardon, Cretois, Hourseau (1991): Skin colour typology and suntanning pathways. Int. J. Cosmetic Science 13.
Del Bino, Bernerd (2013): Variations in skin colour and the biological consequences of ultraviolet radiation exposure.
British J. Dermatology 169, suppl. 3. Thong, Joniak, Xiang (2023): Beyond skin tone: a multidimensional measure of
apparent skin color. ICCV. Monk (2019): The Monk skin tone scale, skintone.google.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Interval
from fairgroups.skin.colour import rgb_to_lab

__all__ = ["ITA_CLASSES", "ITA_NAMES", "LIGHTNESS", "LIGHTNESS_AND_HUE", "MONK", "monk_tone"]

#: What the six classes are called, darkest first.
ITA_NAMES = ("dark", "brown", "tan", "intermediate", "light", "very light")
#: Six classes of the typology angle, darkest first: very light is above 55°, dark is −30° and below.
ITA_CLASSES = Partition.from_edges([-30, 10, 28, 41, 55], closed="right", name="ita")
#: Dark and light: L* up to 60, and above.
LIGHTNESS = Partition.from_edges([60], closed="right", name="L")
#: Dark and light, each reddish (h* up to 55°) and yellowish; hue from −180 to 180, so that 350° is −10°.
LIGHTNESS_AND_HUE = Partition.from_boxes(
    ("L", "hue"),
    tuple(
        (tone, shade)
        for tone in (Interval(high=60, high_closed=True), Interval(60, low_closed=False))
        for shade in (Interval(high=55, high_closed=True), Interval(55, low_closed=False))
    ),
)
#: The ten tones of the Monk scale, lightest first, as sRGB colours.
MONK = ("#f6ede4", "#f3e7db", "#f7ead0", "#eadaba", "#d7bd96", "#a07e56", "#825c43", "#604134", "#3a312a", "#292420")


def monk_tone(lab: Any) -> NDArray[np.int64]:
    """Return the nearest tone of the Monk scale, 1 (lightest) to 10, by distance in L*, a*, b*.

    Equally near ones give the lighter. A colour with a missing number gives 0.

    Examples
    --------
    >>> from fairgroups.skin import MONK, monk_tone, rgb_to_lab
    >>> monk_tone(rgb_to_lab([[160, 126, 86], [41, 36, 32]])).tolist()
    [6, 10]
    """
    given = np.asarray(lab, dtype=np.float64)
    tones = rgb_to_lab([[int(tone[i : i + 2], 16) for i in (1, 3, 5)] for tone in MONK])
    distance = np.square(given[..., None, :] - tones).sum(axis=-1)
    nearest = np.argmin(np.nan_to_num(distance, nan=np.inf), axis=-1) + 1
    return np.where(np.isnan(distance).any(axis=-1), 0, nearest).astype(np.int64)
