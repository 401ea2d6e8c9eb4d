"""Colours against two other libraries, and the angles at their edges."""

import numpy as np
import pytest

from fairgroups import InputError, skin
from fairgroups.skin import colour

RGB = np.random.default_rng(0).random((100_000, 3))


def test_lab_as_scikit_image_has_it():
    known = pytest.importorskip("skimage.color").rgb2lab(RGB)
    assert np.abs(skin.rgb_to_lab(RGB) - known).max() < 1e-4


def test_lab_as_colour_science_has_it():
    science = pytest.importorskip("colour")
    xyz = science.RGB_to_XYZ(
        RGB, "sRGB", apply_cctf_decoding=True, chromatic_adaptation_transform=None
    )  # its matrix has four digits
    xy = science.XYZ_to_xy(colour.WHITE)
    ours = colour.srgb_to_linear(RGB) @ colour.TO_XYZ.T
    assert np.abs(xyz - ours).max() < 3e-4
    assert np.abs(skin.rgb_to_lab(RGB) - science.XYZ_to_Lab(ours, xy)).max() < 1e-4
    assert np.abs(colour.srgb_to_linear(RGB) - science.models.eotf_sRGB(RGB)).max() < 1e-9


def test_there_and_back():
    assert np.abs(skin.lab_to_rgb(skin.rgb_to_lab(RGB)) - RGB).max() < 1e-6
    assert np.allclose(colour.linear_to_srgb(colour.srgb_to_linear(RGB)), RGB, atol=1e-12)
    assert skin.lab_to_rgb([50, 200, -200]).tolist() == pytest.approx(np.clip(skin.lab_to_rgb([50, 200, -200]), 0, 1))


def test_whole_numbers_of_8_and_16_bits_and_any_shape():
    eight = np.random.default_rng(1).integers(0, 256, (4, 5, 6, 3))
    known = skin.rgb_to_lab(eight / 255)
    for given in (eight, eight.astype(np.uint8), (eight * 257).astype(np.uint16), eight.tolist()):
        assert np.allclose(skin.rgb_to_lab(given), known, atol=1e-9)
    assert skin.rgb_to_lab(np.empty((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("wrong", [[1, 2], 5.0, [[0.5, 0.5, 1.5]], [[300, 0, 0]], [[-1, 0, 0]], ["a", "b", "c"]])
def test_what_is_no_colour_is_refused(wrong):
    with pytest.raises(InputError):
        skin.rgb_to_lab(wrong)


def test_angles_at_their_edges():
    assert skin.ita([60, 40, 50], [0, 0, 0]).tolist()[:2] == [90, -90]
    assert np.isnan(skin.ita(50, 0))
    light, dark = skin.ita([80, 20], [-5, -5])
    assert light > 90 > -90 > dark
    b = np.linspace(0.1, 40, 50)
    assert np.allclose(skin.ita(70, b), skin.ita(70, b, plain=True))
    lightness = np.linspace(0, 100, 101)
    for shade in (-10, -0.1, 0, 0.1, 10):
        angles = skin.ita(lightness[lightness != 50], shade)
        assert (np.diff(angles) > 0).all() or shade <= 0
    assert skin.hue_angle([0, 0, -1], [1, -1, 0]).tolist() == [90, 270, 180]
    assert np.isnan(skin.hue_angle(0, 0))
    assert skin.chroma(3, 4) == 5


def test_ita_of_published_examples():
    """Chardon's borders: L* = 70 with b* = 14.0 is very light by a hair, with b* = 14.1 it is light."""
    assert skin.ita(70, 14.0) > 55 > skin.ita(70, 14.1)
    assert skin.ita(50, 12) == 0
    assert skin.ita(43.1, 12) == pytest.approx(-29.9, abs=0.05)
