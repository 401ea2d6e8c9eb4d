"""`make bench`: every benchmark, one after the other, as Markdown tables with the machine and versions.

python benchmarks/run.py [--out docs/benchmarks.md]
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).parent
PEERS = (
    *("scikit-learn", "ruptures", "optbinning", "skchange", "pystreed", "ckwrap", "kmeans1d", "fairlearn", "equipy"),
    *("maxcorr", "duckdb", "polars", "scikit-image", "fairaudit", "aif360"),
    *("divexplorer", "sliceline", "lightgbm"),
)
SCRIPTS = {
    "peers.py": "What peers find on one attribute, K-Means, dependence",
    "line.py": "The search on the line",
    "plane.py": "Several attributes",
    "repair.py": "Repair",
    "repair_frontier.py": "Repair on people left out, beside the peers",
    "engines.py": "Tables in files and engines",
    "skin.py": "Colours and photographs",
    "interval_coverage.py": "Do the intervals hold?",
    "boxes.py": "The band over boxes",
    "reasons.py": "At equal factors",
    "scan.py": "Which attributes, out of many",
    "evidence.py": "False alarms, numbers of groups, power",
    "headlines.py": "What the headline finds, beside peers",
}
INTRO = """# Benchmarks

Made by `make bench`; nothing here is edited by hand. Peers are measured on the same data in the same run: ratios mean
more than seconds, and a benchmark we lose stays in its table. The face protocol on a GPU is in [Faces](faces.md), 100
million rows are in [From a laptop to a cluster](engines.md). "Wanted" is what we set out for, "met" whether this run
met it: a busy machine can miss it.
"""


def found(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} not installed"


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--out", type=Path)
    out = arguments.parse_args().out
    began = time.monotonic()
    runs = {
        "interval_coverage.py": "200",
        "evidence.py": "100",
        "boxes.py": "60",
        "scan.py": "60",
        "reasons.py": "60",
        "headlines.py": "200",
    }
    page = [INTRO]
    page.append(
        f"{dt.datetime.now(dt.UTC):%Y-%m-%d}; {os.cpu_count()} cores, {platform.machine()}; "
        f"Python {platform.python_version()}, {found('numpy')}, {found('fairgroups')}; "
        f"{', '.join(found(name) for name in PEERS)}.\n"
    )
    print("\n".join(page), flush=True)
    for script, title in SCRIPTS.items():
        options = ["--runs", os.environ.get("RUNS", runs[script])] if script in runs else []
        command = [sys.executable, "-W", "ignore", HERE / script, *options]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        part = f"## {title}\n\n`benchmarks/{script}`\n\n{done.stdout.strip()}\n"
        print(part, flush=True)
        page.append(part)
    page.append(f"All of it took {(time.monotonic() - began) / 60:.0f} minutes.\n")
    print(page[-1])
    if out is not None:
        out.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
