"""Marks of doubt: what a measurement should be read with care for, derived from numbers that stand beside it."""

from __future__ import annotations

import math

__all__ = ["MARKS", "marks_of"]

#: What a measurement may be marked with.
MARKS = {
    "no face": "no face was found; nothing is measured",
    "several faces": "the largest of several faces was measured",
    "few pixels": "fewer than 400 pixels of skin",
    "blurred": "edges of the face are smeared over more than a fiftieth of its width",
    "clipped light": "more than a twentieth of the skin is burnt out or black",
    "side light": "one side of the face is lighter than the other by more than 10 in L*",
    "odd colours": "most of where skin was expected has no colour of skin: hair, glasses, a mask, coloured light",
    "no colour": "the picture is grey or toned in one colour: it has a lightness, no hue and no typology angle",
}
FEW = 400  # pixels
CLIPPED, SIDE, KEPT, BLURRED = 0.05, 10.0, 0.5, 0.02


def marks_of(
    *, faces: int, pixels: int, clipped: float, side: float, kept: float, blur: float, grey: bool, odd: bool
) -> tuple[str, ...]:
    """Return the marks that follow from a measurement's numbers; see `Tone` for these."""
    found = {
        "several faces": faces > 1,
        "few pixels": pixels < FEW,
        "blurred": not math.isnan(blur) and blur > BLURRED,
        "clipped light": clipped > CLIPPED,
        "side light": abs(side) > SIDE,
        "odd colours": odd or kept < KEPT,
        "no colour": grey,
    }
    return tuple(mark for mark, there in found.items() if there)
