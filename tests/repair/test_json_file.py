import json

import numpy as np
import pytest

from fairgroups import BlindRepair, SchemaError, ScoreRepair, StratifiedRepair
from fairgroups.repair.json_file import check_schema, read_document


@pytest.mark.parametrize("kind", [ScoreRepair, BlindRepair, StratifiedRepair])
def test_every_repair_refuses_what_it_did_not_write(kind):
    for text in ("{", "[]", "3", "{}", '{"schema": "other"}', "[" * 100_000):
        with pytest.raises(SchemaError):
            kind.from_json(text)
    fitted = BlindRepair().fit([0.1, 0.9], groups=[0, 1], chances=[[0.4, 0.6], [0.6, 0.4]])
    if kind is not BlindRepair:
        with pytest.raises(SchemaError, match="schema is not"):
            kind.from_json(fitted.to_json())


def test_versions():
    assert check_schema({"schema": "a", "schema_version": 1}, "a", 2, "repair") == 1
    with pytest.raises(SchemaError, match="reads up to 2"):
        check_schema({"schema": "a", "schema_version": 3}, "a", 2, "repair")
    assert read_document(json.dumps({"a": 1})) == {"a": 1}


def test_numbers_too_large_are_told():
    data = np.linspace(0, 1, 50)
    text = ScoreRepair([0.5]).fit(data, sensitive=data).to_json()
    for damaged in (
        text.replace('"levels": [', f'"levels": [{10**400}, ', 1),
        text.replace('"groups": [', '"groups": [1e999, ', 1),
    ):
        if damaged != text:
            with pytest.raises(SchemaError):
                ScoreRepair.from_json(damaged)
