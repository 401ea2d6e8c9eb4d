import pytest

from fairgroups import InputError
from fairgroups.audits.options import AuditOptions
from fairgroups.cli.job import JobOptions
from fairgroups.cli.parameters import read_borders, read_number, read_options, schema_of


def test_what_was_typed_is_read():
    typed = {"sensitive": ["age"], "n_groups": "3", "min_group_size": "0.05", "partition": ["25,45"], "truth": None}
    assert read_options(AuditOptions, typed) == {
        "sensitive": "age",
        "n_groups": 3,
        "min_group_size": 0.05,
        "partition": [25.0, 45.0],
    }
    assert read_options(AuditOptions, {"sensitive": ["a"], "scales": ["law=40", "my=scale=1,2"]})["scales"] == {
        "law": [40],
        "my=scale": [1, 2],
    }


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: read_number("--n-groups", "many", whole=True), "--n-groups must be a whole number or 'auto'"),
        (lambda: read_number("--n-groups", "2.5", whole=True), "whole number"),
        (lambda: read_number("--min-group-size", "nan"), "must be a number"),
        (lambda: read_borders("25;45", "--partition"), "numbers with commas"),
        (lambda: read_options(AuditOptions, {"scales": ["40"]}), "a name and borders"),
    ],
)
def test_what_cannot_be_read(read, message):
    with pytest.raises(InputError, match=message):
        read()


def test_every_option_is_described():
    for record in (AuditOptions, JobOptions):
        for name, schema in schema_of(record).items():
            assert len(schema["description"]) > 10, name
