"""The players of a match: bots in this process, programs behind pipes, and people."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
