"""JSON that is read back equal, and refused in words where it is not ours."""

import pytest

from fairgroups.audits.json_file import loaded
from fairgroups.errors import SchemaError


def test_what_is_no_json_is_told():
    assert loaded('{"a": 1}') == {"a": 1}
    for text in ("", "{", "[" * 100_000, b"\xff"):
        with pytest.raises(SchemaError, match="not JSON"):
            loaded(text)
