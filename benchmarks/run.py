"""`make bench`: every benchmark, one after the other, as Markdown tables with the machine and versions."""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    print(
        f"{dt.datetime.now(dt.UTC):%Y-%m-%d}; {os.cpu_count()} cores, {platform.machine()}; "
        f"Python {platform.python_version()}, NumPy {version('numpy')}, fairgroups {version('fairgroups')}\n"
    )
    for script, arguments in (
        ("line.py", []),
        ("plane.py", []),
        ("repair.py", []),
        ("engines.py", []),
        ("interval_coverage.py", ["--runs", os.environ.get("RUNS", "200")]),
        ("evidence.py", ["--runs", os.environ.get("RUNS", "100")]),
    ):
        print(f"## {script}\n", flush=True)
        subprocess.run([sys.executable, HERE / script, *arguments], check=True)
        print(flush=True)


if __name__ == "__main__":
    main()
