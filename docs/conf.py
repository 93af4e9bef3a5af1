"""How the pages are built: ``make docs``, without network; a dead link or an unknown reference is an error."""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path

from starcloak.commands import algorithm_table
from starcloak.commands.documentation import classifications, documents, hierarchies, hosts, measures, models
from starcloak.statements import statement_docs

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.shared import page

project = "starcloak"
author = "the starcloak authors"
copyright = author
release = version = version_of("starcloak")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "substitution"]
myst_heading_anchors = 4
#: Tables that the code itself tells.
myst_substitutions = {
    "algorithms": algorithm_table.table(),
    "classifications": classifications(),
    "hierarchies": hierarchies(),
    "hosts": hosts(),
    "measures": measures(),
    "models": models(),
    "statements": statement_docs.table(),
    **{f"document_{name}": document for name, document in documents().items()},
    **{f"results_{group}": results for group, results in page.groups().items()},
}

nitpicky = True
# Types that autodoc names and that no page here describes.
nitpick_ignore_regex = [("py:.*", r"(?!starcloak\.).*"), ("py:.*", r"starcloak\..*\.(Settings|Model|Builder)")]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
suppress_warnings = ["myst.xref_ambiguous"]

html_theme = "furo"
html_title = "starcloak"
html_copy_source = False
html_show_sphinx = False
