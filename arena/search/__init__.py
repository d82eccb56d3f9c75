"""Worlds that a seat cannot tell from the true one, and what answers are worth in them.

Everything here comes from the rules alone, so it works for every game. A bot that searches, a hint
and a review are handed a `Juncture`, which holds nothing that its seat does not know.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
