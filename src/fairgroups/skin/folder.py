"""A folder of photographs → a table of skin tones: in parallel, and where it stopped it goes on.

Every finished picture is a line in a journal beside the table. A run that was killed reads it and does the rest.
"""

from __future__ import annotations

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
from fairgroups.output import check_table_path, write_table
from fairgroups.progress import progress_bar
from fairgroups.skin.balance import grey_card, grey_world
from fairgroups.skin.finders import AlignedFinder, FaceFinder, finder_of
from fairgroups.skin.images import SUFFIXES, ImageError, open_scaled
from fairgroups.skin.journal import Journal
from fairgroups.skin.photo import Tone, skin_tone
from fairgroups.skin.scales import monk_tone

__all__ = ["FolderTones", "ToneOptions", "measure_folder", "pictures_of", "shown"]

NUMBERS = ("L", "a", "b", "ita", "hue", "L_spread", "hue_spread")
DIED = "the process that measured it died"
_finder: FaceFinder | None = None  # each worker's own


@dataclass(frozen=True)
class ToneOptions:
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
    >>> from fairgroups.skin import ToneOptions
    >>> ToneOptions(finder="aligned", card=(20, 20, 60, 60), card_lightness=49.5).finder
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
        """List the pictures that could not be read, and why."""
        pairs = zip(self.columns["image"].tolist(), self.columns["reason"].tolist(), strict=True)
        return [(name, why) for name, why in pairs if why]


def measure_folder(
    folder: str | Path,
    out: str | Path | None = None,
    *,
    options: ToneOptions | None = None,
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
    options : ToneOptions, optional
        How to measure.
    names : sequence of str, optional
        Only these files of the folder.
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
    names = pictures_of(root, closed) if names is None else sorted(names)
    _check(options)
    journal = (
        None if out is None else Journal(Path(out), {"folder": str(root.resolve()), **asdict(options)}, again=again)
    )
    done: dict[str, dict[str, Any]] = {}
    if journal is not None:
        check_table_path(str(out))
        known = journal.read()
        done = {
            name: known[name] for name in names if name in known and known[name]["stamp"] == _stamp(root, name, options)
        }
    resumed = len(done)
    left = [name for name in names if name not in done]
    with progress_bar("measuring photographs", shown=verbose) as step:
        for name, row in _measured(root, left, options, workers or os.cpu_count() or 1):
            done[name] = row
            if journal is not None:
                journal.add(name, row)
            step(len(done) / len(names))
    done |= {name: {"reason": why} for name, why in closed.items()}
    columns = _columns([(name, done[name]) for name in sorted([*names, *closed])])
    if out is not None and journal is not None:
        write_table(out, columns)
        journal.remove()
    return FolderTones(columns, resumed)


def measure_file(root: Path, name: str, options: ToneOptions, finder: FaceFinder) -> dict[str, Any]:
    """Measure one photograph; whatever is wrong with it becomes a reason."""
    row: dict[str, Any] = {"stamp": _stamp(root, name, options)}
    try:
        rgb, size = open_scaled(root / name)
        if options.card is not None:  # given in pixels of the file, which was made smaller
            box = [round(end * rgb.shape[1] / size[0]) for end in options.card]
            rgb = grey_card(rgb, box, lightness=options.card_lightness)
        elif options.balance == "grey-world":
            rgb = grey_world(rgb)
        mask = None if options.masks is None else _mask_of(Path(options.masks), name, size, rgb.shape[:2])
        tone = skin_tone(rgb, mask=mask, finder=finder)
    except InputError as error:
        return row | {"reason": error.fact}
    except Exception as error:  # noqa: BLE001  one bad picture must not stop the others
        return row | {"reason": f"{type(error).__name__}: {error}"}
    return row | _plain(tone)


def _plain(tone: Tone) -> dict[str, Any]:
    row = {name: value if np.isfinite(value) else None for name in NUMBERS for value in [getattr(tone, name)]}
    return row | {"pixels": tone.pixels, "faces": tone.faces, "flags": "; ".join(tone.flags)}


def _check(options: ToneOptions) -> None:
    if options.balance not in (None, "grey-world"):
        raise InputError(f"there is no white balance {options.balance!r}.", "use grey-world, or none.")
    if options.card_lightness is not None and not 1 < options.card_lightness < 100:
        raise InputError(f"the card's lightness must lie between 1 and 100; got {options.card_lightness}.")
    if options.card is not None and options.balance is not None:
        raise InputError("the white is balanced by a card or by the grey world, not by both.")
    if options.masks is not None and not Path(options.masks).is_dir():
        raise InputError(f"there is no folder of masks {options.masks!r}.")
    if options.masks is None:
        finder_of(options.finder)  # type: ignore[arg-type]  # what is missing is said once, before the work


def pictures_of(root: Path, closed: dict[str, str] | None = None) -> list[str]:
    """List the photographs of a folder and its subfolders, by name; folders that were not entered go into `closed`."""
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


def _stamp(root: Path, name: str, options: ToneOptions) -> list[int]:
    """Tell a file from another of the same name, and its mask."""
    mask = None if options.masks is None else _mask_path(Path(options.masks), name)
    stamp = []
    for path in [root / name] if mask is None else [root / name, mask]:
        try:
            about = path.stat()
            stamp += [about.st_size, about.st_mtime_ns]
        except OSError:
            stamp += [0, 0]
    return stamp


def _mask_path(folder: Path, name: str) -> Path | None:
    stem = folder / Path(name).with_suffix("")
    places = (stem.with_name(stem.name + suffix) for suffix in (Path(name).suffix, ".png", *SUFFIXES))
    return next((path for path in places if path.is_file()), None)


def _mask_of(folder: Path, name: str, size: tuple[int, int], shape: tuple[int, ...]) -> NDArray[np.uint8]:
    from PIL import Image

    path = _mask_path(folder, name)
    if path is None:
        raise ImageError(f"there is no mask {Path(name).stem!r}")
    pixels, its_size = open_scaled(path)
    if its_size != size:
        raise ImageError(f"its mask has {its_size[0]} × {its_size[1]} pixels, not {size[0]} × {size[1]}")
    mask = pixels.max(axis=-1)
    marked = Image.fromarray(np.where(mask > (127 if mask.max(initial=0) > 1 else 0), 255, 0).astype(np.uint8))
    # The photograph was perhaps made smaller in another way.
    return np.asarray(marked.resize((shape[1], shape[0]), Image.Resampling.NEAREST))


def _measured(root: Path, names: list[str], options: ToneOptions, workers: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure in parallel; pictures that kill a process are tried once more, each alone."""
    suspects: list[str] = []
    waiting = deque(names)
    while waiting:
        running: dict[Future[dict[str, Any]], str] = {}
        try:
            with _pool(options, min(workers, len(names))) as pool:
                _check_pool(pool)
                while waiting or running:
                    while waiting and len(running) < 8 * workers:
                        running[pool.submit(_in_worker, str(root), waiting[0])] = waiting[0]
                        waiting.popleft()
                    yield from _finished(running)
        except BrokenProcessPool:
            if not running:
                raise
            suspects += running.values()
    for name in suspects:
        with _pool(options, 1) as pool:
            try:
                yield name, pool.submit(_in_worker, str(root), name).result()
            except BrokenProcessPool:
                yield name, {"stamp": _stamp(root, name, options), "reason": DIED}


def _finished(running: dict[Future[dict[str, Any]], str]) -> Iterator[tuple[str, dict[str, Any]]]:
    ready, _ = wait(running, return_when=FIRST_COMPLETED)
    for one in ready:
        row = one.result()  # before it is taken off: a dead process leaves it among the suspects
        yield running.pop(one), row


def _check_pool(pool: ProcessPoolExecutor) -> None:
    """Tell processes that cannot start from pictures that end them."""
    try:
        pool.submit(_ready).result()
    except BrokenProcessPool as error:
        raise InputError(
            "the processes that measure cannot start.",
            'in a script, put the call under `if __name__ == "__main__":`; in a shell use `fairgroups skin`.',
        ) from error


def _ready() -> bool:
    return True


def _pool(options: ToneOptions, workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")  # what the parent holds open must not be shared
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_start, initargs=(options,))


def _start(options: ToneOptions) -> None:
    global _finder, _options  # noqa: PLW0603  a worker is one process
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    _options = options
    _finder = None if options.masks is not None else finder_of(options.finder)  # type: ignore[arg-type]


_options = ToneOptions()


def _in_worker(root: str, name: str) -> dict[str, Any]:
    return measure_file(Path(root), name, _options, _finder or AlignedFinder())  # with masks none is asked


def _columns(rows: list[tuple[str, dict[str, Any]]]) -> dict[str, NDArray[Any]]:
    def gathered(key: str, empty: Any, kind: Callable[[list[Any]], NDArray[Any]]) -> NDArray[Any]:
        return kind([empty if row.get(key) is None else row[key] for _, row in rows])

    numbers = {name: gathered(name, np.nan, lambda x: np.array(x, dtype=np.float64)) for name in NUMBERS}
    tones = monk_tone(np.stack([numbers[name] for name in ("L", "a", "b")], axis=-1)).astype(np.float64)
    texts = {name: gathered(name, "", lambda x: np.array(x, dtype=object)) for name in ("flags", "reason")}
    return {
        "image": np.array([shown(name) for name, _ in rows], dtype=object),
        **numbers,
        "monk": np.where((tones > 0) & np.isfinite(numbers["ita"]), tones, np.nan),  # grey has none
        "pixels": gathered("pixels", 0, lambda x: np.array(x, dtype=np.int64)),
        "faces": gathered("faces", 0, lambda x: np.array(x, dtype=np.int64)),
        **texts,
    }


def shown(name: str) -> str:
    """Return a file's name as text that any table can hold."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
