"""Tournaments: a schedule of matches over entrants, run by an executor, kept in a store.

The pure part (`plan`, `formats`, `ratings`) knows no process and no database; `runner`
puts it together with `jobs`, which workers play, and `store`, which one coordinator writes.

This is the face for who holds tournaments from Python; its names are loaded when they are used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
