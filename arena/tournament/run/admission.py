"""Admission to a hill: commands let entrants in and out, and its places go to the best."""

from __future__ import annotations

from time import monotonic

from attrs import define, field

from arena.tournament.run.command_reader import CommandReader
from arena.tournament.run.hill_places import HillPlaces

QUEUE_POLL_SECONDS = 1.0  # between two checks of the queue


@define
class Admission:
    """Admits and removes entrants while a hill runs."""

    commands: CommandReader
    places: HillPlaces
    _next: float = field(default=0.0, init=False)  # the time of the next check

    def poll(self) -> None:
        """Let entrants in and out, if it is time."""
        if monotonic() < self._next:
            return
        self.commands.carry_out_new()
        self.places.drop_lowest()
        self.places.fill()
        self._next = monotonic() + QUEUE_POLL_SECONDS
