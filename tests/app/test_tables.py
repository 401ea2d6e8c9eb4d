import pytest

import fairgroups as fg
from fairgroups.app.tables import DroppedTable, look_at, safe_name


def test_what_a_person_sees_of_a_table(tmp_path):
    rows = "\n".join(f"{20 + i % 40};{1000 + i},5;{'ja' if i % 3 else 'nein'}" for i in range(200))
    (tmp_path / "a.csv").write_text(f"age;income;ok\n{rows}\n")
    told = look_at(DroppedTable(tmp_path / "a.csv"))
    assert [(c["name"], c["kind"], c["few"]) for c in told["columns"]] == [
        ("age", "number", False),
        ("income", "number", False),
        ("ok", "category", True),
    ]
    assert told["columns"][2]["examples"] == ["ja", "nein"]
    assert told["told"] == ["income: text such as '1000,5' was read as numbers, the comma as the mark of decimals."]


def test_names_of_files():
    assert safe_name("C:\\files\\people 2024.XLSX") == "people 2024.XLSX"
    assert safe_name("<b>.csv") == "_b_.csv"
    with pytest.raises(fg.InputError, match="no table"):
        safe_name("photo.png")
