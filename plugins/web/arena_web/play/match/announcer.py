"""The announcer of a match: what spectators are told of it, and people who lose their seats."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from arena import Observer, Outcome, Seat, Verdict
from arena.records import MatchStep, Perspective, Spectator
from arena.wires import to_printable
from arena_web.play.chairs.browser_player import TableClosedError
from arena_web.play.match.company import Company
from arena_web.protocol.messages import SeatLost, Steps

REPLACED_MESSAGE = "A bot plays on for you."


class Announcer(Observer):
    """Announces a match to spectators, and tells a person why it goes on without them.

    Who has lost the seat is a spectator from then on: the host tells the bot in their place.
    """

    def __init__(self, company: Company) -> None:
        seating, viewer = company.seating, Spectator.PUBLIC
        self._eye = Perspective(
            seating.game, seating.spec.variant, seating.names, viewer, page=True
        )
        self._company = company
        self._show(self._eye.begin())

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Announce a public event."""
        if any(chair.closed for chair in self._company.people):
            raise TableClosedError("the server has stopped")
        self._show(self._eye.see_event(seat, event))

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Announce a verdict, to a person with an explanation."""
        step, chair = self._eye.see_verdict(seat, verdict), self._company.by_seat.get(seat)
        if chair is None:
            self._show(step)
            return
        departure = chair.lose(verdict)
        zones = self._eye.board.zones if self._eye.board else {}
        goes_on = self._company.goes_on_without(chair)
        name = self._company.show_name(chair)
        news = f"{name} {departure.news}{f'; a bot plays for {name}' if goes_on else ''}."
        for feed in self._company.attendance.feeds.values():
            if feed is not chair.feed:
                feed.put(Steps([evolve(step, words=(to_printable(news),))]))
        lost = SeatLost(
            verdict.kind,
            to_printable(departure.reason),
            REPLACED_MESSAGE if goes_on else "",
            zones,
        )
        chair.feed.put(lost)
        self._company.attendance.look_soon_from_thread()

    def on_outcome(self, outcome: Outcome) -> None:
        """Announce the outcome."""
        self._show(self._eye.see_outcome(outcome))

    def _show(self, step: MatchStep) -> None:
        if step:
            watching = [chair.feed for chair in self._company.people if chair.is_lost]
            for feed in (self._company.attendance.feed, *watching):
                feed.put(Steps([step]))
