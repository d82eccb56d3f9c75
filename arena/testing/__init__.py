"""Tests for games: the contract that every game fulfils, cases, golden playthroughs.

It needs pytest and hypothesis: `pip install cardbot-arena[testing]`. Each name is loaded when it is
first used: other interpreters that play cases need no hypothesis.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
