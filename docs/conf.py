"""How Sphinx builds the book: `./run docs`. Nothing is fetched from anywhere."""

from __future__ import annotations

project = "The arena where card-bots meet"
html_title = project
author = "its contributors"

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3  # so that a page can point into another, as [words](page.md#heading)

exclude_patterns = ["_build"]
nitpicky = True

html_theme = "furo"
html_copy_source = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
highlight_language = "text"
