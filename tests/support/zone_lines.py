"""Zones as lines that a test can be read by."""

from __future__ import annotations

from arena import Seat, Zone
from arena.records import Perspective


def read_board(eye: Perspective) -> dict[str, str]:
    """Return each zone in a line: its title, cards, cards face down, who laid them, its words."""
    assert eye.board
    return {key: line(zone) for key, zone in eye.board.zones.items()}


def list_turns(eye: Perspective) -> list[Seat | None]:
    """Return whose turn it is."""
    assert eye.board
    return [zone.of for zone in eye.board.zones.values() if zone.turn]


def line(zone: Zone) -> str:
    """Return a zone in a line."""
    cards = [f"{card}{zone.suit}" for card in zone.cards]
    if zone.seats:
        cards = [f"{card}({seat})" for card, seat in zip(cards, zone.seats, strict=True)]
    hidden = [f"+{zone.hidden}"] if zone.hidden else []
    return f"{zone.title}: {' '.join([*cards, *hidden]) or '-'}{zone.text and f' / {zone.text}'}"
