"""fairgroups run: the audits and scans of a configuration file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["run"]


def run(
    config: Annotated[Path, typer.Argument(help="The configuration.")] = Path("fairgroups.toml"),
    only: Annotated[
        list[str] | None, typer.Option(help="Only the audit or scan of this name; the option may be repeated.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write a test report here, as JUnit XML.")] = None,
    index: Annotated[
        Path | None, typer.Option(help="Write an HTML index here: a line for each, with its small chart and page.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print one line for each.")] = False,
) -> None:
    """Run the audits and scans that a configuration file lists; the worst of them decides the exit code."""
    from fairgroups.cli.config import read_config
    from fairgroups.cli.exit_codes import WRONG_INPUT, gravest
    from fairgroups.cli.job import check_outputs, is_terminal, run_job
    from fairgroups.cli.printing import say
    from fairgroups.cli.scan_job import ScanRun, run_scan, say_scan
    from fairgroups.errors import FairGroupsError, InputError
    from fairgroups.output import write_atomically
    from fairgroups.report.index_page import IndexLine, render_index
    from fairgroups.report.junit import Outcome, error_test, render_junit

    audits = read_config(config)
    for name in only or []:
        if name not in [one["name"] for one in audits]:
            listed = ", ".join(one["name"] for one in audits)
            raise InputError(f"there is no {name!r} in {config.name!r}.", f"it lists: {listed}")
    check_outputs([{"data": config}, *audits], junit)
    if index is not None:
        check_outputs([{"data": config, "out": index}, *({"out": one.get("out")} for one in audits)], junit)
    tests: list[Outcome] = []
    lines: list[IndexLine] = []
    codes = []
    unlimited = 0
    for one in audits:
        if only and one["name"] not in only:
            continue
        typer.echo(f"== {one['name']}")
        command = f"fairgroups run {config.name} --only '{one['name']}'"
        run_one = run_job if "sensitive" in one else run_scan
        try:
            done = run_one(one, command=command, verbose=is_terminal())
        except FairGroupsError as error:  # the others still run
            typer.echo(f"Error: {error}", err=True)
            tests.append(error_test(one["name"], "the audit" if "sensitive" in one else "the scan", error))
            codes.append(WRONG_INPUT)
            lines.append(IndexLine(one["name"], None, None, 2, limited=False, error=getattr(error, "fact", str(error))))
            continue
        if isinstance(done, ScanRun):
            say_scan(done, quiet=quiet)
        else:
            say(done, quiet=quiet)
        tests += done.tests(one["name"])
        codes.append(done.exit_code)
        result = done.scan if isinstance(done, ScanRun) else done.audit
        lines.append(
            IndexLine(
                one["name"],
                result,
                Path(one["out"]) if one.get("out") else None,
                done.exit_code,
                limited=done.is_limited,
            )
        )
        unlimited += not done.is_limited
    if junit is not None:
        write_atomically(junit, render_junit(tests))
        typer.echo(f"Tests: {junit.resolve()}")
    if index is not None:
        write_atomically(index, render_index(lines, index, f"Results of {config.name}"))
        typer.echo(f"Index: {index.resolve()}")
    said = {0: "kept", 1: "exceeded or worse", 2: "failed", 3: "not enough evidence"}
    found = {word: codes.count(code) for code, word in said.items()} | {"without a limit": unlimited}
    found["kept"] -= unlimited
    counts = ", ".join(f"{count} {word}" for word, count in found.items() if count)
    typer.echo(f"{len(codes)} audit(s) and scan(s): {counts}.")
    raise typer.Exit(gravest(codes))
