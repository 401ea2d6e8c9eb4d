import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairgroups.errors import InputError
from fairgroups.quoting import one_query, quoted, sql_number, sql_row, sql_text, without_password


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_names_and_texts_come_back_as_they_were(text):
    relation = duckdb.sql(f"SELECT {sql_text(text)} AS {quoted('a ' + text)}")
    assert relation.columns == ["a " + text]
    assert relation.fetchall() == [(text,)]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_the_very_same_doubles(x):
    assert duckdb.sql(f"SELECT typeof({sql_number(x)}), {sql_number(x)}").fetchall() == [("DOUBLE", x)]


def test_passwords_are_hidden():
    assert without_password("postgresql://me:s:e@cret@host/db") == "postgresql://me:***@host/db"
    assert without_password("host=x PASSWORD=secret user=me") == "host=x PASSWORD=*** user=me"


def test_one_query_that_reads():
    assert one_query(" SELECT ';' AS \"a;b\" -- c;\n ; ") == "SELECT ';' AS \"a;b\" -- c;"
    for wrong in ("", ";", "SELECT 1; SELECT 2", "DROP TABLE people", "INSERT INTO a VALUES (1)"):
        with pytest.raises(InputError):
            one_query(wrong)


def test_rows_are_alike_as_numbers_and_as_text():
    row = sql_row(["a", "b"])
    as_numbers, as_text = (
        duckdb.sql(f"SELECT {row} FROM (SELECT {a} AS a, NULL AS b)").fetchall() for a in ("1.50", "'1.5'")
    )
    assert as_numbers == as_text
