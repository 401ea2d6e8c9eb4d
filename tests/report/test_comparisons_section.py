import numpy as np

import fairgroups as fg
from fairgroups.report.comparisons_section import comparison_sections

RNG = np.random.default_rng(0)
AGE = RNG.integers(18, 80, 4000)
TABLE = {"age": AGE, "t": RNG.integers(0, 2, 4000), "ok": (RNG.random(4000) < 0.5 - 0.2 * (AGE < 40)) * 1}


def test_every_comparison_has_a_sentence_and_a_table():
    found = fg.audit(TABLE, sensitive="age", outcome="ok", scales={"law": [40]}, by="t", checks=False)
    found = fg.since_baseline(found, found, fg.compare_to_baseline(found, found))
    sections = comparison_sections(found)
    assert [one.title for one in sections] == ["Classes named in advance: law", "Since the baseline", "By t"]
    assert sections[0].said == "Age under 40 (−18.9) and age 40 or over (+18.9) are shown to differ from the rest."
    assert sections[1].said == "No group is shown to be worse or better off than in the baseline."
    assert "no group’s difference is shown to have changed" in sections[2].said
    for one in sections:
        assert all(len(row) == len(one.table["heads"]) for row in one.table["rows"])


def test_none_where_nothing_is_compared():
    assert comparison_sections(fg.audit(TABLE, sensitive="age", outcome="ok", checks=False)) == []
