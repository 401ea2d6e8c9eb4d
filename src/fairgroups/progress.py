"""A progress bar for long work, on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(what: str, *, shown: bool) -> Iterator[Callable[[float], None]]:
    """Return a function to call with the share of the work done; nothing is shown unless asked.

    Where FAIRGROUPS_PROGRESS=lines is set, as the local page does, a line is written for each share instead.
    """
    if os.environ.get("FAIRGROUPS_PROGRESS") == "lines":
        yield lambda share: print(f"progress\t{what}\t{share:.3f}", file=sys.stderr, flush=True)  # noqa: T201
        return
    if not shown:
        yield _unseen
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _unseen(_: float) -> None:
    pass
