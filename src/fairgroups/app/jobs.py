"""Audits that the page asks for: each a process of its own, which shows how far it is and can be stopped."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairgroups.app.tables import DroppedTable
from fairgroups.errors import InputError

__all__ = ["Job", "arguments_of"]

OUTPUTS = {"html": "report.html", "json": "report.json", "markdown": "report.md", "csv": "groups.csv"}
_FLAGS = {"html": "--out", "json": "--json", "markdown": "--markdown", "csv": "--csv"}
_ONE = ("outcome", "truth", "positive", "threshold", "weight", "cluster", "missing", "title", "unit", "by", "measure")
_MANY = ("sensitive", "given", "scales", "label", "partition")
_FOR_FILES = ("sheet", "na", "decimal", "encoding")


def arguments_of(asked: Mapping[str, Any], table: DroppedTable) -> list[str]:
    """Return the command line of an audit; what the page may not ask for is refused.

    Parameters
    ----------
    asked : mapping
        What was chosen on the page.
    table : DroppedTable
        The file.

    Returns
    -------
    list of str
    """
    arguments = []
    for name, value in asked.items():
        if name == "favourable":
            arguments += {"good": ["--favourable"], "bad": ["--unfavourable"]}.get(str(value), [])
        elif name in _ONE and isinstance(value, str | int | float):
            arguments += [f"--{name}={value}"] if str(value) != "" else []
        elif name in _MANY and isinstance(value, Sequence):
            texts = [value] if isinstance(value, str) else list(value)
            arguments += [f"--{name}={text}" for text in texts if isinstance(text, str) and text]
        else:
            raise InputError(f"the page asked for {name!r}, which it may not.", "load it anew.")
    for needed, said in (("sensitive", "by which column people are told apart"), ("outcome", "what is decided")):
        if not any(argument.startswith(f"--{needed}=") for argument in arguments):
            raise InputError(f"it is not said {said}.", "choose a column.")
    for name in _FOR_FILES:
        if value := table.options.get(name):
            arguments.append(f"--{name}={value if isinstance(value, str) else ','.join(value)}")
    return arguments


@dataclass
class Job:
    """One audit: its process, how far it is, and what came of it."""

    table: DroppedTable
    arguments: list[str]
    folder: Path
    state: str = "running"
    doing: str = "Reading the table"
    share: float | None = None
    said: str = ""
    _process: asyncio.subprocess.Process | None = field(default=None, repr=False)
    _watching: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def command(self) -> str:
        """The command line that repeats it."""
        return shlex.join(["fairgroups", "audit", self.table.path.name, *self.arguments, "--out=audit.html"])

    async def start(self) -> None:
        """Begin."""
        outputs = [f"{_FLAGS[kind]}={self.folder / name}" for kind, name in OUTPUTS.items()]
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "fairgroups.cli", "audit", str(self.table.path)),
            *self.arguments,
            *outputs,
            "--quiet",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "FAIRGROUPS_PROGRESS": "lines"},
            limit=1 << 20,
        )
        self._watching = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        assert process.stderr is not None
        printed = asyncio.create_task(process.stdout.read())
        wrong = []
        while line := (await process.stderr.readline()).decode(errors="replace"):
            parts = line.rstrip("\n").split("\t")
            if parts[0] == "progress" and len(parts) == 3:
                self.doing, self.share = parts[1], float(parts[2])
            else:
                wrong.append(line)
        self.said = (await printed).decode(errors="replace").strip()
        code = await process.wait()
        if self.state == "stopped":
            return
        self.state = "done" if code in (0, 1, 3) and (self.folder / OUTPUTS["html"]).exists() else "failed"
        if self.state == "failed":
            self.said = "".join(wrong).strip().removeprefix("Error: ") or "The audit ended without a result."

    async def stop(self) -> None:
        """End it, and wait until it has."""
        if self._process is not None and self._process.returncode is None:
            self.state = "stopped"
            self._process.terminate()
            try:
                await asyncio.wait_for(self._process.wait(), 5)
            except TimeoutError:
                self._process.kill()

    def told(self) -> dict[str, Any]:
        """Return what the page shows of it, as plain data."""
        return {
            "state": self.state,
            "doing": self.doing,
            "share": self.share,
            "said": self.said,
            "command": self.command,
            "outputs": {kind: name for kind, name in OUTPUTS.items() if (self.folder / name).exists()},
        }
