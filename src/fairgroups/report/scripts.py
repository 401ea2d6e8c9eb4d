"""Scripts and data of a page: inlined, named by their hashes so that nothing else may run, and no request leaves."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from importlib.resources import files
from typing import Any

import numpy as np

from fairgroups.words import clean

__all__ = ["data_script", "scripts"]

DIGITS = 6  # of numbers in a page
EXACT = 17  # of sums, whose differences are taken, and of the ends of ranges


def scripts(*, explorer: bool, frames: bool) -> tuple[list[str], str]:
    """Return the scripts of a page, and what its policy must say to let them, and only them, run."""
    names = [
        *(["band.js", "draw.js", "save.js", "explorer.js"] if explorer else []),
        *(["frames.js"] if frames else []),
    ]
    every = [files("fairgroups.report").joinpath("assets/scripts", name).read_text(encoding="utf-8") for name in names]
    if any("</script" in text.lower() or "<!--" in text for text in every):
        raise RuntimeError("a script would end its own tag.")
    every = [f"\n{text}\n" for text in every]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in every]
    return every, " ".join(f"'sha256-{one}'" for one in hashes)


def data_script(data: Any, digits: int = DIGITS) -> str:
    """Write data as JSON that may stand inside a script tag: no angle bracket, no ampersand, no odd line end.

    Parameters
    ----------
    data : plain data
        What to write.
    digits : int
        Of the numbers, but for sums, which are exact.

    Returns
    -------
    str
    """
    text = json.dumps(_plain(clean(data), digits), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _plain(value: Any, digits: int) -> Any:
    if isinstance(value, dict):
        return {
            str(key): _plain(item, EXACT if key in ("sums", "first", "last") else digits) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(item, digits) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        value = int(value) if value.is_integer() and abs(value) < 2**53 else float(f"{value:.{digits}g}")
    return value
