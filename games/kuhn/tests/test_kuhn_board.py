"""Kuhn poker as zones: both cards as far as a viewer knows them, and the pot."""

from __future__ import annotations

import pytest

from arena.records import Perspective, Spectator, Viewer
from arena_kuhn import GAME, Acted, Card, Kuhn, Showdown
from tests.support.zone_lines import read_board


@pytest.mark.parametrize(
    ("sight", "cards"),
    [(0, ["KS", "+1"]), (1, ["+1", "JS"]), (Spectator.PUBLIC, ["+1", "+1"]),
     (Spectator.ALL, ["KS", "JS"])],
)  # fmt: skip
def test_a_card_is_seen_by_its_holder_until_both_are_shown(sight: Viewer, cards: list[str]) -> None:
    """Each bet goes into the pot, and stands at the hand of who made it."""
    eye = Perspective(GAME, Kuhn(), ["Ann", "Bob"], sight, page=True)
    eye.begin()
    eye.see_event(0, Card(3))
    eye.see_event(1, Card(1))
    assert eye.board
    zones = read_board(eye)
    assert [zones["hand0"], zones["hand1"]] == [f"Ann: {cards[0]}", f"Bob: {cards[1]}"]
    assert zones["pot"] == "Pot: - / 2 chips"
    for event in (Acted(0, bets=True), Acted(1, bets=True), Showdown((3, 1))):
        eye.see_event(None, event)
    assert read_board(eye)["hand1"] == "Bob: JS"
    assert [eye.board.zones[key].act for key in ("hand0", "hand1")] == ["bets", "calls"]
    assert eye.board.zones["pot"].chips == 4
