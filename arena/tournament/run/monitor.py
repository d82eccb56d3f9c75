"""The monitor of a run: subclass `Monitor` to follow one.

Who runs a tournament from Python gets a `ProgressMonitor`: a progress function, and messages in
the log.
"""

from __future__ import annotations

import logging

from arena.host import Progress
from arena.tournament.match_record import MatchRecord
from arena.tournament.store import Store
from arena.wires import to_printable

LOG = logging.getLogger(__name__)  # by default warnings go to standard error


class Monitor:
    """Base class of monitors: override the methods for the events that you need."""

    def on_open(self, store: Store) -> None:
        """Handle the opened store, before any match is played."""

    def on_prepare(self, text: str) -> None:
        """Handle the build or check of an entrant, before any match is played."""

    def on_reopen(self, matches: int) -> None:
        """Handle a number of finished matches that are open again, before any match is played."""

    def on_match(self, record: MatchRecord) -> None:
        """Handle a finished match, after it is stored."""

    def on_leave_out(self, text: str) -> None:
        """Handle the removal of an entrant, given as a message with its reason."""

    def on_message(self, text: str) -> None:
        """Handle a message for the host."""

    def on_tick(self) -> None:
        """Handle the passing of time; called at regular intervals."""

    def on_finish(self) -> None:
        """Handle the end of the run; the store is still open."""


class ProgressMonitor(Monitor):
    """Calls a function after each match with the numbers of finished and of all matches."""

    def __init__(self, call: Progress | None, total: int | None) -> None:
        self._progress, self._total, self._finished_matches = call, total, 0

    def on_open(self, store: Store) -> None:
        """Load the number of finished matches."""
        self._finished_matches = store.progress.count_matches().stored

    def on_reopen(self, matches: int) -> None:
        """Count these matches no more."""
        self._finished_matches -= matches

    def on_match(self, record: MatchRecord) -> None:
        """Count a match, and call the function."""
        self._finished_matches += 1
        if self._progress:
            self._progress(self._finished_matches, self._total)

    def on_leave_out(self, text: str) -> None:
        """Log that an entrant no longer takes part."""
        self.on_message(text)

    def on_message(self, text: str) -> None:
        """Log a message for the host."""
        LOG.warning("%s", to_printable(text))
