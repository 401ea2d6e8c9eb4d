import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairgroups import ColumnError, InputError, MissingValuesError, audit
from fairgroups.rows.rows import Rows
from fairgroups.sources.frames import read_table

X = [1.0, 2.0, 3.0, 4.0]


def outcome_of(values, **options):
    rows = Rows.from_arrays(X, values, **options)
    return rows.outcome.tolist(), rows.outcome_is_binary


@pytest.mark.parametrize(
    "values",
    [
        [0, 1, 1, 0],
        [False, True, True, False],
        np.array([0.0, 1.0, 1.0, 0.0]),
        np.array([False, True, True, False]),
        pd.Series([False, True, True, False], dtype="boolean"),
        pl.Series([0, 1, 1, 0]),
        pa.chunked_array([[False, True, True, False]]),
    ],
)
def test_yes_and_no_in_many_shapes(values):
    assert outcome_of(values) == ([0, 1, 1, 0], True)


def test_labels_need_to_know_the_positive_one():
    values = ["no", "yes", "yes", "no"]
    assert outcome_of(values, positive="yes") == ([0, 1, 1, 0], True)
    assert outcome_of(pd.Categorical(values), positive="no") == ([1, 0, 0, 1], True)
    assert outcome_of([1, 2, 2, 1], positive=2) == ([0, 1, 1, 0], True)
    assert outcome_of([1, 2, 2, 1], positive="2") == ([0, 1, 1, 0], True)
    assert outcome_of(values) == ([0, 1, 1, 0], True)
    with pytest.raises(InputError, match="which one counts as 1"):
        outcome_of(["bad", "good", "good", "bad"])
    with pytest.raises(InputError, match="no label of"):
        outcome_of(values, positive="maybe")
    with pytest.raises(InputError, match="3 different labels"):
        outcome_of(["a", "b", "c", "a"])
    assert outcome_of(["a", "b", "c", "a"], positive="a") == ([1, 0, 0, 1], True)
    assert outcome_of([1, 2, 3, 4], positive=2) == ([0, 1, 0, 0], True)
    with pytest.raises(InputError, match=r"(?s)holds the numbers 1, 2, 3 and 4.*positive=4"):
        outcome_of([1, 2, 3, 4], positive=7)


def test_the_truth_may_have_labels_of_its_own():
    rows = Rows.from_arrays(X, ["no", "yes", "yes", "no"], truth=[0, 1, 0, 1], positive="yes")
    assert rows.truth.tolist() == [0, 1, 0, 1]


def test_numbers_are_numbers():
    assert outcome_of([0.5, 1.5, 2, 3]) == ([0.5, 1.5, 2, 3], False)


MISSING = [
    [1.0, None, 3.0, 4.0],
    np.array([1.0, np.nan, 3.0, 4.0]),
    np.ma.masked_array([1.0, 9.0, 3.0, 4.0], [False, True, False, False]),
    pd.Series([1, None, 3, 4], dtype="Int64"),
    pl.Series([1, None, 3, 4]),
    pa.array([1, None, 3, 4]),
]


@pytest.mark.parametrize("values", MISSING)
def test_missing_values_follow_the_policy(values):
    y = [0, 1, 1, 0]
    with pytest.raises(MissingValuesError, match=r"1 missing value.*row 1[\s\S]*missing='drop'[\s\S]*missing='group'"):
        Rows.from_arrays(values, y)
    dropped = Rows.from_arrays(values, y, missing="drop", names={"sensitive": "age"})
    assert dropped.sensitive.tolist() == [1, 3, 4]
    assert dropped.dropped == {"age": 1}
    assert np.isnan(Rows.from_arrays(values, y, missing="group").sensitive).sum() == 1


def test_each_row_is_dropped_for_one_reason():
    nan = float("nan")
    rows = Rows.from_arrays([nan, nan, 1, 2], [nan, 1, nan, 0], missing="drop")
    assert dict(rows.dropped) == {"sensitive": 2, "outcome": 1}
    with pytest.raises(MissingValuesError, match="outcome"):
        Rows.from_arrays([nan, 0, 1, 2], [nan, 1, 1, 0], missing="group")
    with pytest.raises(InputError, match="no rows are left"):
        Rows.from_arrays([nan, nan], [0, 1], missing="drop")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sensitive": [], "outcome": []}, "there are no rows"),
        ({"sensitive": [1, 2], "outcome": [1]}, "same number of rows; 'sensitive' has 2, 'outcome' has 1"),
        (
            {"sensitive": ["20", "30", "old"], "outcome": [0, 1, 1]},
            "must hold numbers; 1 of 3 values are not, the first is 'old' in row 2",
        ),
        ({"sensitive": [1, np.inf], "outcome": [0, 1]}, "1 infinite value"),
        ({"sensitive": [1, -np.inf], "outcome": [0, 1]}, "1 infinite value"),
        ({"sensitive": [[1, 2], [3, 4]], "outcome": [0, 1]}, "one column of values is needed"),
        ({"sensitive": [1, 2], "outcome": [0, 1], "weight": [1, -1]}, "must not be negative"),
        ({"sensitive": [1, 2], "outcome": [0, 1], "weight": [0, 0]}, "are zero"),
        ({"sensitive": [1, 2], "outcome": [0, 1], "weight": [1e-20, 1]}, "run from 1e-20 to 1"),
        ({"sensitive": np.array(["2020-01-01"], "datetime64[D]"), "outcome": [0]}, "dates or durations"),
        ({"sensitive": 3, "outcome": [0]}, "a column of values is needed"),
        ({"sensitive": [1], "outcome": [0], "missing": "ignore"}, "`missing` must be"),
    ],
)
def test_bad_input_says_what_to_do(arguments, message):
    with pytest.raises(InputError, match=message):
        Rows.from_arrays(**arguments)


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas-pyarrow": lambda d: pd.DataFrame(d).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "polars-lazy": lambda d: pl.DataFrame(d).lazy(),
    "pyarrow": pa.table,
    "dict": dict,
}


@pytest.mark.parametrize("library", FRAMES)
def test_every_frame_gives_the_same_audit_and_its_own_kind_of_table(library):
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, 2000)
    data = {"age": age.tolist(), "hired": (rng.random(2000) < age / 100).tolist()}
    plain = audit(data, sensitive="age", outcome="hired", n_groups=3)
    frame = FRAMES[library](data)
    found = audit(frame, sensitive="age", outcome="hired", n_groups=3)
    assert found.records == plain.records
    kind = {"polars-lazy": pl.DataFrame, "pandas-pyarrow": pd.DataFrame}.get(library, type(frame))
    assert isinstance(found.groups, kind)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".csv.gz", ".tsv"])
def test_files(tmp_path, suffix):
    frame = pd.DataFrame({"age": [20, 30, None, 50], 'odd "name"; --': [0, 1, 1, 0]})
    path = tmp_path / f"people{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    table = read_table(path, ["age", 'odd "name"; --'])
    rows = Rows.from_arrays(*table.columns.values(), missing="drop")
    assert rows.sensitive.tolist() == [20, 30, 50]
    assert rows.outcome.tolist() == [0, 1, 0]


def test_a_missing_column_names_the_nearest(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,hired\n20,1\n")
    for data in (path, {"age": [1], "hired": [1]}, pd.DataFrame({"age": [1], "hired": [1]})):
        with pytest.raises(ColumnError, match="did you mean 'age'.*age, hired"):
            read_table(data, ["aeg"])


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="there is no file"):
        read_table(tmp_path / "none.csv", ["a"])
    (tmp_path / "x.docx").write_text("x")
    with pytest.raises(InputError, match="cannot tell the format"):
        read_table(tmp_path / "x.docx", ["a"])
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InputError, match=r"cannot read 'cut.parquet'"):
        read_table(tmp_path / "cut.parquet", ["a"])
    with pytest.raises(InputError, match="cannot read a table from 'int'"):
        read_table(3, ["a"])


ODD_FILES = {
    "bom": ("\ufeffage,y\n20,1\n30,0\n").encode(),
    "semicolons": b"age;y\n20;1\n30;0\n",
    "quoted": b'age,y\n"20","1"\n"30","0"\n',
    "twice": b"age,age,y\n20,9,1\n30,9,0\n",
    "missing": b"age,y\n20,1\n30,0\nNA,1\n?,0\n",
}


@pytest.mark.parametrize("kind", ODD_FILES)
def test_odd_files(tmp_path, kind):
    path = tmp_path / "a [b] %20 c.csv"
    path.write_bytes(ODD_FILES[kind])
    columns = read_table(path, ["age", "y"]).columns
    rows = Rows.from_arrays(columns["age"], columns["y"], missing="drop")
    assert rows.sensitive.tolist() == [20, 30]
    assert rows.outcome.tolist() == [1, 0]


def test_a_name_is_never_a_pattern(tmp_path):
    (tmp_path / "data1.csv").write_text("age,y\n1,0\n")
    (tmp_path / "data[1].csv").write_text("age,y\n2,1\n")
    (tmp_path / "data*.csv").write_text("age,y\n3,1\n")
    assert read_table(tmp_path / "data[1].csv", ["age"]).columns["age"].tolist() == [2]
    assert read_table(tmp_path / "data*.csv", ["age"]).columns["age"].tolist() == [3]


def test_bad_files_say_what_is_wrong(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("")
    with pytest.raises(InputError, match="is empty"):
        read_table(path, ["age"])
    path.write_text("age,y\n" + "20,1\n" * 50 + "1,2,3,4\n" + "20,1\n" * 50)
    with pytest.raises(InputError, match="line 52 of 'people.csv' has 4 fields, the header has 2"):
        read_table(path, ["age", "y"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"holds no \.csv"):
        read_table(tmp_path / "empty", ["age"])


def test_text_in_a_number_column_names_the_row(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,hired\n" + "20,1\n" * 5 + "unknown,0\n")
    with pytest.raises(InputError, match="'age' must hold numbers"):
        audit(path, sensitive="age", outcome="hired")


def test_where_nothing_is_written_for_no():
    table = {"age": list(range(40)), "ok": ["Yes", None] * 20}
    with pytest.raises(MissingValuesError) as told:
        audit(table, sensitive="age", outcome="ok")
    assert "write a no there" in str(told.value)


@pytest.mark.parametrize("values", [[np.inf] * 4, [-np.inf, np.inf]])
def test_infinite_values_are_no_totals(values):
    x = [*range(20, 60), *values]
    with pytest.raises(InputError, match=rf"{len(values)} infinite value\(s\) \({values[0]:g}\)"):
        Rows.from_arrays(x, [0, 1] * (len(x) // 2))


@pytest.mark.parametrize(
    "values",
    [np.arange(40, dtype=np.uint64) + np.uint64(2**63), [10**30 + i for i in range(40)], np.arange(40) + 2**60],
    ids=["uint64", "int", "int64"],
)
def test_whole_numbers_that_would_become_alike_are_refused(values):
    with pytest.raises(InputError, match="cannot be told apart"):
        Rows.from_arrays(values, [0, 1] * 20)


def test_large_whole_numbers_that_stay_apart_are_read():
    nanoseconds = np.arange(40) * 86_400_000_000_000 + 1_700_000_000_000_000_000
    assert Rows.from_arrays(nanoseconds, [0, 1] * 20).n == 40


def test_calibration_is_of_chances():
    table = {"x": np.arange(400) % 40, "score": np.arange(400) % 10, "t": np.arange(400) % 2}
    with pytest.raises(InputError, match="chances between 0 and 1, and the outcome holds other numbers, from 0 to 9"):
        audit(table, sensitive="x", outcome="score", truth="t", measure="calibration")
    fine = audit(
        table | {"score": table["score"] / 10}, sensitive="x", outcome="score", truth="t", measure="calibration"
    )
    assert fine.measure.name == "calibration"
