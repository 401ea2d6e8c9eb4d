"""Two threads do each their own linear algebra."""

import subprocess
import sys
import time

import numpy as np  # noqa: F401  # whose library is asked
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from fairgroups.progress import on_two_threads


def blas_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_products_of_matrices_do_not_wait_for_each_other():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        assert on_two_threads(lambda _: blas_threads(), range(3)) == [{1}] * 3
        assert blas_threads() == before


def test_libraries_that_come_later_are_limited_too():
    code = """
import numpy as np
from fairgroups.progress import on_two_threads
on_two_threads(str, range(2))
import scipy.linalg
from threadpoolctl import threadpool_info, threadpool_limits
with threadpool_limits(2, user_api="blas"):
    seen = on_two_threads(lambda _: {x["num_threads"] for x in threadpool_info() if x["user_api"] == "blas"}, range(2))
assert seen == [{1}, {1}], seen
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_fails_is_told_and_the_rest_is_left_undone():
    done = []

    def work(part):
        if part == 0:
            raise ValueError("the first")
        time.sleep(0.002)
        done.append(part)

    with pytest.raises(ValueError, match="the first"):
        on_two_threads(work, range(1000))
    assert len(done) < 1000
    shares = []
    assert on_two_threads(str, range(4), shares.append) == list("0123")
    assert shares == [0.25, 0.5, 0.75, 1.0]
