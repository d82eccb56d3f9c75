"""How Sphinx builds the book: `./run docs`. Nothing is fetched from anywhere."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for `docs.faces`

project = "The arena where card-bots meet"
release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
html_title = f"{project} {release}"
author = "its contributors"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "docs.faces"]
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3  # so that a page can point into another, as [words](page.md#heading)

exclude_patterns = ["_build"]
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures: many have no page in this book

default_role = "code"  # docstrings write `name`, as all other pages do
autodoc_default_options = {"members": True, "undoc-members": True, "imported-members": True}
napoleon_use_ivar = True  # what `Attributes:` says is beside what autodoc finds, not twice
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
maximum_signature_line_length = 88

html_theme = "furo"
html_copy_source = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_js_files = [("book.js", {"defer": "defer"})]
pygments_style = "a11y-light"  # a test holds every colour of both to a contrast of 4.5 to 1
pygments_dark_style = "a11y-dark"
highlight_language = "text"
