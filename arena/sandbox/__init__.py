"""Sandboxes for untrusted programs: they limit what a program sees and uses, and end it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
