import numpy as np

from fairgroups.repair.chance import chance_shows
from fairgroups.repair.quality import People, gaps, quality
from fairgroups.rows.column_kinds import Column


def test_floors_are_what_dealing_out_again_shows():
    rng = np.random.default_rng(0)
    n = 3000
    codes = rng.choice(4, n, p=[0.1, 0.2, 0.3, 0.4])
    score = rng.random(n)
    people = People(score, (rng.random(n) < score).astype(float), [Column("x", rng.random(n))], np.ones(n),
                    np.arange(n) % 2, 0.5, codes)  # fmt: skip
    quantile, mean = chance_shows(people, score)
    drawn = []
    for _ in range(200):
        dealt = People(score, people.label, [Column("x", rng.random(n))], np.ones(n), people.fold, 0.5,
                       rng.permutation(codes))  # fmt: skip
        drawn.append(gaps(dealt, score, np.arange(n)) | quality(dealt, score, np.arange(n)))
    for name in ("score_gap", "parity_gap", "opportunity_gap"):
        values = [one[name] for one in drawn]
        assert abs(quantile[name] / np.quantile(values, 0.95) - 1) < 0.12, name
        assert abs(mean[name] / np.mean(values) - 1) < 0.1, name
    for name in ("hgr", "decision_dependence"):
        assert 0.8 < (quantile[name] + 0.01) / (np.quantile([one[name] for one in drawn], 0.95) + 0.01) < 1.4, name
