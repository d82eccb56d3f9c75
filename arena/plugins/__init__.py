"""The interface of plugins: games, hooks, observers, parameters and the registry."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
