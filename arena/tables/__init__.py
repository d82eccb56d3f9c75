"""Tables of results: cells for people in every format, and rows for programs.

Names come from strangers. So each format takes from a cell what would do something there: a
terminal's control characters, Markdown's and HTML's markup, a spreadsheet's formulas.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
