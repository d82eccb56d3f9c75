"""What a program sees of a run: derive from `Monitor` to follow one."""

from __future__ import annotations

from arena.tournament.models.records import MatchResult
from arena.tournament.store import Store


class Monitor:
    """Derive from it, and say what is to be done when something happens."""

    def on_open(self, store: Store) -> None:
        """See the store, before anything is played."""

    def on_prepare(self, text: str) -> None:
        """See who is being built or checked, before anything is played."""

    def on_match(self, done: MatchResult) -> None:
        """See a match that is over and stored."""

    def on_leave_out(self, text: str) -> None:
        """See that somebody takes part no more, and why."""

    def on_message(self, text: str) -> None:
        """See something that a host should read."""

    def on_tick(self) -> None:
        """See that time has gone by."""

    def on_finish(self) -> None:
        """See that the run is over; the store is open still."""
