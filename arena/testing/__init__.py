"""For tests of games: the contract that every game holds to, cases, golden playthroughs.

It needs pytest and hypothesis: `pip install cardbot-arena[testing]`. What is imported from here
is loaded when it is first used: other interpreters that play cases need no hypothesis.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
