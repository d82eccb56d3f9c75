"""Helpers for card games: cards as strings, decks, deals and tricks.

A card is its rank and then its suit, such as `TC` or `3H`: a text that stands on every wire
as it is. Piles and hands are tuples; the order in which cards are held is the game's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random

__all__ = [
    "FRENCH",
    "RANKS",
    "SUITS",
    "SUIT_SYMBOLS",
    "Card",
    "Cards",
    "build_deck",
    "deal",
    "deal_within",
    "filter_suit",
    "find_trick_winner",
    "follow_suit",
    "rank_of",
    "redistribute",
    "remove_cards",
    "show_cards",
    "shuffle",
    "sort_cards",
    "spell_card",
    "suit_of",
]

Card = str
"""Rank, then suit: `QS`."""

Cards = tuple[Card, ...]
"""Cards, such as a hand, a pile or a trick."""

RANKS = "23456789TJQKA"
"""The ranks from low to high, as in most trick-taking games."""

SUITS = "CDSH"
"""The suits: clubs, diamonds, spades and hearts."""

SUIT_SYMBOLS = dict(zip(SUITS, "♣♦♠♥", strict=True))
"""The symbol of each suit."""


def build_deck(ranks: str = RANKS, suits: str = SUITS) -> Cards:
    """Return a deck with each rank of each suit, suit by suit; by default, 52 cards."""
    return tuple(rank + suit for suit in suits for rank in ranks)


FRENCH = build_deck()
"""The 52 cards of a French deck."""


def rank_of(card: Card) -> str:
    """Return a card's rank."""
    return card[:-1]


def suit_of(card: Card) -> str:
    """Return a card's suit."""
    return card[-1]


def show_cards(cards: Iterable[Card]) -> str:
    """Write cards as they are drawn.

    >>> show_cards(["TH", "QS"])
    '10♥ Q♠'
    """
    return " ".join(spell_card(card)[0] for card in cards)


def spell_card(card: Card) -> tuple[str, ...]:
    """Return how people may type a card; the first is how it is shown.

    >>> spell_card("TH")
    ('10♥', 'T♥', '10H', 'TH')
    """
    rank, suit = rank_of(card), suit_of(card)
    ranks = ("10", rank) if rank == "T" else (rank,)
    return tuple(rank + suit for suit in (SUIT_SYMBOLS[suit], suit) for rank in ranks)


def shuffle(cards: Sequence[Card], random: Random) -> Cards:
    """Return the cards in random order."""
    return tuple(random.sample(cards, len(cards)))


def deal(cards: Sequence[Card], seats: int, random: Random) -> tuple[Cards, ...]:
    """Shuffle these cards and deal all of them out, one by one, to this number of seats."""
    stack = shuffle(cards, random)
    return tuple(stack[seat::seats] for seat in range(seats))


def sort_cards(cards: Iterable[Card], pack: Cards = FRENCH) -> Cards:
    """Return the cards in the order of a deck, so that a hand does not show how it was dealt."""
    return tuple(sorted(cards, key=_list_positions(pack).__getitem__))


@lru_cache
def _list_positions(pack: Cards) -> dict[Card, int]:
    return {card: place for place, card in enumerate(pack)}


def remove_cards(cards: Cards, removed: Collection[Card]) -> Cards:
    """Return the cards without some others, in order; each removes one of several equal cards."""
    kept, going = list[Card](), [*removed]
    for card in cards:
        if card in going:
            going.remove(card)
        else:
            kept.append(card)
    return tuple(kept)


def filter_suit(cards: Cards, suit: str) -> Cards:
    """Return the cards of a suit."""
    return tuple(card for card in cards if suit_of(card) == suit)


def follow_suit(hand: Cards, led: Card | None) -> Cards:
    """Return the legal cards where suit must be followed: those of the suit, or all of them."""
    return (led and filter_suit(hand, suit_of(led))) or hand


def find_trick_winner(trick: Sequence[Card], trump: str | None = None, ranks: str = RANKS) -> int:
    """Return the index of the card that wins a trick; the card that was led has index 0.

    That is the highest of the suit `trump`, or else of the suit that was led; `ranks` are
    from low to high.
    """
    suits = [suit_of(card) for card in trick]
    taking = trump if trump in suits else suits[0]
    able = [at for at, suit in enumerate(suits) if suit == taking]
    return max(able, key=lambda at: ranks.index(rank_of(trick[at])))


def redistribute(
    piles: Sequence[Cards], random: Random, known: Collection[Card] = ()
) -> tuple[Cards, ...]:
    """Shuffle piles together, and deal them back to piles of the same sizes.

    Known cards, and those that equal them, stay where they are. A position's `resample_hidden` does
    that with all that a seat cannot see.
    """
    hidden = [card for pile in piles for card in pile if card not in known]
    drawn = iter(shuffle(hidden, random))
    return tuple(tuple(card if card in known else next(drawn) for card in pile) for pile in piles)


def deal_within(
    cards: Sequence[Card],
    holders: Mapping[Card, Sequence[int]],
    room: Mapping[int, int],
    random: Random,
) -> dict[int, list[Card]]:
    """Deal cards to seats with room for so many, each card to one of the seats that may hold it.

    The cards that the fewest seats may hold are dealt first. Where none of these has room left,
    one of them passes a card on, so every hand is filled if that is possible at all. Cards that
    find no room are left out. Every possible deal can occur; all are equally likely unless seats
    are restricted in different ways.

    >>> from random import Random
    >>> holders = {"2C": [0, 1], "3C": [0, 1], "4D": [0]}
    >>> deal_within(("2C", "3C", "4D"), holders, {0: 1, 1: 2}, Random(1))[0]
    ['4D']
    """
    hands: dict[int, list[Card]] = {seat: [] for seat in room}
    left = dict(room)

    def find_room(seats: Sequence[int], full: set[int]) -> int | None:
        """Return a seat that can take a card, after it has passed another one on if it is full."""
        free = [seat for seat in seats if left[seat]]
        if free:
            return random.choices(free, [left[seat] for seat in free])[0]
        for seat in random.sample(seats, len(seats)):
            for card in () if seat in full else (*hands[seat],):
                full.add(seat)
                to = find_room(holders[card], full)
                if to is not None:
                    hands[seat].remove(card)
                    hands[to].append(card)
                    left[seat], left[to] = left[seat] + 1, left[to] - 1
                    return seat
        return None

    for card in sorted(shuffle(cards, random), key=lambda card: len(holders[card])):
        seat = find_room(holders[card], set())
        if seat is not None:
            hands[seat].append(card)
            left[seat] -= 1
    return hands
