"""The Adult census table, and the decisions of a model that was trained on it."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["adult_decisions", "load_adult"]


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
