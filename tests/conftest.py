"""Workers run side by side; linear algebra that starts threads of its own in each would slow all of them down.

Tests that take seconds (simulations, browsers, whole pages, real data) are named in long_tests.txt and bear the mark
`long`: `make test` leaves them to `make test-long`, which continuous integration runs.

Examples of property tests are the same each time, so that a test fails because of a change; `make test-random` draws
new ones.
"""

import os
import random
from pathlib import Path

import pytest
from hypothesis import settings

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

HERE = Path(__file__).parent
settings.register_profile("fixed", derandomize=True)
settings.load_profile("fixed")
LONG = set((HERE / "long_tests.txt").read_text(encoding="utf-8").split())


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE):
            name = f"tests/{item.path.relative_to(HERE).as_posix()}::{getattr(item, 'originalname', item.name)}"
            if name in LONG:
                item.add_marker(pytest.mark.long)


@pytest.fixture
def known_noise(monkeypatch):
    """Noise that is the same each time: the real one has no seed, and tests of how often would fail now and then."""
    one = random.Random(7)
    monkeypatch.setattr("fairgroups.rows.noisy_histogram.SystemRandom", lambda: one)
