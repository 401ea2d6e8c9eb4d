import re

import numpy as np
import polars as pl
import pytest

import fairgroups as fg
from fairgroups.rows.labels import read_outcome, refuse_sums


def values(*labels):
    return np.array(labels, dtype=object)


@pytest.mark.parametrize(
    ("labels", "codes"),
    [
        (("yes", "no"), [1, 0]),
        (("Ja", "nein"), [1, 0]),
        (("OUI", "non "), [1, 0]),
        (("sí", "no"), [1, 0]),
        (("Y", "N"), [1, 0]),
        (("True", "FALSE"), [1, 0]),
        (("Yes", "yes", "NO", None), [1, 1, 0, np.nan]),
    ],
)
def test_words_for_yes_and_no(labels, codes):
    found = read_outcome(values(*labels), "ok", None)
    np.testing.assert_array_equal(found.values, codes)
    assert found.binary


def test_labels_that_mean_nothing_known_are_asked_for():
    for labels in (("good", "bad"), ("f", "n"), ("approved", "denied")):
        with pytest.raises(fg.InputError, match="--positive"):
            read_outcome(values(*labels), "ok", None)


def test_one_label_against_the_rest():
    found = read_outcome(values("success", "failure", "other", None), "out", "Success")
    np.testing.assert_array_equal(found.values, [1, 0, 0, np.nan])
    assert found.told == ("out: 'success' counts as yes, 'failure' and 'other' as no, as asked.",)
    found = read_outcome(np.array([1, 2, 3]), "class", 2)
    np.testing.assert_array_equal(found.values, [0, 1, 0])
    with pytest.raises(fg.InputError, match="no label of 'out'"):
        read_outcome(values("success", "failure"), "out", "done")


def test_a_score_and_a_threshold():
    table = {"age": [20, 30, 40, 50] * 100, "score": [1, 5, 6, 9] * 100, "truth": [0, 1, 0, 1] * 100}
    found = fg.audit(
        table, sensitive="age", outcome="score", truth="truth", threshold=5, measure="predictive_equality", checks=False
    )
    assert found.overall == 0.5
    assert found.data.converted == ("score: values of at least 5 count as yes, as asked.",)
    with pytest.raises(fg.InputError, match="holds labels"):
        read_outcome(values("a", "b"), "x", None, threshold=3)


@pytest.mark.parametrize(
    "values", [[0] * 9 + [1, 1], [0] * 30 + [2, 1, 1], [0] * 40 + [5, 2, 2, 1], [1] * 9 + [9, 0, 0]]
)
def test_a_few_who_add_up_to_another_are_people(values):
    refuse_sums(np.array(values, dtype=float), "children")


def test_many_who_add_up_to_one_are_a_total():
    ages = np.arange(20.0, 40)
    with pytest.raises(fg.InputError, match="a total, no person"):
        refuse_sums(np.append(ages, ages.sum()), "age")


@pytest.mark.parametrize("grand", [False, True])
@pytest.mark.parametrize("sizes", [[40] * 3, [12] * 6, [8, 30, 17], [60] * 12])
@pytest.mark.parametrize("kind", ["pay", "age", "yes"])
def test_rows_of_subtotals_are_no_people(kind, sizes, grand):
    rng = np.random.default_rng(len(sizes))
    rows, all_of = [], 0.0
    for size in sizes:
        some = {
            "pay": rng.normal(2000, 300, size).round(2),
            "age": rng.integers(18, 65, size),
            "yes": (rng.random(size) < 0.8).astype(int),
        }[kind].astype(float)
        rows += [*some, some.sum().round(2)]
        all_of += some.sum()
    rows = np.array([*rows, *([round(all_of, 2)] if grand else [])])
    with pytest.raises(fg.InputError, match="the sum of rows before it: a subtotal, no person. So do") as error:
        refuse_sums(rows, kind)
    assert error.value.row == sizes[0]


@pytest.mark.parametrize("seed", range(40))
def test_columns_of_people_are_never_taken_for_sums(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(11, 400))
    for column in (
        rng.poisson(rng.uniform(0.02, 3), n),
        rng.integers(0, 2, n),
        rng.integers(18, 70, n),
        rng.geometric(0.3, n),
        rng.lognormal(8, 1.5, n).round(),
        np.where(rng.random(n) < 0.97, 0, rng.integers(1, 4, n)),
    ):
        refuse_sums(column.astype(float), "x")
        read_outcome(column.astype(float), "x", None)


def test_small_counts_are_people_and_counts_among_labels_are_not():
    for few in ([1, 1, 2], [1, 1, 1, 3], [1, 1, 1, 1, 4], [*[1] * 10, 10]):
        column = np.zeros(200)
        column[np.linspace(3, 190, len(few)).astype(int)] = few
        read_outcome(column, "complaints", None)
        refuse_sums(column, "complaints")
    labels = [*["Y"] * 153, *["N"] * 247]
    with pytest.raises(fg.InputError, match="'153' in .* counts rows: a total"):
        read_outcome(values(*labels, "153"), "Referred", "Y")
    with pytest.raises(fg.InputError, match="counts rows: a total"):
        read_outcome(values(*labels, "400"), "Referred", None)
    assert read_outcome(values(*labels, "17"), "Referred", "Y").values.sum() == 153


def test_numbers_as_text_are_told_as_such():
    table = {"x": np.arange(60.0), "y": [f"{i / 7:.2f}" for i in range(60)]}
    with pytest.raises(fg.InputError, match="60 different numbers as text.*\n.*convert the column to numbers"):
        fg.audit(table, sensitive="x", outcome="y")


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        (50, "no value of 'y' reaches the threshold 50: the largest is 10"),
        (0, "every value of 'y' reaches the threshold 0: the smallest is 1"),
    ],
)
def test_thresholds_that_make_all_the_same_are_refused(threshold, said):
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"x": rng.integers(20, 60, 500), "y": rng.integers(1, 11, 500)})
    for data in (table, table.lazy()):
        with pytest.raises(fg.InputError, match=re.escape(said)):
            fg.audit(data, sensitive="x", outcome="y", threshold=threshold, checks=False)


def test_two_columns_of_labels_can_be_told_apart():
    labels = {"app": ["granted", "denied"] * 50, "good": ["paid", "default", "default", "paid"] * 25, "x": range(100)}
    with pytest.raises(fg.InputError, match="SELECT \\* REPLACE \\(good = 'paid' AS good\\) FROM data"):
        fg.audit(labels, sensitive="x", outcome="app", truth="good", measure="equal_opportunity", positive="granted")
