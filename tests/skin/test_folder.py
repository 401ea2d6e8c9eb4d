"""A folder of photographs, good and bad, whole and interrupted."""

import os
import signal
import struct
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")
pytest.importorskip("skimage", reason="needs scikit-image (the extra skin)")

import duckdb
from PIL import Image, ImageCms
from typer.testing import CliRunner

from drawn_faces import TONES, draw_face
from fairgroups import InputError, skin
from fairgroups.cli import app
from fairgroups.skin.images import open_image


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
        assert "no colour" in tone.flags
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
    assert set(reasons) == {"bomb.png", "cut.png", "empty.jpg", "text.png"}
    assert "empty" in reasons["empty.jpg"]
    assert "pixels" in reasons["bomb.png"]
    assert "no picture" in reasons["text.png"]
    assert table["nobody.jpg"]["flags"] == "no face"
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
    journal = skin.folder.Journal(out, skin.Wishes(finder="cascade"), again=False)
    journal.add("face 0.png", {"stamp": [0, 0]})
    with pytest.raises(InputError, match="measured otherwise"):
        skin.measure_folder(folder, out, wishes=skin.Wishes(finder="aligned"), workers=1)
    found = skin.measure_folder(folder, out, wishes=skin.Wishes(finder="aligned"), workers=1, again=True)
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
    wishes = skin.Wishes(masks=str(masks), card=(2, 2, 18, 18), card_lightness=49.5)
    found = skin.measure_folder(photos, wishes=wishes, workers=1)
    assert abs(found.columns["L"][0] - skin.rgb_to_lab(TONES[6])[0]) < 1.5
    assert [why for _, why in found.unread] == ["there is no mask 'b'"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere", "--out", "t.csv"], "no folder"),
        ([".", "--out", "t.xlsx"], ".csv or .parquet"),
        ([".", "--out", "no/t.csv"], "create it first"),
        ([".", "--out", "t.csv"], "no photographs"),
        ([".", "--out", "t.csv", "--white-balance", "auto"], "grey-world"),
        ([".", "--out", "t.csv", "--card", "1,2,3"], "four whole numbers"),
        ([".", "--out", "t.csv", "--card-lightness", "50"], "where the card is"),
    ],
)
def test_wrong_calls(tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["skin", *arguments])
    assert isinstance(done.exception, InputError)
    assert says in str(done.exception)
