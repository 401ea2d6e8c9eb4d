import duckdb
import pytest

import fairgroups as fg
from fairgroups import InputError
from fairgroups.sources.written_numbers import numbers_from_text, unclear_dots


def read(values, **options):
    with duckdb.connect() as connection:
        rows = ", ".join("(" + ("NULL" if v is None else "'" + v.replace("'", "''") + "'") + ")" for v in values)
        relation = connection.sql(f"SELECT * FROM (VALUES {rows}) AS t(x)")
        how, told = numbers_from_text(relation, ["x"], **{"decimal": None, "delimiter": ",", **options})
        if not how:
            return None, told
        return [row[0] for row in relation.project(how["x"]).fetchall()], told


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["72,000", "950", "1,250,000"], [72000, 950, 1250000]),
        (["34,5", "1,25", "7"], [34.5, 1.25, 7]),
        (["1.234,50", "12,00"], [1234.5, 12]),
        (["1,234.50", "12"], [1234.5, 12]),
        (["$1,234.50", "-$3", "($12.00)"], [1234.5, -3, -12]),
        (["€ 1.234,50", "€ 2,5"], [1234.5, 2.5]),
        (["12 000", "1 200 000,5", "7"], [12000, 1200000.5, 7]),
        (["12\u00a0000", "13\u202f500"], [12000, 13500]),
        (["1'200.5", "30"], [1200.5, 30]),
        (["12.5%", "3 %", None], [12.5, 3, None]),
        (["−5,5", "+3,25"], [-5.5, 3.25]),
        (["1,5 kr", "2,25 kr"], [1.5, 2.25]),
        (["(91.72)", "12.5", "(3)"], [-91.72, 12.5, -3]),
        (["(91.72)", "(3)"], [-91.72, -3]),
        (["91.72-", "12.5"], [-91.72, 12.5]),
        (["−91.72", "12"], [-91.72, 12]),
    ],
)
def test_numbers_as_people_write_them(texts, numbers):
    found, told = read(texts)
    assert found == numbers
    assert len(told) == 1


@pytest.mark.parametrize(
    "texts",
    [["blue", "red"], ["12", "13"], ["12.5", "1e3"], ["26-35", "65+"], ["12,5", "unknown"], ["1,23,45"], ["AB-12"]],
)
def test_other_columns_are_left_as_they_are(texts):
    assert read(texts) == (None, [])


def test_what_may_be_thousands_is_asked_for():
    with pytest.raises(InputError, match="thousands or have three decimals"):
        read(["72,000", "58,500"], delimiter=";")
    assert read(["72,000", "58,500"], delimiter=";", decimal=",")[0] == [72, 58.5]
    assert read(["72,000", "58,500"], delimiter=";", decimal=".")[0] == [72000, 58500]
    assert read(["72,000", "58,500"])[0] == [72000, 58500]  # commas part the fields, and these are in quotes
    assert read(["$72,000", "$58,500"], delimiter=";")[0] == [72000, 58500]
    assert read(["72,000", "950"], delimiter=";")[0] == [72000, 950]  # only from a thousand on


def test_mixtures_are_refused():
    with pytest.raises(InputError, match="decimals in two ways"):
        read(["1.5", "2,25"])
    with pytest.raises(InputError, match=r"in \$ and €"):
        read(["$1,5", "€2,5"])
    with pytest.raises(InputError, match="1 of 2 values of 'x' have a percent sign"):
        read(["5%", "7"])
    with pytest.raises(InputError, match="no number if ',' is the mark"):
        read(["1,234.5"], decimal=",")


def test_dots_that_may_part_thousands():
    with duckdb.connect() as connection:
        relation = connection.sql(
            "SELECT * FROM (VALUES ('72.000', '0.125', '5'), ('950', '1.250', '6')) AS t(a, b, c)"
        )
        assert unclear_dots(relation, ["a", "b", "c"]) == ["a"]


def test_lakhs_and_crores(tmp_path):
    amounts = ["1,00,000", "12,34,567", "99,999", "1,23,45,678.50"] * 20
    (tmp_path / "a.csv").write_text("pay,ok\n" + "".join(f'"{x}",{i % 2}\n' for i, x in enumerate(amounts)))
    found = fg.audit(tmp_path / "a.csv", sensitive="pay", outcome="ok", checks=False, min_cell=1)
    assert found.data.attributes[0].high == 12345678.5
    assert "marks between thousands left out" in found.data.converted[0]
