"""Coup as zones: influence, coins and claims as a seat, and as one who sees everything, knows them."""

from __future__ import annotations

import pytest

from arena.records import Perspective, Spectator, Viewer
from arena_coup import GAME, Coup
from arena_coup.rules import (
    CAPTAIN,
    CONTESSA,
    DUKE,
    Acted,
    Blocked,
    Challenged,
    Drawn,
    Hand,
    Lost,
    Settled,
    Turn,
)
from tests.support.zone_lines import read_board


def looking(sight: Viewer) -> Perspective:
    """Return an eye on a turn in which Bob, seat 1, holds the Duke and the Captain."""
    eye = Perspective(GAME, Coup(), ["Ann", "Bob", "Eve"], sight, page=True)
    eye.begin()
    eye.see_event(None, Turn(1, 0, (2, 1, 7), (2, 2, 1), ((), (), (CONTESSA,))))
    eye.see_event(1, Hand((DUKE, CAPTAIN)))
    return eye


@pytest.mark.parametrize(
    ("sight", "hand"), [(1, "Duke Captain"), (0, "+2"), (Spectator.PUBLIC, "+2"),
                        (Spectator.ALL, "Duke Captain")],
)  # fmt: skip
def test_influence_is_seen_by_whom_it_belongs_to(sight: Viewer, hand: str) -> None:
    """The others see how many cards lie there, and which are revealed."""
    zones = read_board(looking(sight))
    assert zones["hand1"] == f"Bob: {hand} / 1 coin"
    assert zones["hand2"] == "Eve: Contessa +1 / 7 coins"


def test_a_claim_lies_on_the_table_until_the_turn_is_over() -> None:
    """It says who may answer it; a seat's latest act stands at its hand."""
    eye = looking(1)
    eye.see_event(None, Acted(0, "steal:1"))
    assert read_board(eye)["claims"] == (
        "Turn 1: Ann plays: Captain(0) / Ann claims the Captain: steal from you. Anybody may"
        " challenge that. You may claim the Captain or the Ambassador to block it."
    )
    eye.see_event(None, Blocked(1, CAPTAIN))
    assert read_board(eye)["claims"].startswith(
        "Turn 1: Ann plays: Captain(0) Captain(1) / You claim"
    )
    eye.see_event(None, Challenged(2, 1, CAPTAIN))
    eye.see_event(None, Lost(2, CONTESSA))
    assert eye.board
    assert eye.board.zones["hand2"].act == "loses an influence: Contessa"
    assert eye.board.zones["hand2"].lost == (0, 1)
    eye.see_event(None, Settled(0, "steal:1", succeeded=False))
    assert read_board(eye)["claims"].endswith("The steal fails.")
    eye.see_event(None, Turn(2, 1, (2, 1, 0), (2, 2, 0), ((), (), (CONTESSA, CONTESSA))))
    assert read_board(eye)["claims"] == "Turn 2: you play: -"
    assert read_board(eye)["hand2"] == "Eve: Contessa Contessa / out of the game"


def test_cards_are_drawn_for_an_exchange() -> None:
    """They lie in the hand of who has drawn them until two are kept; nobody else sees them."""
    for sight, hand in ((1, "Duke Captain Contessa"), (0, "+2")):
        eye = looking(sight)
        eye.see_event(1, Drawn((CONTESSA,)))
        assert read_board(eye)["hand1"] == f"Bob: {hand} / 1 coin"
