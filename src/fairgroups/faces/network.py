"""ResNet-18 (He et al. 2016) with one output; its parts are named as torchvision names them, so that weights fit."""

from __future__ import annotations

import hashlib
import io
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from fairgroups.errors import InputError

__all__ = ["ResNet18", "load_arrays", "start_weights", "to_arrays"]

#: ImageNet's mean and standard deviation of red, green and blue, which published weights were trained with.
MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Block(nn.Module):  # type: ignore[misc]
    """Two convolutions, and the input added to what they give."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.downsample = (
            nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))
            if stride > 1 or before != after
            else None
        )

    def forward(self, x: Any) -> Any:
        """Apply it."""
        changed = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(changed + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):  # type: ignore[misc]
    """From 8-bit images (n, height, width, 3) to one logit each."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(Block(64, 64, 1), Block(64, 64, 1))
        self.layer2 = nn.Sequential(Block(64, 128, 2), Block(128, 128, 1))
        self.layer3 = nn.Sequential(Block(128, 256, 2), Block(256, 256, 1))
        self.layer4 = nn.Sequential(Block(256, 512, 2), Block(512, 512, 1))
        self.fc = nn.Linear(512, 1)
        self.register_buffer("mean", torch.tensor(MEAN).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("spread", torch.tensor(SPREAD).view(1, 3, 1, 1), persistent=False)
        for part in self.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, images: Any) -> Any:
        """Return a logit for each image."""
        x = (images.permute(0, 3, 1, 2).float() / 255 - self.mean) / self.spread
        x = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean(dim=(2, 3)))[:, 0]


def start_weights(weights: str | Path | None) -> tuple[dict[str, Any] | None, str]:
    """Return the weights to start from, but the last layer's, and where they come from.

    Parameters
    ----------
    weights : path, "imagenet", "random" or None
        A file (.pth or .pt of torch, .safetensors, or .npz); imagenet: torchvision's, which it may have to download;
        None: the same if torchvision is installed and has them or can get them, else random ones with a warning.

    Returns
    -------
    weights, and where they are from
    """
    if weights == "random":
        return None, "random"
    if weights is not None and weights != "imagenet":
        path = Path(weights)
        found = _backbone(_read_file(path))
        return found, f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    try:
        from torchvision.models import ResNet18_Weights

        return _backbone(ResNet18_Weights.IMAGENET1K_V1.get_state_dict(progress=False)), "imagenet"
    except (ImportError, OSError, RuntimeError) as error:
        if weights == "imagenet":
            raise InputError(
                f"torchvision's weights cannot be had: {str(error) or type(error).__name__}",
                "pass a file: --weights resnet18.pth, or random ones: --weights random.",
            ) from error
        warnings.warn(
            "No pretrained weights are here: training starts from random ones, and scores will be worse than the "
            "paper's. Pass a file of ResNet-18 weights.",
            stacklevel=2,
        )
        return None, "random"


def to_arrays(states: dict[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Return tensors as arrays."""
    return {name: value.detach().cpu().numpy() for name, value in states.items()}


def load_arrays(path: Path) -> dict[str, Any]:
    """Read tensors that were written as arrays; nothing in the file is executed."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            return {name: torch.from_numpy(np.asarray(file[name])) for name in file.files}
    except (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(f"{path.name!r} is damaged or no file of arrays: {error}") from error


def _read_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InputError(f"there is no file of weights {str(path)!r}.")
    if path.suffix == ".npz":
        return load_arrays(path)
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return dict(load_file(path))
        found = torch.load(path, map_location="cpu", weights_only=True)  # plain tensors only: no code is run
    except ImportError as error:
        raise InputError(f"reading {path.name!r} needs safetensors.", "pip install safetensors") from error
    except Exception as error:
        raise InputError(
            f"{path.name!r} holds no weights that can be read safely: {' '.join(str(error).split())[:200]}",
            "save a model's state_dict() with torch.save.",
        ) from error
    held = found.get("state_dict", found) if isinstance(found, dict) else {}
    return dict(held) if isinstance(held, dict) else {}


def _backbone(found: dict[str, Any]) -> dict[str, Any]:
    """Keep everything but the last layer, which has another number of outputs; refuse what does not fit."""
    clean = {
        str(name).removeprefix("module."): value for name, value in found.items() if isinstance(value, torch.Tensor)
    }
    known = ResNet18().state_dict()
    wanted = {name for name in known if not name.startswith("fc.") and not name.endswith("num_batches_tracked")}
    wrong = [name for name in sorted(wanted) if name not in clean or clean[name].shape != known[name].shape]
    if wrong:
        raise InputError(
            f"these are no weights of a ResNet-18: {len(wrong)} of {len(wanted)} parts do not fit, {wrong[0]!r} first.",
            "pass torchvision's resnet18, or one with the same names.",
        )
    return {name: clean[name] for name in known if name in clean and not name.startswith("fc.")}
