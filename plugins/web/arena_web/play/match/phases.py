"""The phases of a table: before its match, in it, and behind it."""

from __future__ import annotations

from enum import Enum, auto


class TablePhase(Enum):
    """How far a table is; each phase follows one that stands above it here."""

    WAITING = auto()
    """The match begins when somebody comes."""
    PLAYING = auto()
    """The match is played in its thread, perhaps up to where it was before."""
    CLOSING = auto()
    """The match is to end at once, without a result: it goes on another time."""
    OVER = auto()
    """The match has ended, or was closed; nothing more is played here."""
