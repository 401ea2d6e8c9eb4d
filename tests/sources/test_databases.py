"""What is said of databases holds: data is only read, never changed, whatever stands in --where and --sql."""

import pytest

from fairgroups import InputError
from fairgroups.sources.databases import refuse_acts

# Each closes the query around it, hides a second statement, or calls what acts outside of transactions.
IN_WHERE = [
    "true; drop table victim",
    "true) as x; drop table victim; --",
    "true) as x; drop table victim; select * from (select 1",
    "age > 0; create table new_one (x int)",
    "E'\\\\'' = '' or true) as x; drop table victim; --'",
    "E'\\\\'; drop table victim; --' is not null",
    "$$'$$ is not null; drop table victim; --'",
    "$a$ ; $a$ is not null; drop table victim",
    "/* /* */ ' */ true; drop table victim; --'",
    "true /* ; */ ; drop table victim",
    "true; copy (select 1) to program 'touch {marker}'",
    "true) as x; copy (select 1) to program 'touch {marker}'; --",
    "true; insert into victim values (2)",
    "true; delete from victim",
    "true; update victim set x = 9",
    "true; truncate victim",
    "true; alter table victim add column y int",
    "true; create role mallory superuser",
    "true; vacuum victim",
    "true; set transaction_read_only = off; delete from victim",
    "true; commit; delete from victim",
    "true; rollback; begin read write; delete from victim; commit",
    "true; do $$ begin delete from victim; end $$",
    "true; prepare p as delete from victim; execute p",
    "true; listen x; notify x",
    "lo_create(4711) > 0",
    "lo_creat(-1) > 0",
    "pg_catalog.lo_create(4711) > 0",
    '"lo_create"(4711) > 0',
    "lo_create/**/(4711) > 0",
    "LO_CREATE(4711) > 0",
    "lo_from_bytea(4711, 'x') > 0",
    "lo_unlink(77) > 0",
    "lo_import('/etc/hostname') > 0",
    "lo_export(77, '{marker}') > 0",
    "lo_put(77, 0, 'y') is not null",
    "lowrite(lo_open(77, 131072), 'y') > 0",
    'U&"\\\\006co_create"(4711) > 0',
    "query_to_xml('select lo_cre' || 'ate(4711)', true, true, '') is not null",
    "nextval('counter') > 0",
    "setval('counter', 99) > 0",
    "set_config('default_transaction_read_only', 'off', false) is not null",
    "set_config('transaction_read_only', 'off', false) is not null",
    "(with gone as (delete from victim returning 1) select count(*) from gone) >= 0",
    "pg_terminate_backend(pg_backend_pid())",
    "pg_notify('x', 'y') is null",
    "pg_advisory_lock(1) is null",
    "pg_write_server_file('{marker}', 'x') is null",
    "pg_read_file('/etc/hostname') is not null",
    "age in (select age from everybody for update)",
    "changes() > 0",
]
IN_SQL = [
    "delete from victim returning 1 as age, 1 as chosen",
    "with gone as (delete from victim returning 1) select * from everybody",
    "select * from everybody; drop table victim",
    "select * into new_one from everybody",
    "create table new_one as select * from everybody",
    "select *, lo_create(4711) from everybody",
    "select *, changes() from everybody",
    "select * from everybody for update",
    "(select * from everybody) as x; drop table victim; --",
    "values (1, 1); drop table victim",
    "table victim; drop table victim",
]


@pytest.mark.parametrize(
    "text",
    [
        "lo_create(1)",
        '"LO_UNLINK" (1)',
        "pg_catalog . lo_put(1, 0, 'x')",
        "dblink_exec('drop table t')",
        'U&"\\006co_create"(1)',
        "query_to_xml('select 1', true, true, '')",
    ],
)
def test_functions_that_act_are_refused(text):
    with pytest.raises(InputError, match="only read, never changed"):
        refuse_acts(text)


@pytest.mark.parametrize("text", ["age > 30", "color = 'lo'", "loan_open = 1", "upper(name) = 'U'", "pg_class.oid > 1"])
def test_ordinary_conditions_are_not(text):
    refuse_acts(text)
