"""Tables as offices write them that once were read wrongly, or refused without help."""

import random

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.sources.source import Source, read_columns

random.seed(1)
PEOPLE = [(random.randint(18, 70), random.random()) for _ in range(600)]


def written(tmp_path, lines, name="people.csv"):
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def audited(path, sensitive="age", outcome="hired", **options):
    return fg.audit(path, sensitive=sensitive, outcome=outcome, checks=False, **options)


def test_thousands_in_tab_files_are_asked_about(tmp_path):
    path = written(tmp_path, ["pay\ty", *["950\t1", "1.018\t0"] * 100])
    with pytest.raises(fg.InputError, match="may be thousands or have three decimals"):
        audited(path, "pay", "y")
    columns, _ = read_columns(Source(path, decimal=","), ["pay"])
    assert set(columns["pay"]) == {950, 1018}
    four = written(tmp_path, ["x\ty", *(f"{u:.4f}\t{a % 2}" for a, u in PEOPLE)])
    columns, _ = read_columns(Source(four), ["x"])
    assert np.allclose(columns["x"], [round(u, 4) for _, u in PEOPLE])


def test_thousands_as_text_of_a_sheet_are_asked_about(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("pay", "y"), *[("950", 1), ("1.018", 0)] * 60):
        book.active.append(row)
    book.save(tmp_path / "people.xlsx")
    with pytest.raises(fg.InputError, match="may be thousands or have three decimals"):
        audited(tmp_path / "people.xlsx", "pay", "y")


@pytest.mark.parametrize(
    "head", [["age,hired,,"], ["Report of HR,,,", "age,hired,,"], ["Report,,,", ",,,", "age,hired,,"]]
)
def test_columns_without_a_name_and_titles_with_separators(tmp_path, head):
    found = audited(written(tmp_path, [*head, *(f"{a},{int(u < 0.4)},," for a, u in PEOPLE)]))
    assert found.data.rows == len(PEOPLE)
    assert found.overall == pytest.approx(np.mean([u < 0.4 for _, u in PEOPLE]))
    titles = len(head) - 1
    said = f"{titles} line{'s' if titles > 1 else ''} above the column names left out."
    assert (said in found.data.converted) == (titles > 0)


def test_a_second_column_of_a_name_can_be_asked_for(tmp_path):
    path = written(tmp_path, ["age,age,Age,hired", *(f"{a},{a + 1},{a + 2},{int(u < 0.4)}" for a, u in PEOPLE)])
    for name, more in (("age", 0), ("age (2)", 1), ("Age (3)", 2)):
        columns, _ = read_columns(Source(path), [name])
        assert columns[name][0] == PEOPLE[0][0] + more
    with pytest.raises(fg.InputError, match="does not say on which day"):
        audited(path, "age(birthday)")


def test_sums_of_rows_are_no_people(tmp_path):
    pay = [round(2000 + 1000 * u, 2) for _, u in PEOPLE]
    rows = [f"{a},{x}" for (a, _), x in zip(PEOPLE, pay, strict=True)]
    inside = [*rows[:300], f"45,{sum(pay[:300]):.2f}", *rows[300:]]
    with pytest.raises(fg.InputError, match=r"row 302 of the file, the sum of rows before it: a subtotal"):
        audited(written(tmp_path, ["age,pay", *inside]), outcome="pay")
    total = [*(f"{a},{int(u < 0.4)}" for a, u in PEOPLE), f"{sum(a for a, _ in PEOPLE)},1"]
    with pytest.raises(fg.InputError, match="'age' holds .* the sum of all others: a total"):
        audited(written(tmp_path, ["age,hired", *total]))
    small = np.random.default_rng(0).lognormal(size=500) * 1e-12  # no sum of anything
    assert audited({"age": np.arange(500) % 50, "hired": small}).data.rows == 500


def test_bands_that_a_spreadsheet_made_dates_of(tmp_path):
    bands = ["25-Jan", "26-35", "36-64", "65+"]
    path = written(tmp_path, ["band,hired", *(f"{bands[a % 4]},{int(u < 0.4)}" for a, u in PEOPLE)])
    with pytest.raises(fg.InputError, match="'25-Jan', which a spreadsheet has made of one"):
        audited(path, "band")
    months = ["01-Jan", "02-Feb", "03-Mar"]  # no band among them
    path = written(tmp_path, ["day,hired", *(f"{months[a % 3]},{int(u < 0.4)}" for a, u in PEOPLE)])
    assert audited(path, "day").data.rows == len(PEOPLE)


def test_dates_of_birth_that_cannot_be_are_told(tmp_path):
    lines = [f"{'2031-02-03' if i < 15 else f'{1950 + i % 50}-03-04'},{i % 2}" for i in range(300)]
    with pytest.raises(fg.MissingValuesError, match="a date after that day, or over 120 years before it"):
        audited(written(tmp_path, ["dob,hired", *lines]), "age(dob, 2024-01-01)")


def test_codes_and_spellings_of_outcomes_are_told(tmp_path):
    path = written(tmp_path, ["age,hired", *(f"{a},{(-9, 0, 1)[a % 3]}" for a, _ in PEOPLE)])
    assert any("If -9 stands for a missing value, say so: --na -9" in note for note in audited(path).notes)
    spelt = [" Yes", "YES ", "no"]
    path = written(tmp_path, ["age,hired", *(f"{a},{spelt[a % 3]}" for a, _ in PEOPLE)])
    assert any("' Yes' and 'YES ' were read as yes and 'no' as no" in line for line in audited(path).data.converted)
    three = ["Accepted", "accepted ", "refused"]
    path = written(tmp_path, ["age,hired", *(f"{a},{three[a % 3]}" for a, _ in PEOPLE)])
    told = audited(path, positive="accepted").data.converted
    assert any("'Accepted' and 'accepted ' count as yes, 'refused' as no, as asked." in line for line in told)


def test_numbers_as_text_of_a_sheet_are_told(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("age", "hired"), *[("34", 1), (52, 0), (47, 1)] * 40):
        book.active.append(row)
    book.save(tmp_path / "people.xlsx")
    assert "age: 40 cells of text were read as numbers." in audited(tmp_path / "people.xlsx").data.converted
    with pytest.raises(fg.InputError, match="40 cells of text were read as numbers"):
        audited(Source(tmp_path / "people.xlsx", strict=True))


def test_yes_and_no_in_many_spellings_and_a_one_beside_a_two(tmp_path):
    words = ["yes", "Y", "TRUE", "1", "ja", "no", "N", "FALSE", "0", "nein"]
    path = written(tmp_path, ["age,hired", *(f"{a},{words[a % 10]}" for a, _ in PEOPLE)])
    assert audited(path).overall == pytest.approx(np.mean([a % 10 < 5 for a, _ in PEOPLE]))
    told = audited({"age": [a for a, _ in PEOPLE], "hired": [1 + a % 2 for a, _ in PEOPLE]}, positive=1).data.converted
    assert "hired: 1 counts as yes, 2 as no, as asked." in told


def test_numbers_with_one_unit_are_numbers(tmp_path):
    for unit, text in ((" years", "34 years"), ("kg", "70 kg"), (" J.", "50 J.")):
        path = written(tmp_path, ["age;hired", *(f"{a}{unit};{int(u < 0.4)}" for a, u in PEOPLE)])
        found = audited(path)
        assert found.data.attributes[0].levels is None, text
        ends = found.data.attributes[0].low, found.data.attributes[0].high
        assert ends == (18, 75), "an end that fewer than ten share is rounded outwards"
        assert any(f"the unit {unit.strip()!r} left out" in line for line in found.data.converted)
    decimals = written(tmp_path, ["age;hired", *(f"{a},5 kg;{int(u < 0.4)}" for a, u in PEOPLE)])
    columns, _ = read_columns(Source(decimals), ["age"])
    assert columns["age"][0] == PEOPLE[0][0] + 0.5
    for odd in ("{a} {b}", "{a}{b}", "{a}A"):  # several units, or names with a number
        cells = (odd.format(a=a % 7, b="abcdefg"[a % 5] * 2) for a, _ in PEOPLE)
        path = written(
            tmp_path, ["age;hired", *(f"{x};{int(u < 0.4)}" for x, (_, u) in zip(cells, PEOPLE, strict=True))]
        )
        assert audited(path).data.attributes[0].levels is not None, odd


def test_the_second_column_of_a_name_has_number_two(tmp_path):
    path = written(tmp_path, ["age,hired,age", *(f"{a},{int(u < 0.4)},{a + 1}" for a, u in PEOPLE)])
    columns, _ = read_columns(Source(path), ["age (2)"])
    assert columns["age (2)"][0] == PEOPLE[0][0] + 1


def test_a_folder_of_two_kinds_says_what_can_be_typed(tmp_path, monkeypatch):
    for name in ("a.csv", "b.csv", "c.jsonl"):
        (tmp_path / name).write_text("age,hired\n1,0\n" if "csv" in name else '{"age": 1, "hired": 0}\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(fg.InputError, match=r"'\./\*\.csv'"):
        audited(".")
    with pytest.raises(fg.InputError, match=f"'{tmp_path}/\\*\\.csv'"):
        audited(tmp_path)
