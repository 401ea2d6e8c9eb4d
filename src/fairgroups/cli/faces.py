"""fairgroups faces train | predict: the paper's protocol on photographs of faces."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["faces"]

faces = typer.Typer(
    name="faces",
    help="The paper's protocol: scores of a ResNet-18 for faces it was not trained on, beside their skin tone.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Work = Annotated[Path, typer.Option(help="Folder for models and for what is done so far.")]
Out = Annotated[Path, typer.Option(help="Write the table here (.csv or .parquet).")]
Tones = Annotated[
    Path | None, typer.Option(help="A table of `fairgroups skin`; without it tones are measured here first.")
]
Finder = Annotated[str, typer.Option(help="How faces are found where tones are measured: see `fairgroups skin`.")]
Device = Annotated[str, typer.Option(help="auto (a GPU where there is one), cpu or cuda.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


@faces.command()
def train(
    celeba: Annotated[Path, typer.Option(help="Folder with img_align_celeba and list_attr_celeba (.txt or .csv).")],
    out: Out,
    work: Work = Path("faces-work"),
    target: Annotated[str, typer.Option(help="The attribute to predict.")] = "Attractive",
    only_women: Annotated[bool, typer.Option("--only-women", help="Leave out who is marked as Male.")] = False,
    part: Annotated[str | None, typer.Option(help="Only images of this partition: train, valid or test.")] = None,
    tones: Tones = None,
    finder: Finder = "auto",
    weights: Annotated[
        str | None,
        typer.Option(help="What to start from: a file (.pth, .safetensors, .npz), imagenet (torchvision's) or random."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2)] = 5,
    folds_by: Annotated[
        str,
        typer.Option(
            help="person (all images of one in the same fold; needs identity_CelebA), image, or auto: person where "
            "the list is there."
        ),
    ] = "auto",
    bins: Annotated[int, typer.Option(help="Equally large bins of L that every fold has its share of.", min=1)] = 10,
    epochs: Annotated[int, typer.Option(min=1)] = 5,
    batch: Annotated[int, typer.Option(min=2)] = 64,
    size: Annotated[int, typer.Option(help="Height and width that images are brought to.", min=32)] = 224,
    learning_rate: Annotated[float, typer.Option()] = 1e-4,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    device: Device = "auto",
    quiet: Quiet = False,
) -> None:
    """Train in folds on CelebA and write everybody's score by a model that has not seen them."""
    from fairgroups.errors import InputError
    from fairgroups.faces.celeba import PARTS, read_celeba
    from fairgroups.faces.protocol import Settings
    from fairgroups.faces.training import device_of
    from fairgroups.faces.training import train as run
    from fairgroups.output import check_table_path, write_table

    check_table_path(out)
    if folds_by not in ("auto", "person", "image"):
        raise InputError(f"--folds-by must be person, image or auto; got {folds_by!r}.")
    device_of(device)
    if weights is not None:
        from fairgroups.faces.network import start_weights

        start_weights(weights)  # what cannot be read is said before the work
    if work.exists() and not work.is_dir():
        raise InputError(f"{str(work)!r} is not a folder.", "name another one: --work")
    settings = Settings(target, folds, bins, epochs, batch, size, learning_rate, seed)
    people = read_celeba(celeba)
    people.attribute(target)
    if only_women:
        people = people.chosen(~people.attribute("Male"))
    if part is not None:
        if part not in PARTS or people.part is None:
            raise InputError(f"there is no partition {part!r}.", "it is train, valid or test, and needs its list.")
        people = people.chosen(people.part == part)
    if not len(people):
        raise InputError("nobody is left.", "drop --only-women or --part.")
    work.mkdir(parents=True, exist_ok=True)
    shown = not quiet and sys.stderr.isatty()
    if folds_by == "person" and people.person is None:
        raise InputError("who is in each image is not known.", "put identity_CelebA.txt beside CelebA's other lists.")
    measured, finders = _tones(people.folder, people.names.tolist(), tones, work, finder, shown=shown)
    found = run(
        people,
        measured,
        settings,
        work,
        weights=weights,
        device=device,
        by_person=None if folds_by == "auto" else folds_by == "person",
        verbose=shown,
        tell=None if quiet or shown else lambda line: typer.echo(line, err=True),
    )
    write_table(out, found.columns | _finder_of(finders, people.names.tolist(), found.columns["image"].tolist()))
    _say_left_out(found.left_out)
    if not quiet:
        n = found.columns["score"].size
        seen = "person" if found.by_person else "image"
        typer.echo(f"Scores of {n:,} images, each by a model that has not seen the {seen}: {out.resolve()}")
        if finders is not None:
            typer.echo(f"Faces were found by {' and '.join(sorted(set(finders.tolist()) - {''}))}.")
        q = found.quality
        typer.echo(
            f"Of those left out: accuracy {q['accuracy']:.3f} (always the larger class: {q['larger_class']:.3f}), "
            f"PR-AUC {q['pr_auc']:.3f}, ROC-AUC {q['roc_auc']:.3f}, log loss {q['log_loss']:.3f}."
        )
        speed = "" if found.speed != found.speed else f", {found.speed:,.0f} images a second in training"
        typer.echo(f"Started from {found.weights} weights; ran on {found.device}{speed}.")
        typer.echo(f"Models for `fairgroups faces predict`: {work.resolve()}")
        persons = " --cluster person --reliability cluster" if "person" in found.columns else ""
        typer.echo(
            f"To audit: fairgroups audit {out} --sensitive L --outcome decision --truth {target.lower()} "
            f"--missing drop{persons} --out audit.html"
        )


@faces.command()
def predict(
    images: Annotated[Path, typer.Option(help="A folder of images, as FFHQ's, with its subfolders.")],
    out: Out,
    work: Work = Path("faces-work"),
    tones: Tones = None,
    finder: Finder = "auto",
    device: Device = "auto",
    quiet: Quiet = False,
) -> None:
    """Score other people's images by the mean of the folds' models."""
    from fairgroups.faces.training import predict as run
    from fairgroups.output import check_table_path, write_table
    from fairgroups.skin.folder import pictures_of, shown

    check_table_path(out)
    names = pictures_of(images)
    bar = not quiet and sys.stderr.isatty()
    scores, unread = run([images / name for name in names], work, device=device, verbose=bar)
    measured, finders = _tones(images, names, tones, work, finder, shown=bar)
    import numpy as np

    decision = np.where(np.isnan(scores), np.nan, scores >= 0.5)
    columns = {"image": np.array([shown(name) for name in names], dtype=object), **measured, "score": scores}
    write_table(out, columns | {"decision": decision} | ({} if finders is None else {"finder": finders}))
    _say_left_out(unread)
    if not quiet:
        typer.echo(f"Scores of {len(names) - len(unread):,} of {len(names):,} images: {out.resolve()}")


def _tones(
    folder: Path, names: list[str], table: Path | None, work: Path, finder: str, *, shown: bool
) -> tuple[dict[str, Any], Any]:
    """Read the tones of images and what found their faces, or measure them once and keep them."""
    from fairgroups.faces.celeba import read_tones
    from fairgroups.faces.image_store import stamp_of
    from fairgroups.skin.file import ToneOptions
    from fairgroups.skin.folder import measure_folder

    if table is None:
        table = work / f"tones-{stamp_of([folder / name for name in names], finder)}.parquet"
        if not table.exists():
            measure_folder(folder, table, options=ToneOptions(finder=finder), names=names, verbose=shown)
    return read_tones(table, names)


def _finder_of(finders: Any, names: list[str], kept: list[str]) -> dict[str, Any]:
    """Return what found the face in each image that was kept, as a column; nothing where it is not known."""
    import numpy as np

    if finders is None:
        return {}
    known = dict(zip(names, finders.tolist(), strict=True))
    return {"finder": np.array([known[name] for name in kept], dtype=object)}


def _say_left_out(left_out: dict[str, str], most: int = 10) -> None:
    for name, why in list(left_out.items())[:most]:
        typer.echo(f"Left out: {name}: {why}", err=True)
    if len(left_out) > most:
        typer.echo(f"… and {len(left_out) - most} more.", err=True)
