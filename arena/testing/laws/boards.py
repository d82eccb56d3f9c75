"""Laws for the boards of every game that has one.

Whether a seat can tell from its zones what it may not know is checked with the lines: to the laws
of `arena.testing.laws.noninterference` a board is one more codec, whose lines are the zones that
changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.plugins import Game
from arena.records import MatchStep, Perspective, Spectator, Viewer
from arena.testing.harness.cases import Case
from arena.testing.harness.codec_replay import sample_seats
from arena.testing.harness.round_snapshots import Message, list_messages
from arena.testing.law import law
from arena.wires import Board, Zone, Zones, dump

MAX_MOMENTS = 120  # of a game that are examined


@law()
def zones_serialize_to_json(game: Game, case: Case) -> None:
    """Each zone can be written as JSON, and names who laid all of its cards or none."""
    for _, _, _, zones in _replay_boards(game, case):
        for key, zone in zones.items():
            _check_zone(key, zone, case.seats)


def _check_zone(key: Any, zone: Any, seats: int) -> None:
    assert isinstance(key, str), f"{key!r} is not a zone's key (keys are strings)"
    assert isinstance(zone, Zone), f"{key}: {zone!r} is not a Zone"
    try:
        dump(zone.json)
    except (TypeError, ValueError) as problem:
        raise AssertionError(f"{key}: {zone} cannot be written as JSON: {problem}") from None
    assert zone.hidden >= 0, f"{key}: hidden is {zone.hidden}, which is negative"
    _check_cards(key, zone, seats)


def _check_cards(key: str, zone: Zone, seats: int) -> None:
    for card in zone.cards:
        assert type(card) in (str, int), f"{key}: {card!r} is not a card (cards are str or int)"
    laid = len(zone.seats)
    assert laid in (0, len(zone.cards)), f"{key}: {len(zone.cards)} cards, but {laid} seats"
    for seat in (*zone.seats, *(() if zone.of is None else (zone.of,))):
        assert seat in range(seats), f"{key}: there is no seat {seat}"


@law()
def boards_change_only_by_their_own_events(game: Game, case: Case) -> None:
    """A viewer's zones do not change when only others are told something, or answer."""
    for perspective, heard, before, after in _replay_boards(game, case):
        sees = perspective.viewer is Spectator.ALL or heard.seat in (None, perspective.viewer)
        assert sees or before == after, (
            f"the zones of {_describe_viewer(perspective.viewer)} changed at {heard.content},"
            " which it was not told"
        )


def _describe_viewer(viewer: Viewer) -> str:
    return f"the spectator {viewer}" if isinstance(viewer, Spectator) else f"seat {viewer}"


def _replay_boards(game: Game, case: Case) -> Iterator[tuple[Perspective, Message, Zones, Zones]]:
    """Yield some perspectives at each moment, with the message and the zones before and after."""
    if game.board is None:
        return
    names = [f"player_{seat}" for seat in range(case.seats)]
    variant = game.read_variant(case.options)
    perspectives = [
        Perspective(game, variant, names, viewer) for viewer in (*sample_seats(case), *Spectator)
    ]
    for perspective in perspectives:
        perspective.begin()
    after: list[Zones] = [dict(_board(perspective).zones) for perspective in perspectives]
    for heard in list_messages(game, case)[:MAX_MOMENTS]:
        before = after
        for perspective in perspectives:
            _apply_message(perspective, heard)
        after = [dict(_board(perspective).zones) for perspective in perspectives]
        for at, perspective in enumerate(perspectives):
            yield perspective, heard, before[at], after[at]


def _board(perspective: Perspective) -> Board:
    assert perspective.board is not None
    return perspective.board


def _apply_message(perspective: Perspective, heard: Message) -> MatchStep:
    """Pass a message to a perspective, and return its step."""
    match heard.kind:
        case "tell":
            return perspective.see_event(heard.seat, heard.content)
        case "say":
            assert heard.seat is not None
            return perspective.see_answer(heard.seat, *heard.content)
    return MatchStep()
