import datetime as dt

import pytest

import fairgroups as fg
from fairgroups.sources.spreadsheets import column_letters, read_sheet

openpyxl = pytest.importorskip("openpyxl")


def workbook(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


ROWS = [["age", "ok"], *([20 + i % 40, "Yes" if i % 40 > 15 or i % 3 == 0 else "No"] for i in range(600))]


def test_a_sheet_is_audited(tmp_path):
    path = workbook(tmp_path / "people.xlsx", {"Data": ROWS})
    found = fg.audit(path, sensitive="age", outcome="ok", checks=False)
    same = fg.audit(
        {"age": [r[0] for r in ROWS[1:]], "ok": [r[1] == "Yes" for r in ROWS[1:]]},
        sensitive="age",
        outcome="ok",
        checks=False,
    )
    assert found.records == same.records
    assert found.data.converted == ("ok: 'Yes' was read as yes and 'No' as no.",)


def test_titles_empty_rows_and_other_sheets(tmp_path):
    rows = [["People of 2024"], [], *ROWS[:3], [], *ROWS[3:]]
    path = workbook(tmp_path / "people.xlsx", {"Empty": [], "Data": rows, "Notes": [["a"]]})
    read = read_sheet(path, None, tmp_path)
    assert list(read.rows)[:4] == [4, 5, 7, 8]
    assert read.told == (
        "Of the sheets Empty, Data and Notes, 'Data' was read (--sheet).",
        "Data: the row above the column names was left out.",
    )
    with pytest.raises(fg.InputError, match="has no sheet 'Nope'"):
        fg.audit(fg.Source(path, sheet="Nope"), sensitive="age", outcome="ok")
    rows[7][0] = "Total"
    path = workbook(tmp_path / "people.xlsx", {"Data": rows})
    with pytest.raises(fg.InputError, match="the first is 'Total' in row 8 of the file"):
        fg.audit(path, sensitive="age", outcome="ok")


def test_cells_of_every_kind(tmp_path):
    rows = [
        ["whole", "real", "flag", "day", "time", None],
        [3, 0.1, True, dt.date(2024, 1, 2), dt.datetime(2024, 1, 2, 3), "x"],
    ]
    text = read_sheet(workbook(tmp_path / "a.xlsx", {"s": rows}), None, tmp_path).path.read_text()
    assert text.splitlines() == ["whole,real,flag,day,time,column F", "3,0.1,TRUE,2024-01-02,2024-01-02 03:00:00,x"]


def test_a_damaged_workbook_is_refused(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    with pytest.raises(fg.InputError, match="cannot read the workbook"):
        fg.audit(tmp_path / "a.xlsx", sensitive="age", outcome="ok")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(fg.InputError, match="is no workbook"):
        fg.audit(fg.Source(tmp_path / "a.csv", sheet="x"), sensitive="a", outcome="b")


def test_letters_of_columns():
    assert [column_letters(i) for i in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]
