"""BS as zones: only the holder sees a hand, and nobody what lies on the pile."""

from __future__ import annotations

from arena import SomeOf
from arena.records import Perspective, Spectator, Viewer
from arena_bs import GAME, Bs
from arena_bs.rules import (
    Called,
    ChooseCards,
    Hand,
    Judged,
    PileTaken,
    Played,
    Player,
    Receives,
    Shown,
    Turn,
    Won,
)
from tests.support.zone_lines import read_board

ANN, BOB, EVE = PLAYERS = [
    Player(seat, name, 100 + seat) for seat, name in enumerate(("Ann", "Bob", "Eve"))
]
HELD = ("2D", "AS", "KC")
LAY = ChooseCards(SomeOf(HELD), "A")


def looking(sight: Viewer) -> Perspective:
    """Return an eye on a first turn, in which Ann lays two cards as aces."""
    eye = Perspective(GAME, Bs(), ["Ann", "Bob", "Eve"], sight, page=True)
    eye.begin()
    eye.see_event(None, Turn(((ANN, 3), (BOB, 4), (EVE, 5)), "A"))
    eye.see_event(0, Hand(HELD))
    eye.see_event(1, Hand(("2C", "2H", "3C", "4C")))
    eye.see_answer(0, LAY, ("2D", "AS"))
    eye.see_event(None, Played(ANN, 2, "A"))
    return eye


def test_who_lays_knows_what() -> None:
    """Ann sees her own cards, and how many the others hold."""
    assert read_board(looking(0)) == {
        "hand1": "Bob: +4",
        "hand2": "Eve: +5",
        "pile": "Pile: +2",
        "claim": "Ann says 2 x A: 2D AS",
        "hand0": "Ann: KC",
    }


def test_the_others_know_how_many() -> None:
    """Bob sees his own hand and the backs of two cards; the public sees no card at all."""
    assert read_board(looking(1)) == {
        "hand2": "Eve: +5",
        "hand0": "Ann: +1",
        "pile": "Pile: +2",
        "claim": "Ann says 2 x A: +2",
        "hand1": "Bob: 2H 2C 3C 4C",
    }
    assert read_board(looking(Spectator.PUBLIC))["hand1"] == "Bob: +4"
    assert read_board(looking(Spectator.ALL))["claim"] == "Ann says 2 x A: 2D AS"


def test_a_lie_is_called() -> None:
    """The cards are shown, and the liar takes the pile; only the liar sees which cards it gets."""
    for sight, hand in ((1, "Ann: +3"), (0, "Ann: AS 2D KC"), (Spectator.ALL, "Ann: AS 2D KC")):
        eye = looking(sight)
        for event in (Called((BOB,)), Shown(ANN, ("2D", "AS")), Judged(ANN, bluffing=True)):
            eye.see_event(None, event)
        eye.see_event(0, PileTaken(("2D", "AS"), bluffing=True))
        zones = read_board(eye)
        assert zones["claim"] == (
            "Ann says 2 x A: 2D AS / Bob called BS: a bluff; Ann takes 2 cards"
        )
        assert (zones["pile"], zones["hand0"]) == ("Pile: -", hand)


def test_a_true_claim_is_called() -> None:
    """The last caller takes the pile."""
    eye = looking(2)
    for event in (
        Called((BOB, EVE)),
        Shown(ANN, ("AD", "AS")),
        Judged(ANN, bluffing=False),
        Receives(EVE, "takes"),
    ):
        eye.see_event(None, event)
    zones = read_board(eye)
    assert zones["claim"].endswith("/ Bob and Eve called BS: the truth; Eve takes 2 cards")
    assert (zones["pile"], zones["hand0"]) == ("Pile: -", "Ann: +1")


def test_nobody_calls_and_somebody_wins() -> None:
    """A boast is told of; the next turn begins with an empty claim; a winner is named."""
    eye = looking(2)
    eye.see_event(None, Called(()))
    assert read_board(eye)["claim"].endswith("/ nobody called")
    eye.see_event(None, Judged(ANN, bluffing=True))
    assert "Peanut Butter" in read_board(eye)["claim"]
    eye.see_event(None, Won(ANN))
    assert read_board(eye)["claim"].endswith("/ Ann has no cards left")
    eye.see_event(None, Turn(((BOB, 4), (EVE, 5), (ANN, 1)), "2"))
    assert (read_board(eye)["claim"], read_board(eye)["pile"]) == ("Rank 2: -", "Pile: +2")
