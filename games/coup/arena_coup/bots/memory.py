"""A player's knowledge of the table, from the events it received."""

from __future__ import annotations

from math import comb
from typing import Any

from attrs import define, field

from arena import Seat
from arena_coup.characters import (
    CARDS_PER_CHARACTER,
    DECK,
    ActionKind,
    Cards,
    Character,
    parse_action,
)
from arena_coup.messages import Acted, Blocked, Challenged, Hand, Lost, Out, Proved, Settled, Turn

PRIOR_LIES, PRIOR_TRUTHS = 0.5, 4.0
"""The numbers of lies and true claims that are assumed of a player before any are seen."""

PRIOR_CHALLENGES, PRIOR_CLAIMS = 0.1, 8.0
"""The numbers of challenges and of claims by others that are assumed before any are seen."""


@define
class PlayerRecord:
    """The public record of a seat's claims and challenges."""

    lies: float = PRIOR_LIES  # challenged claims that were false
    truths: float = PRIOR_TRUTHS
    challenges: float = PRIOR_CHALLENGES
    heard: float = PRIOR_CLAIMS  # claims of others that it could challenge
    claims: set[Character] = field(factory=set)  # claimed with its present cards

    @property
    def lie_rate(self) -> float:
        """The estimated share of false claims, from 0 to 1."""
        return self.lies / (self.lies + self.truths)

    @property
    def challenge_rate(self) -> float:
        """The estimated share of the others' claims that it challenges, from 0 to 1."""
        return self.challenges / self.heard


@define
class Memory:
    """One seat's knowledge of the table, updated by the events that the seat receives."""

    seat: Seat
    seats: int
    hand: Cards = ()
    coins: list[int] = field(factory=list)
    influence: list[int] = field(factory=list)
    revealed: Cards = ()
    actor: Seat = 0
    action: str = "income"
    records: list[PlayerRecord] = field(init=False)
    blocks: set[tuple[Seat, str]] = field(
        factory=set
    )  # seats with the actions that they have blocked
    _challenged_seat: Seat | None = None  # the seat whose claim was just challenged

    @records.default
    def _no_records(self) -> list[PlayerRecord]:
        return [PlayerRecord() for _ in range(self.seats)]

    @property
    def action_kind(self) -> ActionKind:
        """The kind of the action."""
        return parse_action(self.action)[0]

    @property
    def target(self) -> Seat | None:
        """The seat that the action aims at."""
        return parse_action(self.action)[1]

    @property
    def others(self) -> list[Seat]:
        """Return the other seats that have influence."""
        return [seat for seat, left in enumerate(self.influence) if left and seat != self.seat]

    def hear(self, event: Any) -> None:
        """Update the memory after an event."""
        match event:
            case Turn():
                self._note_turn(event)
            case Hand(cards):
                self.hand = cards
            case Acted(seat, action):
                self.action = action
                self._note_claim(seat, self.action_kind.claims)
            case Blocked(seat, character):
                self.blocks.add((seat, self.action_kind.name))
                self._note_claim(seat, character)
            case Challenged(seat, claimant):
                self.records[seat].challenges += 1
                self._challenged_seat = claimant
            case Proved(seat, character):
                self.records[seat].truths += 1
                self._note_proof(seat, character)
            case Lost(seat, character):
                self._note_loss(seat, character)
            case Out(seat):
                self.coins[seat] = 0
            case Settled(seat, action, True) if action == "exchange":
                self.records[seat].claims.clear()

    def _note_turn(self, turn: Turn) -> None:
        self.actor, self._challenged_seat = turn.seat, None
        self.coins, self.influence = [*turn.coins], [*turn.influence]
        self.revealed = tuple(card for cards in turn.revealed for card in cards)

    def _note_claim(self, claimant: Seat, character: Character | None) -> None:
        self._challenged_seat = None
        if not character:
            return
        self.records[claimant].claims.add(character)
        for seat, left in enumerate(self.influence):
            if left and seat != claimant:
                self.records[seat].heard += 1

    def _note_proof(self, seat: Seat, character: Character) -> None:
        """Drop a claim once its card was shown and replaced by an unknown one."""
        self._challenged_seat = None
        self.records[seat].claims.discard(character)

    def _note_loss(self, seat: Seat, character: Character) -> None:
        self.influence[seat] -= 1
        self.revealed += (character,)
        record = self.records[seat]
        record.claims.discard(character)
        if seat == self._challenged_seat:
            record.lies += 1
            record.claims.clear()
        self._challenged_seat = None

    def count_unseen(self, character: Character) -> int:
        """Count the cards of a character that this seat does not see."""
        return CARDS_PER_CHARACTER - self.hand.count(character) - self.revealed.count(character)

    def holding_probability(self, seat: Seat, character: Character) -> float:
        """Return the probability that a seat holds the character, from the cards dealt."""
        hidden = len(DECK) - len(self.hand) - len(self.revealed)
        held = self.influence[seat]
        return 1 - comb(hidden - self.count_unseen(character), held) / comb(hidden, held)
