"""A folder of photographs → a table of skin tones: in parallel, and where it stopped it goes on.

Every finished picture is a line in a journal beside the table. A run that was killed reads it and does the rest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.output import check_table_path, real_path, write_table
from fairgroups.progress import progress_bar
from fairgroups.skin.file import BOX, NUMBERS, ToneOptions, stamp_of_file
from fairgroups.skin.finders import finder_of
from fairgroups.skin.images import SUFFIXES
from fairgroups.skin.journal import Journal
from fairgroups.skin.marks import MARKS
from fairgroups.skin.persons import persons_of
from fairgroups.skin.scales import monk_tone
from fairgroups.skin.workers import measured

__all__ = ["FolderTones", "measure_folder", "pictures_of", "shown"]


@dataclass(frozen=True)
class FolderTones:
    """What was measured: a row for each picture, or each face, in the order of their names.

    Attributes
    ----------
    columns : dict of arrays
        image; person, where that is known; face, its number, where every face has a row; what `Tone` holds, with the
        box as left, top, right, bottom in pixels of the file; monk, the nearest of Monk's tones; marks; and reason, why
        there is no tone.
    resumed : int
        Pictures that an earlier run had done.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.skin import FolderTones
    >>> names, reasons = np.array(["a", "b"]), np.array(["", "no"])
    >>> found = FolderTones({"image": names, "L": np.array([61, np.nan]), "reason": reasons}, 0)
    >>> found.measured, found.unread
    (1, [('b', 'no')])
    """

    columns: dict[str, NDArray[Any]]
    resumed: int

    @property
    def measured(self) -> int:
        """Count the pictures with a tone."""
        return int(np.isfinite(self.columns["L"]).sum())

    @property
    def unread(self) -> list[tuple[str, str]]:
        """List the pictures without a tone, and why."""
        pairs = zip(self.columns["image"].tolist(), self.columns["reason"].tolist(), strict=True)
        return [(name, why) for name, why in pairs if why]

    @property
    def finders(self) -> tuple[str, ...]:
        """What found the faces."""
        return tuple(sorted({str(name) for name in self.columns["finder"].tolist() if name}))

    def marks_by_tenth(self) -> list[dict[str, Any]]:
        """Return how often each mark was given, by tenth of L: dropping marked rows drops some tones more than others.

        Each is a dict: low and high, the ends of L in the tenth; n; the share with each mark that occurs, and with any.
        """
        known = np.flatnonzero(np.isfinite(self.columns["L"]))
        order = known[np.argsort(self.columns["L"][known], kind="stable")]
        marks = [set(text.split("; ")) - {""} for text in self.columns["marks"].tolist()]
        given = [mark for mark in MARKS if any(mark in marks[i] for i in order)]
        out = []
        for part in np.array_split(order, 10):
            if not part.size:
                continue
            tone = self.columns["L"][part]
            shares = {mark: float(np.mean([mark in marks[i] for i in part])) for mark in given}
            any_of_them = float(np.mean([bool(marks[i]) for i in part]))
            out.append({"low": float(tone[0]), "high": float(tone[-1]), "n": part.size, **shares, "any": any_of_them})
        return out


def measure_folder(
    folder: str | Path,
    out: str | Path | None = None,
    *,
    options: ToneOptions | None = None,
    names: Sequence[str] | None = None,
    person: str | None = None,
    workers: int | None = None,
    again: bool = False,
    verbose: bool = False,
) -> FolderTones:
    """Measure every photograph of a folder and its subfolders, or a single one.

    Parameters
    ----------
    folder : path
        Where the photographs are, or one of them.
    out : path, optional
        Write the table here (.csv or .parquet). With it a run that was stopped can be taken up again.
    options : ToneOptions, optional
        How to measure.
    names : sequence of str, optional
        Only these files of the folder.
    person : str, optional
        Who is in a picture: "folder", a list, or a pattern; see `persons_of`.
    workers : int, optional
        Processes; as many as there are cores.
    again : bool
        Forget what a stopped run had done.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    FolderTones

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from fairgroups.skin import ToneOptions, measure_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGB", (178, 218), (198, 134, 66)).save(Path(folder, "a.png"))
    ...     found = measure_folder(folder, options=ToneOptions(finder="aligned"), workers=1)
    >>> found.columns["L"].round().tolist(), found.unread
    ([61.0], [])
    """
    options = options or ToneOptions()
    root = Path(folder)
    closed: dict[str, str] = {}
    if names is None and root.is_file():
        root, names = root.parent, [root.name]
    names = pictures_of(root, closed) if names is None else sorted(names)
    _check(options, root)
    who = None if person is None else dict(zip(names, persons_of(names, person), strict=True))
    journal = (
        None if out is None else Journal(Path(out), {"folder": str(root.resolve()), **asdict(options)}, again=again)
    )
    done: dict[str, dict[str, Any]] = {}
    if journal is not None:
        check_table_path(str(out))
        known = journal.read()
        done = {
            name: known[name]
            for name in names
            if name in known and known[name]["stamp"] == stamp_of_file(root, name, options)
        }
    resumed = len(done)
    left = [name for name in names if name not in done]
    with progress_bar("measuring photographs", shown=verbose) as step:
        for name, row in measured(root, left, options, workers or os.cpu_count() or 1):
            done[name] = row
            if journal is not None:
                journal.add(name, row)
            step(len(done) / len(names))
    done |= {name: {"reason": why} for name, why in closed.items()}
    each = [(name, done[name]) for name in sorted([*names, *closed])]
    columns = _columns(each, who, every_face=options.every_face)
    if out is not None and journal is not None:
        write_table(out, columns)
        journal.remove()
    return FolderTones(columns, resumed)


def _check(options: ToneOptions, root: Path) -> None:
    if options.balance not in (None, "grey-world"):
        raise InputError(f"there is no white balance {options.balance!r}.", "use grey-world, or none.")
    if options.card_lightness is not None and not 1 < options.card_lightness < 100:
        raise InputError(f"the card's lightness must lie between 1 and 100; got {options.card_lightness}.")
    if options.card is not None and options.balance is not None:
        raise InputError("the white is balanced by a card or by the grey world, not by both.")
    if options.masks is not None and not Path(options.masks).is_dir():
        raise InputError(f"there is no folder of masks {options.masks!r}.")
    if options.masks is not None and (options.every_face or options.overlays):
        raise InputError("masks say where skin is: no face is looked for.", "leave out every face and overlays.")
    if options.overlays is not None and Path(options.overlays).is_file():
        raise InputError(f"{options.overlays!r} is a file.", "name a folder for the overlays.")
    if options.overlays is not None and real_path(options.overlays).is_relative_to(real_path(root)):
        raise InputError(
            "overlays among the photographs would replace them, or be measured like them.",
            "name a folder outside that of the photographs.",
        )
    if options.masks is None:
        finder_of(options.finder)  # type: ignore[arg-type]  # what is missing is said once, before the work


def pictures_of(root: Path, closed: dict[str, str] | None = None) -> list[str]:
    """List the photographs of a folder and its subfolders, by name; folders that were not entered go into `closed`."""
    if root.is_file():
        raise InputError(f"{str(root)!r} is a file.", "name the folder that holds the photographs.")
    if not root.is_dir():
        raise InputError(f"there is no folder {str(root)!r}.", "name the folder that holds the photographs.")

    def note(path: str | Path, why: str) -> None:
        if closed is not None:
            closed[Path(path).relative_to(root).as_posix() + "/"] = why

    found = []
    for place, folders, files in os.walk(root, onerror=lambda e: note(e.filename, "the folder cannot be read")):
        for name in folders:
            if Path(place, name).is_symlink():
                note(Path(place, name), "a link to a folder is not followed")
        pictures = (name for name in files if name.lower().endswith(SUFFIXES) and not name.startswith("."))
        found += [Path(place, name).relative_to(root).as_posix() for name in pictures]
    if not found:
        raise InputError(f"there are no photographs in {str(root)!r}.", f"they end in {', '.join(SUFFIXES)}.")
    return sorted(found)


def _columns(
    rows: list[tuple[str, dict[str, Any]]], who: dict[str, str | None] | None, *, every_face: bool
) -> dict[str, NDArray[Any]]:
    faces = [(name, one, i) for name, row in rows for i, one in enumerate([row, *row.get("more", ())], 1)]

    def gathered(key: str, empty: Any, kind: Callable[[list[Any]], NDArray[Any]]) -> NDArray[Any]:
        return kind([empty if row.get(key) is None else row[key] for _, row, _ in faces])

    numbers = {name: gathered(name, np.nan, lambda x: np.array(x, dtype=np.float64)) for name in (*NUMBERS, *BOX)}
    tones = monk_tone(np.stack([numbers[name] for name in ("L", "a", "b")], axis=-1)).astype(np.float64)
    texts = {name: gathered(name, "", lambda x: np.array(x, dtype=object)) for name in ("finder", "marks", "reason")}
    first: dict[str, NDArray[Any]] = {"image": np.array([shown(name) for name, _, _ in faces], dtype=object)}
    if who is not None:
        first["person"] = np.array([shown(who.get(name) or "") for name, _, _ in faces], dtype=object)
    if every_face:
        first["face"] = np.array([i for _, _, i in faces], dtype=np.int64)
    return {
        **first,
        **{name: numbers[name] for name in NUMBERS[:7]},
        "monk": np.where((tones > 0) & np.isfinite(numbers["ita"]), tones, np.nan),  # grey has none
        "pixels": gathered("pixels", 0, lambda x: np.array(x, dtype=np.int64)),
        "faces": gathered("faces", 0, lambda x: np.array(x, dtype=np.int64)),
        **{name: numbers[name] for name in (*NUMBERS[7:], *BOX)},
        **texts,
    }


def shown(name: str) -> str:
    """Return a file's name as text that any table can hold."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
