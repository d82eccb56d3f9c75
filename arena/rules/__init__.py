"""What the rules of a game are written with: the table, questions and options, a play, its outcome.

Nothing here does I/O or knows a clock. Everybody may import this room; it imports no other.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
