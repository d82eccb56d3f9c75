"""The monitor of a run: subclass `Monitor` to follow one."""

from __future__ import annotations

from arena.tournament.models.records import MatchResult
from arena.tournament.store import Store


class Monitor:
    """Base class of monitors: override the methods for the events that you need."""

    def on_open(self, store: Store) -> None:
        """Handle the opened store, before any match is played."""

    def on_prepare(self, text: str) -> None:
        """Handle the build or check of an entrant, before any match is played."""

    def on_reopen(self, matches: int) -> None:
        """Handle a number of finished matches that are open again, before any match is played."""

    def on_match(self, done: MatchResult) -> None:
        """Handle a finished match, after it is stored."""

    def on_leave_out(self, text: str) -> None:
        """Handle the removal of an entrant, given as a message with its reason."""

    def on_message(self, text: str) -> None:
        """Handle a message for the host."""

    def on_tick(self) -> None:
        """Handle the passing of time; called at regular intervals."""

    def on_finish(self) -> None:
        """Handle the end of the run; the store is still open."""
