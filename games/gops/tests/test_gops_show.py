"""GOPS as people read and see it: whole short games, zones, and what they may type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest

from arena import (
    AnswerEvent,
    Greeting,
    MalformedLineError,
    Mark,
    MarkedLine,
    Narrator,
    OneOf,
    Play,
    PrivateEvent,
)
from arena.records import Perspective, Spectator, Viewer
from arena_gops import GAME, Bid, Bids, Gops, Prize
from arena_gops.show import format_points
from tests.support.zone_lines import read_board


def shown(
    variant: Gops, names: Sequence[str], seat: int | None, *rounds: Sequence[int]
) -> list[str]:
    """Return all the lines of a game in which these are bid, with what the person types."""
    play, narrator = Play.deal(variant, len(names), "seed"), GAME.build_narrator(seat, names)
    lines = [*narrator.tell(Greeting("gops", seat or 0, len(names), variant, ""))]
    for bids in [*rounds, ()]:
        for _, event in play.drain():
            lines += narrator.tell(event)
        if bids and seat is not None:
            lines += narrator.ask(play.pending[seat])
            lines.append(f"> {narrator.say(play.pending[seat], bids[seat])}")
        for other, card in enumerate(bids):
            play.answer(other, card)
    return lines


def page(text: str) -> list[str]:
    return text.strip("\n").split("\n")


SEEN = """
You and hard play GOPS with 4 cards.
The highest bid takes the prize; if it is tied, nobody gets it.
The prizes come like this: 4 A 3 2.
Round 1 of 4: the prize is the 4.
hard holds 4: A 2 3 4
Your hand: A 2 3 4
Which card do you bid for the 4?
> 4
You bid the 4 and take the 4; hard bids the ace.
Points: you 4, hard 0.
Round 2 of 4: the prize is the ace.
  prizes 4
  you    4*
  hard   A
hard holds 3: 2 3 4
Your hand: A 2 3
Which card do you bid for the ace?
> A
hard bids the 3 and takes the ace; you bid the ace.
Points: you 4, hard 1.
Round 3 of 4: the prize is the 3.
  prizes 4 A
  you    4*A
  hard   A 3*
hard holds 2: 2 4
Your hand: 2 3
Which card do you bid for the 3?
> 3
hard bids the 4 and takes the 3; you bid the 3.
Points: you 4, hard 4.
Round 4 of 4: the prize is the 2.
  prizes 4 A 3
  you    4*A 3
  hard   A 3*4*
hard holds 1: 2
Your hand: 2
Which card do you bid for the 2?
> 2
You bid the 2 and hard bids the 2. A tie: nobody gets the prize.
Points: you 4, hard 4.
A draw.
"""


def test_a_game_as_a_person_sees_it() -> None:
    """Before each bid the person sees prize, bids so far, the other's cards and the hand."""
    bids = (4, 1), (1, 3), (3, 4), (2, 2)
    lines = shown(Gops(4, prizes=(4, 1, 3, 2)), ["ann", "hard"], 0, *bids)
    assert lines == page(SEEN)
    bids_told = [lines[at - 1] for at, line in enumerate(lines) if line.startswith("Points")]
    assert [getattr(line, "mark", None) for line in bids_told] == [
        Mark.WON,
        Mark.LOST,
        Mark.LOST,
        None,
    ]


def test_what_is_carried_is_said() -> None:
    """A tied prize waits, the next one says so, and what waits at the end goes to nobody."""
    variant = Gops(5, "carry", prizes="ascending")
    bids = (1, 1), (2, 2), (3, 4), (4, 3), (5, 5)
    assert shown(variant, ["ann", "bob"], None, *bids)[1:11] == page("""
The highest bid takes the prize; if it is tied, it waits for the next winner.
The prizes come from the lowest up.
Round 1 of 5: the prize is the ace.
ann bids the ace and bob bids the ace. A tie: the prize waits.
Points: ann 0, bob 0.
Round 2 of 5: the prize is the 2, with 1 point carried over.
ann bids the 2 and bob bids the 2. A tie: the prize waits.
Points: ann 0, bob 0.
Round 3 of 5: the prize is the 3, with 3 points carried over.
bob bids the 4 and takes the 3; ann bids the 3.
""")
    assert shown(variant, ["ann", "bob"], None, *bids)[-3:] == page("""
ann bids the 5 and bob bids the 5. A tie: nobody gets the prize.
Points: ann 4, bob 6.
bob wins.
""")


def test_three_players_may_share_a_prize() -> None:
    """The reader comes first in the table, the others follow in seat order."""
    variant, bids = Gops(3, "split", prizes="descending"), ((3, 3, 1), (2, 2, 2), (1, 1, 3))
    lines = shown(variant, ["ann", "bob", "christine"], 1, *bids)
    assert lines[9:16] == page("""
ann bids the 3, you bid the 3 and christine bids the ace. ann and you share the prize.
Points: ann 1 1/2, you 1 1/2, christine 0.
Round 2 of 3: the prize is the 2.
  prizes    3
  you       3*
  ann       3*
  christine A
""")
    assert lines[-1] == "ann and you share the win."


def test_more_than_thirteen_cards_are_numbers() -> None:
    """With fourteen cards and more there is no ace and no king; prizes beyond them are numbers."""
    lines = shown(Gops(14, prizes=(50, *[1] * 13)), ["a", "b"], 0, (14, 1))
    assert lines[3] == "Round 1 of 14: the prize is the 50."
    assert lines[5] == "Your hand: 1 2 3 4 5 6 7 8 9 10 11 12 13 14"
    assert shown(Gops(13), ["a", "b"], 0, (13, 1))[5] == "Your hand: A 2 3 4 5 6 7 8 9 10 J Q K"


def test_the_last_fifteen_rounds_are_shown() -> None:
    """However long the game, the bids so far fit a line."""
    bids = [(card, card) for card in range(1, 18)]
    lines = shown(Gops(20, prizes="descending"), ["a", "b"], 0, *bids)
    assert lines[-4:-1] == page("""
  prizes 18 17 16 15 14 13 12 11 10  9  8  7  6  5  4
  you     3  4  5  6  7  8  9 10 11 12 13 14 15 16 17
  b       3  4  5  6  7  8  9 10 11 12 13 14 15 16 17
""")


def seated(variant: Gops) -> Narrator:
    narrator = GAME.build_narrator(0, ["me", "other"])
    narrator.tell(Greeting("gops", 0, 2, variant, ""))
    return narrator


QUESTION = Bid(OneOf((1, 3, 10, 11, 12, 13)))
TYPED = {"A": 1, "a": 1, "1": 1, "ace": 1, "3": 3, "10": 10, "J": 11, "j": 11, "11": 11, "13": 13}
TYPED |= {"Q": 12, "queen": 12, "  10  ": 10}


@pytest.mark.parametrize(("line", "card"), TYPED.items())
def test_cards_may_be_typed_by_letter_number_or_word(line: str, card: int) -> None:
    """Case does not matter."""
    assert seated(Gops()).read(QUESTION, line) == card


def test_what_it_says_it_reads() -> None:
    """Each card of small and large suits, written for a person, is read as that card."""
    for cards in (1, 5, 10, 11, 13, 14, 100):
        narrator, suit = seated(Gops(cards)), OneOf(range(1, cards + 1))
        for card in suit:
            assert narrator.read(Bid(suit), narrator.say(Bid(suit), card)) == card


@pytest.mark.parametrize("line", ["x", "14", "+3", "3.0", "٣", "10 J", "", "  ", "2"])
def test_what_cannot_be_is_refused_with_the_hand(line: str) -> None:
    """A number is never taken for the beginning of another one, such as 1 for 10."""
    with pytest.raises(MalformedLineError, match="is not one of: A, 3, 10, J, Q, K"):
        seated(Gops()).read(QUESTION, line)
    with pytest.raises(MalformedLineError, match="is not one of: 2, 10"):
        seated(Gops()).read(Bid(OneOf((2, 10))), "1")


def test_letters_are_no_cards_where_cards_are_numbers() -> None:
    """With twenty cards there is no K, and with five none either."""
    for cards in (5, 20):
        with pytest.raises(MalformedLineError, match="'K' is not one of"):
            seated(Gops(cards)).read(Bid(OneOf((1, 2))), "K")


def test_sealed_bids_are_told_to_nobody() -> None:
    """A spectator hears of bids when they are shown."""
    narrator = GAME.build_narrator(None, ["ann", "bob"])
    narrator.tell(Greeting("gops", 0, 2, Gops(), ""))
    hidden: list[Any] = [AnswerEvent(0, QUESTION, 3), PrivateEvent(0, Prize(3)), "news"]
    assert [[*narrator.tell(event)] for event in hidden] == [[], [], []]


def test_lines_show_the_moment_when_they_were_told() -> None:
    """Lines that are looked at later do not change with what happens since."""
    narrator = seated(Gops(3, prizes=(3, 1, 2)))
    narrator.tell(Prize(3))
    told = narrator.tell(Bids((3, 1)))
    narrator.tell(Prize(1))
    assert [*told] == [
        MarkedLine("You bid the 3 and take the 3; other bids the ace.", Mark.WON),
        "Points: you 3, other 0.",
    ]


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


BID = Bid(OneOf((1, 2, 3)))


def looking(sight: Viewer, seats: int = 2, variant: Gops | None = None) -> Perspective:
    """Return an eye on a match of three cards that has begun."""
    eye = Perspective(
        GAME, variant or Gops(cards=3), ["Ann", "Bob", "Eve"][:seats], sight, page=True
    )
    eye.begin()
    return eye


def play_round(eye: Perspective) -> Iterator[dict[str, str]]:
    """Play a round; give the zones when a prize is up, when seat 0 has bid, and at the end."""
    eye.see_event(None, Prize(3))
    yield read_board(eye)
    eye.see_answer(0, BID, 2)
    yield read_board(eye)
    eye.see_event(None, Bids((2, 3)))
    yield read_board(eye)


def test_a_round_from_a_seat() -> None:
    """The own bid leaves the hand at once; both are shown beside the prize."""
    up, bid, shown = play_round(looking(0))
    assert up == {
        "hand1": "Bob: 1S 2S 3S / 0 points",
        "prize": "Prize, round 1 of 3: 3D +2",
        "bids": "Bids: -",
        "hand0": "Ann: 1C 2C 3C / 0 points",
        "prizes": "Prizes: 3D",
        "row0": "Your bids: -",
        "row1": "Bob's bids: -",
    }
    assert (bid["hand0"], bid["bids"]) == ("Ann: 1C 3C / 0 points", "Bids: 2C(0)")
    assert shown == {
        "hand1": "Bob: 1S 2S / 3 points",
        "prize": "Prize, round 1 of 3: 3D +2",
        "bids": "Bids: 2C(0) 3S(1) / Bob won",
        "hand0": "Ann: 1C 3C / 0 points",
        "prizes": "Prizes: 3D",
        "row0": "Your bids: 2C",
        "row1": "Bob's bids: 3S",
    }


def test_the_board_calls_its_reader_you() -> None:
    """Bob's bid of 3 wins the first round."""
    _, _, shown = play_round(looking(1))
    assert shown["bids"].endswith("/ You won")


def test_each_has_the_own_suit() -> None:
    """Clubs are the own cards, for whoever looks."""
    assert read_board(looking(1))["hand1"] == "Bob: 1C 2C 3C / 0 points"


@pytest.mark.parametrize(
    ("sight", "sees"), [(1, False), (Spectator.PUBLIC, False), (Spectator.ALL, True)]
)
def test_a_sealed_bid(sight: Viewer, sees: bool) -> None:
    """Only who sees everything sees it before it is shown."""
    up, bid, _ = play_round(looking(sight))
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


def test_the_review_says_who_could_have_bid_higher() -> None:
    """A bid is told with its prize, and with the higher cards that others held then."""
    narrator = GAME.build_narrator(None, ("Ann", "Bob"))
    [*narrator.tell(Greeting("gops", 0, 2, Gops(cards=4), "")), *narrator.tell(Prize(3))]
    question = Bid(OneOf((1, 2, 3, 4)))
    bid = "You bid the 2 for the 3, and Bob held 2 higher cards."
    assert narrator.reveal(0, question, 2) == bid
    assert narrator.reveal(0, question, 4).endswith("and nobody held a higher card.")
    narrator.tell(Bids((1, 4)))
    narrator.tell(Bids((2, 2)))
    assert narrator.reveal(0, question, 4).endswith("and nobody held a higher card.")
    narrator = GAME.build_narrator(None, ("Ann", "Bob"))
    [*narrator.tell(Greeting("gops", 0, 2, Gops(cards=4), "")), *narrator.tell(Prize(3))]
    [*narrator.tell(Bids((1, 4))), *narrator.tell(Bids((2, 3))), *narrator.tell(Prize(1))]
    assert narrator.reveal(0, question, 4) == (
        "You bid the 4 for the ace: the 3 was as sure, as nobody held a card above the 2."
    )


@pytest.mark.parametrize("sight", [0, 1, Spectator.PUBLIC, Spectator.ALL])
def test_a_bid_is_no_news_beside_the_next_prize(sight: Viewer) -> None:
    """It is told when it is shown; when a prize is turned up, it is in the row of past bids."""
    eye = Perspective(GAME, Gops(4), ("Ann", "Bob"), sight, page=True)
    eye.begin()
    eye.see_event(None, Prize(4))
    shown = eye.see_event(None, Bids((3, 2)))
    acts = {key: zone.act for key, zone in shown.zones.items() if zone and zone.act}
    assert acts == {"hand0": "bids 3 and wins", "hand1": "bids 2"}
    prize = eye.see_event(None, Prize(2))
    assert [zone.act for key, zone in prize.zones.items() if zone and "hand" in key] == ["", ""]


@pytest.mark.parametrize(
    ("seat", "turns"),
    [
        (None, ["", "", "Bob comes within 15 points of Ann", ""]),
        (1, ["", "", "you come within 15 points of Ann", ""]),
    ],
)
def test_a_lead_that_falls_by_a_large_prize_is_a_turning_point(
    seat: int | None, turns: Sequence[str]
) -> None:
    """Whoever is behind takes a tenth of all points or more; small prizes are none."""
    finder = GAME.build_turning_points(seat, ["Ann", "Bob"])
    finder.tell(Greeting("gops", seat or 0, 2, Gops(cards=13), ""))
    told = []
    for prize, bids in [(13, (13, 1)), (12, (12, 2)), (10, (3, 13)), (2, (1, 12))]:
        finder.tell(Prize(prize))
        told.append(finder.tell(Bids(bids)))
    assert told == turns
