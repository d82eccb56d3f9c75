"""Monitoring a tournament from Python: a progress function, and messages in the log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from arena.tournament.monitor import Monitor
from arena.wires import to_printable

if TYPE_CHECKING:
    from arena.tournament.models.records import MatchResult
    from arena.tournament.store import Store

LOG = logging.getLogger(__name__)  # by default warnings go to standard error


class ProgressMonitor(Monitor):
    """Calls a function after each match with the numbers of finished and of all matches."""

    def __init__(self, call: Callable[[int, int | None], None] | None, total: int | None) -> None:
        self._call, self._total, self._over = call, total, 0

    def on_open(self, store: Store) -> None:
        """Load the number of finished matches."""
        self._over = store.count_matches().stored

    def on_reopen(self, matches: int) -> None:
        """Count these matches no more."""
        self._over -= matches

    def on_match(self, done: MatchResult) -> None:
        """Count a match, and call the function."""
        self._over += 1
        if self._call:
            self._call(self._over, self._total)

    def on_leave_out(self, text: str) -> None:
        """Log that an entrant no longer takes part."""
        self.on_message(text)

    def on_message(self, text: str) -> None:
        """Log a message for the host."""
        LOG.warning("%s", to_printable(text))
