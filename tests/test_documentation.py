"""Every Python block of the README and the guide runs, those of a page one after the other."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks_of(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page)], ids=lambda page: page.name)
def test_the_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks_of(page):
        exec(compile(block, page.name, "exec"), names)


def test_links_inside_the_repository_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_is_in_the_table_of_contents():
    listed = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    assert all(page.stem in listed for page in PAGES if page.parent.name == "docs" and page.stem != "index")


@pytest.mark.parametrize("module", ["fairgroups", "fairgroups.skin", "fairgroups.faces", "fairgroups.paper"])
def test_every_public_name_is_in_the_api_page_with_an_example(module):
    """The examples themselves run as doctests of their modules."""
    listed = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    home = importlib.import_module(module)
    for name in (name for name in home.__all__ if not name.startswith("__")):
        assert re.search(rf"\b{name}\b", listed), f"{module}.{name} is not in docs/api.md"
        thing = getattr(home, name)
        if callable(thing):
            assert ">>>" in (thing.__doc__ or ""), f"{module}.{name} has no example"
