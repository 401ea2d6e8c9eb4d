"""The contact sheet and overlays: opt-in, local, escaped, and looked at."""

import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")

from PIL import Image
from typer.testing import CliRunner

from drawn_faces import TONES, draw_face
from fairgroups.cli import app


@pytest.fixture
def photos(tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    for i, rgb in enumerate(TONES):
        Image.fromarray(draw_face(rgb, 96, side=0.5 if i == 3 else 0.0)).save(folder / f"face {i}.png")
    Image.fromarray(draw_face(TONES[2], 96)).save(folder / "<b>&x.png")
    (folder / "cut.png").write_bytes(b"no")
    return folder


def test_a_sheet_by_tenth_and_mark(photos, tmp_path):
    sheet, overlays = tmp_path / "sheet.html", tmp_path / "seen"
    done = CliRunner().invoke(
        app,
        [
            "skin",
            str(photos),
            "--out",
            str(tmp_path / "t.csv"),
            "--finder",
            "aligned",
            "--sheet",
            str(sheet),
            "--overlays",
            str(overlays),
        ],
    )
    assert done.exit_code == 0, done.output
    page = sheet.read_text()
    assert "Tenth 1 of 10" in page
    assert "Marked “side light”" in page
    assert page.count("data:image/jpeg;base64,") >= 11
    assert "&lt;b&gt;&amp;x.png" in page
    assert "<b>&x" not in page
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")
    assert len(list(overlays.glob("*.jpg"))) == 11
    assert not list(tmp_path.glob("*.part"))
