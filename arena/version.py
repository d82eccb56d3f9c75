"""The version of the arena that is installed."""

from __future__ import annotations

from importlib.metadata import version

from arena.distribution import DISTRIBUTION

__version__ = version(DISTRIBUTION)
"""The installed version of the package cardbot-arena, such as `0.2.0`."""
