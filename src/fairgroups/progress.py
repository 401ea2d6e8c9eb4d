"""Long work: a progress bar on standard error, and two threads that end when Ctrl-C is pressed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

__all__ = ["on_two_threads", "progress_bar"]


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


def on_two_threads(
    work: Callable[[T], R], parts: Iterable[T], done: Callable[[float], object] | None = None
) -> list[R]:
    """Do the parts of a work on two threads; when one fails, or Ctrl-C is pressed, those not begun are left undone.

    Parameters
    ----------
    work : callable
        What is done with each part; it should let others run.
    parts : iterable
        What it is done with.
    done : callable, optional
        Called with the share that is done.

    Returns
    -------
    list
        In the order of the parts.
    """
    found = []
    pool = ThreadPoolExecutor(2)
    # Products of matrices are done by the thread that asks for one: threads of their own wait for each other.
    with _linear_algebra(len(sys.modules)).limit(limits=1, user_api="blas"):
        try:
            begun = [pool.submit(work, part) for part in parts]
            for i, one in enumerate(begun, 1):
                found.append(one.result())
                if done is not None:
                    done(i / len(begun))
        except KeyboardInterrupt:
            _end(pool)
            raise
        finally:
            pool.shutdown(cancel_futures=True)
    return found


@lru_cache(maxsize=1)
def _linear_algebra(n_modules: int) -> Any:
    """Return what limits the libraries of linear algebra; a module imported since then may have brought one more."""
    del n_modules
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _end(pool: ThreadPoolExecutor) -> None:
    """End what is being done: kernels are asked to, and what has not begun is left undone."""
    from fairgroups._kernels import end_threads

    end_threads(True)
    try:
        pool.shutdown(cancel_futures=True)
    finally:
        end_threads(False)


def _unseen(_: float) -> None:
    pass
