"""The person, not the photograph: who is in a picture, how well it tells their tone, and a person's tone."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.evidence.reliability import Reliability, reliability_of
from fairgroups.rows.column_values import numbers, one_column
from fairgroups.rows.labels import label_codes
from fairgroups.skin.colour import hue_angle, ita
from fairgroups.sources.frames import build_table, read_table

__all__ = ["Reliability", "person_tones", "persons_of", "read_persons", "reliability"]

Array = NDArray[np.float64]


def reliability(table: Any, person: str = "person", value: str = "L", *, level: float = 0.95) -> Reliability:
    """Return how well one photograph tells people apart by their tone.

    Parameters
    ----------
    table : frame or mapping
        A row for each photograph, such as `fairgroups skin` writes.
    person : str
        The column that says who is in it.
    value : str
        The column of the tone: L, ita, hue, or any number.
    level : float
        How often the interval is to hold.

    Returns
    -------
    Reliability

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import skin
    >>> rng = np.random.default_rng(0)
    >>> who = np.repeat(np.arange(500), 10)
    >>> photos = {"person": who, "L": rng.normal(65, 4.8, 500)[who] + rng.normal(0, 8.9, 5000)}
    >>> found = skin.reliability(photos)
    >>> round(found.value, 1), round(found.within), found.needed(0.8)
    (0.2, 9, 13)
    """
    columns = read_table(table, [person, value]).columns
    tone, who = numbers(one_column(columns[value]), value), label_codes(one_column(columns[person]))
    known = np.isfinite(tone) & np.isfinite(who)
    if not known.any():
        raise InputError(f"no row has both {person!r} and {value!r}.", "check the columns.")
    return reliability_of(tone[known], who[known].astype(np.intp), level)


def person_tones(table: Any, person: str = "person") -> Any:
    """Return the tone of each person: the mean over their photographs, with its error.

    ITA and hue are those of the mean colour. The error is the standard deviation of a photograph, the same for
    everybody, over the root of how many there are: `audit(…, error="L_error")` takes it out of differences.

    Parameters
    ----------
    table : frame or mapping
        A row for each photograph, with L, a and b.
    person : str
        The column that says who is in it.

    Returns
    -------
    table in the caller's library
        person, photographs, L, a, b, ita, hue, L_error.

    Examples
    --------
    >>> from fairgroups import skin
    >>> photos = {"person": ["x", "x", "y", "y"], "L": [60, 62, 40, 44], "a": [10] * 4, "b": [20] * 4}
    >>> skin.person_tones(photos)["L"]
    [61.0, 42.0]
    """
    read = read_table(table, [person, "L", "a", "b"])
    tones = {name: numbers(one_column(read.columns[name]), name) for name in ("L", "a", "b")}
    labels = one_column(read.columns[person])
    who = label_codes(labels)
    known = np.isfinite(who) & np.logical_and.reduce([np.isfinite(x) for x in tones.values()])
    if not known.any():
        raise InputError(
            f"no row has {person!r}, L, a and b.",
            "check the columns; where folders say who is in a picture, each person's lie in a folder of their own.",
        )
    used, first, code = np.unique(who[known], return_index=True, return_inverse=True)
    n = np.bincount(code)
    mean = {name: np.bincount(code, x[known]) / n for name, x in tones.items()}
    inside = np.bincount(code, (tones["L"][known] - mean["L"][code]) ** 2)
    spread = np.sqrt(inside.sum() / max(int(n.sum()) - used.size, 1)) if n.max() > 1 else float("nan")
    named = np.asarray(labels)[known][first]
    rows = [
        {
            "person": named[i].item() if hasattr(named[i], "item") else named[i],
            "photographs": int(n[i]),
            **{name: float(x[i]) for name, x in mean.items()},
            "ita": float(ita(mean["L"][i], mean["b"][i])),
            "hue": float(hue_angle(mean["a"][i], mean["b"][i], signed=True)),
            "L_error": float(spread / np.sqrt(n[i])),
        }
        for i in range(used.size)
    ]
    return build_table(rows, read.library)


def persons_of(names: Sequence[str], how: str) -> list[str | None]:
    """Say who is in each picture, by its name.

    Parameters
    ----------
    names : sequence of str
        Paths below the folder of photographs.
    how : str
        "folder": the folder that a picture lies in. A path to a list (.txt, .csv, .tsv): a picture and a person in each
        line, as CelebA's identity list has them. Else a regular expression with one group, searched in the path.

    Returns
    -------
    list of str or None

    Examples
    --------
    >>> from fairgroups.skin import persons_of
    >>> persons_of(["ann/1.jpg", "ann/2.jpg", "bob_1.jpg"], "folder")
    ['ann', 'ann', None]
    >>> persons_of(["ann_1.jpg", "bob_1.jpg"], "^([^_]+)_")
    ['ann', 'bob']
    """
    if how == "folder":
        found = [str(PurePosixPath(name).parent) for name in names]
        return [None if folder == "." else folder for folder in found]
    path = Path(how)
    if path.suffix.lower() in (".txt", ".csv", ".tsv"):
        known = read_persons(path)
        alone = {PurePosixPath(name).name: who for name, who in known.items()}
        out = [known.get(name, alone.get(PurePosixPath(name).name)) for name in names]
        if not any(who is not None for who in out):
            raise InputError(
                f"{path.name!r} lists none of these pictures.",
                "each line names a picture and a person: 000001.jpg 2880",
            )
        return out
    return _by_pattern(names, how)


def _by_pattern(names: Sequence[str], how: str) -> list[str | None]:
    try:
        pattern = re.compile(how)
    except re.error as error:
        raise InputError(
            f"{how!r} is no regular expression: {error}.",
            "use folder, a list (.csv, .txt), or a pattern such as '^(n\\\\d+)'.",
        ) from error
    if pattern.groups != 1:
        raise InputError(
            f"the pattern {how!r} has {pattern.groups} groups; one must hold the person.",
            "put round brackets about what names a person: '^([^_]+)_'.",
        )
    matches = [pattern.search(name) for name in names]
    if not any(matches):
        raise InputError(f"the pattern {how!r} is found in no picture's name.", f"the first is {names[0]!r}.")
    return [None if match is None else match.group(1) for match in matches]


def read_persons(path: str | Path) -> dict[str, str]:
    """Read a list of pictures and persons, with or without a heading; columns by commas, tabs or spaces."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no list {str(file)!r}.", "name a file with a picture and a person in each line.")
    try:
        lines = [line for line in file.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name!r} is no text.", "a picture and a person in each line.") from error
    if lines and lines[0].strip().isdigit():  # CelebA's lists begin with the number of pictures
        lines = lines[1:]
    rows = list(csv.reader(lines, delimiter="\t")) if lines and "\t" in lines[0] else list(csv.reader(lines))
    if rows and len(rows[0]) < 2:
        rows = [line.split() for line in lines]
    if not rows or any(len(row) < 2 for row in rows):
        raise InputError(f"{file.name!r} must have a picture and a person in each line.", "000001.jpg,2880")
    place = _columns(rows[0])
    pairs = [(row[place[0]].strip(), row[place[1]].strip()) for row in (rows[1:] if place[2] else rows)]
    known: dict[str, str] = {}
    for name, who in pairs:
        if known.setdefault(name, who) != who:
            raise InputError(
                f"{file.name!r} says twice who is in {name!r}, and not the same.", "keep one line of each."
            )
    return {name: who for name, who in known.items() if who}


def _columns(first: Sequence[str]) -> tuple[int, int, bool]:
    """Return where picture and person are, and whether the first line is a heading."""
    titles = [title.strip().lower() for title in first]
    image = next(
        (i for i, t in enumerate(titles) if t in ("image", "image_id", "file", "filename", "name", "picture")), None
    )
    person = next(
        (i for i, t in enumerate(titles) if t in ("person", "identity", "person_id", "subject", "id", "who")), None
    )
    if image is None and person is None:
        return 0, 1, False
    image = image if image is not None else next(i for i in range(len(titles)) if i != person)
    return image, person if person is not None else next(i for i in range(len(titles)) if i != image), True
