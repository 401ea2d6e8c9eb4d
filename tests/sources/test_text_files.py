import pytest

import fairgroups as fg


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
