"""Lines between the host and all others: codecs, views, and the strict reading of what comes in."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
