"""Files of Stata, SAS and SPSS: their columns, with the labels that the file gives to its values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.words import listed

__all__ = ["SURVEY_FILES", "read_survey"]

SURVEY_FILES = {".dta": "read_dta", ".sas7bdat": "read_sas7bdat", ".xpt": "read_xport", ".sav": "read_sav"}
SURVEY_FILES |= {".zsav": "read_sav", ".por": "read_por"}


def read_survey(path: Path, wanted: Sequence[str], na: Sequence[str] = ()) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """Read a file of Stata, SAS or SPSS.

    Parameters
    ----------
    path : Path
        The file.
    wanted : sequence of str
        Columns to read, of those that are there; all where none is named.
    na : sequence of str
        Codes that stand for a missing value, whatever the file calls them.

    Returns
    -------
    dict of arrays, list of str
        The columns, and in words what was decided.
    """
    try:
        import pyreadstat
    except ImportError:
        raise InputError(
            f"{path.suffix} files need pyreadstat.", "pip install 'fairgroups[office]', or save the table as CSV."
        ) from None
    reader = getattr(pyreadstat, SURVEY_FILES[path.suffix.lower()])
    try:
        _, about = reader(str(path), metadataonly=True)
        all_there = bool(wanted) and set(wanted) <= set(about.column_names)  # else all names are needed for the message
        some = {"usecols": list(dict.fromkeys(wanted))} if all_there and path.suffix.lower() != ".por" else {}
        columns, about = reader(str(path), output_format="dict", **some)
    except (pyreadstat.ReadstatError, OSError, ValueError) as error:
        raise InputError(
            f"cannot read {path.name!r}: {' '.join(str(error).split())[:200]}",
            "check that the file is complete, or save the table as CSV.",
        ) from error
    told: list[str] = []
    labels = about.variable_value_labels
    read = {
        name: _labelled(_without(np.asarray(values), na), name, labels.get(name, {}), told)
        for name, values in columns.items()
    }
    return read, told


def _without(values: NDArray[Any], na: Sequence[str]) -> NDArray[Any]:
    """Return values without codes that stand for nothing, and without blank texts."""
    if values.dtype.kind in "iuf":
        codes = [float(text) for text in na if text.replace(".", "", 1).lstrip("+-").isdigit()]
        return np.where(np.isin(values, codes), np.nan, values) if codes else values
    if values.dtype.kind not in "OUST":
        return values
    out = np.empty(values.shape, dtype=object)
    out[:] = [None if isinstance(x, str) and (not x.strip() or x.strip() in na) else x for x in values.tolist()]
    return out


def _labelled(values: NDArray[Any], name: str, labels: dict[Any, str], told: list[str]) -> NDArray[Any]:
    """Return values by their labels where each has one; labels of a few values are told, and change nothing."""
    if not labels:
        return values
    items = values.tolist()
    held = {x for x in items if x is not None and x == x}  # noqa: PLR0124  NaN is missing
    named = {x: str(labels[x]) for x in held if x in labels}
    if held and len(named) == len(held):
        out = np.empty(len(items), dtype=object)
        out[:] = [named.get(x) for x in items]
        few = [f"{x:g} = {text}" if isinstance(x, float) else f"{x} = {text}" for x, text in sorted(named.items())[:3]]
        told.append(f"{name}: values were read by the labels that the file gives them ({', '.join(few)}, …).")
        return out
    if named:
        few = [f"{x:g} “{text}”" if isinstance(x, float) else f"{x} “{text}”" for x, text in sorted(named.items())[:4]]
        told.append(
            f"{name}: the file calls {listed(few)}, and this was read as any other number; say --na where it stands "
            "for a missing value."
        )
    return values
