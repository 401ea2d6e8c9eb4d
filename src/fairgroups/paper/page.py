"""The reproduction as one HTML page, and as Markdown with its figures as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairgroups.charts.style import to_svg
from fairgroups.errors import InputError
from fairgroups.output import write_atomically
from fairgroups.paper.parts import Part, Table
from fairgroups.report.sections import PAPER, versions
from fairgroups.report.templates import fill

__all__ = ["write_paper"]

ABOUT = (
    "Tables and figures made by fairgroups in one run, with the paper's numbers beside them. Under each table stand "
    "the calls that gave its numbers. “Here” is this run; a dash is a number that the paper does not give, or that "
    f"needs a table which was not given. {PAPER}"
)


def write_paper(parts: Sequence[Part], folder: str | Path) -> list[Path]:
    """Write `paper.html`, `paper.md` and the figures as SVG into a folder; return the paths of the first two."""
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise InputError(f"{str(target)!r} is not a folder.", "name another one.")
    (target / "figures").mkdir(parents=True, exist_ok=True)
    drawn = {figure.name: to_svg(figure.chart) for part in parts for figure in part.figures}
    for name, svg in drawn.items():
        write_atomically(target / "figures" / f"{name}.svg", svg)
    write_atomically(target / "paper.html", _html(parts, drawn))
    write_atomically(target / "paper.md", _markdown(parts))
    return [target / "paper.html", target / "paper.md"]


def _html(parts: Sequence[Part], drawn: dict[str, str]) -> str:
    from markupsafe import Markup

    shown = [
        {
            "title": part.title,
            "text": part.text,
            "tables": part.tables,
            "figures": [
                {"svg": Markup(drawn[figure.name]), "caption": figure.caption}  # noqa: S704  our own drawing
                for figure in part.figures
            ],
        }
        for part in parts
    ]
    title = "Fairness-Aware Grouping for Continuous Sensitive Variables"
    made = f"Made with {versions()}."
    return fill("paper.html", title=title, about=ABOUT, parts=shown, versions=made, newline=Markup("\n"))


def _markdown(parts: Sequence[Part]) -> str:
    lines = ["# Fairness-Aware Grouping for Continuous Sensitive Variables: the paper, run again", "", ABOUT, ""]
    for part in parts:
        lines += [f"## {part.title}", ""]
        for text in part.text:
            lines += [text, ""]
        for table in part.tables:
            lines += [*_table(table), "", "```py", table.calls, "```", ""]
        for figure in part.figures:
            lines += [f"![{figure.caption}](figures/{figure.name}.svg)", ""]
    return "\n".join([*lines, f"Made with {versions()}.", ""])


def _table(table: Table) -> list[str]:
    rows = [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in table.rows]
    return [table.caption, "", f"| {' | '.join(table.header)} |", f"|{'---|' * len(table.header)}", *rows]
