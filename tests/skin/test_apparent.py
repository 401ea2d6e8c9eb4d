"""The colour of a face from its pixels: shadow, gleams, blur."""

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")

from PIL import Image, ImageFilter

from drawn_faces import TONES, draw_face, half_lit
from fairgroups.skin.apparent import apparent_colour, blur_of, spread_of


def pixels(parts, seed=0):
    """Pixels around some lightnesses: (lightness, share) pairs."""
    rng = np.random.default_rng(seed)
    level = np.concatenate([np.full(round(4000 * share), lightness) for lightness, share in parts])
    return np.stack(
        [level + rng.normal(0, 1.5, level.size), np.full(level.size, 10.0), np.full(level.size, 18.0)], axis=1
    )


@pytest.mark.parametrize("shadow", [0.0, 0.3, 0.6, 0.8])
def test_however_much_lies_in_shadow_the_lit_skin_is_told(shadow):
    found = apparent_colour(pixels([(65, 1 - shadow), (22, shadow)]))
    assert found[0] == pytest.approx(65, abs=2.5)


def test_gleams_are_not_skin():
    assert apparent_colour(pixels([(40, 0.92), (88, 0.08)]))[0] == pytest.approx(40, abs=2.5)


def test_one_colour_is_itself():
    assert apparent_colour(np.full((50, 3), [61.0, 12.0, 20.0])).tolist() == [61.0, 12.0, 20.0]
    assert spread_of(np.full(9, 2.0)) == 0
    assert np.isnan(spread_of(np.empty(0)))


@pytest.mark.parametrize("rgb", TONES[::4], ids=str)
def test_blur_is_told_as_a_share_of_the_face(rgb):
    face = draw_face(rgb, 256, shading=0.3)
    known = [
        blur_of(np.asarray(Image.fromarray(face).filter(ImageFilter.GaussianBlur(share * 256))))
        for share in (0.0, 0.02, 0.04, 0.06)
    ]
    assert known == sorted(known)
    assert known[2] == pytest.approx(0.04, abs=0.015)
    small = [blur_of(np.asarray(Image.fromarray(face).resize((n, n)))) for n in (512, 128, 16)]
    assert small[0] < 0.01
    assert small[2] > 2 * small[1]
    assert np.isnan(blur_of(np.full((40, 40, 3), 128, dtype=np.uint8)))
    assert np.isnan(blur_of(face[:4, :4]))


def test_half_lit_faces_are_drawn_half_lit():
    face = half_lit(draw_face(TONES[3]), 0.6)
    assert face[128, 90].mean() < 0.5 * face[128, 170].mean()
