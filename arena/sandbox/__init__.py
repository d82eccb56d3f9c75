"""Strangers' programs contained: what each may see and use, and that all of it ends."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
