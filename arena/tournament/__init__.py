"""Tournaments: a schedule of matches between entrants, run by an executor, saved in a store.

The pure parts (`deals`, `formats`, `ratings`) know no processes and no database; `run` combines
them with `workers`, which play matches, and `store`, which one `coordinator` writes.

This package is the interface for running tournaments from Python; it imports names on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
