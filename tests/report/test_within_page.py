import numpy as np
import pytest

from fairgroups import InputError, ScoreRepair
from fairgroups.repair.within import repair_within
from fairgroups.report.within_page import render_within, within_finding, within_lines, within_rows


def tried(n=2000, **options):
    rng = np.random.default_rng(0)
    age, degree = rng.integers(20, 61, n), rng.choice(["<b>none", "school"], n)
    score = 1 / (1 + np.exp(-rng.normal((age - 40) / 15 + np.where(degree == "school", 1, -1), 1)))
    columns = {"age": age, "degree": degree, "score": score, "paid": (rng.random(n) < score).astype(int)}
    roles = {"score": "score", "sensitive": ["age"], "given": ["degree"], "truth": "paid"}
    return repair_within(columns, ScoreRepair(), **{**roles, **options})


def test_the_page_says_what_is_left_and_who_gains():
    within = tried()
    page = render_within(within, ["A note <i>."])
    assert within_finding(within).startswith(
        "At equal degree, the share of people in the upper half of those comparable"
    )
    assert "Repair of score by age, at equal degree" in page
    assert "A note &lt;i&gt;." in page
    assert "<i>" not in page
    assert "Promises too much by" in page
    assert "interval" not in page.split("<h2>Before and after</h2>")[1].split("</table>")[0]
    spread, *_, told = within_rows(within)
    assert float(spread["before"].split()[0]) > 10 > 3 > float(spread["after"].split()[0])
    assert float(told["after"]) < float(told["before"])
    assert sum(one.people for one in within.effects if one.kind == "stretch") == 2000
    assert within.fair_right < within.right


def test_few_people_and_scores_without_decisions():
    few = tried(1000)
    few.repair.left_ = None
    assert within_finding(few) == "There are too few people to judge what the repair leaves at equal degree."
    assert within_rows(few) == []
    assert "maps of everybody" in within_lines(few)[0]
    assert render_within(few)
    with pytest.raises(InputError, match="no stratum of degree holds 200 people"):
        tried(60)
    plain = tried(truth=None, score="age", sensitive=["score"])
    assert plain.threshold is None
    assert len(within_lines(plain)) >= 1
