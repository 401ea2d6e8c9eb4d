import pytest

from fairgroups import InputError
from fairgroups.rows.roles import Roles


def test_roles_name_every_column_once():
    roles = Roles.of("age", "hired", truth="merited", base="merited", key="who", weight="w")
    assert roles.sensitive == ("age",)
    assert roles.named == {"outcome": "hired", "truth": "merited", "base": "merited", "weight": "w"}
    assert roles.columns == ["age", "hired", "merited", "w", "who"]
    assert Roles.of(["a", "b", "a"], "y").sensitive == ("a", "b")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([], "y", {}), "at least one sensitive"),
        ((3, "y", {}), "`sensitive` must be"),
        (("x", 3, {}), "`outcome` must be the name of a column; got 3"),
        (("x", "y", {"base": 3}), "`compare_with` must be"),
        (("x", "y", {"key": 3}), "`key` must be the name of a column"),
        (("x", "y", {"missing": "skip"}), "`missing` must be 'error', 'drop' or 'group'"),
    ],
)
def test_what_is_no_role(given, message):
    sensitive, outcome, others = given
    with pytest.raises(InputError, match=message):
        Roles.of(sensitive, outcome, **others)
