"""Which pixels may be skin: in any light, of anybody, and which pictures have no colours."""

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")

from drawn_faces import TONES, draw_face, toned
from fairgroups.skin.colours_of_skin import is_grey, is_lit, is_toned, like_most, skin_coloured


@pytest.mark.parametrize("rgb", TONES, ids=str)
def test_everybodys_skin_has_a_colour_of_skin(rgb):
    assert skin_coloured(np.array([rgb], dtype=np.uint8)).all()


def test_dark_skin_may_have_next_to_no_colour():
    assert skin_coloured(np.array([[30, 30, 33], [24, 24, 24]], dtype=np.uint8)).all()
    assert not skin_coloured(np.array([[128, 128, 128], [60, 90, 200]], dtype=np.uint8)).any()


@pytest.mark.parametrize("tint", [(1, 1, 1), (1.03, 1, 0.96), (1.06, 1, 0.9), (0.96, 1, 1.04)], ids=str)
@pytest.mark.parametrize("rgb", TONES[::3], ids=str)
def test_toned_pictures_are_known(rgb, tint):
    assert is_toned(toned(draw_face(rgb, shading=0.3, noise=0.03), tint))


@pytest.mark.parametrize("rgb", TONES, ids=str)
@pytest.mark.parametrize("light", [(1, 1, 1), (1.1, 0.95, 0.7), (0.7, 0.85, 1.2), (0.4, 0.4, 0.4)], ids=str)
def test_coloured_pictures_are_not_toned(rgb, light):
    photo = draw_face(rgb, shading=0.5, light=light)
    assert not is_toned(photo)
    assert not is_grey(photo)


def test_plain_colours_are_not_toned():
    assert not is_toned(np.full((40, 40, 3), [198, 134, 66], dtype=np.uint8))


def test_burnt_is_two_channels_or_more():
    assert is_lit(np.array([[255, 240, 220], [255, 254, 200], [3, 4, 5]], dtype=np.uint8)).tolist() == [
        True,
        False,
        False,
    ]


def test_the_lit_half_is_like_most_however_small():
    lit, shade = np.full((300, 3), [214, 165, 120]), np.full((700, 3), [40, 31, 24])
    hat = np.full((50, 3), [20, 60, 200])
    found = like_most(np.concatenate([lit, shade, hat]).astype(np.uint8))
    assert found[:1000].all()
    assert not found[1000:].any()
    assert not like_most(np.zeros((5, 3), dtype=np.uint8)).any()
