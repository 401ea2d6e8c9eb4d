"""The paper, run again: every table and figure that can be reproduced, with its numbers beside ours.

`reproduce` makes the parts; `fairgroups paper` writes them as a page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fairgroups.paper.parts import Figure, Part, Table

__all__ = ["Figure", "Part", "Table", "reproduce"]


def reproduce(
    table: Any = None, second_table: Any = None, *, columns: Any = None, seed: int = 0, draws: int = 100
) -> Iterator[Part]:
    """Return the paper's results part by part, each when it is done.

    Parameters
    ----------
    table, second_table : path, frame or mapping, optional
        Faces with skin tone and scores, as `fairgroups faces` writes them: the first with the true label (CelebA), the
        second for the transfer (FFHQ). Without them only the synthetic part is done.
    columns : FaceColumns, optional
        What the columns are called.
    seed, draws : int
        For synthetic data, and how often it is drawn where shares are counted.

    Examples
    --------
    >>> from fairgroups.paper import reproduce
    >>> first = next(reproduce())
    >>> first.title
    'Table 1: synthetic data'
    """
    from fairgroups.paper.beyond import beyond_parts
    from fairgroups.paper.faces import face_parts
    from fairgroups.paper.synthetic import synthetic_parts

    yield from synthetic_parts(seed)
    if table is not None:
        yield from face_parts(table, second_table, columns)
    yield from beyond_parts(seed, draws)
