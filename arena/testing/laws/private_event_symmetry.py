"""A law for private events: if all other seats are told such an event, a seat is told one, too."""

from __future__ import annotations

from collections import Counter

from attrs import evolve

from arena.plugins import Game
from arena.rules import Seat
from arena.testing.harness.cases import Case
from arena.testing.harness.hypothesis_strategies import cases_by_seats
from arena.testing.harness.round_snapshots import play_messages
from arena.testing.law import law

MAX_MATCHES = 16
MAX_MESSAGES = 4000  # of all matches, after which no further match is played
MIN_EVENTS = 10  # that every other seat is told


@law(cases=cases_by_seats)
def private_events_are_told_to_every_seat(game: Game, case: Case) -> None:
    """A kind of event that each other seat is told alone ten times is told to every seat.

    `Game.one_sided` lists the exceptions.
    """
    counts: dict[type, Counter[Seat]] = {}
    total = 0
    for number in range(MAX_MATCHES if case.seats > 1 else 0):
        messages = play_messages(game, evolve(case, seed=f"{case.seed}{number}"))
        for heard in messages:
            if heard.kind == "tell" and heard.seat is not None:
                counts.setdefault(type(heard.content), Counter())[heard.seat] += 1
        total += len(messages)
        if total > MAX_MESSAGES:
            break
    for kind, told in counts.items():
        never = {*range(case.seats)} - {*told}
        if len(never) == 1 and min(told.values()) >= MIN_EVENTS and kind not in game.one_sided:
            raise AssertionError(
                f"seat {never.pop()} is never told {kind.__name__}, but each other seat was told it"
                f" at least {min(told.values())} times in matches with {case.seats} seats; if the"
                f" rules say so, list {kind.__name__} in Game.one_sided"
            )
