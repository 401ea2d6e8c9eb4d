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
