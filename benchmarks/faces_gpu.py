"""Images a second in training on a GPU: the loop as it was, and as it is, in one run, on drawn pixels.

    python benchmarks/faces_gpu.py --size 224 --images 4096

As it was: images are copied to the GPU batch by batch, the processor uses all its threads, memory is filled before it
is written, and Adam steps tensor by tensor. As it is: `fairgroups.faces.training`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from fairgroups.faces.image_store import Pictures
from fairgroups.faces.network import ResNet18
from fairgroups.faces.protocol import Settings
from fairgroups.faces.training import Fold, _be_repeatable


def nothing(share: float) -> None:
    """Show no progress."""


def as_it_was(pictures, truth, settings, epochs):
    """Train one network by the loop that this one replaced."""
    from concurrent.futures import ThreadPoolExecutor

    torch.manual_seed(0)
    torch.use_deterministic_algorithms(mode=True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    torch.set_num_threads(torch.get_num_interop_threads())
    network = ResNet18().to("cuda").to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    trained, began = 0, 0.0
    with ThreadPoolExecutor(1) as pool:
        for epoch in range(epochs + 1):
            if epoch == 1:  # the first warms the GPU up
                torch.cuda.synchronize()
                began, trained = time.perf_counter(), 0
            order = np.random.default_rng(epoch).permutation(len(truth))
            parts = [order[i : i + settings.batch] for i in range(0, order.size, settings.batch)]
            coming = pool.submit(pictures.__getitem__, parts[0])
            for i, part in enumerate(parts):
                images = coming.result()
                if i + 1 < len(parts):
                    coming = pool.submit(pictures.__getitem__, parts[i + 1])
                wanted = torch.from_numpy(truth[part]).to("cuda", non_blocking=True)
                with torch.autocast("cuda", torch.bfloat16):
                    logits = network(torch.from_numpy(images).clone().to("cuda", non_blocking=True))
                    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits.float(), wanted)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                trained += part.size
    torch.cuda.synchronize()
    return trained / (time.perf_counter() - began)


def as_it_is(pictures, truth, settings, epochs, work):
    """Train one network by the protocol's own loop."""
    folds = np.ones(len(truth), dtype=np.int64)
    folds[:64] = 0  # next to everybody is trained on
    fold = Fold(0, settings, work, pictures, np.arange(len(truth)), truth, folds, "cuda", None)
    _be_repeatable(0, 0)
    network = ResNet18().to("cuda").to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate, fused=True)
    trained, began = 0, 0.0
    for epoch in range(epochs + 1):
        if epoch == 1:
            torch.cuda.synchronize()
            began, trained = time.perf_counter(), 0
        trained += fold._epoch(network, optimizer, epoch, nothing)[0]  # noqa: SLF001
    torch.cuda.synchronize()
    return trained / (time.perf_counter() - began)


def main() -> None:
    """Print images a second before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--images", type=int, default=4096)
    parser.add_argument("--epochs", type=int, default=3)
    asked = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("torch sees no GPU here.")
    from PIL import Image

    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        paths = []
        for i in range(asked.images):
            paths.append(work / f"{i}.png")
            Image.fromarray(rng.integers(0, 256, (asked.size // 8, asked.size // 8, 3), dtype=np.uint8)).save(paths[-1])
        pictures = Pictures(paths, asked.size, work, nothing)
        truth = rng.integers(0, 2, asked.images).astype(np.float32)
        settings = Settings(epochs=asked.epochs, size=asked.size)
        before = as_it_was(pictures, truth, settings, asked.epochs)
        after = as_it_is(pictures, truth, settings, asked.epochs, work)
    print(f"| {asked.size} px, batches of {settings.batch} | {before:,.0f} | {after:,.0f} | {after / before:.2f} |")


if __name__ == "__main__":
    main()
