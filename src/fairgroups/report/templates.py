"""The HTML templates; everything that is put into them is escaped."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

__all__ = ["fill"]


def fill(name: str, **values: Any) -> str:
    """Fill the template of that name."""
    from jinja2 import Environment, FunctionLoader

    def source(template: str) -> str:
        return files("fairgroups.report").joinpath(template).read_text(encoding="utf-8")

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(source))
    return environment.get_template(name).render(**values)
