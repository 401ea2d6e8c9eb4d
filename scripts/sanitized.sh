#!/usr/bin/env bash
# The kernels built with the address and undefined-behaviour sanitizers, and the tests of searches and kernels run on them.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
environment=.venv-sanitized
[ -x "$environment/bin/python" ] || "$python" -m venv "$environment"
flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g -O1"
CXXFLAGS="$flags" LDFLAGS="-fsanitize=address,undefined" "$environment/bin/python" -m pip install --quiet \
    --config-settings=build-dir="$PWD/$environment/build" --config-settings=cmake.build-type=Debug \
    . pytest pytest-xdist hypothesis pandas polars pyarrow
library=$(${CXX:-g++} -print-file-name=libasan.so)
standard=$(${CXX:-g++} -print-file-name=libstdc++.so)  # loaded first, so that exceptions are seen
# Python itself keeps what it has until it ends: only what the kernels read and write is looked at.
ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 UBSAN_OPTIONS=print_stacktrace=1 LD_PRELOAD="$library $standard" \
    "$environment/bin/python" -m pytest -q -p no:cacheprovider -W default -m 'not long' \
    tests/search/test_kernels.py tests/search/test_intervals.py tests/search/test_boxes.py tests/search/test_monotone.py \
    tests/search/test_frontier.py tests/search/test_kmeans.py tests/evidence/test_ranges.py tests/evidence/test_every_region.py
