"""Coup for learning programs: the list of all answers, and observations as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

from attrs import define, field

from arena import Greeting, Seat
from arena_coup.characters import (
    ACTION_KINDS,
    CARDS_PER_CHARACTER,
    CHARACTERS,
    EXCHANGE_CARDS,
    INFLUENCES,
    Cards,
    format_action,
    parse_action,
)
from arena_coup.messages import (
    ALLOW,
    CHALLENGE,
    Acted,
    Blocked,
    Challenged,
    Drawn,
    Hand,
    Lost,
    Out,
    Proved,
    Settled,
    Turn,
)
from arena_coup.rules import Coup

MAX_COINS = 12
"""The most coins a seat can have: nine at the start of its turn, and three from the tax."""


def actions(_: Coup, seats: int) -> Sequence[Any]:
    """Return all answers: actions with each target, words, characters, and cards to keep."""
    deeds = [
        format_action(deed, target)
        for deed in ACTION_KINDS.values()
        for target in (range(seats) if deed.targeted else (None,))
    ]
    sizes = range(1, INFLUENCES + 1)
    kept = [some for size in sizes for some in combinations_with_replacement(CHARACTERS, size)]
    return (*deeds, ALLOW, CHALLENGE, *CHARACTERS, *kept)


@define
class CoupObservationEncoder:
    """A seat's knowledge of the current turn: 30 numbers, and 5 for each seat.

    First, by character: this seat's cards, the cards drawn, the revealed cards, and the claim that
    is not settled yet. Then the kind of the action, whether this seat is its target, whether the
    claim is challenged, and the share of the turns played. Then for each seat, starting with this
    one: its coins, its influence, and whether it is the actor, the claimant, the target.
    """

    greeting: Greeting
    number: int = 0
    actor: Seat | None = None
    hand: Cards = ()
    drawn: Cards = ()
    revealed: Cards = ()
    coins: list[int] = field(factory=list)
    influence: list[int] = field(factory=list)
    action: str = ""
    target: Seat | None = None
    claimant: Seat | None = None
    claim: str = ""
    challenged: bool = False

    def __attrs_post_init__(self) -> None:
        self.coins, self.influence = [0] * self.greeting.seats, [0] * self.greeting.seats

    def observation(self) -> list[float]:
        """Return the observation as numbers."""
        seat, seats = self.greeting.seat, self.greeting.seats
        own_first = (*range(seat, seats), *range(seat))
        return [
            *self._common_values(),
            *(figure for other in own_first for figure in self._seat_values(other)),
        ]

    def tell(self, event: Any) -> None:
        """Record an event."""
        match event:
            case Turn():
                self._begin(event)
            case Hand(cards):
                self.hand, self.drawn = cards, ()
            case Drawn(cards):
                self.drawn = cards
            case Acted(seat, action):
                deed, self.target = parse_action(action)
                self.action = deed.name
                self._claim(seat, deed.claims or "")
            case Blocked(seat, character):
                self._claim(seat, character)
            case Challenged():
                self.challenged = True
            case _:
                self._settle(event)

    def _settle(self, event: Any) -> None:
        match event:
            case Proved() | Settled():
                self._claim(None, "")
            case Lost(seat, character):
                self._lose(seat, character)
            case Out(seat):
                self.coins[seat] = 0

    def _begin(self, turn: Turn) -> None:
        self.number, self.actor, self.action, self.target = turn.number, turn.seat, "", None
        self.coins, self.influence = [*turn.coins], [*turn.influence]
        self.revealed = tuple(card for cards in turn.revealed for card in cards)
        self._claim(None, "")

    def _claim(self, seat: Seat | None, character: str) -> None:
        self.claimant, self.claim, self.challenged = seat, character, False

    def _lose(self, seat: Seat, character: str) -> None:
        self.influence[seat] -= 1
        self.revealed += (character,)
        if seat == self.claimant:
            self._claim(None, "")
        if seat == self.greeting.seat and not self.influence[seat]:
            self.hand = ()

    def _common_values(self) -> Iterator[float]:
        """Return the numbers that do not belong to a seat."""
        piles = (
            (self.hand, INFLUENCES),
            (self.drawn, EXCHANGE_CARDS),
            (self.revealed, CARDS_PER_CHARACTER),
        )
        for cards, most in piles:
            yield from (cards.count(character) / most for character in CHARACTERS)
        yield from (float(self.claim == character) for character in CHARACTERS)
        yield from (float(self.action == name) for name in ACTION_KINDS)
        yield from (float(self.target == self.greeting.seat), float(self.challenged))
        yield self.number / self.greeting.variant.max_turns

    def _seat_values(self, seat: Seat) -> Iterator[float]:
        """Return the numbers of a seat."""
        yield from (self.coins[seat] / MAX_COINS, self.influence[seat] / INFLUENCES)
        yield from (float(seat == role) for role in (self.actor, self.claimant, self.target))
