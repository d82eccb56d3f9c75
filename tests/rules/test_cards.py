"""What card games share."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from arena.cards import (
    FRENCH,
    RANKS,
    SUITS,
    Cards,
    build_deck,
    deal,
    deal_within,
    filter_suit,
    find_trick_winner,
    follow_suit,
    rank_of,
    redistribute,
    remove_cards,
    shuffle,
    sort_cards,
    suit_of,
)

SOME = st.lists(st.sampled_from(FRENCH), unique=True, min_size=1, max_size=12).map(tuple)
SEEDS = st.integers(0, 99).map(Random)


def test_a_deck_is_suit_by_suit_from_low_to_high() -> None:
    """The French pack has 52 cards; others have other ranks and suits."""
    assert FRENCH[:3] == ("2C", "3C", "4C")
    assert FRENCH[-1] == "AH"
    assert len(set(FRENCH)) == 52
    assert build_deck("AK", "XY") == ("AX", "KX", "AY", "KY")
    assert {(rank_of(card), suit_of(card)) for card in FRENCH} == {
        (rank, suit) for rank in RANKS for suit in SUITS
    }


@given(SEEDS, st.integers(1, 9))
def test_all_cards_are_dealt_one_by_one(random: Random, seats: int) -> None:
    """No card is lost, and hands differ by one card at most, the first seats having more."""
    hands = deal(FRENCH, seats, random)
    assert sorted(card for hand in hands for card in hand) == sorted(FRENCH)
    sizes = [len(hand) for hand in hands]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] - sizes[-1] <= 1


@given(SOME, SEEDS)
def test_shuffling_is_undone_by_putting_in_order(cards: Cards, random: Random) -> None:
    """The order of a pack is one, whatever the order before."""
    assert sort_cards(shuffle(cards, random)) == sort_cards(cards)
    assert sort_cards(FRENCH[::-1]) == FRENCH
    assert sort_cards(cards, FRENCH[::-1]) == sort_cards(cards)[::-1]


def test_suit_is_followed_by_who_has_any() -> None:
    """Who has none, or leads, may play any card."""
    assert follow_suit(("2C", "3H", "4C"), "AC") == ("2C", "4C")
    assert follow_suit(("2C", "3H"), "AS") == ("2C", "3H")
    assert follow_suit(("2C", "3H"), None) == ("2C", "3H")


def test_the_highest_of_the_suit_led_takes_a_trick() -> None:
    """Unless there is a trump in it; ranks may come in another order."""
    assert find_trick_winner(("TC", "AD", "QC", "KH")) == 2
    assert find_trick_winner(("TC", "AD", "QC", "KH"), trump="H") == 3
    assert find_trick_winner(("2D", "AD", "3D"), trump="D") == 1
    assert find_trick_winner(("AC", "3C"), ranks="24567JQKA3") == 1


@given(SOME)
def test_any_other_order_of_a_trick_has_the_same_winner(cards: Cards) -> None:
    """As long as the same card is led."""
    head, *rest = cards
    won = cards[find_trick_winner(cards)]
    other = (head, *rest[::-1])
    assert other[find_trick_winner(other)] == won
    assert won in filter_suit(cards, suit_of(head))


@given(st.lists(SOME, min_size=1, max_size=4), SEEDS)
def test_mixing_keeps_sizes_and_cards(piles: list[Cards], random: Random) -> None:
    """Each pile has as many cards as before, and all cards are still there, equal ones too."""
    other = redistribute(piles, random)
    assert [*map(len, other)] == [*map(len, piles)]
    assert Counter(card for pile in other for card in pile) == Counter(
        card for pile in piles for card in pile
    )


@given(SEEDS)
def test_known_cards_stay_where_they_are(random: Random) -> None:
    """The others go where others were."""
    one, two = redistribute((("2C", "3C"), ("4C", "AH")), random, known=("3C", "4C"))
    assert one[1] == "3C"
    assert two[0] == "4C"
    assert {one[0], two[1]} == {"2C", "AH"}


def test_any_hidden_card_may_lie_anywhere() -> None:
    """Every order of what is mixed comes up."""
    piles = (("2C",), ("3C", "4C"))
    assert len({redistribute(piles, Random(seed)) for seed in range(100)}) == 6


def test_cards_that_are_gone_are_gone() -> None:
    """The others keep their order."""
    assert remove_cards(("4C", "2C", "3C"), ["2C"]) == ("4C", "3C")


def test_of_equal_cards_as_many_are_gone_as_it_says() -> None:
    """The first of them go."""
    assert remove_cards(("guard", "king", "guard"), ["guard"]) == ("king", "guard")
    assert remove_cards(("guard", "king", "guard"), ["guard", "guard"]) == ("king",)


@given(SEEDS)
def test_cards_are_dealt_where_they_may_be(random: Random) -> None:
    """Where a deal is possible one is found: sizes hold, and so do the suits ruled out."""
    room = dict(enumerate(random.choices(range(1, 6), k=4)))
    cards = shuffle(FRENCH, random)[: sum(room.values())]
    parts = iter(cards)
    truth = {seat: [next(parts) for _ in range(size)] for seat, size in room.items()}
    may = {(seat, suit_of(card)) for seat, hand in truth.items() for card in hand}
    holders = {card: [seat for seat in room if (seat, suit_of(card)) in may] for card in cards}
    hands = deal_within(cards, holders, room, random)
    assert {seat: len(hand) for seat, hand in hands.items()} == room
    assert sorted(card for hand in hands.values() for card in hand) == sorted(cards)
    assert {(seat, suit_of(card)) for seat, hand in hands.items() for card in hand} <= may


def test_deals_are_equally_likely_where_a_suit_is_ruled_out() -> None:
    """Each of the deals that are left comes up as often as the others."""
    cards = ("2C", "3C", "2D", "3D", "4D", "5D")
    room = {0: 2, 1: 2, 2: 2}
    holders = {card: [0, 1] if suit_of(card) == "C" else [0, 1, 2] for card in cards}
    drawn = [deal_within(cards, holders, room, Random(seed)) for seed in range(3600)]
    counts = Counter(tuple(map(frozenset, hands.values())) for hands in drawn)
    assert len(counts) == 36
    assert min(counts.values()) > 60
    assert max(counts.values()) < 140


def test_cards_that_find_no_room_are_left_out() -> None:
    """Neither does one that nobody may hold take a place."""
    hands = deal_within(("2C", "3C", "4C"), {"2C": [], "3C": [0], "4C": [0]}, {0: 1}, Random(1))
    assert hands[0] in (["3C"], ["4C"])
