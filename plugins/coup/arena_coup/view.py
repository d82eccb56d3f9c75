"""Coup for people: at a seat, and for those who watch and see every card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import Codec, Greeting, Private, Question, Said, Seat
from arena_coup.characters import Cards
from arena_coup.messages import (
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
    Won,
)
from arena_coup.typed import prompt, read_typed, typed
from arena_coup.words import Words, and_so

RULES = (
    "Coup: be the last with influence, which is your cards. Each turn takes one action.",
    "Some claim a character: tax the Duke, assassinate (3 coins) the Assassin, steal the",
    "Captain, exchange the Ambassador. The Duke blocks foreign aid, the Contessa an",
    "assassination, Captain and Ambassador a steal. You may lie, and anybody may challenge:",
    "who is wrong loses an influence. So does who is hit by a coup (7 coins; a must from 10).",
)
HIDDEN = "▒"
"""A card that is face down."""


def view(seat: Seat | None, names: Sequence[str]) -> Codec:
    """Give the lines for a person at this seat, or for one who watches."""
    return Watching(Words(names)) if seat is None else Seated(seat, Words(names, seat))


def event_lines(words: Words, event: Any) -> Iterator[str]:
    """Say what all see happen in a turn."""
    match event:
        case Acted(seat, action):
            yield words.acts(seat, action)
        case Blocked(seat, character):
            yield f"{words.does('claim', seat)} the {character}, to block."
        case Challenged(seat, claimant, character):
            yield f"{words.does('challenge', seat)} {words.whose(claimant)} {character}."
        case Proved(seat, character):
            yield f"{words.does('show', seat)} the {character}, and {words.draws(seat)} another."
        case Lost(seat, character):
            yield f"{words.does('lose', seat)} an influence: {character}."
        case Out(seat):
            yield f"{words.is_(seat)} out."
        case Settled(_, action, False):
            yield f"The {words.noun(action)} fails."
        case Won(seat):
            yield f"{words.does('win', seat)}!"


def row(words: Words, turn: Turn, seat: Seat, hand: Cards) -> str:
    """Say what a seat has: coins, cards face down, cards face up."""
    name = words.name(seat).ljust(max(map(len, words.names)))
    if not turn.influence[seat]:
        return f"  {name}  out       ({and_so(turn.revealed[seat])})"
    lost = f"  ({and_so(turn.revealed[seat])} lost)" if turn.revealed[seat] else ""
    coins = f"{turn.coins[seat]:2} coin{'' if turn.coins[seat] == 1 else 's'}"
    return f"  {name}  {coins:8}  {' '.join(hand)}{lost}"


class Seated:
    """The lines for the person at a seat, who is `you`."""

    def __init__(self, seat: Seat, words: Words) -> None:
        self.seat, self.words = seat, words
        self.hand: Cards = ()
        self.begins = True  # and the hand is the one that stands in the table above

    def tell(self, event: Any) -> Iterable[str]:
        """Give the lines of what all see, and of one's own cards."""
        return [*self._lines(event)]

    def _lines(self, event: Any) -> Iterator[str]:
        match event:
            case Greeting():
                yield from RULES
            case Turn():
                yield from self._turn(event)
            case Hand(cards):
                if cards != self.hand or not self.begins:
                    yield f"Your cards: {and_so(cards)}"
                self.hand = cards
            case Drawn(cards):
                yield f"You draw {and_so(cards)}."
            case _:
                self.begins = False
                yield from event_lines(self.words, event)

    def _turn(self, turn: Turn) -> Iterator[str]:
        self.begins = True
        yield ""
        yield f"Turn {turn.number}: {self.words.name(turn.seat)}"
        for seat, count in enumerate(turn.influence):
            hand = self.hand if seat == self.seat and self.hand else (HIDDEN,) * count
            yield row(self.words, turn, seat, hand)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Give the question, and what can be typed."""
        return prompt(question, self.words)

    def read(self, question: Question[Any], line: str) -> object:
        """Give what is typed, or say kindly what can be typed."""
        return read_typed(question, line, self.words)

    def say(self, question: Question[Any], answer: Any) -> str:
        """Give an answer as it can be typed."""
        return typed(answer, self.words)


class Watching:
    """The lines for one who watches: all cards, and what the others cannot see."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.turn: Turn | None = None
        self.rows: list[Seat] = []

    def tell(self, event: Any) -> Iterable[str]:
        """Give the lines of what happens; who allows a claim is left out."""
        match event:
            case Turn(number, seat, influence=influence):
                self.turn, self.rows = event, [at for at, left in enumerate(influence) if left]
                return ["", f"Turn {number}: {self.words.name(seat)}"]
            case Private(seat, Hand(cards)) if self.turn and seat in self.rows:
                self.rows.remove(seat)
                return [row(self.words, self.turn, seat, cards)]
            case Private(seat, Hand(cards)):
                return [f"  ({self.words.name(seat)} holds {and_so(cards)}.)"]
            case Private(seat, Drawn(cards)):
                return [f"  ({self.words.does('draw', seat)} {and_so(cards)}.)"]
            case Private() | Said():
                return []
        return [*event_lines(self.words, event)]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Say nothing: who watches is not asked."""
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Give what is typed, as at a seat."""
        return read_typed(question, line, self.words)

    def say(self, question: Question[Any], answer: Any) -> str:
        """Give an answer as it can be typed."""
        return typed(answer, self.words)
