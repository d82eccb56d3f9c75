"""BS (Cheat) for the arena: rules, the published line protocol, bots, a narrator."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
