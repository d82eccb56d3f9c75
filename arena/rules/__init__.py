"""The building blocks of rules: the table, questions, options, plays and outcomes.

Nothing here does I/O or knows a clock. Everybody may import this room; it imports no other.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
