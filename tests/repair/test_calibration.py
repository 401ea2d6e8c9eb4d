import numpy as np
import pytest

from fairgroups.repair.calibration import Calibration


def test_scores_come_true_and_stay_in_order():
    rng = np.random.default_rng(0)
    truth = rng.uniform(0.05, 0.95, 20_000)
    label = (rng.random(20_000) < truth).astype(float)
    score = truth**3  # promises too little
    found = Calibration.of(score, label, np.ones(20_000))
    told = found(score)
    assert np.abs(told - truth).max() < 0.05
    assert (np.diff(told[np.argsort(score)]) >= 0).all()


def test_what_cannot_be_mended_is_left_alone():
    rng = np.random.default_rng(1)
    score = rng.random(500)
    contrary = Calibration.of(score, (score < 0.5).astype(float), np.ones(500))
    assert contrary == Calibration()
    assert (contrary(score) == score).all()
    assert Calibration.of(score, np.ones(500), np.ones(500)) == Calibration()
    assert Calibration.of(np.full(500, 0.3), (score > 0.5).astype(float), np.ones(500)) == Calibration()
    assert Calibration.of(np.array([0.0, 1.0] * 50), np.array([0.0, 1.0] * 50), np.ones(100))(
        np.array([0.0, 1.0])
    ) == pytest.approx([0, 1], abs=0.05)
