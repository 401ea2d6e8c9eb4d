"""A scan as data and files."""

import json

import jsonschema
import numpy as np
import pytest

import fairgroups as fg
from fairgroups.errors import SchemaError
from fairgroups.scans.result import scan_schema


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    n = 2000
    table = {"age": rng.integers(18, 80, n), "<b>sex</b>": rng.choice(["=f()", "m"], n), "x|y": rng.normal(size=n)}
    table["hired"] = rng.random(n) < 0.4 - 0.2 * (table["age"] > 60)
    return fg.scan(table, outcome="hired", favourable=True, audits=True, max_gap=0.05, label={"age": "Age"})


def test_json_comes_back_equal(found, tmp_path):
    found.to_json(tmp_path / "scan.json")
    again = fg.Scan.read(tmp_path / "scan.json")
    assert again == found
    assert again.conclusion == found.conclusion
    jsonschema.validate(json.loads(found.to_json()), scan_schema())
    with pytest.raises(SchemaError, match="no scan"):
        fg.Scan.from_json("{}")
    with pytest.raises(SchemaError, match="no audit"):
        fg.Audit.from_json(found.to_json())


def test_the_schema_in_the_package_is_this_one():
    from importlib.resources import files

    held = json.loads(files("fairgroups.scans").joinpath("scan.schema.json").read_text(encoding="utf-8"))
    assert held == scan_schema()


def test_files_and_pages(found, tmp_path):
    page = found.to_html(tmp_path / "scan.html", command="fairgroups scan x.csv")
    assert "<b>sex</b>" not in page
    assert "&lt;b&gt;sex" in page
    assert "Age" in page
    text = found.to_markdown(tmp_path / "scan.md")
    assert "x\\|y" in text
    table = found.to_csv(tmp_path / "scan.csv")
    assert table.splitlines()[0].startswith("attribute,place,n")
    assert len(table.splitlines()) == 1 + len(found.attributes) + len(found.pairs)
    assert found.plot().to_dict()
    assert "<table" in found._repr_html_()
    assert repr(found).startswith("Scan(")


def test_the_call_repeats_it():
    rng = np.random.default_rng(1)
    table = {"x": rng.normal(size=400), "z": rng.normal(size=400), "y": rng.random(400) < 0.4}
    found = fg.scan(table, outcome="y", level=0.9, pairs=False, unit="towns", label={"x": "X"})
    assert eval(found.call, {"fairgroups": fg, "data": table}) == found
