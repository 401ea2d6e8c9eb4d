"""The protocol: in every fold a ResNet-18 is trained on the others and scores the people it has not seen.

After each epoch its state is written; a run that was killed goes on from there and ends with the same scores.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.faces.celeba import TONES, CelebA
from fairgroups.faces.folds import folds_by_person, stratified_folds
from fairgroups.faces.image_store import Pictures, digest_of
from fairgroups.faces.protocol import Settings, read_settings, write_settings
from fairgroups.output import replacing
from fairgroups.progress import progress_bar

__all__ = ["TrainingResult", "device_of", "predict", "train"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TrainingResult:
    """What a run of the protocol gave.

    Attributes
    ----------
    columns : dict of arrays
        image, person where persons are known, fold, L, a, b, ita, hue, the target, score, and decision: whether the
        score is a half or more.
    left_out : dict of str
        Why images were left out, by name.
    weights : str
        What training started from.
    device : str
        What it ran on.
    speed : float
        Images a second in training; NaN if everything had been done before.
    by_person : bool
        Whether all photographs of a person are in one fold.
    quality : dict of float
        How good the scores of people left out are: accuracy, the share of the larger class, PR-AUC, ROC-AUC, log loss.
    """

    columns: dict[str, NDArray[Any]]
    left_out: dict[str, str]
    weights: str
    device: str
    speed: float
    by_person: bool
    quality: dict[str, float]


def train(
    faces: CelebA,
    tones: dict[str, Array],
    settings: Settings,
    work: str | Path,
    *,
    weights: str | Path | None = None,
    device: str = "auto",
    by_person: bool | None = None,
    verbose: bool = False,
    tell: Callable[[str], None] | None = None,
) -> TrainingResult:
    """Run the protocol and give everybody's score by a model that has not seen them.

    Parameters
    ----------
    faces : CelebA
        The images and their attributes; see `read_celeba`.
    tones : dict of arrays
        L, a, b, ita and hue of each image; people without L are left out.
    settings : Settings
        The protocol's numbers.
    work : path
        A folder for what is done so far and for the models.
    weights : path or str, optional
        What to start from: a file, imagenet, random; without it torchvision's if they can be had, else random ones.
    device : str
        auto, cpu or cuda.
    by_person : bool, optional
        Whether all photographs of a person are in one fold; so it is where persons are known.
    verbose : bool
        Show a progress bar.
    tell : callable, optional
        Called with a line after each epoch: which it was, and the loss.

    Returns
    -------
    TrainingResult
    """
    folder = Path(work)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{str(folder)!r} cannot be a folder: {error.strerror}.", "choose another --work.") from error
    for half in folder.glob(".*.part"):  # of a run that was killed while it wrote
        half.unlink(missing_ok=True)
    where = device_of(device)
    from fairgroups.faces.network import start_weights

    start, origin = start_weights(weights)
    target = faces.attribute(settings.target)
    with progress_bar("reading images", shown=verbose) as step:
        paths = [faces.folder / name for name in faces.names.tolist()]
        pictures = Pictures(paths, settings.size, folder, step)
    left_out = {str(faces.names[i]): why for i, why in pictures.unread.items()}
    left_out = {str(faces.names[i]): "no skin tone" for i in np.nonzero(np.isnan(tones["L"]))[0]} | left_out
    kept = np.array([i for i in range(len(faces)) if str(faces.names[i]) not in left_out], dtype=np.intp)
    if kept.size == 0:
        raise InputError("no image is left.", "check that the images can be read and have a skin tone.")
    truth = target[kept].astype(np.float32)
    if truth.min() == truth.max():
        raise InputError(f"everybody has the same {settings.target!r}.", "choose another target.")
    folds, whole = _dealt(faces, kept, tones["L"][kept], settings, by_person)
    people = digest_of(faces.names[kept].tolist(), truth.tolist(), tones["L"][kept].tolist())
    more = {"people": people, "images": pictures.stamp, "weights": origin} | ({"folds_by": "person"} if whole else {})
    write_settings(folder, settings, more)
    scores = np.full(kept.size, np.nan)
    trained, taken = 0, 0.0
    with progress_bar("training", shown=verbose) as step:
        for k in range(settings.folds):
            job = Fold(k, settings, folder, pictures, kept, truth, folds, where, start)
            began = time.perf_counter()
            done = job.run(lambda share, k=k: step((k + share) / settings.folds), tell)  # type: ignore[misc]
            if done:
                trained, taken = trained + done, taken + time.perf_counter() - began
            scores[folds == k] = job.scores()
    from fairgroups.repair.quality import score_quality

    columns: dict[str, NDArray[Any]] = {"image": faces.names[kept]}
    if faces.person is not None:
        columns["person"] = faces.person[kept]
    columns |= {"fold": folds} | {name: tones[name][kept] for name in TONES}
    columns |= {settings.target.lower(): truth.astype(np.int64), "score": scores}
    columns["decision"] = (scores >= 0.5).astype(np.int64)
    speed = trained / taken if trained else float("nan")
    return TrainingResult(columns, left_out, origin, where, speed, whole, score_quality(scores, truth > 0))


def _dealt(
    faces: CelebA, kept: NDArray[np.intp], lightness: Array, settings: Settings, by_person: bool | None
) -> tuple[NDArray[np.int64], bool]:
    """Deal people into folds, whole persons where they are known and nothing else is asked."""
    numbers = settings.folds, settings.bins, settings.seed
    if by_person is False or (by_person is None and faces.person is None):
        return stratified_folds(lightness, *numbers), False
    if faces.person is None:
        raise InputError(
            "who is in each image is not known.", "put CelebA's identity_CelebA.txt beside its other lists."
        )
    return folds_by_person(lightness, faces.person[kept], *numbers), True


class Fold:
    """One fold: trained epoch by epoch, each written down."""

    def __init__(
        self,
        number: int,
        settings: Settings,
        work: Path,
        pictures: Pictures,
        kept: NDArray[np.intp],
        truth: NDArray[np.float32],
        folds: NDArray[np.int64],
        device: str,
        start: dict[str, Any] | None,
    ) -> None:
        self.number, self.settings, self.device, self.start = number, settings, device, start
        self.pictures, self.kept, self.truth = pictures, kept, truth
        self.seen, self.unseen = np.nonzero(folds != number)[0], np.nonzero(folds == number)[0]
        self.state, self.model = work / f"epoch-{number}.npz", work / f"model-{number}.npz"
        self.result = work / f"scores-{number}.npz"

    def scores(self) -> Array:
        """Return the scores of the people left out."""
        from fairgroups.faces.network import load_arrays

        return np.asarray(load_arrays(self.result)["score"].numpy(), dtype=np.float64)

    def is_done(self) -> bool:
        """Whether there are a model and scores that can be read."""
        from fairgroups.faces.network import load_arrays

        try:
            load_arrays(self.model)
            return bool(self.scores().size == self.unseen.size)
        except (InputError, KeyError):
            return False

    def run(self, step: Callable[[float], None], tell: Callable[[str], None] | None = None) -> int:
        """Do what is not done yet; return how many images were trained on."""
        import torch

        from fairgroups.faces.network import ResNet18, to_arrays

        if self.is_done():
            return 0
        _be_repeatable(self.settings.seed, self.number)
        network = ResNet18()
        if self.start is not None:
            network.load_state_dict(self.start, strict=False)
        network = network.to(self.device)
        if self.device == "cuda":
            network = network.to(memory_format=torch.channels_last)
        on_gpu = self.device == "cuda"
        optimizer = torch.optim.Adam(network.parameters(), lr=self.settings.learning_rate, fused=on_gpu or None)
        first = 0
        if self.state.exists():
            try:
                first = _restore(self.state, network, optimizer)
            except (InputError, KeyError, RuntimeError, ValueError):  # damaged: this fold begins again
                self.state.unlink()
                return self.run(step, tell)
        trained = 0
        for epoch in range(first, self.settings.epochs):
            images, loss = self._epoch(network, optimizer, epoch, step)
            trained += images
            if tell is not None:
                tell(
                    f"Fold {self.number + 1} of {self.settings.folds}, epoch {epoch + 1} of {self.settings.epochs}: "
                    f"loss {loss:.4f}"
                )
            if epoch + 1 < self.settings.epochs:
                _write(self.state, _as_arrays(network, optimizer, epoch + 1))
        _write(self.model, to_arrays(network.state_dict()))
        _write(self.result, {"score": _scores(network, self.pictures, self.kept[self.unseen], self.settings.batch)})
        self.state.unlink(missing_ok=True)
        return trained

    def _epoch(self, network: Any, optimizer: Any, epoch: int, step: Callable[[float], None]) -> tuple[int, float]:
        import torch

        network.train()
        rng = np.random.default_rng([self.settings.seed, 2, self.number, epoch])
        order = rng.permutation(self.seen)
        place = np.empty(self.kept.max() + 1, dtype=np.intp)
        place[self.kept] = np.arange(self.kept.size)
        trained, total = 0, torch.zeros((), device=self.device)
        truth = torch.from_numpy(self.truth).to(self.device)
        for part, images in self.pictures.on(self.device, self.kept[order], self.settings.batch):
            if part.size < 2:  # one image alone has no spread to be normalised by
                continue
            wanted = truth[torch.from_numpy(place[part]).to(self.device, non_blocking=True)]
            with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
                logits = network(images)
                loss = torch.nn.functional.binary_cross_entropy_with_logits(logits.float(), wanted)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.detach() * part.size
            trained += part.size
            step((epoch + trained / order.size) / self.settings.epochs)
        return trained, float(total) / max(trained, 1)


def predict(
    images: list[Path], work: str | Path, *, device: str = "auto", verbose: bool = False
) -> tuple[Array, dict[str, str]]:
    """Score images by the mean of the folds' models; those that cannot be read get NaN and a reason.

    Parameters
    ----------
    images : list of Path
        People none of the models was trained on.
    work : path
        The folder of `train`.
    device, verbose
        See `train`.

    Returns
    -------
    scores, and reasons by image
    """
    folder = Path(work)
    settings, where = read_settings(folder), device_of(device)
    from fairgroups.faces.network import ResNet18, load_arrays

    models = [folder / f"model-{k}.npz" for k in range(settings.folds)]
    missing = [path.name for path in models if not path.exists()]
    if missing:
        raise InputError(f"training is not finished: {missing[0]!r} is missing.", "run `faces train` to its end.")
    with progress_bar("reading images", shown=verbose) as step:
        pictures = Pictures(images, settings.size, folder, step)
    _be_repeatable(settings.seed, 0)
    total = np.zeros(len(images))
    with progress_bar("scoring", shown=verbose) as step:
        for k, path in enumerate(models):
            network = ResNet18()
            network.load_state_dict(load_arrays(path))
            total += _scores(network.to(where), pictures, np.arange(len(images)), settings.batch)
            step((k + 1) / len(models))
    scores = total / len(models)
    scores[list(pictures.unread)] = np.nan
    return scores, {str(images[i]): why for i, why in pictures.unread.items()}


def device_of(wanted: str) -> str:
    """Return what to run on: a GPU where there is one."""
    if "torch" not in sys.modules:  # the same sums however busy the machine is
        os.environ.setdefault("MKL_DYNAMIC", "FALSE")
        os.environ.setdefault("MKL_CBWR", "COMPATIBLE")
    try:
        import torch
    except ImportError as error:
        raise InputError("training and scoring need torch.", "pip install 'fairgroups[faces]'") from error
    if wanted not in ("auto", "cpu", "cuda"):
        raise InputError(f"device must be auto, cpu or cuda; got {wanted!r}.")
    there = bool(torch.cuda.is_available())
    if wanted == "cuda" and not there:
        raise InputError("torch sees no GPU here.", "use --device cpu.")
    return "cuda" if there and wanted != "cpu" else "cpu"


def _scores(network: Any, pictures: Pictures, which: NDArray[np.intp], batch: int) -> Array:
    import torch

    network.eval()
    device = next(network.parameters()).device
    found = []
    with torch.inference_mode():
        for _, images in pictures.on(device.type, which, 2 * batch):
            found.append(torch.sigmoid(network(images)).double())
    return torch.cat(found).cpu().numpy() if found else np.empty(0)


def _be_repeatable(seed: int, fold: int) -> None:
    import torch

    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.manual_seed(1000 * seed + fold)
    torch.backends.cudnn.benchmark = False
    torch.use_deterministic_algorithms(mode=True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # nothing here reads memory before it is written
    if torch.cuda.is_available():
        torch.set_num_threads(1)  # the processor only hands work on; more threads wait for each other


def _as_arrays(network: Any, optimizer: Any, epoch: int) -> dict[str, Any]:
    from fairgroups.faces.network import to_arrays

    arrays = {f"model/{name}": value for name, value in to_arrays(network.state_dict()).items()}
    for i, held in optimizer.state_dict()["state"].items():
        arrays |= {f"adam/{i}/{name}": value for name, value in to_arrays(held).items()}
    return arrays | {"epoch": np.array(epoch)}


def _restore(path: Path, network: Any, optimizer: Any) -> int:
    import torch

    from fairgroups.faces.network import load_arrays

    arrays = load_arrays(path)
    weights = {name.removeprefix("model/"): value for name, value in arrays.items() if name.startswith("model/")}
    network.load_state_dict(weights)
    state: dict[int, dict[str, Any]] = {}
    held = [part for group in optimizer.param_groups for part in group["params"]]
    for name, value in arrays.items():
        if name.startswith("adam/"):
            _, i, key = name.split("/")
            # Laid out as the parameter is, in torch's own memory: as if it had never been away.
            fresh = value.clone() if key == "step" else torch.empty_like(held[int(i)]).copy_(value)
            state.setdefault(int(i), {})[key] = fresh
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    return int(arrays["epoch"])


def _write(path: Path, arrays: dict[str, Any]) -> None:
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    with replacing(path) as temporary:
        temporary.write_bytes(packed.getvalue())
