import numpy as np

import fairgroups as fg
from fairgroups.report.headline import first_sentence, key_figures

RNG = np.random.default_rng(0)
AGE = RNG.integers(18, 80, 4000)


def test_the_first_sentence_keeps_its_numbers():
    assert first_sentence("It is 24.6 points lower. That is much. More.") == (
        "It is 24.6 points lower.",
        "That is much. More.",
    )
    assert first_sentence("Alone.") == ("Alone.", "")


def test_figures_are_those_of_the_headline():
    table = {"age": AGE, "ok": (RNG.random(4000) < 0.5 - 0.3 * (AGE < 30)) * 1}
    found = fg.audit(table, sensitive="age", outcome="ok", favourable=True, checks=False)
    record = found.records[found.finding.groups[0]]
    figures = key_figures(found)
    assert figures[0].value == f"{100 * record.rate:.1f}%"
    assert figures[1].value == f"{100 * found.overall:.1f}%"
    assert "fewer than at everybody’s rate" in figures[3].said
    assert record.label in figures[0].said


def test_without_a_finding_what_would_have_been_noticed():
    table = {"age": AGE, "ok": RNG.integers(0, 2, 4000)}
    figures = key_figures(fg.audit(table, sensitive="age", outcome="ok", checks=False))
    assert figures[1].value == "4,000"
    assert "80 of 100 such samples" in figures[2].said


def test_a_sentence_may_begin_with_a_number_or_a_name():
    assert first_sentence("One is higher (95% interval 2.5 to 3.0). 3 of the 4 columns are shown.") == (
        "One is higher (95% interval 2.5 to 3.0).",
        "3 of the 4 columns are shown.",
    )
    assert first_sentence("One is (by 2.5 points). age still matters.")[1] == "age still matters."
