#!/usr/bin/env bash
# Build the wheel and the source package, install each in an environment of its own, and run the main job there.
#   scripts/check_wheel.sh [python …]    default: python3; each interpreter gets its own wheel
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for python in "${@:-python3}"; do
    "$python" --version
    rm -rf "$place"/*
    "$python" -m venv "$place/build"
    "$place/build/bin/pip" install --quiet build
    "$place/build/bin/python" -m build --outdir "$place/dist" . >"$place/log" 2>&1 || { tail -30 "$place/log"; exit 1; }
    for package in "$place"/dist/*.whl "$place"/dist/*.tar.gz; do
        rm -rf "$place/clean"
        "$python" -m venv "$place/clean"
        "$place/clean/bin/pip" install --quiet "$package"
        (
            cd "$place"
            clean/bin/fairgroups demo >demo.txt
            test -s fairgroups-demo.html
            rm fairgroups-demo.html
            clean/bin/python -c "import fairgroups as fg; d = fg.make_synthetic(5000); assert fg.FairGroups().fit(d.sensitive, d.outcome).n_groups_ == 5"
        )
        echo "$(basename "$package"): installed and ran"
    done
done
