"""Attempts to change a PostgreSQL database through --where and --sql: none of them does."""

import sys
from pathlib import Path

import pytest

from fairgroups import InputError, Source, audit

sys.path.insert(0, str(Path(__file__).parents[1] / "sources"))
from test_databases import IN_SQL, IN_WHERE

OPTIONS = {"sensitive": "age", "outcome": "chosen", "checks": False}


@pytest.fixture(scope="module")
def victim(server):
    """What there is to be changed: a table, a sequence, a large object, and a function that writes when it may."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("create table victim (x int)")
        connection.execute("insert into victim values (1)")
        connection.execute("create sequence counter")
        connection.execute("select lo_from_bytea(77, 'kept')")
        connection.execute(
            "create function changes() returns int language plpgsql as "
            "$$ begin insert into victim values (2); return 1; end $$"
        )
    return server


def state(address):
    import psycopg

    with psycopg.connect(address) as connection:
        asked = [
            "select relname, relnatts from pg_class where relnamespace = 'public'::regnamespace order by relname",
            "select array_agg(x order by x) from victim",
            "select last_value, is_called from counter",
            "select oid, lomowner from pg_largeobject_metadata order by oid",
            "select encode(lo_get(77), 'escape')",
            "select rolname from pg_roles order by rolname",
            "select count(*) from everybody",
        ]
        return [connection.execute(query).fetchall() for query in asked]


@pytest.mark.parametrize("text", IN_WHERE)
def test_conditions_change_nothing(victim, tmp_path, text):
    marker = tmp_path / "ran"
    tmp_path.chmod(0o777)
    before = state(victim)
    with pytest.raises(InputError):
        audit(Source(victim, table="everybody", where=text.replace("{marker}", str(marker))), **OPTIONS)
    assert state(victim) == before
    assert not marker.exists()


@pytest.mark.parametrize("text", IN_SQL)
def test_queries_change_nothing(victim, text):
    before = state(victim)
    with pytest.raises(InputError):
        audit(Source(victim, sql=text), **OPTIONS)
    assert state(victim) == before


def test_turning_the_default_back_is_of_no_use(victim):
    """Even where a session's default is turned back, the next transaction begins as a read-only one."""
    import ibis
    import psycopg

    from fairgroups.sources.databases import only_read

    backend = ibis.connect(victim.replace("postgresql://", "postgres://"))
    only_read(backend, "postgresql")
    before = state(victim)
    with backend.begin() as cursor:
        cursor.execute("SELECT set_config('default_transaction_read_only', 'off', false)")
    with pytest.raises(psycopg.Error, match="read-only"), backend.begin() as cursor:
        cursor.execute("DELETE FROM victim")
    with pytest.raises(psycopg.Error, match="multiple commands"), backend.begin() as cursor:
        cursor.execute("SELECT 1; SELECT 2")
    backend.disconnect()
    assert state(victim) == before


def test_honest_conditions_still_work(victim):
    some = audit(Source(victim, table="everybody", where="age >= 40 and sex in ('f', 'm', 'it''s; --')"), **OPTIONS)
    every = audit(Source(victim, sql="select age, chosen from everybody -- all of them"), **OPTIONS)
    assert 0 <= some.data.rows <= every.data.rows
