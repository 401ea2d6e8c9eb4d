"""Sphinx configuration."""

from fairgroups import __version__

project = "fairgroups"
author = "The FairGroups authors"
copyright = "2026, the FairGroups authors"
release = __version__
extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
]
myst_enable_extensions = ["dollarmath"]
nb_execution_mode = "cache"  # notebooks run when they changed; one that fails stops the build
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
nb_mime_priority_overrides = [("html", "image/svg+xml", 1)]
numpydoc_show_class_members = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
html_theme = "furo"
html_title = "fairgroups"
exclude_patterns = ["_build", "jupyter_execute"]


def say_what_is_returned(_app, what, _name, obj, _options, lines) -> None:  # noqa: ANN001
    """Give docstrings of one sentence a section Returns with the type that the signature has and the page lacks."""
    returned = getattr(obj, "__annotations__", {}).get("return")
    if what in ("function", "method") and returned not in (None, "None") and "Returns" not in lines:
        at = next((i for i, line in enumerate(lines) if line in ("Notes", "Examples")), len(lines))
        lines[at:at] = ["", "Returns", "-------", f"``{returned}``", ""]


def setup(app) -> None:  # noqa: ANN001
    """Connect it before numpydoc reads the docstrings."""
    app.connect("autodoc-process-docstring", say_what_is_returned, priority=100)
