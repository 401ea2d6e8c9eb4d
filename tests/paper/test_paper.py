"""The paper's results: Table 1 met or beaten, the propositions, faces from made and from real tables, the page."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fairgroups import InputError
from fairgroups.cli import app
from fairgroups.paper import reproduce
from fairgroups.paper.beyond import beyond_parts
from fairgroups.paper.faces import FaceColumns, face_parts
from fairgroups.paper.page import write_paper
from fairgroups.paper.synthetic import PAPER, synthetic_parts

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def synthetic():
    return {part.title: part for part in synthetic_parts(0)}


def test_table_1_is_met_or_beaten(synthetic):
    (table,) = synthetic["Table 1: synthetic data"].tables
    here = {(row[0], row[1]): (float(row[3]), float(row[5])) for row in table.rows}
    for kind, name in (("uniform", "L uniform on 0 to 100"), ("clipped", "L normal, clipped to 0 to 100")):
        variance, rand = here[name, "FairGroups"]
        assert variance >= PAPER[kind]["FairGroups"][0] - 0.0005  # rounded to three digits there
        assert rand >= PAPER[kind]["FairGroups"][1]
        assert variance >= max(here[name, method][0] for method in ("Ground truth", "K-Means"))


def test_the_propositions_hold(synthetic):
    (table,) = synthetic["The propositions, checked with numbers"].tables
    assert table.rows[0][1] == table.rows[0][2]
    assert [row[1] == row[2] and row[3] == "same borders" for row in table.rows[1:4]] == [True] * 3
    assert table.rows[4][3] == "all"


def test_k_means_falls_into_pieces(synthetic):
    (table,) = synthetic["K-Means without monotone rates: groups in pieces"].tables
    assert table.rows[0][2] == "no"


def test_past_the_paper():
    parts = {part.title: part for part in beyond_parts(0, 20)}
    grid = parts["Grid against no grid"].tables[0].rows
    for kind in ("uniform", "clipped"):
        variances = [float(row[3]) for row in grid if row[0] == kind]
        assert max(variances) == variances[-1]
    intervals = parts["Intervals that do not cry wolf"].tables[0].rows
    assert int(intervals[0][1].rstrip("%")) >= 80
    assert int(intervals[1][1].rstrip("%")) <= 15
    boxes = [float(row[1]) for row in parts["Exact in two dimensions"].tables[0].rows]
    assert boxes[2] > 2 * boxes[1] > 2 * boxes[0]
    jumps = [row[4] for row in parts["Repair without jumps"].tables[0].rows]
    assert float(jumps[3]) < 0.1 * float(jumps[1])


def drawn_table(n, seed, *, label=True):
    rng = np.random.default_rng(seed)
    lightness = np.clip(rng.normal(66, 12, n), 5, 98)
    b = rng.normal(16, 4, n).clip(3)
    hue = rng.normal(58, 9, n)
    chance = 1 / (1 + np.exp(-(lightness - 62) / 12))
    score = np.clip(chance + rng.normal(0, 0.15, n), 0.01, 0.99)
    table = {"L": lightness, "hue": hue, "ita": np.degrees(np.arctan2(lightness - 50, b)), "score": score}
    if label:
        table |= {"attractive": (rng.random(n) < chance).astype(int), "fold": rng.integers(0, 5, n)}
    return table


def test_faces_of_ones_own():
    first, second = drawn_table(3000, 1), drawn_table(2000, 2, label=False)
    first["L"][0] = np.nan  # not measured: left out
    parts = {part.title: part for part in face_parts(first, second, None)}
    assert "2,999 faces" in parts["Faces"].text[0]
    for title in ("Table 2: six groups of ITA", "Table 5: two groups of lightness"):
        variances = {row[0]: float(row[2]) for row in parts[title].tables[0].rows}
        assert variances["FairGroups"] == max(variances.values())
    plane = parts["Table 3: four groups of lightness and hue"].tables[0].rows
    assert float(plane[1][2]) > float(plane[0][2])
    repair = parts["Table 4: repair by groups of ITA"].tables[0].rows
    assert float(repair[3][8]) < float(repair[0][8]) / 3
    alone = {part.title: part for part in face_parts(first, None, None)}
    assert alone["Table 2: six groups of ITA"].tables[0].rows[0][4] == "–"


def test_wrong_face_tables():
    with pytest.raises(InputError, match="no column 'ita'"):
        next(face_parts({"L": [1.0], "hue": [1.0]}, None, None))
    short = {name: values[:50] for name, values in drawn_table(100, 0).items()}
    with pytest.raises(InputError, match="only 50 rows"):
        next(face_parts(short, None, None))
    wide = drawn_table(500, 0)
    wide["score"] = wide["score"] * 100
    with pytest.raises(InputError, match="between 0 and 1"):
        next(face_parts(wide, None, None))


def test_labels_as_celeba_writes_them_and_labels_that_are_none():
    table = drawn_table(2000, 3)
    known = next(part for part in face_parts(table, None, None) if part.title.startswith("Where"))
    signed = {**table, "attractive": 2 * table["attractive"] - 1}
    assert (
        next(part for part in face_parts(signed, None, None) if part.title.startswith("Where")).tables == known.tables
    )
    for wrong in (np.ones(2000), np.full(2000, 0.9), np.arange(2000)):
        with pytest.raises(InputError, match="must hold 0 and 1"):
            next(face_parts({**table, "attractive": wrong}, None, None))


def test_a_label_without_groups_and_rates_that_rise_and_fall():
    table = drawn_table(3000, 4)
    rng = np.random.default_rng(0)
    table["attractive"] = rng.integers(0, 2, 3000)
    table["score"] = np.where(np.abs((table["ita"] % 40) - 20) < 10, 0.9, 0.1)
    parts = {part.title: part for part in face_parts(table, None, None)}
    assert "one group only" in parts["Where the model amplifies the label's bias"].text[0]
    assert "lie in pieces" in parts["Table 2: six groups of ITA"].text[0]


def test_hues_on_both_sides_of_zero_are_one_convention():
    table = drawn_table(2000, 5)
    turned = {**table, "hue": table["hue"] % 360}
    pair = [
        next(part for part in face_parts(x, None, None) if part.title.startswith("Table 3")).tables[0].rows
        for x in ({**table, "hue": table["hue"] - 50}, {**turned, "hue": (table["hue"] - 50) % 360})
    ]
    assert pair[0] == pair[1]


def test_the_page_and_its_markdown(tmp_path, synthetic):
    html, markdown = write_paper(list(synthetic.values()), tmp_path / "paper")
    page = html.read_text()
    assert "<script" not in page
    assert page.count("<svg") == sum(len(part.figures) for part in synthetic.values())
    text = markdown.read_text()
    for part in synthetic.values():
        assert f"## {part.title}" in text
        for figure in part.figures:
            assert (tmp_path / "paper" / "figures" / f"{figure.name}.svg").exists()
            assert f"figures/{figure.name}.svg" in text
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="not a folder"):
        write_paper([], tmp_path / "file")


def test_wrong_calls(tmp_path):
    for arguments, says in (
        (["--second-table", "x.csv"], "needs a first one"),
        (["--table", str(tmp_path / "none.csv"), "--out", str(tmp_path / "p")], "none.csv"),
    ):
        done = CliRunner().invoke(app, ["paper", *arguments])
        assert isinstance(done.exception, InputError)
        assert says in str(done.exception)


@pytest.mark.skipif(not (SHARED / "celeba_women.csv").exists(), reason="the faces may not be shipped")
def test_the_counterparts_of_tables_2_to_5():
    columns = FaceColumns(score="score_resnet18")
    parts = {
        part.title: part for part in face_parts(SHARED / "celeba_women.csv", SHARED / "utkface_women.csv", columns)
    }
    ita = {row[0]: float(row[2]) for row in parts["Table 2: six groups of ITA"].tables[0].rows}
    assert ita["FairGroups"] > ita["K-Means"] > ita["Fitzpatrick"]  # the paper's order
    plane = {row[0]: row for row in parts["Table 3: four groups of lightness and hue"].tables[0].rows}
    for column in (2, 5, 7):
        assert float(plane["FairGroups"][column]) > float(plane["Default"][column])
    two = {row[0]: float(row[2]) for row in parts["Table 5: two groups of lightness"].tables[0].rows}
    assert two["FairGroups"] == max(two.values())
    repair = {row[0]: row for row in parts["Table 4: repair by groups of ITA"].tables[0].rows}
    assert float(repair["No repair"][8]) > 0.3 > 0.1 > float(repair["FairGroups"][8])
    assert float(repair["No repair"][2]) - float(repair["FairGroups"][2]) < 0.025


def test_parts_come_as_they_are_done():
    assert next(reproduce()).title.startswith("Table 1")
