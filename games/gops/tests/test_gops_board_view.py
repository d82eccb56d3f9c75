"""GOPS as zones: what a seat sees of a round, and what somebody sees who may see everything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena import AnswerEvent, OneOf
from arena.records import Perspective, Spectator, Viewer
from arena_gops import GAME, Bid, Bids, Gops, Prize
from tests.support.zone_lines import read_board

BID = Bid(OneOf((1, 2, 3)))


def looking(sight: Viewer, seats: int = 2, variant: Gops | None = None) -> Perspective:
    """Return an eye on a match of three cards that has begun."""
    eye = Perspective(
        GAME, variant or Gops(cards=3), ["Ann", "Bob", "Eve"][:seats], sight, page=True
    )
    eye.begin()
    return eye


def played(eye: Perspective) -> Iterator[dict[str, str]]:
    """Play a round; give the zones when a prize is up, when seat 0 has bid, and at the end."""
    eye.see_event(None, Prize(3))
    yield read_board(eye)
    eye.see_answer(0, BID, 2)
    yield read_board(eye)
    eye.see_event(None, Bids((2, 3)))
    yield read_board(eye)


def test_a_round_from_a_seat() -> None:
    """The own bid leaves the hand at once; both are shown beside the prize."""
    up, bid, shown = played(looking(0))
    assert up == {
        "hand1": "Bob: 1S 2S 3S / 0 points",
        "prize": "Prize, round 1 of 3: 3D +2",
        "bids": "Bids: -",
        "hand0": "Ann: 1C 2C 3C / 0 points",
        "prizes": "Prizes: 3D",
        "row0": "Your bids: -",
        "row1": "Bids of Bob: -",
    }
    assert (bid["hand0"], bid["bids"]) == ("Ann: 1C 3C / 0 points", "Bids: 2C(0)")
    assert shown == {
        "hand1": "Bob: 1S 2S / 3 points",
        "prize": "Prize, round 1 of 3: 3D +2",
        "bids": "Bids: 2C(0) 3S(1) / Bob won",
        "hand0": "Ann: 1C 3C / 0 points",
        "prizes": "Prizes: 3D",
        "row0": "Your bids: 2C",
        "row1": "Bids of Bob: 3S",
    }


def test_each_has_the_own_suit() -> None:
    """Clubs are the own cards, for whoever looks."""
    assert read_board(looking(1))["hand1"] == "Bob: 1C 2C 3C / 0 points"


@pytest.mark.parametrize(
    ("sight", "sees"), [(1, False), (Spectator.PUBLIC, False), (Spectator.ALL, True)]
)
def test_a_sealed_bid(sight: Viewer, sees: bool) -> None:
    """Only who sees everything sees it before it is shown."""
    up, bid, _ = played(looking(sight))
    assert (bid != up) is sees


def test_a_tie_is_carried_over() -> None:
    """The prize says what waits for the next winner."""
    eye = looking(0, variant=Gops(cards=3, ties="carry"))
    for event in (Prize(3), Bids((1, 1)), Prize(2)):
        eye.see_event(None, event)
    assert read_board(eye)["prize"] == "Prize, round 2 of 3: 2D +1 / 3 points carried over"


def test_at_a_larger_table_all_others_share_a_suit() -> None:
    """Cards have faces at tables of any size, as the log names them; a suit of 20 has numbers."""
    hands = read_board(looking(1, 3))
    assert hands["hand0"] == "Ann: 1S 2S 3S / 0 points"
    assert hands["hand1"] == "Bob: 1C 2C 3C / 0 points"
    assert hands["hand2"] == "Eve: 1S 2S 3S / 0 points"
    eye = looking(0, 3)
    for event in (Prize(3), Bids((1, 2, 3))):
        eye.see_event(None, event)
    assert read_board(eye)["bids"] == "Bids: AC(0) 2S(1) 3S(2) / Eve won"
    assert " 11 12 " in read_board(looking(0, variant=Gops(cards=20)))["hand0"]


def test_a_board_is_told_what_was_said() -> None:
    """As the page on boards has it: `AnswerEvent`."""
    assert GAME.presentation.board
    board = GAME.presentation.board(None, ["Ann", "Bob"])
    eye = looking(Spectator.ALL)
    assert eye.board
    eye.see_event(None, Prize(1))
    eye.board.tell(AnswerEvent(1, BID, 3))
    assert read_board(eye)["bids"] == "Bids: 3S(1)"
    assert board is not eye.board
