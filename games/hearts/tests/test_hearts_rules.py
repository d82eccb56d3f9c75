"""The rules of Hearts, in positions built by hand, and in every game."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from arena import IllegalAnswerError, Play
from arena.cards import Card, Cards, build_deck, suit_of
from arena_hearts import Hearts, HeartsPosition
from arena_hearts.rules import (
    ALL_POINTS,
    CARD_ORDER,
    CARD_POINTS,
    QUEEN,
    DealStarted,
    Hand,
    Played,
    Received,
    Scored,
    Taken,
    build_pack,
    list_playable,
    score_deal,
)

ONE = Hearts(deals=1)


def cards(text: str) -> Cards:
    return tuple(text.split())


def suits(*names: str) -> tuple[Cards, ...]:
    return tuple(build_deck(suits=name) for name in names)


def start(position: HeartsPosition) -> Play:
    return Play(position, len(position.hands), "seed")


def asked(play: Play, seat: int) -> Any:
    return play.pending[seat]


def answered(play: Play, *answers: Any) -> list[Any]:
    for answer in answers:
        play.answer(min(play.pending), answer)
    return [event for to, event in play.drain() if to is None]


@pytest.mark.parametrize(
    ("hand", "trick", "first", "broken", "expected"),
    [
        ("2C 5C QS", "", True, False, "2C"),
        ("5C 9C QS 3H", "2C", True, False, "5C 9C"),
        ("4D QS 3H", "2C", True, False, "4D"),
        ("QS 3H", "2C", True, False, "QS 3H"),
        ("4D QS 3H", "2C", False, False, "4D QS 3H"),
        ("4D 7S 3H", "", False, False, "4D 7S"),
        ("4D 7S 3H", "", False, True, "4D 7S 3H"),
        ("3H 9H", "", False, False, "3H 9H"),
        ("QS 9H", "", False, False, "QS"),
        ("3H 9H KS", "2H", False, True, "3H 9H"),
    ],
)
def test_what_may_be_played(
    hand: str, trick: str, first: bool, broken: bool, expected: str
) -> None:
    """Suit is followed, no points on the first trick, no heart led before they are broken."""
    assert list_playable(cards(hand), cards(trick), first, broken) == cards(expected)


@pytest.mark.parametrize(("seats", "held", "lowest"), [(3, 17, "2C"), (4, 13, "2C"), (5, 10, "3C")])
def test_all_have_as_many_cards(seats: int, held: int, lowest: str) -> None:
    """With three 2D is left out, with five 2C as well, so that 3C leads."""
    assert len(build_pack(seats)) == seats * held
    assert build_pack(seats)[0] == lowest
    assert "2D" not in build_pack(3) + build_pack(5)


@pytest.mark.parametrize(
    ("seats", "directions"),
    [(3, "left right hold left"), (4, "left right across hold left"), (5, "left right hold left")],
)
def test_the_direction_goes_round(seats: int, directions: str) -> None:
    """Deal by deal; whoever plays."""
    play, random, seen = Play.deal(Hearts(limit=10**6, deals=5), seats, "seed"), Random(1), []
    while play.pending:
        seat, question = next(iter(play.pending.items()))
        play.answer(seat, question.options.draw(random))
        seen += [event.direction for _, event in play.drain() if isinstance(event, DealStarted)]
    assert seen[:4] == directions.split()[:4] if seats == 4 else directions.split()
    assert len(seen) == 5


@pytest.mark.parametrize(("direction", "to"), [("left", 1), ("across", 2), ("right", 3)])
def test_three_cards_go_on(direction: str, to: int) -> None:
    """To the seat that plays next, opposite, or before; who gets them is told at once."""
    play = start(HeartsPosition(ONE, suits("C", "D", "S", "H"), direction))
    assert asked(play, 0).to == to
    play.drain()
    for hand, text in enumerate(("4C 2C 3C", "2D 3D 4D", "AS KS QS", "AH 2H 3H")):
        play.answer(hand, cards(text))
    told = play.drain()
    assert (to, Received(0, cards("2C 3C 4C"))) in told
    assert [*play.pending] == [to]  # who has the lowest club now
    assert list(asked(play, to).options) == ["2C"]


def test_nobody_passes_cards_on_a_deal_to_hold() -> None:
    """The cards are looked at, and the lowest club leads."""
    play = start(HeartsPosition(ONE, suits("H", "D", "S", "C")))
    told = play.drain()
    assert told[0] == (None, DealStarted(1, "hold", (0, 0, 0, 0)))
    assert (1, Hand(build_deck(suits="D"))) in told
    assert [*play.pending] == [3]


@pytest.mark.parametrize("answer", [("2C", "3C"), ("2C", "3C", "3C"), ("2C", "3C", "4D"), "2C"])
def test_what_cannot_be_passed(answer: object) -> None:
    """Three cards of the own hand, each once, and nothing else."""
    play = start(HeartsPosition(ONE, suits("C", "D", "S", "H"), "left"))
    with pytest.raises(IllegalAnswerError):
        play.answer(0, answer)


def trick(hands: str, leader: int = 0, **fields: Any) -> Play:
    held = tuple(map(cards, hands.split("/")))
    return start(HeartsPosition(ONE, held, leader=leader, **fields))


def test_the_highest_of_the_suit_led_takes_the_trick() -> None:
    """Whatever else is thrown on it, and whoever led; it leads again."""
    play = trick("3D 4S/KD 2C/AC 5H/9D QS", leader=3)
    told = answered(play, "9D", "3D", "KD", "AC")
    assert told == [Played(3, "9D"), Played(0, "3D"), Played(1, "KD"), Played(2, "AC"), Taken(1, 0)]
    assert [*play.pending] == [1]


def test_points_of_a_trick() -> None:
    """A heart is one point, the queen of spades thirteen."""
    told = answered(trick("3D 4S/KD 2C/AC QS/9H 5H"), "3D", "KD", "QS", "9H")
    assert told[-1] == Taken(1, 14)


@pytest.mark.parametrize(
    ("thrown", "queen_breaks", "broken"),
    [("5H", False, True), ("QS", False, False), ("QS", True, True), ("AC", True, False)],
)
def test_what_breaks_hearts(thrown: Card, queen_breaks: bool, broken: bool) -> None:
    """A heart does; the queen of spades only where that is the rule."""
    held = (cards("3D 4S"), cards("KD 6H 2C"), ("5H", "QS", "AC", "2S"), cards("9D 8H"))
    variant = evolve(ONE, queen_breaks=queen_breaks)
    play = start(HeartsPosition(variant, held, leader=0))
    answered(play, "3D", "KD", thrown, "9D")
    assert ("6H" in asked(play, 1).options) is broken


def test_points_of_a_deal() -> None:
    """Who took all of them has none, and the others 26; or it is 26 less."""
    assert score_deal((20, 0, 6), "others") == (20, 0, 6)
    assert score_deal((0, 26, 0), "others") == (26, 0, 26)
    assert score_deal((0, 26, 0), "self") == (0, -26, 0)


@pytest.mark.parametrize(
    ("moon", "scores"), [("others", (-36, -10, -26, -26)), ("self", (-10, 16, 0, 0))]
)
def test_shooting_the_moon(moon: str, scores: tuple[int, ...]) -> None:
    """The last trick brings the last points home."""
    play = start(
        HeartsPosition(
            evolve(ONE, moon=moon), (("3D",), ("KD",), ("5H",), ("9D",)), leader=0,
            taken=(0, 25, 0, 0), points=(10, 10, 0, 0),
        )
    )  # fmt: skip
    told = answered(play, "3D", "KD", "5H", "9D")
    assert isinstance(told[-1], Scored)
    assert (play.over, play.scores) == (True, scores)


@pytest.mark.parametrize(
    ("limit", "deals", "over"), [(100, 100, False), (99, 100, True), (100, 7, True)]
)
def test_when_a_match_ends(limit: int, deals: int, over: bool) -> None:
    """When somebody has the limit, or after so many deals; else cards are dealt again."""
    variant = Hearts(limit=limit, deals=deals)
    play = start(
        HeartsPosition(
            variant, (("3D",), ("KD",), ("5H",), ("9D",)), leader=0,
            taken=(20, 0, 5, 0), points=(40, 98, 60, 3), number=7,
        )
    )  # fmt: skip
    told = answered(play, "3D", "KD", "5H", "9D")
    assert Scored((20, 1, 5, 0), (60, 99, 65, 3)) in told
    assert play.over is over
    assert over or told[-1] == DealStarted(8, "hold", (60, 99, 65, 3))


def test_scores_count_the_open_deal() -> None:
    """A point is one less, also in the middle of a deal."""
    position = HeartsPosition(ONE, (("3D",),) * 3, taken=(5, 0, 1), points=(1, 2, 3))
    assert position.scores == (-6, -2, -4)


@pytest.mark.parametrize("options", [{"limit": 0}, {"deals": 0}, {"moon": "both"}])
def test_variants_that_cannot_be(options: dict[str, Any]) -> None:
    """There is at least one deal, and a limit; the moon is shot in one of two ways."""
    with pytest.raises(ValueError, match=next(iter(options))):
        Hearts(**options)


SEATS = st.integers(3, 5)
SEEDS = st.integers(0, 2**32).map(str)
VARIANTS = st.builds(
    Hearts,
    limit=st.integers(1, 60),
    deals=st.integers(1, 4),
    passing=st.booleans(),
    moon=st.sampled_from(["others", "self"]),
    queen_breaks=st.booleans(),
)


def play_at_random(variant: Hearts, seats: int, seed: str) -> Iterator[Play]:
    """Play at random; return the play each time that a round begins, and when it is over."""
    random, play, number = Random(seed), Play.deal(variant, seats, seed), 0
    while play.pending:
        if play.number > number:
            number = play.number
            yield play
        seat = random.choice([*play.pending])
        play.answer(seat, play.pending[seat].options.draw(random))
    yield play


def position_of(play: Play) -> HeartsPosition:
    assert isinstance(play.position, HeartsPosition)
    return play.position


@given(VARIANTS, SEATS, SEEDS)
def test_every_game_follows_the_rules(variant: Hearts, seats: int, seed: str) -> None:
    """No card is lost, all points are taken, tricks follow suit, and it ends as soon as it may.

    Another position keeps what the seat knows.
    """
    trick: list[Played] = []
    tricks: list[list[Played]] = []
    taken, scored, pack = 0, list[Scored](), sorted(build_pack(seats))
    for play in play_at_random(variant, seats, seed):
        for _, event in play.drain():
            if isinstance(event, Played):
                trick.append(event)
            elif isinstance(event, Taken):
                taken, tricks, trick = taken + event.points, [*tricks, trick], []
            elif isinstance(event, Scored):
                assert sorted(card.card for cards in tricks for card in cards) == pack
                assert taken == ALL_POINTS
                moon = ALL_POINTS * (seats - 1) if variant.moon == "others" else -ALL_POINTS
                assert sum(event.deal) in (ALL_POINTS, moon)
                see_deal(tricks, variant)
                taken, tricks, scored = 0, [], [*scored, event]
        see_position(position_of(play), seats, seed, over=play.over)
    ended = [max(event.points) >= variant.limit for event in scored]
    assert not any(ended[:-1])
    assert ended[-1] or len(scored) == variant.deals
    assert play.scores == tuple(-points for points in scored[-1].points)


def see_position(before: HeartsPosition, seats: int, seed: str, *, over: bool) -> None:
    """See that hands are in order, and that a seat's other position agrees with what it knows."""
    assert all(list(hand) == sorted(hand, key=CARD_ORDER.__getitem__) for hand in before.hands)
    for seat in range(seats):
        other = before.resample_hidden(seat, Random(seed))
        assert other.hands[seat] == before.hands[seat]
        assert [*map(len, other.hands)] == [*map(len, before.hands)]
        assert sorted(sum(other.hands, ())) == sorted(sum(before.hands, ()))
        assert other.scores == before.scores
        if not over and (before.leader is not None or before.direction == "hold"):
            assert not before.is_first_trick or other.first_leader == before.first_leader


def see_deal(tricks: list[list[Played]], variant: Hearts) -> None:
    hands = {play.seat: [trick_of(trick, play.seat) for trick in tricks] for play in tricks[0]}
    broken = False
    for number, trick in enumerate(tricks):
        led = suit_of(trick[0].card)
        for play in trick:
            rest = hands[play.seat][number:]
            assert suit_of(play.card) == led or led not in map(suit_of, rest)
            if number == 0 and play.card in CARD_POINTS:
                assert all(card in CARD_POINTS for card in rest)
        rest = hands[trick[0].seat][number:]
        assert led != "H" or broken or {*map(suit_of, rest)} == {"H"}
        thrown = {play.card for play in trick}
        broken |= "H" in map(suit_of, thrown) or (variant.queen_breaks and QUEEN in thrown)
    assert tricks[0][0].card == build_pack(len(hands))[0]


def trick_of(trick: list[Played], seat: int) -> str:
    return next(play.card for play in trick if play.seat == seat)


SMALL_HANDS = (("2C", "5C", "QS", "3H"), ("3C", "6D", "KS", "4H"), ("4C", "7D", "AS", "5H"))


def test_any_hidden_card_can_be_in_any_hidden_place() -> None:
    """What a seat does not hold is mixed as a whole."""
    start = HeartsPosition(Hearts(), SMALL_HANDS, leader=0)
    drawn = [start.resample_hidden(2, Random(seed)) for seed in range(300)]
    hidden = {*SMALL_HANDS[0], *SMALL_HANDS[1]} - {"2C"}
    assert {card for other in drawn for card in other.hands[1]} == hidden
    assert {other.hands[2] for other in drawn} == {SMALL_HANDS[2]}


@pytest.mark.parametrize(
    ("direction", "leader", "places"),
    [("left", None, {0, 1}), ("hold", None, {0}), ("left", 0, {0})],
)
def test_who_leads_first_is_known_once_nothing_is_passed(
    direction: str, leader: int | None, places: set[int]
) -> None:
    """Before the passing the lowest club may be anywhere; after it, its holder leads."""
    hands = (build_pack(3)[:17], build_pack(3)[17:34], build_pack(3)[34:])
    start = HeartsPosition(Hearts(), hands, direction, leader)
    drawn = [start.resample_hidden(2, Random(seed)) for seed in range(60)]
    assert {other.first_leader for other in drawn} == places
