"""What the protocol is run with, and the folder where it keeps what it has done."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fairgroups.errors import InputError, SchemaError
from fairgroups.output import write_atomically

__all__ = ["Settings", "read_settings", "write_settings"]

FILE = "protocol.json"


@dataclass(frozen=True)
class Settings:
    """The protocol's numbers; the paper's where it gives them.

    Attributes
    ----------
    target : str
        The attribute to predict.
    folds, bins : int
        Folds, each with the same share of every one of so many equally large bins of L.
    epochs, batch : int
        Passes over the images, and images at a time.
    size : int
        Height and width that images are brought to.
    learning_rate : float
        Adam's.
    seed : int
        For folds, weights and the order of images.

    Examples
    --------
    >>> from fairgroups.faces import Settings
    >>> Settings(epochs=1).batch
    64
    """

    target: str = "Attractive"
    folds: int = 5
    bins: int = 10
    epochs: int = 5
    batch: int = 64
    size: int = 224
    learning_rate: float = 1e-4
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("folds", 2), ("bins", 1), ("epochs", 1), ("batch", 2), ("size", 32), ("seed", 0)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}; got {getattr(self, name)}.")
        if not 0 < self.learning_rate < 1:
            raise InputError(f"the learning rate must lie between 0 and 1; got {self.learning_rate}.")


def write_settings(work: Path, settings: Settings, more: dict[str, Any]) -> None:
    """Note in the folder what is run in it; a folder of another run is refused."""
    wanted = {"schema": "fairgroups/faces", "schema_version": 1, **asdict(settings), **more}
    if (work / FILE).exists():
        known = _document(work)
        other = sorted(key for key in wanted.keys() | known.keys() if wanted.get(key) != known.get(key))
        if other:
            raise InputError(
                f"{str(work)!r} holds a run with other settings: {', '.join(other)}.",
                "go on with the same ones, or use an empty folder.",
            )
        return
    write_atomically(work / FILE, json.dumps(wanted, indent=1, ensure_ascii=False) + "\n")


def read_settings(work: Path) -> Settings:
    """Read what a folder's models were trained with."""
    known = _document(work)
    try:
        return Settings(**{name: known[name] for name in asdict(Settings())})
    except (KeyError, TypeError) as error:
        raise SchemaError(f"{FILE!r} in {str(work)!r} is damaged.", "train again.") from error


def _document(work: Path) -> dict[str, Any]:
    path = work / FILE
    if not path.is_file():
        raise InputError(f"there is no {FILE!r} in {str(work)!r}.", "name the folder that `faces train` worked in.")
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SchemaError(f"{FILE!r} in {str(work)!r} is damaged.", "train again.") from error
    if not isinstance(known, dict) or known.get("schema") != "fairgroups/faces" or known.get("schema_version") != 1:
        raise SchemaError(f"{FILE!r} in {str(work)!r} is not one of ours, or newer than this version.")
    return known
