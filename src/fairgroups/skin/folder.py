"""A folder of photographs → a table of skin tones: in parallel, and where it stopped it goes on.

Every finished picture is a line in a journal beside the table. A run that was killed reads it and does the rest.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.progress import progress_bar
from fairgroups.skin.balance import grey_card, grey_world
from fairgroups.skin.finders import AlignedFinder, FaceFinder, finder_of
from fairgroups.skin.images import SUFFIXES, ImageError, open_image
from fairgroups.skin.photo import Tone, skin_tone
from fairgroups.skin.scales import monk_tone
from fairgroups.table_files import check_table_path, write_table

__all__ = ["FolderTones", "Wishes", "measure_folder", "pictures_of"]

NUMBERS = ("L", "a", "b", "ita", "hue", "L_spread", "hue_spread")
DIED = "the process that measured it died"
_finder: FaceFinder | None = None  # each worker's own


@dataclass(frozen=True)
class Wishes:
    """How photographs are measured.

    Attributes
    ----------
    finder : str
        auto, mesh, cascade or aligned.
    balance : str or None
        grey-world, or None: colours as they are.
    card : tuple of four ints, optional
        A neutral card, in the same place in every picture: left, top, right, bottom.
    card_lightness : float, optional
        Its L*.
    masks : str, optional
        A folder of masks, named as the photographs are, with any suffix.

    Examples
    --------
    >>> from fairgroups.skin import Wishes
    >>> Wishes(finder="aligned", card=(20, 20, 60, 60), card_lightness=49.5).finder
    'aligned'
    """

    finder: str = "auto"
    balance: str | None = None
    card: tuple[int, int, int, int] | None = None
    card_lightness: float | None = None
    masks: str | None = None


@dataclass(frozen=True)
class FolderTones:
    """What was measured: a row for each picture, in the order of their names.

    Attributes
    ----------
    columns : dict of arrays
        image, L, a, b, ita, hue, L_spread, hue_spread, monk, pixels, faces, flags, reason.
    resumed : int
        Rows that an earlier run had done.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from fairgroups.skin import Wishes, measure_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGB", (178, 218), (198, 134, 66)).save(Path(folder, "a.png"))
    ...     found = measure_folder(folder, wishes=Wishes(finder="aligned"), workers=1)
    >>> found.columns["L"].round().tolist(), found.unread
    ([61.0], [])
    """

    columns: dict[str, NDArray[Any]]
    resumed: int

    @property
    def measured(self) -> int:
        """Count the pictures with a tone."""
        return int(np.isfinite(self.columns["L"]).sum())

    @property
    def unread(self) -> list[tuple[str, str]]:
        """List the pictures that could not be read, and why."""
        pairs = zip(self.columns["image"].tolist(), self.columns["reason"].tolist(), strict=True)
        return [(name, why) for name, why in pairs if why]


def measure_folder(
    folder: str | Path,
    out: str | Path | None = None,
    *,
    wishes: Wishes | None = None,
    names: Sequence[str] | None = None,
    workers: int | None = None,
    again: bool = False,
    verbose: bool = False,
) -> FolderTones:
    """Measure every photograph of a folder and its subfolders.

    Parameters
    ----------
    folder : path
        Where the photographs are.
    out : path, optional
        Write the table here (.csv or .parquet). With it a run that was stopped can be taken up again.
    wishes : Wishes, optional
        How to measure.
    names : sequence of str, optional
        Only these files of the folder.
    workers : int, optional
        Processes; as many as there are cores.
    again : bool
        Forget what a stopped run had done.
    verbose : bool
        Show a progress bar.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from fairgroups.skin import Wishes, measure_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGB", (178, 218), (198, 134, 66)).save(Path(folder, "a.png"))
    ...     found = measure_folder(folder, wishes=Wishes(finder="aligned"), workers=1)
    >>> found.columns["L"].round().tolist(), found.unread
    ([61.0], [])
    """
    wishes = wishes or Wishes()
    root = Path(folder)
    names = pictures_of(root) if names is None else sorted(names)
    _check(wishes)
    journal = None if out is None else Journal(Path(out), wishes, again=again)
    done: dict[str, dict[str, Any]] = {}
    if journal is not None:
        check_table_path(str(out))
        known = journal.read()
        done = {name: known[name] for name in names if name in known and known[name]["stamp"] == _stamp(root / name)}
    resumed = len(done)
    left = [name for name in names if name not in done]
    with progress_bar("measuring photographs", shown=verbose) as step:
        for name, row in _measured(root, left, wishes, workers or os.cpu_count() or 1):
            done[name] = row
            if journal is not None:
                journal.add(name, row)
            step(len(done) / len(names))
    columns = _columns([(name, done[name]) for name in names])
    if out is not None and journal is not None:
        write_table(out, columns)
        journal.remove()
    return FolderTones(columns, resumed)


class Journal:
    """What is done so far, a line of JSON for each picture, after one that says how they are measured."""

    def __init__(self, out: Path, wishes: Wishes, *, again: bool) -> None:
        self.path = out.with_name(f".{out.name}.journal")
        self.head = json.dumps({"fairgroups skin": 1, **asdict(wishes)}, sort_keys=True)
        if again:
            self.remove()

    def read(self) -> dict[str, dict[str, Any]]:
        """Give what an earlier run had done; a line that was cut off is left out."""
        if not self.path.exists():
            return {}
        whole = self.path.read_text(encoding="utf-8", errors="replace")
        first, *lines = whole[: whole.rfind("\n") + 1].splitlines() or [""]
        if first and first != self.head:
            raise InputError(
                f"an earlier run that was stopped measured otherwise ({self.path.name}).",
                "run it with the same options, or start over: again=True (--again on the command line).",
            )
        found = {}
        for line in lines:
            try:
                row = json.loads(line)
                found[row.pop("image")] = row
            except (ValueError, KeyError, AttributeError):
                continue
        # What was cut off must not be glued to the next line.
        self.path.write_text("".join(f"{line}\n" for line in [first, *lines] if line), encoding="utf-8")
        return found

    def add(self, name: str, row: dict[str, Any]) -> None:
        """Add a picture."""
        new = not self.path.exists() or not self.path.stat().st_size
        with self.path.open("a", encoding="utf-8") as file:
            if new:
                file.write(self.head + "\n")
            file.write(json.dumps({"image": name, **row}) + "\n")

    def remove(self) -> None:
        """Forget it."""
        self.path.unlink(missing_ok=True)


def measure_file(path: Path, name: str, wishes: Wishes, finder: FaceFinder) -> dict[str, Any]:
    """Measure one photograph; whatever is wrong with it becomes a reason."""
    row: dict[str, Any] = {"stamp": _stamp(path)}
    try:
        rgb = open_image(path)
        if wishes.card is not None:
            rgb = grey_card(rgb, wishes.card, lightness=wishes.card_lightness)
        elif wishes.balance == "grey-world":
            rgb = grey_world(rgb)
        mask = None if wishes.masks is None else _mask_of(Path(wishes.masks), name, rgb.shape[:2])
        tone = skin_tone(rgb, mask=mask, finder=finder)
    except InputError as error:
        return row | {"reason": error.fact}
    except Exception as error:  # noqa: BLE001  one bad picture must not stop the others
        return row | {"reason": f"{type(error).__name__}: {error}"}
    return row | _plain(tone)


def _plain(tone: Tone) -> dict[str, Any]:
    row = {name: value if np.isfinite(value) else None for name in NUMBERS for value in [getattr(tone, name)]}
    return row | {"pixels": tone.pixels, "faces": tone.faces, "flags": "; ".join(tone.flags)}


def _check(wishes: Wishes) -> None:
    if wishes.balance not in (None, "grey-world"):
        raise InputError(f"there is no white balance {wishes.balance!r}.", "use grey-world, or none.")
    if wishes.card is not None and wishes.balance is not None:
        raise InputError("the white is balanced by a card or by the grey world, not by both.")
    if wishes.masks is not None and not Path(wishes.masks).is_dir():
        raise InputError(f"there is no folder of masks {wishes.masks!r}.")
    if wishes.masks is None:
        finder_of(wishes.finder)  # type: ignore[arg-type]  # what is missing is said once, before the work


def pictures_of(root: Path) -> list[str]:
    """List the photographs of a folder and its subfolders, by name."""
    if not root.is_dir():
        raise InputError(f"there is no folder {str(root)!r}.", "name the folder that holds the photographs.")
    found = [
        Path(place, name).relative_to(root).as_posix()
        for place, _, files in os.walk(root)
        for name in files
        if name.lower().endswith(SUFFIXES) and not name.startswith(".")
    ]
    if not found:
        raise InputError(f"there are no photographs in {str(root)!r}.", f"they end in {', '.join(SUFFIXES)}.")
    return sorted(found)


def _stamp(path: Path) -> list[int]:
    try:
        about = path.stat()
    except OSError:
        return [0, 0]
    return [about.st_size, about.st_mtime_ns]


def _mask_of(folder: Path, name: str, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    stem = folder / Path(name).with_suffix("")
    for suffix in (Path(name).suffix, ".png", *SUFFIXES):
        if (path := stem.with_name(stem.name + suffix)).is_file():
            mask = open_image(path).max(axis=-1)
            if mask.shape != shape:
                raise ImageError(f"its mask has {mask.shape[1]} × {mask.shape[0]} pixels, not {shape[1]} × {shape[0]}")
            return np.where(mask > 127, 255, 0).astype(np.uint8)
    raise ImageError(f"there is no mask {stem.name!r}")


def _measured(root: Path, names: list[str], wishes: Wishes, workers: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure in parallel; pictures that kill a process are tried once more, each alone."""
    suspects: list[str] = []
    waiting = deque(names)
    while waiting:
        running: dict[Future[dict[str, Any]], str] = {}
        try:
            with _pool(wishes, min(workers, len(names))) as pool:
                while waiting or running:
                    while waiting and len(running) < 8 * workers:
                        running[pool.submit(_in_worker, str(root / waiting[0]), waiting[0])] = waiting[0]
                        waiting.popleft()
                    yield from _finished(running)
        except BrokenProcessPool:
            if not running:
                raise
            suspects += running.values()
    for name in suspects:
        with _pool(wishes, 1) as pool:
            try:
                yield name, pool.submit(_in_worker, str(root / name), name).result()
            except BrokenProcessPool:
                yield name, {"stamp": _stamp(root / name), "reason": DIED}


def _finished(running: dict[Future[dict[str, Any]], str]) -> Iterator[tuple[str, dict[str, Any]]]:
    ready, _ = wait(running, return_when=FIRST_COMPLETED)
    for one in ready:
        row = one.result()  # before it is taken off: a dead process leaves it among the suspects
        yield running.pop(one), row


def _pool(wishes: Wishes, workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")  # what the parent holds open must not be shared
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_start, initargs=(wishes,))


def _start(wishes: Wishes) -> None:
    global _finder, _wishes  # noqa: PLW0603  a worker is one process
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    _wishes = wishes
    _finder = None if wishes.masks is not None else finder_of(wishes.finder)  # type: ignore[arg-type]


_wishes = Wishes()


def _in_worker(path: str, name: str) -> dict[str, Any]:
    return measure_file(Path(path), name, _wishes, _finder or AlignedFinder())  # with masks none is asked


def _columns(rows: list[tuple[str, dict[str, Any]]]) -> dict[str, NDArray[Any]]:
    def gathered(key: str, empty: Any, kind: Callable[[list[Any]], NDArray[Any]]) -> NDArray[Any]:
        return kind([empty if row.get(key) is None else row[key] for _, row in rows])

    numbers = {name: gathered(name, np.nan, lambda x: np.array(x, dtype=np.float64)) for name in NUMBERS}
    tones = monk_tone(np.stack([numbers[name] for name in ("L", "a", "b")], axis=-1)).astype(np.float64)
    texts = {name: gathered(name, "", lambda x: np.array(x, dtype=object)) for name in ("flags", "reason")}
    return {
        "image": np.array([_shown(name) for name, _ in rows], dtype=object),
        **numbers,
        "monk": np.where(tones > 0, tones, np.nan),
        "pixels": gathered("pixels", 0, lambda x: np.array(x, dtype=np.int64)),
        "faces": gathered("faces", 0, lambda x: np.array(x, dtype=np.int64)),
        **texts,
    }


def _shown(name: str) -> str:
    """Give a file's name as text that any table can hold."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
