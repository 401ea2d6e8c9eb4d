"""Reading CelebA's lists of attributes, in both of the shapes they are handed around in, and tables of tones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import ColumnError, InputError
from fairgroups.rows.column_values import numbers

__all__ = ["TONES", "CelebA", "read_celeba", "read_tones"]

TONES = ("L", "a", "b", "ita", "hue")
FOLDERS = ("img_align_celeba/img_align_celeba", "img_align_celeba", "Img/img_align_celeba", "img_celeba", "images")
PARTS = ("train", "valid", "test")


@dataclass(frozen=True)
class CelebA:
    """CelebA's images and what is said of them.

    Attributes
    ----------
    folder : Path
        Where the images are.
    names : array of str
        Their files' names.
    attributes : dict of bool arrays
        By the attribute's name.
    part : array of str, or None
        train, valid or test, where the list of partitions is there.
    person : array of str, or None
        Who is in each, where the list of identities is there; empty for images that it does not name.

    Examples
    --------
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from fairgroups.faces import CelebA
    >>> faces = CelebA(Path("."), np.array(["1.jpg", "2.jpg"]), {"Male": np.array([True, False])}, None)
    >>> faces.chosen(~faces.attribute("male")).names.tolist()
    ['2.jpg']
    """

    folder: Path
    names: NDArray[Any]
    attributes: dict[str, NDArray[np.bool_]]
    part: NDArray[Any] | None
    person: NDArray[Any] | None = None

    def __len__(self) -> int:
        return int(self.names.size)

    def attribute(self, name: str) -> NDArray[np.bool_]:
        """Return who has an attribute; capitals and spaces in its name do not matter."""
        same = {_plain(known): known for known in self.attributes}
        if _plain(name) not in same:
            raise InputError(f"CelebA has no attribute {name!r}.", f"it has: {', '.join(self.attributes)}")
        return self.attributes[same[_plain(name)]]

    def chosen(self, which: NDArray[np.bool_]) -> CelebA:
        """Keep some of the images."""
        return CelebA(
            self.folder,
            self.names[which],
            {name: held[which] for name, held in self.attributes.items()},
            None if self.part is None else self.part[which],
            None if self.person is None else self.person[which],
        )


def read_celeba(folder: str | Path) -> CelebA:
    """Read CelebA from a folder that holds `img_align_celeba` and the lists, as .txt or .csv.

    The list of attributes is needed; those of partitions and of identities (`identity_CelebA`) are read where they are.

    Images that are listed but not there are left out, so that a part of CelebA will do.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path, PurePosixPath
    >>> from fairgroups.faces import read_celeba
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     images = Path(folder, "img_align_celeba")
    ...     images.mkdir()
    ...     (images / "000001.jpg").touch()
    ...     _ = Path(folder, "list_attr_celeba.csv").write_text("image,Attractive,Male" + chr(10) + "000001.jpg,1,-1")
    ...     faces = read_celeba(folder)
    >>> faces.attribute("Attractive").tolist(), faces.attribute("Male").tolist()
    ([True], [False])
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"there is no folder {str(root)!r}.", "name the one that holds img_align_celeba.")
    images = next((root / name for name in FOLDERS if (root / name).is_dir() and any((root / name).iterdir())), None)
    if images is None:
        raise InputError(f"there are no images in {str(root)!r}.", "they lie in its subfolder img_align_celeba.")
    path = _list(root, "list_attr_celeba")
    try:
        rows = list(_rows(path))
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name!r} is no text.", "take CelebA's own list.") from error
    (_, titles), *people = rows
    there = {path.name for path in images.iterdir()}
    kept = [(name, values) for name, values in people if name in there]
    if not kept:
        raise InputError(f"none of the {len(people):,} images that are listed is in {str(images)!r}.")
    for name, values in kept:
        if len(values) != len(titles) or not set(values) <= {"1", "-1", "0"}:
            raise InputError(
                f"the attributes of {name!r} cannot be read.", f"{len(titles)} times 1, −1 or 0 are asked."
            )
    if len({name for name, _ in kept}) < len(kept):
        twice = next(name for name, n in Counter(name for name, _ in kept).items() if n > 1)
        raise InputError(f"{twice!r} is listed more than once.", "nobody may be in two folds: keep one line of each.")
    held = np.array([values for _, values in kept]) == "1"
    names = np.array([name for name, _ in kept], dtype=object)
    return CelebA(images, names, dict(zip(titles, held.T, strict=True)), _parts(root, names), _persons(root, names))


def read_tones(
    path: str | Path, names: Sequence[str] | NDArray[Any]
) -> tuple[dict[str, NDArray[np.float64]], NDArray[Any] | None]:
    """Read L, a, b, ita and hue of images from a table of `fairgroups skin`, and what found each face.

    Parameters
    ----------
    path : path
        The table.
    names : sequence of str
        The images.

    Returns
    -------
    tones, NaN where the table does not have one, and finders, where it says them
    """
    from fairgroups.skin.folder import shown
    from fairgroups.sources.source import Source, read_columns

    try:
        columns, _ = read_columns(Source(path), ["image", *TONES, "finder"], text=["image"])
    except ColumnError:
        columns, _ = read_columns(Source(path), ["image", *TONES], text=["image"])
    listed = [str(name) for name in columns["image"].tolist()]
    if len(set(listed)) < len(listed):
        twice = next(name for name, n in Counter(listed).items() if n > 1)
        raise InputError(f"{Path(path).name!r} holds the image {twice!r} more than once.", "keep one row of each.")
    at = {name: i for i, name in enumerate(listed)}
    bare = Counter(PurePosixPath(name).name for name in listed)
    alone = {PurePosixPath(name).name: i for name, i in at.items() if bare[PurePosixPath(name).name] == 1}
    asked = Counter(PurePosixPath(str(name)).name for name in names)
    place = np.empty(len(names), dtype=np.intp)
    for i, name in enumerate(shown(str(name)) for name in names):
        found = at.get(name)
        if found is None and asked[PurePosixPath(name).name] == 1:  # in another folder, and no doubt which
            found = alone.get(PurePosixPath(name).name)
        place[i] = -1 if found is None else found
    if (place < 0).all():
        raise InputError(
            f"{Path(path).name!r} holds none of these images.", "its column 'image' must hold their names."
        )
    at_row = np.maximum(place, 0)
    tones = {tone: np.where(place >= 0, numbers(columns[tone], tone)[at_row], np.nan) for tone in TONES}
    if "finder" not in columns:
        return tones, None
    finder = np.array(["" if one is None else str(one) for one in np.ma.filled(columns["finder"], None).tolist()])
    return tones, np.where(place >= 0, finder[at_row], "").astype(object)


def _list(root: Path, stem: str) -> Path:
    for place in (root, root / "Anno", root / "Eval"):
        for suffix in (".txt", ".csv"):
            if (path := place / f"{stem}{suffix}").is_file():
                return path
    raise InputError(f"there is no {stem}.txt or {stem}.csv in {str(root)!r}.", "it comes with CelebA.")


def _rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Return the titles, then each image's name and values."""
    with path.open(encoding="utf-8-sig") as file:
        lines = (line for line in file if line.strip())
        first = next(lines, "")
        if path.suffix == ".csv":
            name, *titles = [part.strip() for part in first.split(",")]
        else:
            name, titles = "", (next(lines, "") if first.strip().isdigit() else first).split()
        yield name, titles
        for line in lines:
            image, *values = (part.strip() for part in line.split("," if path.suffix == ".csv" else None))
            yield image, values


def _parts(root: Path, names: NDArray[Any]) -> NDArray[Any] | None:
    try:
        path = _list(root, "list_eval_partition")
    except InputError:
        return None
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        pairs = [line.replace(",", " ").split() for line in file if line.strip()]
    known = {pair[0]: PARTS[int(pair[1])] for pair in pairs if len(pair) == 2 and pair[1] in ("0", "1", "2")}
    return np.array([known.get(name, "") for name in names.tolist()], dtype=object)


def _persons(root: Path, names: NDArray[Any]) -> NDArray[Any] | None:
    from fairgroups.skin.persons import read_persons

    try:
        path = _list(root, "identity_CelebA")
    except InputError:
        return None
    known = read_persons(path)
    return np.array([known.get(name, "") for name in names.tolist()], dtype=object)


def _plain(name: str) -> str:
    return name.lower().replace(" ", "_").replace("-", "_")
