"""A folder of photographs, good and bad, whole and interrupted."""

import os
import signal
import struct
import subprocess
import sys
import time
import zlib
from dataclasses import asdict

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")
pytest.importorskip("skimage", reason="needs scikit-image (the extra skin)")

import duckdb
from PIL import Image, ImageCms
from typer.testing import CliRunner

from drawn_faces import TONES, draw_face
from fairgroups import InputError, OutputError, skin
from fairgroups.cli import app
from fairgroups.skin.images import open_image
from fairgroups.skin.journal import Journal


def png_header(width, height):
    """Make a file of a few bytes that says it is a huge picture."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    )


@pytest.fixture
def folder(tmp_path):
    photos = tmp_path / "photos"
    (photos / "more").mkdir(parents=True)
    for i, rgb in enumerate(TONES[:4]):
        Image.fromarray(draw_face(rgb)).save(photos / ("more" if i % 2 else "") / f"face {i}.png")
    (photos / "empty.jpg").touch()
    (photos / "notes.txt").write_text("not a photograph")
    (photos / "text.png").write_text("<svg onload=alert(1)>")
    (photos / "bomb.png").write_bytes(png_header(60_000, 60_000))
    whole = (photos / "face 0.png").read_bytes()
    (photos / "cut.png").write_bytes(whole[: len(whole) // 2])
    Image.new("RGB", (120, 90), (90, 110, 140)).save(photos / "nobody.jpg")
    return photos


def reference():
    return draw_face(TONES[3])


@pytest.mark.parametrize("kind", ["RGB", "RGBA", "P", "CMYK", "L", "I;16", "LA", "turned", "profile", "webp", "tiff"])
def test_every_kind_of_file_is_read(tmp_path, kind):
    known = Image.fromarray(reference())
    path = tmp_path / "photo.png"
    if kind == "turned":
        path = path.with_suffix(".jpg")
        marks = Image.Exif()
        marks[0x0112] = 6  # turn it by 90° to see it upright
        known.transpose(Image.Transpose.ROTATE_90).save(path, exif=marks, quality=95)
    elif kind == "profile":
        known.save(path, icc_profile=ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    elif kind == "CMYK":
        path = path.with_suffix(".tif")
        known.convert("CMYK").save(path)
    elif kind == "I;16":
        Image.fromarray(np.asarray(known.convert("L")).astype(np.uint16) * 257).save(path)
    elif kind in ("webp", "tiff"):
        path = path.with_suffix(f".{kind}")
        known.save(path, **({"lossless": True} if kind == "webp" else {}))
    else:
        (known.quantize(256) if kind == "P" else known.convert(kind)).save(path)
    found = open_image(path)
    assert found.shape == (256, 256, 3)
    assert found.dtype == np.uint8
    tone, right = (skin.skin_tone(x, finder="aligned") for x in (found, reference()))
    assert abs(tone.L - right.L) < 2
    if kind in ("L", "I;16", "LA"):
        assert "no colour" in tone.marks
    else:
        assert abs(tone.hue - right.hue) < 3


def test_what_is_transparent_is_not_measured(tmp_path):
    pixels = np.dstack([reference(), np.full((256, 256), 255, dtype=np.uint8)])
    pixels[:, 128:, 3] = 0
    Image.fromarray(pixels).save(tmp_path / "half.png")
    found = open_image(tmp_path / "half.png")
    assert not found[:, 128:].any()
    assert found[:, :128].any()


def test_large_photographs_are_made_smaller(tmp_path):
    for suffix in ("jpg", "png"):
        Image.fromarray(reference()).resize((3000, 2000)).save(tmp_path / f"large.{suffix}")
        assert open_image(tmp_path / f"large.{suffix}").shape == (1067, 1600, 3)


def test_a_folder_with_bad_files(folder, tmp_path):
    out = tmp_path / "tones.parquet"
    done = CliRunner().invoke(app, ["skin", str(folder), "--out", str(out), "--finder", "cascade", "--workers", "2"])
    assert done.exit_code == 0, done.output
    assert "Measured 4 of 9" in done.output
    rows = duckdb.read_parquet(str(out)).fetchall()
    names = list(duckdb.read_parquet(str(out)).columns)
    table = {row[0]: dict(zip(names, row, strict=True)) for row in rows}
    assert [row[0] for row in rows] == sorted(table)
    assert "notes.txt" not in table
    reasons = {name: row["reason"] for name, row in table.items() if row["reason"]}
    assert set(reasons) == {"bomb.png", "cut.png", "empty.jpg", "text.png", "nobody.jpg"}
    assert reasons["nobody.jpg"] == "no face was found"
    assert "empty" in reasons["empty.jpg"]
    assert "pixels" in reasons["bomb.png"]
    assert "no picture" in reasons["text.png"]
    assert table["nobody.jpg"]["marks"] == "no face"
    assert table["nobody.jpg"]["L"] is None
    for i in range(4):
        row = table[f"more/face {i}.png" if i % 2 else f"face {i}.png"]
        assert abs(row["L"] - skin.rgb_to_lab(TONES[i])[0]) < 1
        assert row["monk"] in range(1, 11)
    assert list(tmp_path.glob(".*")) == []


def test_a_killed_run_goes_on_where_it_stopped(tmp_path):
    photos = tmp_path / "photos"
    photos.mkdir()
    for i in range(60):
        Image.fromarray(draw_face(TONES[i % 10], seed=i, noise=0.02)).save(photos / f"{i:03d}.png")
    out, whole = tmp_path / "tones.csv", tmp_path / "whole.csv"
    command = [sys.executable, "-m", "fairgroups.cli", "skin", str(photos), "--finder", "cascade", "--workers", "1"]
    journal = tmp_path / ".tones.csv.journal"
    running = subprocess.Popen([*command, "--out", str(out)], start_new_session=True, stdout=subprocess.DEVNULL)
    deadline = time.time() + 60
    while time.time() < deadline and not (journal.exists() and journal.read_text().count("\n") >= 6):
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert not out.exists()
    with journal.open("a") as file:
        file.write('{"image": "05')  # a line cut off in the middle
    done = subprocess.run([*command, "--out", str(out)], capture_output=True, text=True, check=True)
    assert "had been done by a run that was stopped" in done.stdout
    subprocess.run([*command, "--out", str(whole)], capture_output=True, check=True)
    assert out.read_text() == whole.read_text()
    assert not journal.exists()


def test_another_way_of_measuring_does_not_go_on(folder, tmp_path):
    out = tmp_path / "tones.csv"
    journal = Journal(out, {"folder": "another"}, again=False)
    journal.add("face 0.png", {"stamp": [0, 0]})
    with pytest.raises(InputError, match="or otherwise"):
        skin.measure_folder(folder, out, options=skin.ToneOptions(finder="aligned"), workers=1)
    found = skin.measure_folder(folder, out, options=skin.ToneOptions(finder="aligned"), workers=1, again=True)
    assert found.resumed == 0


def test_masks_and_a_card(tmp_path):
    photos, masks = tmp_path / "photos", tmp_path / "masks"
    photos.mkdir()
    masks.mkdir()
    pixels = np.full((80, 80, 3), TONES[6], dtype=np.uint8)
    pixels[:20, :20] = 118
    warm = skin.linear_to_srgb(skin.srgb_to_linear(pixels / 255) * [0.95, 0.8, 0.6])
    Image.fromarray(np.round(warm * 255).astype(np.uint8)).save(photos / "a.png")
    Image.fromarray(pixels).save(photos / "b.png")
    marked = np.zeros((80, 80), dtype=np.uint8)
    marked[30:, 30:] = 255
    Image.fromarray(marked).save(masks / "a.png")
    options = skin.ToneOptions(masks=str(masks), card=(2, 2, 18, 18), card_lightness=49.5)
    found = skin.measure_folder(photos, options=options, workers=1)
    assert abs(found.columns["L"][0] - skin.rgb_to_lab(TONES[6])[0]) < 1.5
    assert [why for _, why in found.unread] == ["there is no mask 'b'"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere", "--out", "t.csv"], "no folder"),
        ([".", "--out", "t.xlsx"], ".csv or .parquet"),
        ([".", "--out", "/dev/null/t.csv"], "nothing can be written"),
        ([".", "--out", "t.csv"], "no photographs"),
        ([".", "--out", "t.csv", "--white-balance", "auto"], "grey-world"),
        ([".", "--out", "t.csv", "--card", "1,2,3"], "four whole numbers"),
        ([".", "--out", "t.csv", "--card-lightness", "50"], "where the card is"),
        ([".", "--out", "t.csv", "--people", "p.csv"], "who is in a picture"),
        ([".", "--out", "t.csv", "--sheet", "s.pdf"], "name it .html"),
    ],
)
def test_wrong_calls(tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["skin", *arguments])
    assert isinstance(done.exception, InputError)
    assert says in str(done.exception)


def save(path, rgb, size=256, **more):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(draw_face(rgb, 256)).resize((size, size)).save(path, **more)


def test_a_card_is_given_in_pixels_of_the_file(tmp_path):
    light = np.array([0.95, 0.8, 0.6])
    pixels = np.full((800, 800, 3), TONES[4], dtype=np.uint8)
    pixels[80:240, 80:240] = 118
    warm = np.round(skin.linear_to_srgb(skin.srgb_to_linear(pixels / 255) * light) * 255).astype(np.uint8)
    found = []
    for name, scale in (("small", 1), ("large", 4)):
        (tmp_path / name).mkdir()
        Image.fromarray(warm).resize((800 * scale, 800 * scale), Image.Resampling.NEAREST).save(
            tmp_path / name / "a.png"
        )
        card = (100 * scale, 100 * scale, 220 * scale, 220 * scale)
        options = skin.ToneOptions(finder="aligned", card=card)
        found.append(skin.measure_folder(tmp_path / name, options=options, workers=1).columns)
    assert abs(found[0]["b"][0] - found[1]["b"][0]) < 0.5
    assert abs(found[0]["hue"][0] - float(skin.hue_angle(*skin.rgb_to_lab(TONES[4])[1:]))) < 3


def test_a_journal_of_another_folder_is_not_taken_up(tmp_path):
    for name, rgb in (("light", TONES[0]), ("dark", TONES[8])):
        save(tmp_path / name / "1.bmp", rgb)
        os.utime(tmp_path / name / "1.bmp", ns=(10**18, 10**18))
    out = tmp_path / "t.csv"
    options = skin.ToneOptions(finder="aligned")
    about = {"folder": str((tmp_path / "light").resolve()), "finder": "aligned", "balance": None, "card": None}
    journal = Journal(out, {**about, "card_lightness": None, "masks": None}, again=False)
    journal.add("1.bmp", {"stamp": [(tmp_path / "dark" / "1.bmp").stat().st_size, 10**18], "L": 99.0})
    with pytest.raises(InputError, match="another folder"):
        skin.measure_folder(tmp_path / "dark", out, options=options, workers=1)


def test_a_damaged_journal_is_measured_again(tmp_path):
    save(tmp_path / "photos" / "1.png", TONES[2])
    out, options = tmp_path / "t.csv", skin.ToneOptions(finder="aligned")
    journal = Journal(out, {"folder": str((tmp_path / "photos").resolve()), **asdict(options)}, again=False)
    journal.add("other.png", {"stamp": [0, 0]})
    with journal.path.open("a") as file:
        file.write('{"image": "1.png"}\n[1]\n5\nnull\n"x"\n{"image": 3, "stamp": 1}\n')
    assert skin.measure_folder(tmp_path / "photos", out, options=options, workers=1).measured == 1


def test_grey_pictures_have_a_lightness_only(tmp_path):
    (tmp_path / "photos").mkdir()
    Image.fromarray(draw_face(TONES[3])).convert("L").save(tmp_path / "photos" / "grey.png")
    found = skin.measure_folder(tmp_path / "photos", options=skin.ToneOptions(finder="aligned"), workers=1).columns
    assert np.isfinite(found["L"][0])
    assert all(np.isnan(found[name][0]) for name in ("ita", "hue", "monk"))


def test_transparent_palettes_of_any_size(tmp_path):
    for size in (400, 2400):
        image = Image.fromarray(draw_face(TONES[3], 256)).resize((size, size)).quantize(16)
        image.save(tmp_path / f"{size}.png", transparency=bytes(16))
        assert not open_image(tmp_path / f"{size}.png").any()
    grey = (np.asarray(Image.fromarray(draw_face(TONES[3])).convert("L")).astype(np.uint16)) * 257
    Image.fromarray(grey).save(tmp_path / "g16.png", transparency=0)
    assert skin.skin_tone(tmp_path / "g16.png", finder="aligned").L > 40


def test_masks_of_large_photographs_and_of_zeros_and_ones(tmp_path):
    photos, masks = tmp_path / "photos", tmp_path / "masks"
    photos.mkdir()
    masks.mkdir()
    Image.new("RGB", (3275, 3256), TONES[5]).save(photos / "a.jpg", quality=95)
    Image.new("L", (3275, 3256), 255).save(masks / "a.png")
    Image.new("RGB", (90, 90), TONES[5]).save(photos / "b.png")
    Image.new("L", (90, 90), 1).save(masks / "b.png")
    Image.new("RGB", (90, 90), TONES[5]).save(photos / "c.png")
    Image.new("L", (90, 80), 255).save(masks / "c.png")
    found = skin.measure_folder(photos, options=skin.ToneOptions(masks=str(masks)), workers=1)
    assert np.abs(found.columns["L"][:2] - skin.rgb_to_lab(TONES[5])[0]).max() < 1
    assert [name for name, _ in found.unread] == ["c.png"]


def test_folders_that_are_not_entered_are_listed(tmp_path):
    save(tmp_path / "photos" / "1.png", TONES[2])
    save(tmp_path / "elsewhere" / "2.png", TONES[2])
    (tmp_path / "photos" / "link").symlink_to(tmp_path / "elsewhere")
    found = skin.measure_folder(tmp_path / "photos", options=skin.ToneOptions(finder="aligned"), workers=1)
    assert found.unread == [("link/", "a link to a folder is not followed")]


def test_a_script_without_a_guard_is_told_so(tmp_path):
    save(tmp_path / "photos" / "1.png", TONES[2])
    script = tmp_path / "script.py"
    script.write_text(
        "from fairgroups.skin import ToneOptions, measure_folder\n"
        "options = ToneOptions(finder='aligned')\n"
        f"measure_folder({str(tmp_path / 'photos')!r}, {str(tmp_path / 't.csv')!r}, options=options)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "cannot start" in done.stderr
    assert not (tmp_path / "t.csv").exists()


def test_nowhere_to_write_is_said_before_the_work(tmp_path, monkeypatch):
    save(tmp_path / "photos" / "1.png", TONES[2])

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.touch", full)
    with pytest.raises(OutputError, match="No space left"):
        skin.measure_folder(
            tmp_path / "photos", tmp_path / "t.csv", options=skin.ToneOptions(finder="aligned"), workers=1
        )


def test_nothing_measured_is_an_error_with_a_table(tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "empty.png").touch()
    out = tmp_path / "t.csv"
    done = CliRunner().invoke(app, ["skin", str(tmp_path / "photos"), "--out", str(out), "--finder", "aligned"])
    assert "no tone could be measured" in str(done.exception)
    assert "the file is empty" in out.read_text()


def test_one_photograph_and_every_face(tmp_path):
    two = np.concatenate([draw_face(TONES[2], shading=0.3), draw_face(TONES[7], 256, shading=0.3)], axis=1)
    Image.fromarray(two).save(tmp_path / "two.png")
    options = skin.ToneOptions(finder="cascade", every_face=True)
    found = skin.measure_folder(tmp_path / "two.png", options=options, workers=1).columns
    assert found["image"].tolist() == ["two.png"] * 2
    assert found["face"].tolist() == [1, 2]
    assert sorted(found["L"]) == pytest.approx(sorted(skin.rgb_to_lab([TONES[2], TONES[7]])[:, 0]), abs=3)
    assert set(found["finder"]) == {"cascade"}
    assert all(found["right"] > found["left"])
    one = skin.measure_folder(tmp_path / "two.png", options=skin.ToneOptions(finder="cascade"), workers=1)
    assert one.columns["faces"].tolist() == [2]
    assert "face" not in one.columns


def test_boxes_are_in_pixels_of_the_file(tmp_path):
    Image.fromarray(draw_face(TONES[3], 256)).resize((3200, 3200)).save(tmp_path / "large.png")
    found = skin.measure_folder(tmp_path, options=skin.ToneOptions(finder="aligned"), workers=1).columns
    assert found["right"][0] - found["left"][0] == pytest.approx(0.69 * 3200, rel=0.01)


def test_marks_by_tenth_say_what_dropping_would_do(tmp_path):
    for i in range(20):
        Image.fromarray(draw_face(TONES[i // 2], seed=i, light=(2.2, 2.2, 2.2) if i < 4 else (1, 1, 1))).save(
            tmp_path / f"{i:02d}.png"
        )
    found = skin.measure_folder(tmp_path, options=skin.ToneOptions(finder="aligned"), workers=1)
    tenths = found.marks_by_tenth()
    assert len(tenths) == 10
    assert tenths[0]["low"] < tenths[-1]["low"]
    assert tenths[-1]["clipped light"] == tenths[-1]["any"] == 1.0
    assert tenths[2]["any"] == 0.0


def test_persons_their_reliability_and_their_tones(tmp_path):
    """Ten people of known tone, twenty photographs each in changing light: how well does one photograph do?"""
    rng = np.random.default_rng(0)
    lightness = np.linspace(45, 85, 10)
    (tmp_path / "photos").mkdir()
    for i, level in enumerate(lightness):
        own = 255 * skin.lab_to_rgb([level, 12, 18])
        for k in range(20):
            lit = 255 * skin.lab_to_rgb([np.clip(level + rng.normal(0, 8.9), 12, 96), 12, 18])
            light = skin.srgb_to_linear(lit / 255) / np.maximum(skin.srgb_to_linear(own / 255), 1e-3)
            Image.fromarray(draw_face(own, 96, light=light)).save(tmp_path / "photos" / f"n{i}_{k:02d}.png")
    out, people = tmp_path / "tones.csv", tmp_path / "people.csv"
    done = CliRunner().invoke(
        app,
        [
            "skin",
            str(tmp_path / "photos"),
            "--out",
            str(out),
            "--finder",
            "aligned",
            "--person",
            "^(n[0-9]+)_",
            "--people",
            str(people),
        ],
    )
    assert done.exit_code == 0, done.output
    assert "10 persons. Two photographs of one differ" in done.output
    table = duckdb.read_csv(str(out)).fetchnumpy()
    found = skin.reliability(table)
    wanted = lightness.var(ddof=1) / (lightness.var(ddof=1) + 8.9**2)
    assert found.value == pytest.approx(wanted, abs=0.05)
    assert found.within == pytest.approx(8.9, rel=0.15)
    tones = duckdb.read_csv(str(people)).fetchnumpy()
    assert np.abs(np.sort(tones["L"]) - lightness).max() < 6
    assert tones["L_error"] == pytest.approx(np.full(10, found.within / np.sqrt(20)), rel=0.01)


def test_no_photograph_is_written_over(tmp_path):
    for name, tone in (("a.jpg", 0), ("a.png", 5)):
        (tmp_path / "in").mkdir(exist_ok=True)
        Image.fromarray(draw_face(TONES[tone], 178)).save(tmp_path / "in" / name)
    (tmp_path / "who.csv").write_text("image,person\na.jpg,x\na.png,y\n")
    before = {path.name: path.read_bytes() for path in (tmp_path / "in").iterdir()}

    def measured(*more):
        where = ["skin", str(tmp_path / "in"), "--finder", "aligned", "--workers", "1"]
        return CliRunner().invoke(app, [*where, *(str(x) for x in more)])

    own, who = tmp_path / "in", tmp_path / "who.csv"
    for more in (
        ("--out", tmp_path / "t.csv", "--overlays", own),
        ("--out", tmp_path / "t.csv", "--overlays", own / "seen"),
        ("--out", who, "--person", who),
        ("--out", tmp_path / "t.csv", "--person", who, "--people", who),
        ("--out", tmp_path / "t.csv", "--person", who, "--people", tmp_path / "t.csv"),
    ):
        assert measured(*more).exit_code != 0
        assert not (tmp_path / "t.csv").exists()
        assert who.read_text().startswith("image,person")
    assert {path.name: path.read_bytes() for path in own.iterdir()} == before
    done = measured("--out", tmp_path / "new" / "t.csv", "--overlays", tmp_path / "seen")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "new" / "t.csv").exists()
    assert sorted(path.name for path in (tmp_path / "seen").iterdir()) == ["a.jpg", "a.png.jpg"]
