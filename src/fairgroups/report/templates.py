"""The HTML templates; everything that is put into them is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from fairgroups.words import clean

__all__ = ["css_text", "fill"]


def css_text(text: str) -> Any:
    """Return a text as a string of a style sheet, whatever it holds."""
    from markupsafe import Markup

    plain = "".join(
        letter if letter.isalnum() or letter in " .,-_" else f"\\{ord(letter):x} " for letter in clean(text)[:120]
    )
    return Markup(f'"{plain}"')  # noqa: S704  letters, digits and escapes only


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
