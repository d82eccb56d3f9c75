"""The published example of BS, word for word."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena import Play, Seat
from arena.cards import Cards
from arena_bs import Bs, BsLines, BsPosition
from arena_bs.rules import DECK, Player

PLAYERS = (Player(0, "Alice", 16481), Player(1, "Bob", 16479), Player(2, "Charlie", 16480))


def cards(text: str) -> Cards:
    return tuple(text.split())


def conversation(start: BsPosition, seat: Seat, said: list[tuple[Seat, str]]) -> Iterator[str]:
    """Let the seats say these lines; return what one of them is sent and says."""
    play, codec = Play(start, len(start.hands), "seed"), BsLines(seat)

    def heard() -> Iterator[str]:
        for to, event in play.drain():
            if to in (None, seat):
                yield from codec.tell(event)

    for by, line in said:
        yield from heard()
        question = play.pending[by]
        if by == seat:
            yield from codec.ask(question)
            yield f"> {line}"
        play.answer(by, codec.read(question, line))
    yield from heard()


HANDS = (
    cards("2D 7S AS TC 5S JS JC 3C 8H 9D 5D AH 7C 6C 4D KC KH KS"),
    cards("2H 2C 3D 3H 3S 4C 4H 4S 5C 5H 6D 6H 6S 7D 7H 8C 8D"),
    cards("8S 9C 9H 9S TD TH TS JD JH QC QD QH QS KD AC AD 2S"),
)

BEGINNING = """\
Players: Alice(16481)[18], Bob(16479)[17], Charlie(16480)[17]
Hand: 2D 7S AS TC 5S JS JC 3C 8H 9D 5D AH 7C 6C 4D KC KH KS
Your turn: A
> Play: AS 2D AH
Player Alice(16481) plays: 3 x A
> PB
Called BS:
Player Alice(16481) was bluffing.
Players: Bob(16479)[17], Charlie(16480)[17], Alice(16481)[15]
Hand: 7S TC 5S JS JC 3C 8H 9D 5D 7C 6C 4D KC KH KS
Player Bob(16479) plays: 2 x 2
> BS
Called BS: Alice(16481)
Player Bob(16479) had played: 2H 2C
Player Bob(16479) was not bluffing.
Player Alice(16481) receives the pile.
You misjudged: 2H 2C AS 2D AH
Players: Charlie(16480)[17], Alice(16481)[20], Bob(16479)[15]
Hand: 7S TC 5S JS JC 3C 8H 9D 5D 7C 6C 4D KC KH KS 2H 2C AS 2D AH"""

SAID_FIRST = [
    (0, "Play: AS 2D AH"),
    (0, "PB"),
    (1, "Pass"),
    (2, "Pass"),
    (1, "Play: 2H 2C"),
    (0, "BS"),
    (1, "Pass"),
    (2, "Pass"),
]


@pytest.mark.parametrize("wording", ["receives", "takes"])
def test_the_beginning_of_the_published_example(wording: str) -> None:
    """Alice is sent the published lines word for word, with either verb for the pile."""
    start = BsPosition(Bs(wording=wording), PLAYERS, HANDS, 0)
    seen = "\n".join(conversation(start, 0, SAID_FIRST))
    assert seen == BEGINNING.replace("receives", wording)


END = """\
Players: Alice(16481)[3], Bob(16479)[24], Charlie(16480)[23]
Hand: KC KH KS
Your turn: K
> Play: KC KH KS
Player Alice(16481) plays: 3 x K
> Pass
Called BS: Charlie(16480), Bob(16479)
Player Alice(16481) had played: KC KH KS
Player Alice(16481) was not bluffing.
Player Bob(16479) receives the pile.
Player Alice(16481) won!"""


def the_end(seat: Seat) -> list[str]:
    """Play the end of the published example; return what this seat is sent and says."""
    rest = tuple(card for card in DECK if card not in ("KC", "KH", "KS", "2H", "2C"))
    hands = (cards("KC KH KS"), rest[:24], rest[24:])
    pile = ((2, cards("2H 2C")),)
    start = BsPosition(Bs(), PLAYERS, hands, 0, turns=12, pile=pile)
    said = [(0, "Play: KC KH KS"), (2, "Bull Shit"), (0, "Pass"), (1, "BS")]
    return [*conversation(start, seat, said)]


def test_the_end_of_the_published_example() -> None:
    """Alice plays her kings, two call, and she wins; with the two lines that it leaves out."""
    assert "\n".join(the_end(0)) == END


def test_who_spoke_last_is_told_which_cards_it_takes() -> None:
    """Bob misjudged: he alone sees the pile, the latest play first."""
    assert the_end(1)[-2:] == ["You misjudged: KC KH KS 2H 2C", "Player Alice(16481) won!"]
    assert not [line for line in the_end(2) if "misjudged" in line]
