"""The people of a match: their chairs, and the seats in which these stand."""

from __future__ import annotations

from collections.abc import Sequence

from arena import Seat
from arena_web.play.chairs import Chair
from arena_web.play.seating import Seating


class Company:
    """The people of a match, by their chairs."""

    def __init__(self, seating: Seating, chairs: Sequence[Chair]) -> None:
        """Seat the people of these chairs, which are in the order of the setup."""
        self.seating = seating
        self.chairs = {chair.secret: chair for chair in chairs}  #: by the secrets of the people

    def map_seats(self) -> dict[Seat, Chair]:
        """Return the chairs of the people, by their seats in the match."""
        return {chair.seat: chair for chair in self.chairs.values()}

    def show_name(self, chair: Chair) -> str:
        """Return the name of a person as people read it."""
        return self.seating.names[chair.seat]

    def goes_on_without(self, chair: Chair) -> bool:
        """Whether the match is still to be decided once this person has lost the seat."""
        chairs = self.chairs.values()
        return self.seating.goes_on_without(
            [other.seat for other in chairs if other.is_lost or other is chair]
        )
