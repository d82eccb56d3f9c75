"""The people of a match: their chairs, the seats in which these stand, and who of them is here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from arena_web.play.chairs.chair import Chair
from arena_web.play.presence import Attendance
from arena_web.play.seat_secrets import Secret
from arena_web.play.seating import Seating


class Company:
    """The people of a match, by their chairs."""

    def __init__(
        self,
        seating: Seating,
        chairs: Sequence[Chair],
        came: Collection[Secret],
        look_around: Callable[[], object],
    ) -> None:
        """Seat the people of these chairs, which are in the order of the setup; some have come.

        `look_around` is called in a moment where somebody comes or goes.
        """
        self.seating = seating
        self.chairs = {chair.secret: chair for chair in chairs}  #: by the secrets of the people
        self.by_seat = {chair.seat: chair for chair in chairs}  #: the same by their seats
        feeds = {chair.secret: chair.feed for chair in chairs}
        names = {chair.secret: self.show_name(chair) for chair in chairs}
        self.attendance = Attendance(feeds, names, came, look_around)

    @property
    def people(self) -> Sequence[Chair]:
        """The chairs in the order of the setup."""
        return [*self.chairs.values()]

    def show_name(self, chair: Chair) -> str:
        """Return the name of a person as people read it."""
        return self.seating.names[chair.seat]

    def is_on_the_clock(self, chair: Chair) -> bool:
        """Whether a person is asked within a clock, as agents often are between two calls."""
        return self.seating.clock is not None and bool(chair.open_number)

    def goes_on_without(self, chair: Chair) -> bool:
        """Whether the match is still to be decided once this person has lost the seat."""
        return self.seating.goes_on_without(
            [other.seat for other in self.people if other.is_lost or other is chair]
        )
