"""What pages and Markdown say of an attribute that was measured with error."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.report.measurement_error_section import corrected_lines, corrected_table, corrected_title


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(500), 8)
    true = rng.normal(60, 6, 500)
    tone = true[who] + rng.normal(0, 5, who.size)
    table = {
        "tone": tone,
        "y": rng.random(who.size) < np.where(true < 58, 0.2, 0.6)[who],
        "who": who,
        "e": np.full(who.size, 5.0),
    }
    return {
        name: fg.audit(table, sensitive="tone", outcome="y", cluster="who", checks=False, n_groups=2, **options)
        for name, options in {
            "cluster": {"reliability": "cluster"},
            "error": {"error": "e"},
            "given": {"reliability": 0.6},
        }.items()
    }


def test_where_the_error_is_known_from(found):
    assert "Rows of the same who differ with a standard deviation of" in corrected_lines(found["cluster"])[0]
    assert "(95% interval" in corrected_lines(found["cluster"])[0]
    assert corrected_lines(found["error"])[0].startswith("The errors that were given, 5 of tone on average")
    assert corrected_lines(found["given"])[0].startswith("The reliability that was given, 0.60, makes")


def test_the_table_and_what_it_rests_on(found):
    audit = found["cluster"]
    assert corrected_title(audit) == "By the true tone"
    table = corrected_table(audit)
    assert table["heads"] == ["Group", "Difference as measured", "By the true values", "Share of people"]
    assert len(table["rows"]) == 2
    assert "errors to be normal" in corrected_lines(audit)[-1]
    assert any("correction overstates" in line for line in corrected_lines(found["given"]))
    assert "at 1.00" in corrected_lines(audit)[1]


def test_pages_hold_it(found):
    page, text = found["cluster"].to_html(), found["cluster"].to_markdown()
    for told in (page, text):
        assert "By the true tone" in told
        assert "Error of measurement" in told
    assert "by how reliable the measured values are" in page
    plain = found["cluster"]
    assert "By the true" not in fg.Audit.from_json(plain.to_json()).parts[0].notes
