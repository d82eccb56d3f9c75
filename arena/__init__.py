"""The arena where card-bots meet: what authors of games and of bots import.

Its names are loaded when they are first used, so that a bot's program and `arena --help` start
fast; `__init__.pyi` says where each of them stands. Who hosts matches from Python imports
`arena.host` and `arena.tournament`; tests of games import `arena.testing`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
