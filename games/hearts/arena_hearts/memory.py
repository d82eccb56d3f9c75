"""A player's knowledge of the table, from the events it received; deals agree with it."""

from __future__ import annotations

from random import Random
from typing import Any

from attrs import define, evolve, field

from arena import Seat
from arena.cards import (
    SUITS,
    Card,
    Cards,
    deal_within,
    filter_suit,
    remove_cards,
    sort_cards,
    suit_of,
)
from arena_hearts.rules import (
    CARD_POINTS,
    HEARTS,
    HOLD,
    QUEEN,
    STEPS,
    DealStarted,
    Hand,
    Hearts,
    HeartsPosition,
    Played,
    Received,
    Scored,
    Taken,
    build_pack,
)

PLAIN_SUITS = SUITS.replace(HEARTS, "")
POINTLESS_SUITS = "".join(
    suit for suit in SUITS if suit not in {suit_of(card) for card in CARD_POINTS}
)


@define
class Memory:
    """One seat's knowledge of the table, updated by the events that the seat receives."""

    seat: Seat
    seats: int
    variant: Hearts
    hand: Cards = ()
    direction: str = HOLD
    trick: list[Card] = field(factory=list)  # the cards played so far
    order: list[Seat] = field(factory=list)  # the seats that played them
    gone: list[Card] = field(factory=list)  # the cards played in this deal
    taken: list[int] = field(factory=list)  # points of this deal, by seat
    points: tuple[int, ...] = ()  # points of the deals before
    given: dict[Card, Seat] = field(factory=dict)  # the receiver of each card that this seat passed
    received: Cards = ()
    void: dict[Seat, str] = field(factory=dict)  # suits that a seat is known to be out of

    def __attrs_post_init__(self) -> None:
        self._begin(HOLD, (0,) * self.seats)

    def tell(self, event: Any) -> None:
        """Update the memory after an event."""
        match event:
            case Hand(cards):
                self._note_hand(cards)
            case Played(seat, card):
                self._note_play(seat, card)
            case Taken(seat, points):
                self.taken[seat] += points
            case Received(_, cards):
                self.received = cards
            case DealStarted(_, direction, points):
                self._begin(direction, points)
            case Scored(_, points):
                self.points, self.taken = points, [0] * self.seats

    def _begin(self, direction: str, points: tuple[int, ...]) -> None:
        self.direction, self.points = direction, points
        self.hand = self.received = ()
        self.trick, self.order, self.gone, self.given = [], [], [], {}
        self.taken = [0] * self.seats
        self.void = dict.fromkeys(range(self.seats), "")

    def _note_hand(self, cards: Cards) -> None:
        """Set the hand; cards missing from it that were not played have been passed."""
        to = (self.seat + STEPS[self.direction]) % self.seats
        self.given.update(dict.fromkeys(remove_cards(self.hand, cards), to))
        self.hand, self.trick, self.order = cards, [], []

    def _note_play(self, seat: Seat, card: Card) -> None:
        if not self.trick and suit_of(card) == HEARTS and not self.hearts_broken:
            self._note_void(seat, PLAIN_SUITS)  # nobody else may lead hearts before they are broken
        self.trick.append(card)
        self.order.append(seat)
        self.gone.append(card)
        if seat == self.seat:
            self.hand = remove_cards(self.hand, (card,))
        if suit_of(card) != self.led_suit:
            self._note_void(seat, self.led_suit)
        if self.is_first_trick and card in CARD_POINTS:
            self._note_void(seat, POINTLESS_SUITS)  # it had to play any other card instead

    def _note_void(self, seat: Seat, suits: str) -> None:
        self.void[seat] += "".join(suit for suit in suits if suit not in self.void[seat])

    def redeal(self, position: HeartsPosition, random: Random) -> HeartsPosition:
        """Return the position before this trick or passing, with hands dealt by what is known."""
        hands = {self.seat: [*self.hand], **self.sample_hands(random)}
        for seat, card in zip(self.order, self.trick, strict=True):
            hands[seat].append(card)
        return evolve(position, hands=tuple(sort_cards(hands[at]) for at in range(self.seats)))

    def sample_hands(self, random: Random) -> dict[Seat, list[Card]]:
        """Return hands that the others may hold now: this seat is asked."""
        others = [seat for seat in range(self.seats) if seat != self.seat]
        room = {seat: len(self.hand) - (seat in self.order) for seat in others}
        able = {suit: [seat for seat in others if suit not in self.void[seat]] for suit in SUITS}
        unseen = self.unseen
        holders = {
            card: [self.given[card]] if card in self.given else able[suit_of(card)]
            for card in unseen
        }
        return deal_within(unseen, holders, room, random)

    @property
    def led_suit(self) -> str:
        """The suit that was led, or an empty string."""
        return suit_of(self.trick[0]) if self.trick else ""

    @property
    def unseen(self) -> Cards:
        """The cards that the others hold."""
        return remove_cards(build_pack(self.seats), {*self.gone, *self.hand})

    @property
    def is_first_trick(self) -> bool:
        """Whether this is the first trick of a deal."""
        return len(self.gone) == len(self.trick)

    @property
    def hearts_broken(self) -> bool:
        """Whether hearts may be led."""
        queen = self.variant.queen_breaks and QUEEN in self.gone
        return queen or bool(filter_suit(tuple(self.gone), HEARTS))

    @property
    def stake(self) -> int:
        """The points in the trick."""
        return sum(CARD_POINTS.get(card, 0) for card in self.trick)

    @property
    def to_come(self) -> list[Seat]:
        """The seats that play to this trick after this one."""
        done = {*self.order, self.seat}
        after = [(self.seat + step) % self.seats for step in range(1, self.seats)]
        return [seat for seat in after if seat not in done]

    @property
    def collector(self) -> Seat | None:
        """The seat that has taken all points of this deal so far, or None."""
        takers = [seat for seat, points in enumerate(self.taken) if points]
        return takers[0] if len(takers) == 1 else None
