"""Processes that measure photographs, and end when the one that started them does."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from fairgroups.errors import InputError
from fairgroups.skin.file import ToneOptions, measure_file, stamp_of_file
from fairgroups.skin.finders import AlignedFinder, FaceFinder, finder_of

__all__ = ["measured"]

DIED = "the process that measured it died"
_finder: FaceFinder | None = None  # each worker's own


def measured(root: Path, names: list[str], options: ToneOptions, workers: int) -> Iterator[tuple[str, dict[str, Any]]]:
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
                yield name, {"stamp": stamp_of_file(root, name, options), "reason": DIED}


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
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    _options = options
    _finder = None if options.masks is not None else finder_of(options.finder)  # type: ignore[arg-type]


def _end_with_parent() -> None:
    """End this process when its parent has ended, also where that was killed and could not say so."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


_options = ToneOptions()


def _in_worker(root: str, name: str) -> dict[str, Any]:
    return measure_file(Path(root), name, _options, _finder or AlignedFinder())  # with masks none is asked
