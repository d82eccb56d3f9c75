"""Announcements at a table: public events to spectators, the result to everybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena import Fault, MatchSpec, Observer, Outcome, Seat, Verdict
from arena.extend import MatchStep, Perspective, Spectator, to_printable
from arena_web.http.sse import STEPS, EventBroadcast
from arena_web.play.browser_player import TableClosedError
from arena_web.play.browser_seat import BrowserSeat

OUT_MESSAGES = {Fault.TIMEOUT: "Your time has run out.", Fault.CRASHED: "You left the table."}
REPLACED_MESSAGE = "The fallback bot takes over your seat."


class Announcer(Observer):
    """Announces a match to spectators, and tells a person why it goes on without them."""

    def __init__(
        self, spec: MatchSpec, feed: EventBroadcast, chairs: Mapping[Seat, BrowserSeat]
    ) -> None:
        self._eye = Perspective(
            spec.game, spec.variant, spec.names, Spectator.PUBLIC, narrated=True
        )
        self._feed, self._seats = feed, chairs
        self._show(self._eye.begin())

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Announce a public event."""
        if any(chair.closed for chair in self._seats.values()):
            raise TableClosedError("the server has stopped")
        self._show(self._eye.see_event(seat, event))

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Announce a verdict, with an explanation for a person."""
        self._show(self._eye.see_verdict(seat, verdict))
        if chair := self._seats.get(seat):
            words = OUT_MESSAGES.get(verdict.kind, f"Verdict: {verdict.kind}, {verdict.detail}.")
            chair.close_question()
            chair.feed.put(
                "out", {"kind": verdict.kind, "why": to_printable(words), "then": REPLACED_MESSAGE}
            )

    def on_outcome(self, outcome: Outcome) -> None:
        """Announce the outcome."""
        self._show(self._eye.see_outcome(outcome))

    def _show(self, step: MatchStep) -> None:
        if step:
            self._feed.put(STEPS, [step.json])
