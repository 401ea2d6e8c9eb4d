"""Overlays show the pixels that were used."""

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")

from drawn_faces import TONES, draw_face
from fairgroups import skin
from fairgroups.skin.finders import AlignedFinder


def test_overlays_show_what_was_used():
    photo = draw_face(TONES[3], 128)
    drawn = np.asarray(skin.overlay(photo, AlignedFinder()))
    used = skin.skin_pixels(photo, finder="aligned")
    changed = np.abs(drawn.astype(int) - photo).sum(axis=-1) > 30
    assert changed[used].mean() > 0.95
    assert changed[~used].mean() < 0.1
