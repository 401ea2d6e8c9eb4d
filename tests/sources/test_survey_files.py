import numpy as np
import pandas as pd
import pytest

import fairgroups as fg

pyreadstat = pytest.importorskip("pyreadstat")
WRITERS = {"sav": "write_sav", "dta": "write_dta", "xpt": "write_xport", "por": "write_por"}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, 2000)
    return pd.DataFrame(
        {"AGE": age, "OK": (rng.random(2000) < np.where(age < 30, 0.2, 0.5)) * 1, "SEX": rng.integers(1, 3, 2000)}
    )


@pytest.mark.parametrize("kind", WRITERS)
def test_the_same_people_in_every_file(tmp_path, people, kind):
    getattr(pyreadstat, WRITERS[kind])(people, str(tmp_path / f"a.{kind}"))
    found = fg.audit(tmp_path / f"a.{kind}", sensitive="AGE", outcome="OK", checks=False)
    assert found.records == fg.audit(people, sensitive="AGE", outcome="OK", checks=False).records
    with pytest.raises(fg.ColumnError, match="did you mean 'AGE'"):
        fg.audit(tmp_path / f"a.{kind}", sensitive="age", outcome="OK")


def test_labels_of_values_are_used_and_told(tmp_path, people):
    labels = {"SEX": {1: "male", 2: "female"}, "AGE": {18: "18 or younger"}}
    pyreadstat.write_sav(people, str(tmp_path / "a.sav"), variable_value_labels=labels)
    found = fg.audit(tmp_path / "a.sav", sensitive="SEX", outcome="OK", checks=False)
    assert found.partition.labels == ("SEX = female", "SEX = male")
    assert found.data.converted[0].startswith("SEX: values were read by the labels")
    found = fg.audit(tmp_path / "a.sav", sensitive="AGE", outcome="OK", checks=False)
    assert "the file calls 18 “18 or younger”" in found.data.converted[0]
    with pytest.raises(fg.InputError, match="would not be read as it is"):
        fg.audit(fg.Source(tmp_path / "a.sav", strict=True), sensitive="SEX", outcome="OK")


def test_a_cut_file_is_refused(tmp_path, people):
    pyreadstat.write_dta(people, str(tmp_path / "a.dta"))
    (tmp_path / "b.dta").write_bytes((tmp_path / "a.dta").read_bytes()[:200])
    with pytest.raises(fg.InputError, match="cannot read 'b.dta'"):
        fg.audit(tmp_path / "b.dta", sensitive="AGE", outcome="OK")
