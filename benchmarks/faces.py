"""The face protocol's speed: images a second in training, and whether our ResNet-18 is torchvision's.

    python benchmarks/faces.py [--images 4000] [--size 224] [--epochs 2] [--folds 2]

Draws faces in CelebA's layout; uses a GPU where there is one.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))


def draw(job):
    from PIL import Image

    from drawn_faces import draw_face

    path, share, seed = job
    tone = np.array([70, 46, 34]) * (1 - share) + np.array([244, 214, 190]) * share
    Image.fromarray(draw_face(tone, 178, shading=0.3, noise=0.03, seed=seed)).save(path, quality=92)


def compare() -> None:
    """Give both networks the same weights and the same images."""
    import torch

    from fairgroups.faces.network import MEAN, SPREAD, ResNet18

    try:
        from torchvision.models import resnet18
    except ImportError:
        print("torchvision is not here: the networks are not compared")
        return
    torch.manual_seed(0)
    theirs, ours = resnet18(weights=None, num_classes=1).eval(), ResNet18().eval()
    ours.load_state_dict(theirs.state_dict())
    images = torch.randint(0, 256, (4, 224, 224, 3), dtype=torch.uint8)
    ready = (images.permute(0, 3, 1, 2) / 255 - torch.tensor(MEAN).view(3, 1, 1)) / torch.tensor(SPREAD).view(3, 1, 1)
    with torch.inference_mode():
        off = (ours(images) - theirs(ready)[:, 0]).abs().max()
    print(f"the same weights give the same logits as torchvision's resnet18 to {float(off):.1e}")


def main() -> None:
    import torch

    from fairgroups.faces import Settings, read_celeba
    from fairgroups.faces.training import train

    arguments = argparse.ArgumentParser()
    for name, usual in (("images", 4000), ("size", 224), ("epochs", 2), ("folds", 2), ("batch", 64)):
        arguments.add_argument(f"--{name}", type=int, default=usual)
    chosen = arguments.parse_args()
    compare()
    rng = np.random.default_rng(0)
    share = rng.random(chosen.images)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "img_align_celeba")
        folder.mkdir()
        names = [f"{i:06d}.jpg" for i in range(chosen.images)]
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            list(
                pool.map(draw, zip((folder / n for n in names), share, range(chosen.images), strict=True), chunksize=32)
            )
        label = np.where(rng.random(chosen.images) < 0.1 + 0.8 * (share > 0.5), 1, -1)
        rows = [f"{name} {y} -1" for name, y in zip(names, label, strict=True)]
        Path(place, "list_attr_celeba.txt").write_text("\n".join([str(len(rows)), "Attractive Male", *rows]) + "\n")
        tones = dict.fromkeys(("L", "a", "b", "ita", "hue"), 100 * share)
        settings = Settings(
            folds=chosen.folds, epochs=chosen.epochs, size=chosen.size, batch=chosen.batch, learning_rate=1e-3
        )
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = train(read_celeba(place), tones, settings, Path(place, "work"), weights="random")
        taken = time.perf_counter() - began
        yes, score = found.columns["attractive"] == 1, found.columns["score"]
        auc = (score[yes][:, None] > score[~yes]).mean()
        name = torch.cuda.get_device_name() if found.device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
        print(
            f"ResNet-18, {chosen.size} × {chosen.size}, batch {chosen.batch}, {name}: {found.speed:,.0f} images/s "
            f"in training; {chosen.images:,} images, {chosen.folds} folds, {chosen.epochs} epochs in {taken:.0f} s; "
            f"AUC of scores of people left out {auc:.3f}"
        )


if __name__ == "__main__":
    main()
