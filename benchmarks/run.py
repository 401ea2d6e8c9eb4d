"""`make bench`: every benchmark, or some, as Markdown tables with the day, the machine and versions.

python benchmarks/run.py [--out docs/benchmarks.md] [scan.py ...]

Of scripts that are named only their sections are made anew; all others stay as they are, each with its day.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import re
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).parent
PEERS = {  # what each script measures beside us
    "peers.py": ("scikit-learn", "ruptures", "optbinning", "skchange", "pystreed", "ckwrap", "kmeans1d", "maxcorr"),
    "line.py": ("ruptures", "ckwrap", "kmeans1d"),
    "plane.py": ("scikit-learn", "pystreed"),
    "repair.py": ("fairlearn", "equipy"),
    "repair_frontier.py": ("fairlearn", "equipy", "lightgbm"),
    "engines.py": ("duckdb", "polars"),
    "skin.py": ("scikit-image",),
    "scan.py": ("divexplorer", "sliceline", "aif360"),
    "headlines.py": ("fairaudit", "aif360"),
}
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
RUNS = {
    "interval_coverage.py": "200",
    "evidence.py": "100",
    "boxes.py": "60",
    "scan.py": "60",
    "reasons.py": "60",
    "headlines.py": "200",
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


def measured(script: str) -> str:
    """Run one script, and return its section."""
    began = time.monotonic()
    options = ["--runs", os.environ.get("RUNS", RUNS[script])] if script in RUNS else []
    command = [sys.executable, "-W", "ignore", HERE / script, *options]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    versions = ", ".join(found(name) for name in ("fairgroups", "numpy", *PEERS.get(script, ())))
    about = (
        f"`benchmarks/{script}`, {dt.datetime.now(dt.UTC):%Y-%m-%d}; {os.cpu_count()} cores, {platform.machine()}; "
        f"Python {platform.python_version()}; {versions}; {(time.monotonic() - began) / 60:.0f} minutes."
    )
    return f"## {SCRIPTS[script]}\n\n{about}\n\n{done.stdout.strip()}\n"


def sections(page: str) -> dict[str, str]:
    """Return the sections that a page has, by their titles."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0].removeprefix("## "): part.strip() + "\n" for part in parts}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--out", type=Path)
    arguments.add_argument("scripts", nargs="*", metavar="script", help=f"of {', '.join(SCRIPTS)}; without any, all")
    given = arguments.parse_args()
    unknown = [script for script in given.scripts if script not in SCRIPTS]
    if unknown:
        arguments.error(f"there is no {', '.join(unknown)}; there are {', '.join(SCRIPTS)}")
    for script in given.scripts or SCRIPTS:
        new = measured(script)
        print(new, flush=True)
        if given.out is not None:  # after each, so that nothing is lost when a later one fails
            before = sections(given.out.read_text(encoding="utf-8")) if given.out.exists() else {}
            held = before | {SCRIPTS[script]: new}
            page = [INTRO, *(held[title] for title in SCRIPTS.values() if title in held)]
            given.out.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
