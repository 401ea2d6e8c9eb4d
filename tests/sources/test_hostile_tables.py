"""What a hostile tester found in office tables: each was silently wrong once."""

import numpy as np
import pandas as pd
import pytest

import fairgroups as fg

openpyxl = pytest.importorskip("openpyxl")
R = range(120)
ANSWERS = ["yes" if i % 3 else "no" for i in R]
GERMAN = [f"{1 + i % 9}.{i * 37 % 1000:03d}" for i in R]  # 1.000 is a thousand
TRUE = [int(text.replace(".", "")) for text in GERMAN]


def values(source, column, outcome="hired", **options):
    """The mean of a column, as an audit reads it."""
    found = fg.audit(source, **{"sensitive": outcome, "outcome": column, "checks": False, "min_cell": 1, **options})
    return found.overall


@pytest.mark.parametrize("kind", ["tab", "utf-16", "quoted", "title", "decimal", "sheet"])
def test_dots_that_part_thousands_beside_decimal_commas(tmp_path, kind):
    rows = list(zip(GERMAN, (f"{i % 30},5" for i in R), ANSWERS, strict=True))
    mark = {"tab": "\t", "utf-16": "\t", "quoted": ",", "title": ";", "decimal": ","}.get(kind, ",")
    quote = (lambda x: f'"{x}"') if kind in ("quoted", "decimal") else (lambda x: x)
    lines = [mark.join(map(quote, row)) for row in (("income", "rate", "hired"), *rows)]
    path = tmp_path / ("a.xlsx" if kind == "sheet" else "a.csv")
    if kind == "sheet":
        book = openpyxl.Workbook()
        for row in (("income", "rate", "hired"), *rows):
            book.active.append(row)
        book.save(path)
    else:
        title = "Report 2024\n\n" if kind == "title" else ""
        path.write_text(title + "\n".join(lines) + "\n", encoding="utf-16" if kind == "utf-16" else "utf-8")
    source = fg.Source(path, decimal="," if kind == "decimal" else None)
    assert values(source, "income") == pytest.approx(np.mean(TRUE))


def test_numbers_of_a_sheet_stay_what_they_are(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["weight", "rate", "hired"])
    for i in R:
        book.active.append([1.25 + i / 1000, f"{i % 30},5", ANSWERS[i]])
    book.save(tmp_path / "a.xlsx")
    assert values(tmp_path / "a.xlsx", "weight") == pytest.approx(1.25 + 59.5 / 1000)


def test_another_column_proves_the_comma(tmp_path):
    weights = [f"{1 + i % 9},{i * 37 % 900 + 100}" if i % 5 else "2" for i in R]
    lines = [f"{w};{i % 30},5;{a}" for i, (w, a) in enumerate(zip(weights, ANSWERS, strict=True))]
    (tmp_path / "a.csv").write_text("weight;rate;hired\n" + "\n".join(lines))
    right = np.mean([float(w.replace(",", ".")) for w in weights])
    found = fg.audit(tmp_path / "a.csv", sensitive="rate", outcome="weight", checks=False)
    assert found.overall == pytest.approx(right)


def test_codes_with_labels_are_missing_if_said(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    hired = [-9 if i < 10 else 1 if i % 2 else 2 for i in R]
    table = pd.DataFrame({"age": [20 + i % 40 for i in R], "hired": hired})
    pyreadstat.write_sav(
        table, str(tmp_path / "s.sav"), variable_value_labels={"hired": {1: "Yes", 2: "No", -9: "Refused"}}
    )
    source = fg.Source(tmp_path / "s.sav", na=["-9"])
    found = fg.audit(source, sensitive="age", outcome="hired", positive="Yes", missing="drop", checks=False)
    assert (found.data.rows, found.overall) == (110, 0.5)


def test_years_of_birth_are_no_dates():
    with pytest.raises(fg.InputError, match="holds numbers, no dates"):
        fg.audit({"dob": [1990, 1950] * 60, "ok": [0, 1] * 60}, sensitive="age(dob, 2024-06-05)", outcome="ok")


def test_days_and_months_are_never_guessed(tmp_path):
    days = pd.date_range("2024-01-01", periods=12).strftime("%m/%d/%Y")
    lines = [f"{days[i % 12]},{20 + i % 40},{i % 2}" for i in R]
    (tmp_path / "a.csv").write_text("when,age,ok\n" + "\n".join(lines))
    for options in ({"by": "when", "sensitive": "age"}, {"sensitive": "age(when, 2024-06-05)"}):
        for where in (None, "ok >= 0"):
            with pytest.raises(fg.InputError, match="day/month or as month/day"):
                fg.audit(fg.Source(tmp_path / "a.csv", where=where), outcome="ok", checks=False, **options)
    two = "\n".join(f"{1 + i % 28:02d}.04.{50 + i % 40},{i % 2}" for i in R)
    (tmp_path / "b.csv").write_text(f"dob,ok\n{two}\n")
    with pytest.raises(fg.InputError, match="four digits"):
        fg.audit(tmp_path / "b.csv", sensitive="age(dob, 2024-06-05)", outcome="ok")


@pytest.mark.parametrize(
    "periods",
    [
        ["Jan", "Feb", "Mar", "Apr"],
        ["1/2024", "2/2024", "10/2024"],
        ["2024-1", "2024-2", "2024-10"],
        ["Q1 2023", "Q4 2023", "Q1 2024"],
        ["W9", "W10", "W11"],
        ["before", "after"],
        ["Dezember 2023", "Januar 2024", "März 2024"],
    ],
)
def test_periods_come_in_their_order(periods):
    table = {"t": np.resize(periods, 600), "age": np.arange(600) % 50, "ok": np.arange(600) % 2}
    found = fg.audit(table, sensitive="age", outcome="ok", partition=[25], by="t", checks=False)
    assert [one.label for one in found.over_time.periods] == periods


def test_a_row_of_totals_is_no_person(tmp_path):
    lines = [f"P{i},{20 + i % 50},{int(i % 3 > 0)}" for i in R]
    (tmp_path / "a.csv").write_text("name,age,hired\n" + "\n".join(lines) + "\nTotal,5340,80\n")
    with pytest.raises(fg.InputError, match="holds 80 in row 122 of the file, the sum of all others"):
        fg.audit(tmp_path / "a.csv", sensitive="age", outcome="hired")


def test_ids_stay_apart(tmp_path):
    for ids in ([str(12345678901234567890 + i // 2) for i in R], [f"1.{i // 2}{'0' * (i // 2 % 2)}" for i in R]):
        lines = [f"{20 + i % 50},{int(i % 3 > 0)},{name}" for i, name in enumerate(ids)]
        (tmp_path / "a.csv").write_text("age,hired,id\n" + "\n".join(lines))
        read = fg.audit(tmp_path / "a.csv", sensitive="age", outcome="hired", cluster="id", checks=False)
        table = {"age": [20 + i % 50 for i in R], "hired": [int(i % 3 > 0) for i in R], "id": ids}
        assert repr(read.records) == repr(
            fg.audit(table, sensitive="age", outcome="hired", cluster="id", checks=False).records
        )


def test_sheets_that_nobody_sees_come_last(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "lists"
    book.active.sheet_state = "hidden"
    data = book.create_sheet("Data")
    for sheet, n in ((book.active, 30), (data, 120)):
        sheet.append(["age", "hired"])
        for i in range(n):
            sheet.append([20 + i % 40, ANSWERS[i]])
    book.active = 1
    book.save(tmp_path / "a.xlsx")
    assert fg.audit(tmp_path / "a.xlsx", sensitive="age", outcome="hired", checks=False).data.rows == 120


def test_missing_codes_are_taken_by_their_value(tmp_path):
    table = pd.DataFrame({"age": [18 + i % 5 for i in R], "flag": [i % 2 == 0 for i in R]})
    table.to_parquet(tmp_path / "a.parquet")
    source = fg.Source(tmp_path / "a.parquet", na=["19.6", "no"])
    assert fg.audit(source, sensitive="age", outcome="flag", checks=False).overall == 0.5


def test_files_that_excel_marks(tmp_path):
    lines = "\n".join(f"{20 + i % 40};{ANSWERS[i]}" for i in R)
    (tmp_path / "a.csv").write_text(f"sep=;\nage;hired\n{lines}\n")
    assert fg.audit(tmp_path / "a.csv", sensitive="age", outcome="hired", checks=False).data.rows == 120
    book = openpyxl.Workbook()
    book.active.append(["sex", 2023])
    for i in R:
        book.active.append(["f" if i % 2 else "m", ANSWERS[i]])
    book.save(tmp_path / "a.xlsx")
    assert fg.audit(tmp_path / "a.xlsx", sensitive="sex", outcome="2023", checks=False).data.rows == 120


def test_letters_of_two_languages_are_asked_for():
    with pytest.raises(fg.InputError, match="--positive"):
        fg.audit({"age": list(R), "ok": ["S", "F"] * 60}, sensitive="age", outcome="ok")


def test_columns_may_be_called_anything():
    with pytest.raises(fg.MissingValuesError, match=r"'\{row\}' holds 1 missing"):
        fg.audit({"{row}": [1.0, np.nan, 3.0], "y": [0, 1, 0]}, sensitive="{row}", outcome="y")
