"""Names that sound like protected attributes."""

import pytest

from fairgroups.scans.protected import looks_protected


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("age", "age"), ("DateOfBirth", "age"), ("Alter", "age"), ("âge", "age"), ("edad", "age"), ("ALDER", "age"),
        ("Geschlecht", "sex"), ("sexo", "sex"), ("is_female", "sex"), ("płeć", "sex"), ("kjønn", "sex"),
        ("race", "race or ethnicity"), ("PctBlack", "race or ethnicity"), ("ethnicity", "race or ethnicity"),
        ("native-country", "nationality"), ("Staatsangehörigkeit", "nationality"), ("zip", "place of living"),
        ("Postleitzahl", "place of living"), ("Behinderung", "disability"), ("religion", "religion"),
        ("marital.status", "family"), ("état civil", "family"), ("skin_tone", "colour of the skin"),
        ("country_of_birth", "nationality"), ("pays_rent", None),
        ("hud", None), ("iron_fe", None), ("first_class", None), ("ras_score", None), ("page", None),
        ("market_cap", None), ("invalid_rows", None),
        ("usage", None), ("stage", None), ("income", None), ("score", None), ("", None), ("123", None),
    ],
)  # fmt: skip
def test_names(name, what):
    assert looks_protected(name) == what
