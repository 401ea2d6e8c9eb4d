"""fairgroups demo: the main job on data that comes along."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["demo"]


def demo(
    out: Annotated[Path, typer.Option(help="Where to write the report.")] = Path("fairgroups-demo.html"),
) -> None:
    """Train a model on the Adult census data without the age, and audit its decisions by age."""
    from fairgroups.audits.audit import audit
    from fairgroups.cli.job import AuditRun
    from fairgroups.cli.printing import say
    from fairgroups.datasets.adult import adult_decisions
    from fairgroups.output import check_place

    check_place(out)
    typer.echo("Training a model on the Adult census data, without age, sex and race: some ten seconds …")
    decisions = adult_decisions()
    typer.echo("Auditing its decisions by age: who is predicted to earn over 50 000 dollars?")
    result = audit(
        decisions,
        sensitive="age",
        outcome="predicted_over_50k",
        truth="income_over_50k",
        favourable=True,
        label={"age": "Age (years)", "predicted_over_50k": "Predicted high income"},
    )
    result.to_html(out, command="fairgroups demo")
    say(AuditRun(result, [], [f"Report: {out.resolve()}"]), quiet=False)
