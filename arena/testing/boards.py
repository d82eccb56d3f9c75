"""What holds for the boards of every game that has one.

That no seat can tell from its zones what it may not know is found with the lines: to the laws of
`arena.testing.secrecy` a board is one more codec, whose lines are the zones that changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.plugins import Game
from arena.records import Eye, Sight, Spectator, Step
from arena.testing.cases import Case
from arena.testing.hearing import watching
from arena.testing.law import law
from arena.testing.snapshots import Heard, everything
from arena.wires import Board, Zone, Zones, dump

MOMENTS = 120  # of a game that are looked at


@law()
def zones_can_be_drawn(game: Game, case: Case) -> None:
    """Each zone can be written as JSON, and says who laid all of its cards or none."""
    for _, _, _, zones in _moments(game, case):
        for key, zone in zones.items():
            _see_drawn(key, zone, case.seats)


def _see_drawn(key: Any, zone: Any, seats: int) -> None:
    assert isinstance(key, str), f"{key!r} is no key of a zone: a text is one"
    assert isinstance(zone, Zone), f"{key}: {zone!r} is no zone"
    try:
        dump(zone.packed)
    except (TypeError, ValueError) as problem:
        raise AssertionError(f"{key}: {zone} cannot be written as JSON: {problem}") from None
    for card in zone.cards:
        assert type(card) in (str, int), f"{key}: {card!r} is no card: a text or a number is one"
    assert zone.hidden >= 0, f"{key}: {zone.hidden} cards lie face down"
    laid = len(zone.seats)
    assert laid in (0, len(zone.cards)), f"{key}: {len(zone.cards)} cards, and {laid} who laid them"
    for seat in (*zone.seats, *(() if zone.of is None else (zone.of,))):
        assert seat in range(seats), f"{key}: there is no seat {seat}"


@law()
def boards_change_by_what_they_are_told(game: Game, case: Case) -> None:
    """The zones of an eye stay as they are while others are told something, or answer."""
    for eye, heard, before, after in _moments(game, case):
        sees = eye.sight is Spectator.ALL or heard.seat in (None, eye.sight)
        assert sees or before == after, (
            f"the zones of {_named(eye.sight)} changed by {heard.message}, which it was not told"
        )


def _named(sight: Sight) -> str:
    return f"the eye {sight}" if isinstance(sight, Spectator) else f"seat {sight}"


def _moments(game: Game, case: Case) -> Iterator[tuple[Eye, Heard, Zones, Zones]]:
    """Return some eyes at each moment of a game: what happens, their zones before and after it."""
    if game.board is None:
        return
    names = [f"player_{seat}" for seat in range(case.seats)]
    variant = game.read_variant(case.options)
    eyes = [Eye(game, variant, names, sight) for sight in (*watching(case), *Spectator)]
    for eye in eyes:
        eye.begin()
    after: list[Zones] = [dict(_board(eye).zones) for eye in eyes]
    for heard in everything(game, case)[:MOMENTS]:
        before = after
        for eye in eyes:
            _live(eye, heard)
        after = [dict(_board(eye).zones) for eye in eyes]
        for at, eye in enumerate(eyes):
            yield eye, heard, before[at], after[at]


def _board(eye: Eye) -> Board:
    assert eye.board is not None
    return eye.board


def _live(eye: Eye, heard: Heard) -> Step:
    """Let something happen before an eye."""
    match heard.what:
        case "tell":
            return eye.told(heard.seat, heard.message)
        case "say":
            assert heard.seat is not None
            return eye.answered(heard.seat, *heard.message)
    return Step()
