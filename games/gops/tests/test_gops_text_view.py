"""GOPS as people see it: whole short games, and what they may type."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from arena import Codec, Greeting, MalformedLineError, OneOf, Play
from arena.wires import AnswerEvent, Mark, MarkedLine, PrivateEvent
from arena_gops import GAME, Bid, Bids, Gops, Prize
from arena_gops.show import format_points


def shown(
    variant: Gops, names: Sequence[str], seat: int | None, *rounds: Sequence[int]
) -> list[str]:
    """Return all the lines of a game in which these are bid, with what the person types."""
    play, view = Play.deal(variant, len(names), "seed"), GAME.build_view(seat, names)
    lines = [*view.tell(Greeting("gops", seat or 0, len(names), variant, ""))]
    for bids in [*rounds, ()]:
        for _, event in play.drain():
            lines += view.tell(event)
        if bids and seat is not None:
            lines += view.ask(play.pending[seat])
            lines.append(f"> {view.say(play.pending[seat], bids[seat])}")
        for other, card in enumerate(bids):
            play.answer(other, card)
    return lines


def page(text: str) -> list[str]:
    """Read lines written in a test."""
    return text.strip("\n").split("\n")


SEEN = """
GOPS, 4 rounds: You ♣ and hard ♠.
The highest bid takes the prize ♦; where it is tied, nobody gets it.
The prizes come in this order: 4 A 3 2.

Round 1 of 4: ♦4 is up.
hard holds 4: ♠ A 2 3 4
Your hand: ♣ A 2 3 4
> 4
  You ♣4, hard ♠A. You take ♦4. Points: You 4, hard 0.

Round 2 of 4: ♦A is up.
  ♦ 4
  ♣ 4*
  ♠ A
hard holds 3: ♠ 2 3 4
Your hand: ♣ A 2 3
> A
  You ♣A, hard ♠3. hard takes ♦A. Points: You 4, hard 1.

Round 3 of 4: ♦3 is up.
  ♦ 4 A
  ♣ 4*A
  ♠ A 3*
hard holds 2: ♠ 2 4
Your hand: ♣ 2 3
> 3
  You ♣3, hard ♠4. hard takes ♦3. Points: You 4, hard 4.

Round 4 of 4: ♦2 is up.
  ♦ 4 A 3
  ♣ 4*A 3
  ♠ A 3*4*
hard holds 1: ♠ 2
Your hand: ♣ 2
> 2
  You ♣2, hard ♠2. A tie: nobody gets ♦2. Points: You 4, hard 4.
The end: You 4, hard 4. A draw.
"""


def test_a_game_as_a_person_sees_it() -> None:
    """Before each bid the person sees prize, bids so far, the other's cards and the hand."""
    variant = Gops(4, prizes=(4, 1, 3, 2))
    bids = (4, 1), (1, 3), (3, 4), (2, 2)
    assert shown(variant, ["ann", "hard"], 0, *bids) == page(SEEN)


def test_the_second_seat_sees_its_own_side() -> None:
    """One's own cards are clubs, and one's own bids come first, wherever one sits."""
    variant, bids = Gops(2, prizes="descending"), ((2, 1), (1, 2))
    assert shown(variant, ["match", "bob"], 1, *bids)[:8] == page("""
GOPS, 2 rounds: You ♣ and match ♠.
The highest bid takes the prize ♦; where it is tied, nobody gets it.
The prizes come from the highest down.

Round 1 of 2: ♦2 is up.
match holds 2: ♠ A 2
Your hand: ♣ A 2
> A
""")
    assert shown(variant, ["match", "bob"], 1, *bids)[-2:] == page("""
  You ♣2, match ♠A. You take ♦A. Points: You 1, match 2.
The end: You 1, match 2. match wins.
""")


def test_what_is_carried_is_said() -> None:
    """A tied prize waits, the next one says so, and what waits at the end goes to nobody."""
    variant = Gops(5, "carry", prizes="ascending")
    bids = (1, 1), (2, 2), (3, 4), (4, 3), (5, 5)
    lines = shown(variant, ["ann", "bob"], None, *bids)
    assert lines == page("""
GOPS, 5 rounds: ann ♣ and bob ♠.
The highest bid takes the prize ♦; where it is tied, it waits for the next winner.
The prizes come from the lowest up.
Round 1 of 5: ♦A is up.
  ann ♣A, bob ♠A. A tie: the next winner gets 1 point more. Points: ann 0, bob 0.
Round 2 of 5: ♦2 is up, with 1 point carried over.
  ann ♣2, bob ♠2. A tie: the next winner gets 3 points more. Points: ann 0, bob 0.
Round 3 of 5: ♦3 is up, with 3 points carried over.
  ann ♣3, bob ♠4. bob takes ♦3 and the 3 points carried over. Points: ann 0, bob 6.
Round 4 of 5: ♦4 is up.
  ann ♣4, bob ♠3. ann takes ♦4. Points: ann 4, bob 6.
Round 5 of 5: ♦5 is up.
  ann ♣5, bob ♠5. A tie: nobody gets ♦5. Points: ann 4, bob 6.
The end: ann 4, bob 6. bob wins.
""")
    tied = shown(Gops(2, "carry", prizes=(2, 9)), ["ann", "bob"], None, (1, 1), (2, 2))
    assert tied[-2] == (
        "  ann ♣2, bob ♠2. A tie: nobody gets ♦9 and the 2 points carried over. "
        "Points: ann 0, bob 0."
    )


def test_three_players_go_by_their_names() -> None:
    """With more than two, the others have names in place of a suit, in seat order after you."""
    variant, bids = Gops(3, "split", prizes="descending"), ((3, 3, 1), (2, 2, 2), (1, 1, 3))
    assert shown(variant, ["ann", "you", "christine"], 1, *bids)[:16] == page("""
GOPS, 3 rounds: You ♣, christine and ann.
The highest bid takes the prize ♦; where it is tied, they share it.
The prizes come from the highest down.

Round 1 of 3: ♦3 is up.
christine holds 3: A 2 3
ann holds 3: A 2 3
Your hand: ♣ A 2 3
> 3
  You ♣3, christine A, ann 3. You and ann share ♦3. Points: You 1 1/2, christine 0, ann 1 1/2.

Round 2 of 3: ♦2 is up.
  ♦         3
  ♣         3*
  christine A
  ann       3*
""")
    assert shown(variant, ["ann", "you", "christine"], None, *bids)[-3:] == page("""
Round 3 of 3: ♦A is up.
  ann A, you A, christine 3. christine takes ♦A. Points: ann 2 1/6, you 2 1/6, christine 1 2/3.
The end: ann 2 1/6, you 2 1/6, christine 1 2/3. ann and you share the win.
""")


def test_more_than_thirteen_cards_are_numbers() -> None:
    """With fourteen cards and more there is no ace and no king; prizes beyond them are numbers."""
    lines = shown(Gops(14, prizes=(50, *[1] * 13)), ["a", "b"], 0, (14, 1))
    assert lines[4] == "Round 1 of 14: ♦50 is up."
    assert lines[6] == "Your hand: ♣ 1 2 3 4 5 6 7 8 9 10 11 12 13 14"
    assert "Round 2 of 14: ♦1 is up." in lines
    lines = shown(Gops(13, prizes=(50, *[1] * 12)), ["a", "b"], 0)
    assert lines[4] == "Round 1 of 13: ♦50 is up."
    assert shown(Gops(13), ["a", "b"], 0, (13, 1))[6] == "Your hand: ♣ A 2 3 4 5 6 7 8 9 10 J Q K"


def test_the_last_fifteen_rounds_are_shown() -> None:
    """However long the game, the bids so far fit a line."""
    bids = [(card, card) for card in range(1, 18)]
    lines = shown(Gops(20, prizes="descending"), ["a", "b"], 0, *bids)
    assert lines[-4:-1] == page("""
  ♦ 18 17 16 15 14 13 12 11 10  9  8  7  6  5  4
  ♣  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17
  ♠  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17
""")


def seated(variant: Gops, *, seats: int = 2) -> Codec:
    """Return a view that has been greeted."""
    view = GAME.build_view(0, ["you", "other", "third"][:seats])
    view.tell(Greeting("gops", 0, seats, variant, ""))
    return view


QUESTION = Bid(OneOf((1, 3, 10, 11, 12, 13)))
TYPED = {"A": 1, "a": 1, "1": 1, "3": 3, "10": 10, "J": 11, "j": 11, "11": 11, "K": 13, "13": 13}
TYPED |= {"Q": 12, "q": 12, "♣Q": 12, "♣ q": 12, "Q♣": 12, "  ♣10  ": 10}


@pytest.mark.parametrize(("line", "card"), TYPED.items())
def test_cards_may_be_typed_by_letter_or_number(line: str, card: int) -> None:
    """Letters in any case, numbers, with the suit or without."""
    assert seated(Gops()).read(QUESTION, line) == card


def test_what_it_says_it_reads() -> None:
    """Each card of small and large suits, written for a person, is read as that card."""
    for cards in (1, 5, 10, 11, 13, 14, 100):
        view, suit = seated(Gops(cards)), OneOf(range(1, cards + 1))
        for card in suit:
            assert view.read(Bid(suit), view.say(Bid(suit), card)) == card


HELD = "; you hold ♣ A 3 10 J Q K"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("x", "'x' is not a card"),
        ("14", "'14' is not a card"),
        ("0", "'0' is not a card"),
        ("+3", "'+3' is not a card"),
        ("3.0", "'3.0' is not a card"),
        ("٣", "'٣' is not a card"),
        ("10 J", "'10 J' is not a card"),
        ("♠K", "'♠K' is not a card"),
        ("k" * 1000, f"'{'k' * 20}' is not a card"),
        ("", "type a card"),
        ("  ", "type a card"),
        ("2", "♣2 has already been played"),
        ("♣9", "♣9 has already been played"),
    ],
)
def test_what_cannot_be_is_refused_kindly(line: str, words: str) -> None:
    """It says what is wrong with what was typed, and lists the hand."""
    with pytest.raises(MalformedLineError) as refusal:
        seated(Gops()).read(QUESTION, line)
    assert str(refusal.value) == words + HELD


def test_letters_are_no_cards_where_cards_are_numbers() -> None:
    """With twenty cards there is no K, and with five none either."""
    for cards in (5, 20):
        with pytest.raises(MalformedLineError, match="'K' is not a card"):
            seated(Gops(cards)).read(Bid(OneOf((1, 2))), "K")


def test_sealed_bids_are_not_shown_to_those_who_watch() -> None:
    """A watcher hears of bids when they are shown, and of nothing private; it is asked nothing."""
    view = GAME.build_view(None, ["ann", "bob"])
    view.tell(Greeting("gops", 0, 2, Gops(), ""))
    hidden: list[Any] = [AnswerEvent(0, QUESTION, 3), PrivateEvent(0, Prize(3)), "news"]
    assert [[*view.tell(event)] for event in hidden] == [[], [], []]
    assert [*view.ask(QUESTION)] == []


def test_lines_show_the_moment_when_they_were_told() -> None:
    """Lines that are looked at later do not change with what happens since."""
    view = seated(Gops(3, prizes=(3, 1, 2)))
    first = view.tell(Prize(3))
    later = view.tell(Bids((3, 1)))
    view.tell(Prize(1))
    assert "Round 1 of 3: ♦3 is up." in [*first]
    assert [*later] == ["  You ♣3, other ♠A. You take ♦3. Points: You 3, other 0."]


def test_lines_are_plain_text() -> None:
    """No colour codes and no control characters are in any line."""
    lines = shown(Gops(2), ["a", "b", "c"], 0, (1, 2, 1), (2, 1, 2))
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (0, "0"),
        (7, "7"),
        (Fraction(14, 2), "7"),
        (Fraction(7, 2), "3 1/2"),
        (Fraction(1, 3), "1/3"),
    ],
)
def test_points_are_written_exactly(score: Fraction, words: str) -> None:
    """Parts of a point are fractions, never rounded."""
    assert format_points(score) == words


def test_what_a_round_came_to_is_marked() -> None:
    """For a person: won, lost, and neither where it is tied."""
    lines = shown(Gops(4, prizes=(4, 1, 3, 2)), ["ann", "hard"], 0, (4, 1), (1, 3), (3, 4), (2, 2))
    bids = [line for line in lines if "Points:" in line]
    marks = [line.mark if isinstance(line, MarkedLine) else None for line in bids]
    assert marks == [Mark.WON, Mark.LOST, Mark.LOST, None]
