"""The people of a match: who is here, who is away for long, and without whom the match goes on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from attrs import evolve

from arena import Seat, join_words
from arena_web.http.refusals import ConflictError
from arena_web.play.chairs import Chair
from arena_web.play.phases import TablePhase
from arena_web.play.presence import ABSENT_SECONDS, Attendance
from arena_web.play.seat_secrets import Secret
from arena_web.play.seating import Seating


class Company:
    """The people of a match and those who watch it, all of whom are told who is here.

    It knows of the match only its phase.
    """

    def __init__(
        self,
        seating: Seating,
        chairs: Sequence[Chair],
        *,
        came: Collection[Secret],
        get_phase: Callable[[], TablePhase],
        on_deserted: Callable[[], bool],
    ) -> None:
        """Wait for the people with these seats, in the order of the setup.

        `came` has the secrets of those who have come; `get_phase` returns the phase of the table;
        `on_deserted` is called when nobody has been here for long while the match is played, and
        says whether it was put to sleep.
        """
        self.seating, self._get_phase, self._on_deserted = seating, get_phase, on_deserted
        self.chairs = {chair.secret: chair for chair in chairs}  #: of the people, by their secrets
        feeds = {secret: chair.feed for secret, chair in self.chairs.items()}
        names = {secret: self.show_name(chair) for secret, chair in self.chairs.items()}
        self.attendance = Attendance(feeds, names, came, self._look_around)

    def find_seat(self, chair: Chair) -> Seat:
        """Return the seat of a person in the match."""
        return self.seating.spec.names.index(chair.name)

    def map_seats(self) -> dict[Seat, Chair]:
        """Return the chairs of the people, by their seats in the match."""
        return {self.find_seat(chair): chair for chair in self.chairs.values()}

    def show_name(self, chair: Chair) -> str:
        """Return the name of a person as people read it."""
        return self.seating.names[self.find_seat(chair)]

    def close(self) -> None:
        """Tell nobody any more who is here."""
        self.attendance.alarm.stop()

    @property
    def _is_playing(self) -> bool:
        return self._get_phase() is TablePhase.PLAYING

    def leave(self, chair: Chair) -> None:
        """Let a person leave the table, which the others are told."""
        chair.leave()
        self.attendance.alarm.ring_soon()

    def update_presence(self) -> None:
        """Tell all pages in a moment who is here, from another thread."""
        self.attendance.alarm.ring_soon_from_thread()

    def _look_around(self) -> None:
        """Tell everybody who is here, or have a table put to sleep that has long been deserted."""
        is_deserted = self._is_playing and self.attendance.presence.is_deserted(
            self.attendance.alarm.now
        )
        if is_deserted and self._on_deserted():
            return
        self._tell_presence()
        seconds = self.attendance.presence.find_next_change(self.attendance.alarm.now)
        if self._is_playing and seconds is not None:
            self.attendance.alarm.set(seconds)

    def _tell_presence(self) -> None:
        thinking = {
            secret: "is thinking"
            for secret, chair in self.chairs.items()
            if self._is_on_the_clock(chair) and self.attendance.presence.is_away(secret)
        }
        departures = {
            secret: f"{chair.departure.news}{' (a bot plays)' if self._is_replaced(chair) else ''}"
            for secret, chair in self.chairs.items()
            if chair.departure
        }
        absent = [chair for chair in self._list_missing() if self._is_absent(chair)]
        offers = [(chair.name, self._describe_replacing(chair)) for chair in absent]
        soon = self._describe_wait()
        for secret, feed in self.attendance.feeds.items():
            report = self.attendance.presence.build_report(secret, thinking | departures)
            if secret is not None and soon:
                report = evolve(report, said=". ".join(filter(None, [report.said, soon])))
            feed.tell(evolve(report, absent=offers))

    def _list_missing(self) -> list[Chair]:
        """Return for whom several people wait: who has a seat in the match, and no page open.

        For whoever is asked within a clock they wait no longer than that allows.
        """
        if len(self.chairs) == 1 or not self._is_playing:
            return []
        is_here = self.attendance.presence.is_here
        return [
            chair for secret, chair in self.chairs.items()
            if not (chair.departure or is_here(secret) or self._is_on_the_clock(chair))
        ]  # fmt: skip

    def _is_on_the_clock(self, chair: Chair) -> bool:
        """Whether a seat is asked within a clock, as agents often are between two calls."""
        return self.seating.setup.clock is not None and bool(chair.asked)

    def _is_absent(self, chair: Chair) -> bool:
        return self.attendance.presence.is_absent(chair.secret, self.attendance.alarm.now)

    def _describe_wait(self) -> str:
        """Say without whom the match can go on soon; empty where everybody is here."""
        away = [chair for chair in self._list_missing() if not self._is_absent(chair)]
        soon = join_words(map(self.show_name, away))
        return f"After {ABSENT_SECONDS:.0f} seconds you can go on without {soon}" if soon else ""

    def _describe_replacing(self, chair: Chair) -> str:
        """Return the label of the button with which the others stop waiting for a person."""
        name = self.show_name(chair)
        if self.goes_on_without(chair):
            return f"Let a bot play for {name}"
        return f"End the match without {name}"

    def replace_absent(self, name: str, by: Chair) -> None:
        """Take the seat of a person who is away; raise ConflictError where that is too soon."""
        missing = [chair for chair in self._list_missing() if self._is_absent(chair)]
        chair = next((chair for chair in missing if chair.name == name), None)
        if chair is None:
            raise ConflictError(f"{name} is here, or not away for long")
        chair.be_replaced_by(self.show_name(by))
        self.attendance.alarm.ring_soon()

    def goes_on_without(self, chair: Chair) -> bool:
        """Whether the match is still to be decided once this person has lost the seat."""
        chairs = self.chairs.values()
        return self.seating.goes_on_without(
            [self.find_seat(other) for other in chairs if other.is_lost or other is chair]
        )

    def _is_replaced(self, chair: Chair) -> bool:
        """Whether a bot plays on for a person who is out."""
        return self._get_phase() is not TablePhase.OVER and self.goes_on_without(chair)
