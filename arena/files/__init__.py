"""Files that users name: opened with care, read as TOML, and locked."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
