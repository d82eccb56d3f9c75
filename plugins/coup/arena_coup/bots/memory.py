"""What a player at the table can know from what it was told."""

from __future__ import annotations

from math import comb
from typing import Any

from attrs import define, field

from arena import Seat
from arena_coup.characters import DECK, OF_EACH, Cards, Character, Deed, parsed
from arena_coup.messages import Acted, Blocked, Challenged, Hand, Lost, Out, Proved, Settled, Turn

LIES, TRUTHS = 0.5, 4.0
"""What was seen of a player of whom nothing was seen."""

CHALLENGES, CLAIMS = 0.1, 8.0
"""The same for who challenges how many of the others' claims."""


@define
class Record:
    """What a seat has done so far, of what others can judge."""

    lies: float = LIES  # claims that were challenged, and false
    truths: float = TRUTHS
    challenges: float = CHALLENGES
    heard: float = CLAIMS  # claims of others
    claims: set[Character] = field(factory=set)  # made with the cards that it holds

    @property
    def lie(self) -> float:
        """How often it lies, from 0 to 1."""
        return self.lies / (self.lies + self.truths)

    @property
    def challenge(self) -> float:
        """How often it challenges, from 0 to 1."""
        return self.challenges / self.heard


@define
class Memory:
    """One seat's picture of the table, kept up to date by what the seat hears."""

    me: Seat
    seats: int
    hand: Cards = ()
    coins: list[int] = field(factory=list)
    influence: list[int] = field(factory=list)
    revealed: Cards = ()
    actor: Seat = 0
    action: str = "income"
    records: list[Record] = field(init=False)
    blocked: set[tuple[Seat, str]] = field(factory=set)  # who has blocked which deed
    _doubted: Seat | None = None  # whose claim was just challenged

    @records.default
    def _no_records(self) -> list[Record]:
        return [Record() for _ in range(self.seats)]

    @property
    def deed(self) -> Deed:
        """Return what kind of action it is."""
        return parsed(self.action)[0]

    @property
    def target(self) -> Seat | None:
        """Return whom the action aims at."""
        return parsed(self.action)[1]

    @property
    def others(self) -> list[Seat]:
        """Return the other seats that have influence."""
        return [seat for seat, left in enumerate(self.influence) if left and seat != self.me]

    def hear(self, event: Any) -> None:
        """Take note of an event."""
        match event:
            case Turn():
                self._look_around(event)
            case Hand(cards):
                self.hand = cards
            case Acted(seat, action):
                self.action = action
                self._note_claim(seat, self.deed.claims)
            case Blocked(seat, character):
                self.blocked.add((seat, self.deed.name))
                self._note_claim(seat, character)
            case Challenged(seat, claimant):
                self.records[seat].challenges += 1
                self._doubted = claimant
            case Proved(seat, character):
                self.records[seat].truths += 1
                self._swapped(seat, character)
            case Lost(seat, character):
                self._note_loss(seat, character)
            case Out(seat):
                self.coins[seat] = 0
            case Settled(seat, action, True) if action == "exchange":
                self.records[seat].claims.clear()

    def _look_around(self, turn: Turn) -> None:
        self.actor, self._doubted = turn.seat, None
        self.coins, self.influence = [*turn.coins], [*turn.influence]
        self.revealed = tuple(card for cards in turn.revealed for card in cards)

    def _note_claim(self, claimant: Seat, character: Character | None) -> None:
        self._doubted = None
        if not character:
            return
        self.records[claimant].claims.add(character)
        for seat, left in enumerate(self.influence):
            if left and seat != claimant:
                self.records[seat].heard += 1

    def _swapped(self, seat: Seat, character: Character) -> None:
        """See a card shown and replaced: the old claim says nothing of the new card."""
        self._doubted = None
        self.records[seat].claims.discard(character)

    def _note_loss(self, seat: Seat, character: Character) -> None:
        self.influence[seat] -= 1
        self.revealed += (character,)
        record = self.records[seat]
        record.claims.discard(character)
        if seat == self._doubted:
            record.lies += 1
            record.claims.clear()
        self._doubted = None

    def left(self, character: Character) -> int:
        """Count the cards of a character that I do not see."""
        return OF_EACH - self.hand.count(character) - self.revealed.count(character)

    def chance(self, seat: Seat, character: Character) -> float:
        """Return how likely a seat holds the character, as the cards were dealt."""
        hidden = len(DECK) - len(self.hand) - len(self.revealed)
        held = self.influence[seat]
        return 1 - comb(hidden - self.left(character), held) / comb(hidden, held)
