import datetime as dt
import zipfile

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
    own = [list(row) for row in ROWS]
    rows = [["People of 2024"], [], *own[:3], [], *own[3:]]
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


def test_a_cover_may_come_before_the_table(tmp_path):
    cover = [["Report", "2024"], ["made by", "somebody"]]
    path = workbook(tmp_path / "people.xlsx", {"Cover": cover, "Data": ROWS})
    found = fg.audit(path, sensitive="age", outcome="ok", checks=False)
    assert found.data.rows == 600
    assert found.data.converted[0] == "Of the sheets Cover and Data, 'Data' was read (--sheet)."
    with pytest.raises(fg.InputError, match="no column 'height'"):
        fg.audit(path, sensitive="height", outcome="ok")


def test_rows_that_a_filter_hides_are_told(tmp_path):
    path = workbook(tmp_path / "people.xlsx", {"Data": ROWS})
    book = openpyxl.load_workbook(path)
    for row in (5, 6, 9):
        book["Data"].row_dimensions[row].hidden = True
    book.save(path)
    found = fg.audit(path, sensitive="age", outcome="ok", checks=False)
    assert found.data.rows == 600
    assert "Data: 3 rows are hidden, by a filter perhaps, and counted all the same." in found.data.converted


@pytest.mark.parametrize("name", ["people.csv", "people.xls", "people.txt"])
def test_a_workbook_by_another_name(tmp_path, name):
    path = workbook(tmp_path / "a.xlsx", {"Data": ROWS}).rename(tmp_path / name)
    found = fg.audit(path, sensitive="age", outcome="ok", checks=False)
    assert found.data.rows == 600
    assert f"{name} is a workbook, whatever its name says, and was read as one." in found.data.converted


def test_text_and_web_pages_called_workbooks(tmp_path):
    path = tmp_path / "people.xls"
    path.write_text("age\tok\n" + "".join(f"{a}\t{b}\n" for a, b in ROWS[1:]))
    found = fg.audit(path, sensitive="age", outcome="ok", checks=False)
    assert found.data.rows == 600
    assert "people.xls is a table of text, whatever its name says, and was read as one." in found.data.converted
    path.write_text("<html><table><tr><td>age</td></tr></table></html>")
    with pytest.raises(fg.InputError, match="a web page with a table"):
        fg.audit(path, sensitive="age", outcome="ok")


def test_archives_and_many_workbooks_are_told(tmp_path):
    with zipfile.ZipFile(tmp_path / "people.csv", "w") as archive:
        archive.writestr("inside.csv", "age,ok\n1,1\n")
    with pytest.raises(fg.InputError, match="is a zip archive"):
        fg.audit(tmp_path / "people.csv", sensitive="age", outcome="ok")
    (tmp_path / "many").mkdir()
    for year in (2023, 2024):
        workbook(tmp_path / "many" / f"{year}.xlsx", {"Data": ROWS})
    for place in (tmp_path / "many", tmp_path / "many" / "*.xlsx"):
        with pytest.raises(fg.InputError, match="read one at a time"):
            fg.audit(place, sensitive="age", outcome="ok")
