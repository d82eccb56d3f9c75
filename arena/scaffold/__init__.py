"""New games and new bots: whole folders that work, written from templates, to begin with."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
