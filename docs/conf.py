"""Sphinx configuration."""

from fairgroups import __version__

project = "fairgroups"
author = "The FairGroups authors"
copyright = "2026, the FairGroups authors"
release = __version__
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
numpydoc_show_class_members = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
html_theme = "furo"
html_title = "fairgroups"
exclude_patterns = ["_build"]
