"""Colours and photographs: pixels and images a second, on one core.

python benchmarks/skin.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits
from timing import best_time

from fairgroups import InputError, skin
from fairgroups.skin.finders import finder_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))


def main() -> None:
    from skimage import color, data

    from drawn_faces import TONES, draw_face

    pixels = np.random.default_rng(0).integers(0, 256, (1000, 2000, 3), dtype=np.uint8)
    ours, theirs = best_time(lambda: skin.rgb_to_lab(pixels)), best_time(lambda: color.rgb2lab(pixels))
    print(
        f"sRGB to CIELAB: {2 / ours:.1f} million pixels a second; scikit-image {2 / theirs:.1f} ({theirs / ours:.1f} ×)"
    )
    photos = {
        "drawn, 178 × 178": draw_face(TONES[3], 178),
        "portrait, 512 × 512": data.astronaut(),
        "portrait, 1536 × 1536": np.repeat(np.repeat(data.astronaut(), 3, axis=0), 3, axis=1),
    }
    print()
    print("| photograph | faces found by | ms an image | images a second, a core |")
    print("|---|---|---|---|")
    for way in ("aligned", "mesh", "cascade"):
        try:
            finder = finder_of(way)
        except InputError as error:
            print(f"| | {way} | {error.fact} | |")
            continue
        for what, photo in photos.items():
            taken = best_time(lambda: skin.skin_tone(photo, finder=finder))  # noqa: B023
            print(f"| {what} | {way} | {1000 * taken:.0f} | {1 / taken:.0f} |")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
