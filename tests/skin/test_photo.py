"""Skin tone from photographs: drawn faces of known colour, a real portrait, and what is doubtful."""

import io

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")
pytest.importorskip("skimage", reason="needs scikit-image (the extra skin)")

from PIL import Image

from drawn_faces import TONES, draw_face, half_lit, toned, with_spectacles
from fairgroups import InputError, skin
from fairgroups.skin.finders import finder_of

FINDERS = ["cascade", "aligned", "mesh"]


@pytest.fixture(scope="module")
def find():
    made = {}

    def of(name):
        if name == "mesh":
            pytest.importorskip("mediapipe", reason="the mesh needs mediapipe (the extra faces)")
        if name not in made:
            made[name] = finder_of(name)
        return made[name]

    return of


def off(tone, rgb):
    lightness, a, b = skin.rgb_to_lab(rgb)
    return abs(tone.L - lightness), abs(tone.hue - skin.hue_angle(a, b))


@pytest.mark.parametrize("rgb", TONES, ids=str)
@pytest.mark.parametrize("name", FINDERS)
@pytest.mark.parametrize(
    "drawn",
    [{}, {"shading": 0.5, "noise": 0.05}, {"shading": 0.3, "side": 0.15, "noise": 0.05}],
    ids=["flat", "rounded", "sideways"],
)
def test_a_face_of_known_colour(find, name, rgb, drawn):
    tone = skin.skin_tone(draw_face(rgb, **drawn), finder=find(name))
    lightness, hue = off(tone, rgb)
    assert lightness <= 3
    assert hue <= 5
    assert tone.faces == 1
    assert tone.pixels > 1000
    assert "no face" not in tone.marks


@pytest.mark.parametrize("rgb", TONES[::2], ids=str)
@pytest.mark.parametrize("light", [(1.0, 0.85, 0.65), (0.75, 0.85, 1.0), (0.6, 0.6, 0.6)], ids=["warm", "cool", "dim"])
def test_a_grey_card_takes_the_light_out(find, rgb, light):
    photo = draw_face(rgb, light=light, card=True, shading=0.3)
    balanced = skin.grey_card(photo, (10, 10, 36, 36), lightness=49.5)
    lightness, hue = off(skin.skin_tone(balanced, finder=find("cascade")), rgb)
    assert lightness <= 3
    assert hue <= 5


def test_the_grey_world_takes_some_of_the_light_out(find):
    scene = np.full((256, 512, 3), 128, dtype=np.uint8)  # a grey wall beside the face
    scene[:, :256] = draw_face(TONES[4])
    light = np.array([1.0, 0.85, 0.65])
    warm = skin.colour.linear_to_srgb(skin.srgb_to_linear(scene / 255) * light)
    warm = np.round(warm * 255).astype(np.uint8)
    known = skin.skin_tone(scene, finder=find("cascade"))
    before = skin.skin_tone(warm, finder=find("cascade"))
    after = skin.skin_tone(skin.grey_world(warm), finder=find("cascade"))
    assert np.hypot(after.a - known.a, after.b - known.b) < np.hypot(before.a - known.a, before.b - known.b) - 2


def again(photo, how):
    image = Image.fromarray(photo)
    if how == "twice as large":
        return np.asarray(image.resize((image.width * 2, image.height * 2), Image.Resampling.BICUBIC))
    if how == "mirrored":
        return np.ascontiguousarray(photo[:, ::-1])
    packed = io.BytesIO()
    image.save(packed, "JPEG", quality=80)
    return np.asarray(Image.open(packed).convert("RGB"))


@pytest.mark.parametrize("how", ["twice as large", "mirrored", "JPEG of quality 80"])
@pytest.mark.parametrize("name", FINDERS)
@pytest.mark.parametrize("who", ["drawn light", "drawn dark", "astronaut"])
def test_the_same_photograph_gives_the_same_tone(find, name, who, how):
    if who == "astronaut":
        if name == "aligned":
            pytest.skip("its face does not lie where an aligned one does")
        photo = pytest.importorskip("skimage.data").astronaut()
    else:
        photo = draw_face(TONES[1 if who == "drawn light" else 8], shading=0.4, noise=0.05)
    first, second = (skin.skin_tone(x, finder=find(name)) for x in (photo, again(photo, how)))
    assert abs(first.L - second.L) <= 1.5


@pytest.mark.parametrize("name", ["cascade", "mesh"])
def test_a_real_portrait(find, name):
    """The astronaut Eileen Collins: light skin in studio light."""
    tone = skin.skin_tone(pytest.importorskip("skimage.data").astronaut(), finder=find(name))
    assert 70 < tone.L < 90
    assert 45 < tone.hue < 75
    assert tone.faces == 1
    assert tone.pixels > 500


def test_lighter_skin_measures_lighter(find):
    measured = [skin.skin_tone(draw_face(rgb, shading=0.4), finder=find("cascade")).L for rgb in TONES]
    assert measured == sorted(measured, reverse=True)


def test_pictures_without_a_face(find):
    empty = np.full((200, 300, 3), [90, 110, 140], dtype=np.uint8)
    noise = np.random.default_rng(0).integers(0, 256, (200, 300, 3), dtype=np.uint8)
    for photo in (empty, noise, empty[:10, :10], empty[:1, :1]):
        tone = skin.skin_tone(photo, finder=find("cascade"))
        assert tone.marks == ("no face",)
        assert np.isnan(tone.L)
        assert not skin.skin_pixels(photo, finder=find("cascade")).any()


def test_marks_of_doubt(find):
    face = draw_face(TONES[3], shading=0.3, noise=0.03)
    two = np.concatenate([face, draw_face(TONES[7], shading=0.3)], axis=1)
    assert "several faces" in skin.skin_tone(two, finder=find("cascade")).marks
    burnt = draw_face(TONES[0], light=(1.6, 1.6, 1.6))
    assert "clipped light" in skin.skin_tone(burnt, finder=find("aligned")).marks
    sideways = draw_face(TONES[3], side=0.6)
    assert "side light" in skin.skin_tone(sideways, finder=find("aligned")).marks
    small = np.asarray(Image.fromarray(face).resize((70, 70), Image.Resampling.BOX))
    assert "few pixels" in skin.skin_tone(small, finder=find("aligned")).marks
    enlarged = np.asarray(Image.fromarray(face).resize((24, 24)).resize((512, 512), Image.Resampling.BICUBIC))
    assert "blurred" in skin.skin_tone(enlarged, finder=find("aligned")).marks
    blue = np.ascontiguousarray(face[..., ::-1])
    assert "odd colours" in skin.skin_tone(blue, finder=find("aligned")).marks
    grey = np.repeat(face.mean(axis=-1, keepdims=True).astype(np.uint8), 3, axis=-1)
    tone = skin.skin_tone(grey, finder=find("aligned"))
    assert "no colour" in tone.marks
    assert np.isnan(tone.hue)
    assert np.isfinite(tone.L)
    assert skin.skin_tone(face, finder=find("aligned")).marks == ()


def test_a_mask_of_ones_own(find):
    photo = np.zeros((60, 60, 3), dtype=np.uint8)
    photo[20:40, 20:40] = TONES[5]
    mask = np.zeros((60, 60), dtype=bool)
    mask[20:40, 20:40] = True
    for given in (mask, mask.astype(int), mask.astype(np.uint8) * 255):
        lightness, hue = off(skin.skin_tone(photo, mask=given), TONES[5])
        assert lightness < 0.1
        assert hue < 0.1
    nothing = skin.skin_tone(photo, mask=np.zeros((60, 60), dtype=bool))
    assert nothing.marks == ("few pixels",)
    with pytest.raises(InputError, match="the mask's shape"):
        skin.skin_tone(photo, mask=mask[:10])


def test_a_finder_of_ones_own():
    def whole(rgb):
        return [skin.Face((0, 0, rgb.shape[1], rgb.shape[0]), np.ones(rgb.shape[:2], dtype=bool))]

    tone = skin.skin_tone(np.full((50, 50, 3), TONES[4], dtype=np.uint8), finder=whole)
    assert off(tone, TONES[4])[0] < 0.5


def test_what_is_no_photograph():
    with pytest.raises(InputError, match="uint8"):
        skin.skin_tone(np.zeros((5, 5)))
    with pytest.raises(InputError, match="no finder"):
        skin.skin_tone(draw_face(TONES[0]), finder="psychic")
    with pytest.raises(InputError, match="does not lie in the picture"):
        skin.grey_card(draw_face(TONES[0]), (0, 0, 900, 900))
    with pytest.raises(InputError, match="black or overexposed"):
        skin.grey_card(np.zeros((9, 9, 3), dtype=np.uint8), (0, 0, 9, 9))


def told(tone, lightness, within=5.0):
    """Whether a tone is right, or says that it may not be."""
    return abs(tone.L - lightness) <= within or bool(tone.marks)


@pytest.mark.parametrize("rgb", TONES[1::2], ids=str)
@pytest.mark.parametrize("name", FINDERS)
def test_half_lit_faces_have_the_tone_of_the_lit_half(find, name, rgb):
    lightness = skin.rgb_to_lab(rgb)[0]
    tone = skin.skin_tone(half_lit(draw_face(rgb, shading=0.3, noise=0.03), 0.6), finder=find(name))
    assert told(tone, lightness)
    if name != "cascade":  # which may take half a face for a whole one
        assert abs(tone.L - lightness) <= 5
        assert abs(tone.side) > 5


@pytest.mark.parametrize("rgb", TONES[1::2], ids=str)
@pytest.mark.parametrize("name", FINDERS)
@pytest.mark.parametrize("tint", [(1.03, 1, 0.96), (1.06, 1, 0.9)], ids=["cream", "sepia"])
def test_toned_pictures_have_a_lightness_and_no_hue(find, name, rgb, tint):
    photo = draw_face(rgb, shading=0.3, noise=0.03)
    lightness = skin.rgb_to_lab(toned(np.array([[rgb]]), tint))[0, 0, 0]
    tone = skin.skin_tone(toned(photo, tint), finder=find(name))
    assert told(tone, lightness)
    if tone.faces:
        assert abs(tone.L - lightness) <= 5
        assert "no colour" in tone.marks
        assert np.isnan(tone.hue)
        assert np.isnan(tone.ita)


@pytest.mark.parametrize("rgb", TONES, ids=str)
@pytest.mark.parametrize("light", [(0.7, 0.85, 1.25), (0.55, 0.7, 1.2)], ids=["cool", "blue"])
def test_the_mesh_measures_in_any_light(find, rgb, light):
    linear = skin.srgb_to_linear(np.array(rgb) / 255) * light
    lightness = skin.rgb_to_lab(skin.linear_to_srgb(np.clip(linear, 0, 1)))[0]
    tone = skin.skin_tone(draw_face(rgb, light=light, shading=0.3), finder=find("mesh"))
    assert abs(tone.L - lightness) <= 5


@pytest.mark.parametrize("rgb", TONES[::2], ids=str)
@pytest.mark.parametrize("name", FINDERS)
def test_spectacles(find, name, rgb):
    tone = skin.skin_tone(with_spectacles(draw_face(rgb, shading=0.3)), finder=find(name))
    assert told(tone, skin.rgb_to_lab(rgb)[0])


@pytest.mark.parametrize("name", ["cascade", "mesh"])
def test_a_second_look_at_tight_crops(find, name):
    found = 0
    for rgb in TONES[:8]:
        face = draw_face(rgb, 256, shading=0.3)[36:230, 64:192]
        tone = skin.skin_tone(face, finder=find(name))
        found += tone.faces > 0 and abs(tone.L - skin.rgb_to_lab(rgb)[0]) <= 5
    assert found >= 6


def test_numbers_beside_the_marks(find):
    tone = skin.skin_tone(draw_face(TONES[3], side=0.3), finder=find("mesh"))
    assert tone.finder == "mesh"
    assert tone.side < -5
    assert tone.box[2] - tone.box[0] > 80
    assert abs(tone.roll) < 5
    assert abs(tone.yaw) < 15
    assert 0 <= tone.clipped < 0.05
    assert tone.kept > 0.8
    assert tone.blur < 0.02
    tilted = np.asarray(Image.fromarray(draw_face(TONES[3], 400)).rotate(15, fillcolor=(90, 110, 140)))
    assert abs(skin.skin_tone(tilted, finder=find("mesh")).roll + 15) < 5


def test_light_skin_is_not_burnt_because_it_is_red():
    photo = np.full((80, 60, 3), [254, 226, 205], dtype=np.uint8)
    tone = skin.skin_tone(photo, mask=np.ones((80, 60), dtype=bool))
    assert tone.marks == ()
    assert tone.clipped == 0
