"""A match as a record: writing, reading and showing it, and playing the rules again on it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
