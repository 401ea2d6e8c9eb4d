#!/usr/bin/env bash
# The kernels built with sanitizers, and the tests of searches and kernels run on them: for addresses and undefined
# behaviour, or, with `thread` as the second word, for threads that meet.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
case ${2:-address} in
    address) kinds=address,undefined library=libasan.so more="-fno-sanitize-recover=undefined" ;;
    thread) kinds=thread library=libtsan.so more="" ;;
    *) echo "the second word is address or thread" >&2 && exit 2 ;;
esac
environment=.venv-sanitized-${2:-address}
[ -x "$environment/bin/python" ] || "$python" -m venv "$environment"
CXXFLAGS="-fsanitize=$kinds $more -fno-omit-frame-pointer -g -O1" LDFLAGS="-fsanitize=$kinds" \
    "$environment/bin/python" -m pip install --quiet \
    --config-settings=build-dir="$PWD/$environment/build" --config-settings=cmake.build-type=Debug \
    . pytest pytest-xdist hypothesis pandas polars pyarrow
loaded=$(${CXX:-g++} -print-file-name=$library)
standard=$(${CXX:-g++} -print-file-name=libstdc++.so)  # loaded first, so that exceptions are seen
# Python itself keeps what it has until it ends: only what the kernels read and write is looked at.
ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 UBSAN_OPTIONS=print_stacktrace=1 \
    TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1 LD_PRELOAD="$loaded $standard" \
    "$environment/bin/python" -m pytest -q -p no:cacheprovider -W default -m 'not long' \
    tests/search/test_kernels.py tests/search/test_intervals.py tests/search/test_boxes.py tests/search/test_monotone.py \
    tests/search/test_frontier.py tests/search/test_kmeans.py tests/evidence/test_ranges.py tests/evidence/test_every_region.py \
    tests/evidence/test_matched_width.py
