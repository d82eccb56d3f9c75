"""What each page of a match is told of who is here, and without whom the others may go on."""

from __future__ import annotations

from attrs import evolve, frozen

from arena import join_words
from arena_web.play.chairs.chair import Chair
from arena_web.play.match.company import Company
from arena_web.play.match.phases import TablePhase
from arena_web.play.presence import ABSENT_SECONDS, Presence
from arena_web.play.seat_secrets import Secret
from arena_web.protocol.messages import PresenceReport


@frozen
class RollCall:
    """Who of a match's people is here at one moment."""

    company: Company
    phase: TablePhase  #: of the table
    now: float  #: the moment, on the clock of the attendance

    @property
    def _presence(self) -> Presence:
        return self.company.attendance.presence

    def build_report(self, reader: Secret | None) -> PresenceReport:
        """Return the report on the others for a person, or (None) for spectators."""
        thinking = {
            secret: "is thinking"
            for secret, chair in self.company.chairs.items()
            if self.company.is_on_the_clock(chair) and self._presence.is_away(secret)
        }
        departures = {
            secret: f"{chair.departure.news}{' (a bot plays)' if self._is_replaced(chair) else ''}"
            for secret, chair in self.company.chairs.items()
            if chair.departure
        }
        report = self._presence.build_report(reader, thinking | departures)
        if reader is not None and (wait := self._describe_wait()):
            report = evolve(report, said=". ".join(filter(None, [report.said, wait])))
        offers = [(chair.name, self._describe_replacing(chair)) for chair in self.list_absent()]
        return evolve(report, absent=offers)

    def list_absent(self) -> list[Chair]:
        """Return the people missing for so long that the others may go on without them."""
        return [chair for chair in self._list_missing() if self._is_absent(chair)]

    def _list_missing(self) -> list[Chair]:
        """Return the people who have a seat in the match and no page open, if others wait for them.

        Nobody waits longer for a person with a clock than the clock allows.
        """
        if len(self.company.chairs) == 1 or self.phase is not TablePhase.PLAYING:
            return []
        return [
            chair
            for chair in self.company.people
            if not (
                chair.departure
                or self._presence.is_here(chair.secret)
                or self.company.is_on_the_clock(chair)
            )
        ]

    def _is_absent(self, chair: Chair) -> bool:
        return self._presence.is_absent(chair.secret, self.now)

    def _is_replaced(self, chair: Chair) -> bool:
        """Whether a bot plays on for a person who is out."""
        return self.phase is not TablePhase.OVER and self.company.goes_on_without(chair)

    def _describe_wait(self) -> str:
        """Say without whom the match can go on soon; empty where everybody is here."""
        away = [chair for chair in self._list_missing() if not self._is_absent(chair)]
        soon = join_words(map(self.company.show_name, away))
        return f"After {ABSENT_SECONDS:.0f} seconds you can go on without {soon}" if soon else ""

    def _describe_replacing(self, chair: Chair) -> str:
        """Return the label of the button with which the others stop waiting for a person."""
        name = self.company.show_name(chair)
        if self.company.goes_on_without(chair):
            return f"Let a bot play for {name}"
        return f"End the match without {name}"
