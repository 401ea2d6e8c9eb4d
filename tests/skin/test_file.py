"""One file of a folder becomes a row, or a reason."""

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")

from PIL import Image

from drawn_faces import TONES, draw_face
from fairgroups.skin.file import ToneOptions, measure_file
from fairgroups.skin.finders import AlignedFinder


def test_a_row_and_its_reasons(tmp_path):
    Image.fromarray(draw_face(TONES[2], 128)).save(tmp_path / "a.png")
    row = measure_file(tmp_path, "a.png", ToneOptions(), AlignedFinder())
    assert row["finder"] == "aligned"
    assert row["reason"] if "reason" in row else row["L"] > 60
    assert row["left"] < row["right"]
    (tmp_path / "b.png").write_bytes(b"")
    assert measure_file(tmp_path, "b.png", ToneOptions(), AlignedFinder())["reason"] == "the file is empty"


def test_a_finder_that_fails_does_not_stop_the_others(tmp_path):
    Image.fromarray(np.zeros((40, 40, 3), dtype=np.uint8)).save(tmp_path / "a.png")

    def broken(rgb):
        raise RuntimeError("no model")

    assert measure_file(tmp_path, "a.png", ToneOptions(), broken)["reason"] == "RuntimeError: no model"
    assert measure_file(tmp_path, "a.png", ToneOptions(), lambda rgb: [])["reason"] == "no face was found"
