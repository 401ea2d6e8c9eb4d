"""Pages made again from JSON."""

import re

import pytest
from typer.testing import CliRunner

import fairgroups as fg
from fairgroups.cli import app


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def written(tmp_path):
    data = fg.make_synthetic(2000, seed=3)
    lines = ["x,y", *(f"{x:.2f},{y}" for x, y in zip(data.sensitive, data.outcome, strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    done = run("audit", tmp_path / "people.csv", "-s", "x", "-o", "y", "--max-gap", "0.1",
               "--json", tmp_path / "a.json", "--out", tmp_path / "a.html", "--csv", tmp_path / "a.csv")  # fmt: skip
    assert done.exit_code == 1
    return tmp_path


def test_the_same_page_without_the_data(written):
    (written / "people.csv").unlink()
    outputs = {"out": "b.html", "csv": "b.csv", "markdown": "b.md", "junit": "b.xml", "charts": "charts"}
    typed = [part for name, file in outputs.items() for part in (f"--{name}", written / file)]
    done = run("report", written / "a.json", *typed)
    assert done.exit_code == 1  # the limit is exceeded, as it was
    assert (written / "b.csv").read_text() == (written / "a.csv").read_text()
    without = lambda name: re.sub(r"<pre>.*?</pre>", "", (written / name).read_text(), flags=re.DOTALL)
    data = r'id="explorer-data".*?</script>'
    explorer = lambda name: re.search(data, (written / name).read_text(), re.DOTALL)[0]
    assert explorer("a.html") == explorer("b.html")
    assert "disadvantaged" in without("b.html")
    assert "failure" in (written / "b.xml").read_text()
    assert list((written / "charts").glob("*.svg"))


def test_what_is_no_audit(written):
    (written / "bad.json").write_text('{"schema": "fairgroups/audit", "schema_version": 2}')
    done = run("report", written / "bad.json", "--out", written / "c.html")
    assert isinstance(done.exception, fg.SchemaError)
    assert not (written / "c.html").exists()
    assert isinstance(run("report", written / "none.json").exception, fg.InputError)
    done = run("report", written / "a.json", "--out", written / "a.json")
    assert isinstance(done.exception, fg.InputError)
