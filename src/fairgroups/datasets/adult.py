"""Data to try things on: the paper's synthetic data, and a real table."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.partition.partition import Partition

__all__ = ["Synthetic", "adult_decisions", "load_adult", "make_synthetic"]

EDGES = (20.0, 30.0, 55.0, 88.0)
RATES = (0.1, 0.3, 0.5, 0.7, 0.9)
Distribution = Literal["uniform", "truncated", "clipped"]


@dataclass(frozen=True)
class Synthetic:
    """Drawn data with its truth: `rate` is each person's true rate, `partition` the true groups."""

    sensitive: NDArray[np.float64]
    outcome: NDArray[np.int64]
    rate: NDArray[np.float64]
    partition: Partition


def make_synthetic(n: int = 50_000, distribution: Distribution = "uniform", *, seed: int = 0) -> Synthetic:
    """Draw the paper's synthetic data: five groups of L on [0, 100] with rates .1, .3, .5, .7 and .9.

    Parameters
    ----------
    n : int
        Number of people.
    distribution : {"uniform", "truncated", "clipped"}
        L is uniform, or normal with mean 50 and standard deviation 20. ``"truncated"`` draws again what falls outside
        [0, 100]; ``"clipped"`` moves it to the nearer end, which is what the paper's numbers agree with.
    seed : int
        Same seed, same data.

    Examples
    --------
    >>> from fairgroups import make_synthetic
    >>> data = make_synthetic(1000, "clipped")
    >>> data.partition.edges
    (20.0, 30.0, 55.0, 88.0)
    """
    if n < 1:
        raise InputError(f"`n` must be at least 1; got {n!r}.")
    rng = np.random.default_rng(seed)
    if distribution == "uniform":
        sensitive = rng.uniform(0, 100, n)
    elif distribution == "clipped":
        sensitive = np.clip(rng.normal(50, 20, n), 0, 100)
    elif distribution == "truncated":
        sensitive = rng.normal(50, 20, n)
        while (outside := (sensitive < 0) | (sensitive > 100)).any():
            sensitive[outside] = rng.normal(50, 20, int(outside.sum()))
    else:
        raise InputError(f"`distribution` must be 'uniform', 'truncated' or 'clipped'; got {distribution!r}.")
    truth = Partition.from_edges(EDGES, closed="right", name="L")
    rate = np.array(RATES)[truth.assign(sensitive)]
    outcome = (rng.random(n) < rate).astype(np.int64)
    return Synthetic(sensitive, outcome, rate, truth)


def load_adult() -> dict[str, NDArray[Any]]:
    """Load the Adult census table: 45 222 people, `income_over_50k` and what might explain it.

    B. Becker and R. Kohavi, UCI Machine Learning Repository, 1996, CC BY 4.0.

    Examples
    --------
    >>> from fairgroups import load_adult
    >>> people = load_adult()
    >>> len(people["age"]), sorted(people)[:3]
    (45222, ['age', 'capital_gain', 'capital_loss'])
    """
    import duckdb

    with as_file(files("fairgroups.datasets") / "adult.parquet") as path, duckdb.connect() as connection:
        columns = connection.read_parquet(str(path)).fetchnumpy()
    return {name: np.ma.getdata(values) for name, values in columns.items()}


def adult_decisions(*, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Train a model on Adult without the age and give its decisions, each for people the model has not seen.

    Returns the table with one more column, `predicted_over_50k`: five-fold out-of-fold decisions of gradient-boosted
    trees. Age, sex and race are withheld from the model.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from threadpoolctl import threadpool_limits

    table = load_adult()
    target = table["income_over_50k"]
    withheld = {"age", "sex", "race", "income_over_50k"}
    used = [name for name in table if name not in withheld]
    text = [table[name].dtype.kind not in "biuf" for name in used]
    features = np.column_stack(
        [
            np.unique(table[name].astype(str), return_inverse=True)[1] if is_text else table[name]
            for name, is_text in zip(used, text, strict=True)
        ]
    ).astype(np.float64)
    model = HistGradientBoostingClassifier(categorical_features=np.array(text), random_state=seed)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    with threadpool_limits(1):  # small trees: threads would only wait for each other on a busy machine
        decisions = cross_val_predict(model, features, target, cv=folds)
    return {**table, "predicted_over_50k": decisions}
