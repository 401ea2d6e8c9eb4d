"""Sheets that reach too far, formulas that were never worked out, errors and merged cells."""

import openpyxl
import pytest

import fairgroups as fg
from fairgroups.sources.sheet_xml import look_into

ROWS = 200


def workbook(tmp_path, change, title="People & co"):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = title
    sheet.append(["age", "region", "ok"])
    for i in range(ROWS):
        sheet.append([20 + i % 40, "north" if i < ROWS / 2 else "south", i % 2])
    change(sheet)
    book.save(tmp_path / "people.xlsx")
    return tmp_path / "people.xlsx"


def put(place, value):
    return lambda sheet: sheet.__setitem__(place, value)


@pytest.mark.parametrize("place", ["XFD1048576", "CV1048576", "ZZ900000"])
def test_a_stray_cell_is_told_before_all_memory_is_taken(tmp_path, place):
    path = workbook(tmp_path, put(place, " "))
    with pytest.raises(fg.InputError, match="some cell lies far from the table"):
        fg.audit(path, sensitive="age", outcome="ok", checks=False)


def test_formulas_without_values_are_told(tmp_path):
    def change(sheet):
        for i in range(2, 62):
            sheet.cell(i, 1).value = "=20+3"

    path = workbook(tmp_path, change)
    assert look_into(path, "People & co").unsaved == 60
    with pytest.raises(fg.InputError, match="60 formulas .* have no saved value"):
        fg.audit(path, sensitive="age", outcome="ok", checks=False)


def test_merged_cells_stand_for_all_that_they_cover(tmp_path):
    def change(sheet):
        for first, last in ((2, 101), (102, 201)):
            for i in range(first + 1, last + 1):
                sheet.cell(i, 2).value = None
            sheet.merge_cells(start_row=first, end_row=last, start_column=2, end_column=2)

    found = fg.audit(workbook(tmp_path, change), sensitive="region", outcome="ok", checks=False)
    assert [record.n for record in found.records] == [100, 100]
    assert "merged cells stand for each of the 198 cells" in found.data.converted[0]


def test_errors_are_counted(tmp_path):
    def change(sheet):
        for place, error in (("A5", "#N/A"), ("A9", "#DIV/0!")):
            sheet[place] = error
            sheet[place].data_type = "e"

    found = fg.audit(workbook(tmp_path, change), sensitive="age", outcome="ok", missing="drop", checks=False)
    assert found.data.rows == ROWS - 2
    assert "2 cells hold an error" in found.data.converted[0]


def test_numbers_among_texts_that_may_be_numbers_are_told(tmp_path):
    def change(sheet):
        for i in range(2, 202, 2):
            sheet.cell(i, 3).value = "1.001"

    path = workbook(tmp_path, change)
    with pytest.raises(fg.InputError, match="holds numbers, and texts such as '1.001'"):
        fg.audit(path, sensitive="age", outcome="ok", checks=False)
    fg.audit(path, sensitive="age", outcome="age", truth="age", measure="mean", checks=False)  # it is not asked for


def test_many_rows_are_looked_through_once(tmp_path):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("wide")
    for i in range(30_000):
        sheet.append([i, "text " * 10, i * 0.5])
    book.save(tmp_path / "people.xlsx")
    found = look_into(tmp_path / "people.xlsx", "wide")
    assert (found.unsaved, found.errors) == (0, 0)
    assert look_into(tmp_path / "people.xlsx", "none") is None
    (tmp_path / "not.xlsx").write_bytes(b"no workbook")
    assert look_into(tmp_path / "not.xlsx", "wide") is None
