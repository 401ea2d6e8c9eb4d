"""The HTML templates; everything that is put into them is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from fairgroups.words import clean

__all__ = ["fill"]


def fill(name: str, shorten: Mapping[str, str] | None = None, **values: Any) -> str:
    """Fill the template of that name; `shorten` maps texts that are too long to shorter ones."""
    from jinja2 import Environment, FunctionLoader
    from markupsafe import Markup

    def source(template: str) -> str:
        return files("fairgroups.report").joinpath("assets/templates", template).read_text(encoding="utf-8")

    def finalize(value: Any) -> Any:
        if isinstance(value, str) and not isinstance(value, Markup):
            for long, short in (shorten or {}).items():
                value = value.replace(long, short)
            return clean(value)  # what turns text round, or is no letter, is shown as such
        return value

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(source), finalize=finalize
    )
    return environment.get_template(name).render(**values)
