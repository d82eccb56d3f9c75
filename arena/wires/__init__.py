"""Lines between the host and players: codecs, narrators, and the strict reading of input."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
