"""The arena where card-bots meet: what authors of games and of bots import.

Its names are loaded when they are first used, so that a bot's program and `arena --help` start
fast; `__init__.pyi` says where each of them stands. Who hosts matches from Python imports
`arena.host` and `arena.tournament`; tests of games import `arena.testing`.

Even the stub is read only then: this module is imported before the command `arena` looks after
signals, and takes no time.
"""

import sys


def __getattr__(name: str) -> object:
    """Return what has this name in the stub."""
    _attach_stub()
    return getattr(sys.modules[__name__], name)


def __dir__() -> list[str]:
    """Return the names in the stub."""
    _attach_stub()
    return dir(sys.modules[__name__])


def _attach_stub() -> None:
    """Put functions that know the stub in the place of the two above."""
    import lazy_loader

    names = "__getattr__", "__dir__", "__all__"
    globals().update(zip(names, lazy_loader.attach_stub(__name__, __file__), strict=True))
