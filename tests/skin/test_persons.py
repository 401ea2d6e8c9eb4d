"""Who is in a picture: by folder, list or pattern; reliability and tones of persons from any table."""

import numpy as np
import pandas as pd
import pytest

from fairgroups import InputError, skin
from fairgroups.skin.persons import read_persons


def test_by_folder_and_pattern():
    names = ["ann/1.jpg", "ann/2.jpg", "bob/1.jpg", "x.jpg"]
    assert skin.persons_of(names, "folder") == ["ann", "ann", "bob", None]
    assert skin.persons_of(["n1_0.jpg", "n1_1.jpg", "z.jpg"], r"^(n\d+)_") == ["n1", "n1", None]


@pytest.mark.parametrize(
    "text",
    [
        "000001.jpg 2880\n000002.jpg 2937\n",
        "2\n000001.jpg 2880\n000002.jpg 2937\n",
        "image_id,identity\n000001.jpg,2880\n000002.jpg,2937\n",
        "person\timage\n2880\t000001.jpg\n2937\t000002.jpg\n",
        "\ufeff000001.jpg,2880\n000002.jpg,2937\n",
    ],
)
def test_lists_of_every_shape(tmp_path, text):
    (tmp_path / "identity_CelebA.txt").write_text(text, encoding="utf-8")
    assert read_persons(tmp_path / "identity_CelebA.txt") == {"000001.jpg": "2880", "000002.jpg": "2937"}
    names = ["deep/000002.jpg", "other.jpg"]
    assert skin.persons_of(names, str(tmp_path / "identity_CelebA.txt")) == ["2937", None]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("(", "no regular expression"),
        ("abc", "has 0 groups"),
        ("(a)(b)", "has 2 groups"),
        ("^(zzz)", "found in no picture"),
        ("nowhere.csv", "there is no list"),
    ],
)
def test_what_names_nobody_is_refused(how, message):
    with pytest.raises(InputError, match=message):
        skin.persons_of(["a.jpg"], how)


def test_lists_that_contradict_themselves(tmp_path):
    (tmp_path / "l.csv").write_text("a.jpg,1\na.jpg,2\n")
    with pytest.raises(InputError, match="not the same"):
        read_persons(tmp_path / "l.csv")
    (tmp_path / "l.csv").write_text("a.jpg\n")
    with pytest.raises(InputError, match="a picture and a person"):
        read_persons(tmp_path / "l.csv")
    (tmp_path / "l.csv").write_text("a.jpg,1\n")
    with pytest.raises(InputError, match="lists none of these"):
        skin.persons_of(["b.jpg"], str(tmp_path / "l.csv"))


def test_tables_of_any_library():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(300), 8)
    tone = rng.normal(65, 5, 300)[who] + rng.normal(0, 5, who.size)
    table = pd.DataFrame({"who": [f"p{i}" for i in who], "L": tone, "a": 10.0, "b": 18.0})
    table.loc[3, "L"] = np.nan
    found = skin.reliability(table, "who")
    assert found.value == pytest.approx(0.5, abs=0.06)
    assert found.measurements == who.size - 1
    people = skin.person_tones(table, "who")
    assert isinstance(people, pd.DataFrame)
    assert len(people) == 300
    assert people["photographs"].sum() == who.size - 1
    assert people["L_error"].iloc[1] == pytest.approx(5 / np.sqrt(8), rel=0.1)
    with pytest.raises(InputError, match="no row has"):
        skin.reliability({"person": [None, None], "L": [1.0, 2.0]})
