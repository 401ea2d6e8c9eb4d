"""A contact sheet: photographs with what was measured on them, by tenth of L and by mark, in one local page.

It shows people's faces. It is made only on request, holds everything itself, and should not leave the machine.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.output import write_atomically
from fairgroups.progress import progress_bar
from fairgroups.skin.colour import lab_to_rgb
from fairgroups.skin.file import ToneOptions
from fairgroups.skin.finders import finder_of
from fairgroups.skin.folder import FolderTones
from fairgroups.skin.images import ImageError, open_scaled
from fairgroups.skin.marks import MARKS
from fairgroups.skin.overlay import overlay

__all__ = ["write_sheet"]

EACH, WIDE = 8, 150  # pictures in a row of the sheet, and their width in pixels

STYLE = """
:root{color-scheme:light dark;--ink:#222;--soft:#666;--line:#ddd;--paper:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#eee;--soft:#aaa;--line:#444;--paper:#1b1b1b}}
body{font:15px/1.5 Arial,Helvetica,"Liberation Sans",sans-serif;color:var(--ink);background:var(--paper);
margin:2rem auto;max-width:84rem;padding:0 1rem}
h1{font-size:1.5rem;margin:0}
h2{font-size:1.05rem;margin:1.8rem 0 .5rem;border-top:1px solid var(--line);padding-top:.8rem}
p{color:var(--soft);margin:.3rem 0 0;max-width:50rem}
ul{list-style:none;display:grid;grid-template-columns:repeat(auto-fill,minmax(125px,1fr));
gap:.9rem;padding:0;margin:.7rem 0 0}
li{font-size:12px;line-height:1.35;overflow-wrap:anywhere}
img{width:100%;aspect-ratio:1;object-fit:contain;background:#8883;border-radius:4px}
.tone{display:inline-block;width:1em;height:1em;border-radius:50%;vertical-align:-.15em;border:1px solid #8888}
.marks{color:var(--soft)}
"""


def write_sheet(
    path: str | Path, folder: str | Path, found: FolderTones, options: ToneOptions, *, verbose: bool = False
) -> int:
    """Write a contact sheet of photographs that were measured.

    Parameters
    ----------
    path : path
        The page.
    folder : path
        Where the photographs are.
    found : FolderTones
        What was measured.
    options : ToneOptions
        How.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    int
        How many photographs it shows.
    """
    root = Path(folder)
    root = root.parent if root.is_file() else root
    sections = _sections(found)
    wanted = list(dict.fromkeys(int(i) for _, _, rows in sections for i in rows))
    look = finder_of("aligned" if options.masks is not None else options.finder)  # type: ignore[arg-type]
    drawn: dict[int, str] = {}
    with progress_bar("drawing the sheet", shown=verbose) as step:
        for k, i in enumerate(wanted):
            drawn[i] = _picture(root / str(found.columns["image"][i]), look, measured=options.masks is None)
            step((k + 1) / len(wanted))
    parts = [
        f"<h2>{escape(title)}</h2><p>{escape(about)}</p><ul>{''.join(_item(found, i, drawn[i]) for i in rows)}</ul>"
        for title, about, rows in sections
    ]
    write_atomically(path, _page(parts, found))
    return len(wanted)


def _sections(found: FolderTones) -> list[tuple[str, str, list[int]]]:
    """Choose photographs: some of each tenth of L from its darkest to its lightest, some of each mark."""
    columns = found.columns
    known = np.flatnonzero(np.isfinite(columns["L"]))
    order = known[np.argsort(columns["L"][known], kind="stable")]
    out = []
    for k, part in enumerate(np.array_split(order, 10), 1):
        if part.size:
            tone = columns["L"][part]
            title = f"Tenth {k} of 10: L {tone[0]:.0f} to {tone[-1]:.0f}"
            out.append((title, f"{part.size:,} photographs; {min(EACH, part.size)} shown.", _some(part)))
    marks = [set(str(text).split("; ")) for text in columns["marks"].tolist()]
    for mark, meaning in MARKS.items():
        rows = np.array([i for i in range(len(marks)) if mark in marks[i]], dtype=np.intp)
        if rows.size:
            about = f"{meaning[:1].upper()}{meaning[1:]}. {rows.size:,} photographs; {min(EACH, rows.size)} shown."
            out.append((f"Marked “{mark}”", about, _some(rows)))
    return out


def _some(rows: NDArray[np.intp]) -> list[int]:
    return [int(rows[i]) for i in np.unique(np.linspace(0, rows.size - 1, EACH).round().astype(int))]


def _picture(path: Path, look: Callable[..., Any], *, measured: bool) -> str:
    from PIL import Image

    try:
        rgb, _ = open_scaled(path)
        image = overlay(rgb, look) if measured else Image.fromarray(rgb)
    except ImageError:
        return ""
    image.thumbnail((2 * WIDE, 2 * WIDE))
    held = io.BytesIO()
    image.convert("RGB").save(held, "JPEG", quality=70)
    return base64.b64encode(held.getvalue()).decode()


def _item(found: FolderTones, i: int, picture: str) -> str:
    columns = found.columns
    name = escape(str(columns["image"][i]))
    image = (
        f'<img alt="{name}" loading="lazy" src="data:image/jpeg;base64,{picture}">' if picture else "<p>not read</p>"
    )
    tone = float(columns["L"][i])
    told = escape(str(columns["reason"][i]) or "not measured")
    if np.isfinite(tone):
        red, green, blue = (round(255 * float(x)) for x in lab_to_rgb([columns[k][i] for k in ("L", "a", "b")]))
        told = f'<span class="tone" style="background:rgb({red},{green},{blue})"></span> L {tone:.0f}'
        if np.isfinite(columns["ita"][i]):
            told += f", ITA {columns['ita'][i]:.0f}°"
    marks = escape(str(columns["marks"][i]))
    return f'<li>{image}<br>{name}<br>{told}<br><span class="marks">{marks}</span></li>'


def _page(parts: list[str], found: FolderTones) -> str:
    n, finders = len(found.columns["L"]), " and ".join(found.finders) or "none"
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; style-src '
        '\'unsafe-inline\'"><meta name="robots" content="noindex"><title>What was measured</title>'
        f"<style>{STYLE}</style><h1>What was measured</h1><p>{found.measured:,} of {n:,} photographs have a tone. "
        f"Finder: {escape(finders)}. Green: the pixels that were used. The page shows people: keep it to those who may "
        "see them."
        f"</p>{''.join(parts)}</html>"
    )
