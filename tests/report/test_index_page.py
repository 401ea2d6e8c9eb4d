from pathlib import Path

import fairgroups as fg
from fairgroups.report.index_page import IndexLine, render_index

DATA = fg.make_synthetic(2000)


def test_a_line_for_each():
    name = "a <b>\"c\" & 'd'"
    found = fg.audit({name: DATA.sensitive, "y": DATA.outcome}, sensitive=name, outcome="y", checks=False)
    lines = [
        IndexLine(name, found, Path("pages/a b.html"), 0, limited=True),
        IndexLine("wrong", None, None, 2, limited=False, error="there is no column <x>."),
    ]
    page = render_index(lines, Path("index.html"), "All & sundry")
    assert 'href="pages/a%20b.html"' in page
    assert page.count("<svg") == 1
    assert "<b>" not in page
    assert "there is no column &lt;x&gt;." in page
    assert "2 audits and scans, 1 of them" in page
