"""Images brought to one size once, in a file read piece by piece: each is needed in every epoch of every fold."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.output import replacing
from fairgroups.skin.images import ImageError, open_image

__all__ = ["Pictures", "digest_of", "stamp_of"]

CHUNK = 256


class Pictures:
    """Images of one size, as an array (n, size, size, 3) of 8 bits in a file.

    Parameters
    ----------
    paths : sequence of Path
        The images.
    size : int
        Height and width.
    work : Path
        The folder for the file; one that is there already is used if it holds the same images.
    step : callable
        Called with the share done.

    Attributes
    ----------
    stamp : str
        Tells these images from others, by place, size and time of change.
    unread : dict
        Why an image could not be read, by its place.
    """

    def __init__(self, paths: Sequence[Path], size: int, work: Path, step: Callable[[float], None]) -> None:
        self.n, self.size = len(paths), size
        self.stamp = stamp_of(paths, size)
        self._file = work / f"pictures-{self.stamp}.raw"
        reasons = work / f"pictures-{self.stamp}.txt"
        wanted = int(np.prod(self._shape))
        if not (reasons.exists() and self._file.exists() and self._file.stat().st_size == wanted):
            found = self._fill(paths, step)
            with replacing(reasons) as temporary:
                lines = [f"{place} {' '.join(why.split())}\n" for place, why in found.items()]
                temporary.write_text("".join(lines), encoding="utf-8")
        self.unread: dict[int, str] = {}
        for line in reasons.read_text(encoding="utf-8").splitlines():
            place, _, why = line.partition(" ")
            self.unread[int(place)] = why
        self._array = np.memmap(self._file, np.uint8, "r", shape=self._shape)
        self._on_gpu: Any = None

    @property
    def _shape(self) -> tuple[int, int, int, int]:
        return (self.n, self.size, self.size, 3)

    def __getitem__(self, which: NDArray[np.intp]) -> NDArray[np.uint8]:
        return np.asarray(self._array[which])

    def on(self, device: str, which: NDArray[np.intp], size: int) -> Iterator[tuple[NDArray[np.intp], Any]]:
        """Return images as tensors in the order asked, some at a time.

        Where a GPU has room for all of them, they are there from the first time on; else the next ones are read while
        these are used.

        Parameters
        ----------
        device : str
            cpu or cuda.
        which : array of int
            Which images.
        size : int
            How many at a time.

        Returns
        -------
        pairs of places and a tensor
        """
        import torch

        parts = [which[start : start + size] for start in range(0, which.size, size)]
        held = self._held(device)
        if held is not None:
            places = torch.from_numpy(which).to(device)
            for i, part in enumerate(parts):
                yield part, held[places[i * size : i * size + part.size]]
            return
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(self.__getitem__, parts[0]) if parts else None
            for i, part in enumerate(parts):
                assert coming is not None
                images = coming.result()
                if i + 1 < len(parts):
                    coming = pool.submit(self.__getitem__, parts[i + 1])
                # Into memory that torch laid out itself: how it is aligned may decide how numbers are rounded.
                yield part, torch.from_numpy(images).clone().to(device, non_blocking=True)

    def _held(self, device: str) -> Any:
        """Return all images on a GPU, where they take up less than a third of what is free; None elsewhere."""
        if device != "cuda":
            return None
        if self._on_gpu is None:
            import torch

            if int(np.prod(self._shape)) > torch.cuda.mem_get_info()[0] // 3:
                return None
            self._on_gpu = torch.empty(self._shape, dtype=torch.uint8, device=device)
            for start in range(0, self.n, 16 * CHUNK):
                block = np.array(self._array[start : start + 16 * CHUNK])
                self._on_gpu[start : start + len(block)] = torch.from_numpy(block).to(device)
        return self._on_gpu

    def _fill(self, paths: Sequence[Path], step: Callable[[float], None]) -> dict[int, str]:
        unread: dict[int, str] = {}
        wanted = int(np.prod(self._shape))
        if shutil.disk_usage(self._file.parent).free < wanted:
            raise InputError(
                f"{str(self._file.parent)!r} has no room for the images: {wanted / 1e9:.1f} GB.",
                "choose another --work, or a smaller --size.",
            )
        with replacing(self._file) as temporary, ThreadPoolExecutor(os.cpu_count()) as pool:
            if hasattr(os, "posix_fallocate"):  # a disk that fills up later must not end the process
                with temporary.open("r+b") as file:
                    os.posix_fallocate(file.fileno(), 0, wanted)
            array = np.memmap(temporary, np.uint8, "w+", shape=self._shape)
            for start in range(0, self.n, CHUNK):
                block = paths[start : start + CHUNK]
                for i, image in enumerate(pool.map(self._one, block), start):
                    if isinstance(image, str):
                        unread[i] = image
                    else:
                        array[i] = image
                step(min(1.0, (start + CHUNK) / self.n))
            array.flush()
        return unread

    def _one(self, path: Path) -> NDArray[np.uint8] | str:
        from PIL import Image

        try:
            pixels = open_image(path, widest=4 * self.size)
        except ImageError as error:
            return error.fact
        return np.asarray(Image.fromarray(pixels).resize((self.size, self.size), Image.Resampling.BILINEAR))


def stamp_of(paths: Sequence[Path], *more: Any) -> str:
    """Return a short name for files as they are now."""
    seen = []
    for path in paths:
        try:
            about = path.stat()
            seen.append((str(path.resolve()), about.st_size, about.st_mtime_ns))
        except OSError:
            seen.append((str(path), 0, 0))
    return digest_of(seen, *more)


def digest_of(*values: Any) -> str:
    """Return a short name for values: the same for the same ones."""
    return hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()[:16]
