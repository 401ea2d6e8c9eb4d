import numpy as np
import pytest

import fairgroups as fg
from fairgroups.sources.source import Source, read_columns


def written(tmp_path, text):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    return tmp_path / "a.csv"


def test_a_column_that_comes_twice_is_told(tmp_path):
    rows = "\n".join(f"{i},{i % 2},{i}" for i in range(100))
    found = fg.audit(written(tmp_path, f"age,ok,ok\n{rows}\n"), sensitive="age", outcome="ok", checks=False)
    assert found.overall == 0.5
    assert found.data.converted == ("The file has more than one column ok: the first was read.",)


def test_missing_values_as_offices_mark_them(tmp_path):
    rows = "\n".join(
        f"{20 + i % 50},{'unknown' if i % 9 == 0 else i % 2},{-9 if i % 10 == 0 else 200 + i}" for i in range(900)
    )
    path = written(tmp_path, f"age,ok,x\n{rows}\n")
    with pytest.raises(fg.InputError, match=r"--positive"):
        fg.audit(path, sensitive="age", outcome="ok")
    source = fg.Source(path, na=["unknown", "-9"])
    assert fg.audit(source, sensitive="age", outcome="ok", missing="drop", checks=False).data.dropped == {"ok": 100}
    assert fg.audit(source, sensitive="x", outcome="age", missing="drop", checks=False).data.attributes[0].low > 0
    found = fg.audit(path, sensitive="x", outcome="age", checks=False)
    assert "90 rows share x = -9, far from all others" in found.notes[0]


def test_thousands_by_dots_where_commas_part_decimals(tmp_path):
    rows = "\n".join(f"{20 + i}.{100 + i};{i},5;{i % 2}" for i in range(100))
    found = fg.audit(
        written(tmp_path, f"income;x;ok\n{rows}\n"), sensitive=["income", "x"], outcome="ok", checks=False, min_cell=1
    )
    assert [a.high for a in found.data.attributes] == [119199.0, 99.5]
    rows = "\n".join(f"{20 + i}.{100 + i};{i % 2}" for i in range(100))
    with pytest.raises(fg.InputError, match="--decimal"):
        fg.audit(written(tmp_path, f"income;ok\n{rows}\n"), sensitive="income", outcome="ok")


def test_the_same_words_on_any_size(tmp_path, monkeypatch):
    """A large file is counted where it is, and its numbers are read as those of a small one."""
    rows = "\n".join(f'"{1000 + 7 * i:,}",{"ja" if i % 3 else "nein"}' for i in range(2000))
    path = written(tmp_path, f"income,ok\n{rows}\n")
    small = fg.audit(path, sensitive="income", outcome="ok", checks=False)
    monkeypatch.setattr("fairgroups.reading.LARGE", 100)
    monkeypatch.setattr("fairgroups.reading.SMALL_FILE", 0)
    large = fg.audit(path, sensitive="income", outcome="ok", checks=False)
    assert repr(large.records) == repr(small.records)
    assert large.data.converted == small.data.converted


def test_a_hundred_thousand_columns_are_refused(tmp_path):
    path = written(
        tmp_path, ",".join(f"c{i}" for i in range(30_000)) + "\n" + ",".join("1" for _ in range(30_000)) + "\n"
    )
    with pytest.raises(fg.InputError, match="30,000 columns"):
        fg.audit(path, sensitive="c0", outcome="c1")


ODD_NAMES = [(20 + i % 40, 100 + i, 300 + i) for i in range(120)]


def odd_names(tmp_path, header):
    text = "\n".join(f"{a},{b},{c}" for a, b, c in ODD_NAMES)
    (tmp_path / "people.csv").write_text(f"{header}\n{text}\n")
    return tmp_path / "people.csv"


@pytest.mark.parametrize(
    ("header", "wanted", "mean"),
    [
        ("Age,age,age_1", "age_1", 359.5),
        ("age,age,age_1", "age_1", 359.5),
        ("age,other,AGE", "AGE", 359.5),
        ("Age,age,x", "age", 159.5),
        ("x,Name,name", "name", 359.5),
    ],
)
def test_columns_that_differ_by_case_are_told_apart(tmp_path, header, wanted, mean):
    path = odd_names(tmp_path, header)
    columns, _ = read_columns(Source(path), [wanted])
    assert np.mean(columns[wanted]) == mean


def test_two_that_differ_by_case_only_are_not_read_together(tmp_path):
    with pytest.raises(fg.InputError, match="differ by their case only"):
        fg.audit(odd_names(tmp_path, "Age,age,x"), sensitive="Age", outcome="age")


def test_missing_codes_are_looked_for_after_numbers_are_read(tmp_path):
    rows = "\n".join(f"{20 + i % 40};{'-9,0' if i % 10 == 0 else f'{30 + i},5'}" for i in range(120))
    (tmp_path / "people.csv").write_text(f"age;y\n{rows}\n")
    source = Source(tmp_path / "people.csv", na=["-9"])
    found = fg.audit(source, sensitive="age", outcome="y", missing="drop", checks=False)
    assert found.data.rows == 108
    assert found.overall == pytest.approx(np.mean([30.5 + i for i in range(120) if i % 10]))
    assert "12 values are '-9', to be taken as missing as asked." in found.data.converted
    text = "\n".join(f"{20 + i % 40},{' UNKNOWN ' if i % 10 == 0 else i % 2}" for i in range(120))
    (tmp_path / "other.csv").write_text(f"age,y\n{text}\n")
    found = fg.audit(
        Source(tmp_path / "other.csv", na=["unknown"]), sensitive="age", outcome="y", missing="drop", checks=False
    )
    assert found.data.rows == 108


def test_a_total_of_amounts_is_told(tmp_path):
    rows = [(20 + i % 40, 100 + i) for i in range(120)]
    rows.append((sum(a for a, _ in rows), sum(b for _, b in rows)))
    (tmp_path / "people.csv").write_text("age,wage\n" + "\n".join(f"{a},{b}" for a, b in rows))
    with pytest.raises(fg.InputError, match="the sum of all others: a total"):
        fg.audit(tmp_path / "people.csv", sensitive="age", outcome="wage")


@pytest.mark.parametrize("encoding", ["cp1250", "cp1251", "koi8-r"])
def test_other_encodings_are_said(tmp_path, encoding):
    word = "Łódź" if encoding == "cp1250" else "Москва"
    text = "town,age,y\n" + "\n".join(f"{word if i % 2 else 'x'},{i % 40},{i % 3 % 2}" for i in range(200))
    (tmp_path / "people.csv").write_bytes(text.encode(encoding))
    found = fg.audit(Source(tmp_path / "people.csv", encoding=encoding), sensitive="town", outcome="y", checks=False)
    assert [record.label for record in found.records] == [f"town {one}" for one in sorted((word, "x"))]
    guessed = fg.audit(tmp_path / "people.csv", sensitive="age", outcome="y", checks=False)
    assert "was taken to be in" in guessed.data.converted[0]
    with pytest.raises(fg.InputError, match="no encoding that is known"):
        Source("a.csv", encoding="letters")


def test_a_folder_of_files_in_other_encodings(tmp_path):
    for k, encoding in enumerate(("utf-8", "cp1252", "utf-16")):
        text = "town,y\n" + "\n".join(f"{'Zürich' if i % 2 else 'Genf'},{i % 3 % 2}" for i in range(100))
        (tmp_path / f"part{k}.csv").write_bytes(text.encode(encoding))
    found = fg.audit(tmp_path, sensitive="town", outcome="y", checks=False)
    assert [(r.label, r.n) for r in found.records] == [("town Genf", 150), ("town Zürich", 150)]
    assert len(found.data.converted) == 2


def test_what_was_read_is_in_the_result(tmp_path):
    path = odd_names(tmp_path, "age,score,y")
    found = fg.audit(Source(path, where="age > 25"), sensitive="age", outcome="y", checks=False)
    assert found.data.source == "people.csv, rows where age > 25"
    assert found.settings.call.startswith("fairgroups.audit(fairgroups.Source('people.csv', where='age > 25'), ")
    plain = fg.audit(path, sensitive="age", outcome="y", checks=False)
    assert plain.data.source == "people.csv"
    assert plain.settings.call.startswith("fairgroups.audit(data, ")


def test_missing_codes_are_counted_as_they_are_written(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,y\n" + "\n".join(f"{999 if i % 20 == 0 else 20 + i % 40},{i % 2}" for i in range(400)))
    for codes, told in ((["999"], "20 values are '999'"), (["888"], "No value is '888'")):
        found = fg.audit(Source(path, na=codes), sensitive="age", outcome="y", missing="drop", checks=False)
        assert f"{told}, to be taken as missing as asked." in found.data.converted
