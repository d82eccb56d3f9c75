"""Coup for people: for a player at a seat, and for spectators, who see every card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    AnswerEvent,
    Codec,
    Greeting,
    Mark,
    MarkedLine,
    Phrases,
    PrivateEvent,
    Question,
    Seat,
    join_words,
)
from arena_coup.characters import Cards
from arena_coup.messages import Drawn, Hand, Turn
from arena_coup.phrases import describe_event
from arena_coup.typed_answers import build_prompt, format_answer, parse_answer

INTRODUCTION = (
    "Coup: be the last player with influence (your cards). Each turn is an action.",
    "Some actions claim a character. You may lie, and anybody may challenge: whoever",
    "is wrong loses an influence.",
)

RULES = """\
Coup: be the last player with influence (your cards). Each turn is an action:
  income        1 coin
  foreign-aid   2 coins; somebody who claims the Duke may block it
  tax           3 coins; claims the Duke
  steal         2 coins from a player; claims the Captain; Captain or
                Ambassador may block it
  assassinate   for 3 coins a player loses an influence; claims the Assassin;
                the Contessa may block it
  exchange      draw cards and choose which to keep; claims the Ambassador
  coup          for 7 coins a player loses an influence; you must with 10 coins
Any claim, also one that blocks, may be a lie, and anybody may challenge it. A
player who cannot show the card loses an influence; otherwise the challenger
loses one, and the shown card is exchanged. Type as much as is unambiguous:
inc, or steal bob."""
HIDDEN = "▒"
"""The text for a card that is face down."""


def build_view(seat: Seat | None, names: Sequence[str]) -> Codec:
    """Return the view for a player at this seat, or for a spectator."""
    return SpectatorView(Phrases(names)) if seat is None else SeatView(seat, Phrases(names, seat))


def format_seat_row(words: Phrases, turn: Turn, seat: Seat, hand: Cards) -> str:
    """Return the table row of a seat: coins, cards face down, cards face up."""
    name = words.name(seat).ljust(max(map(len, words.names)))
    if not turn.influence[seat]:
        return f"  {name}  out       ({join_words(turn.revealed[seat])})"
    lost = f"  ({join_words(turn.revealed[seat])} lost)" if turn.revealed[seat] else ""
    coins = f"{turn.coins[seat]:2} coin{'' if turn.coins[seat] == 1 else 's'}"
    return f"  {name}  {coins:8}  {' '.join(hand)}{lost}"


class SeatView:
    """The view for the player at a seat, who is called `you`."""

    def __init__(self, seat: Seat, phrases: Phrases) -> None:
        self.seat, self.words = seat, phrases
        self.hand: Cards = ()
        self.begins = True  # the table above shows the hand already

    def tell(self, event: Any) -> Iterable[str]:
        """Return the lines of public events, and of this seat's cards."""
        return [*self._lines(event)]

    def _lines(self, event: Any) -> Iterator[str]:
        match event:
            case Greeting():
                yield from INTRODUCTION
            case Turn():
                yield from self._turn_lines(event)
            case Hand(cards):
                if cards != self.hand or not self.begins:
                    yield f"Your cards: {join_words(cards)}"
                self.hand = cards
            case Drawn(cards):
                yield f"You draw {join_words(cards)}."
            case _:
                self.begins = False
                yield from describe_event(self.words, event)

    def _turn_lines(self, turn: Turn) -> Iterator[str]:
        self.begins = True
        yield ""
        yield MarkedLine(f"Turn {turn.number}: {self.words.name(turn.seat)}", Mark.HEADING)
        for seat, count in enumerate(turn.influence):
            hand = self.hand if seat == self.seat and self.hand else (HIDDEN,) * count
            yield format_seat_row(self.words, turn, seat, hand)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question, and the answers that can be typed."""
        return build_prompt(question, self.words)

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed answer; raise MalformedLineError with a hint if there is none."""
        return parse_answer(question, line, self.words)

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as it can be typed."""
        return format_answer(answer, self.words)


class SpectatorView:
    """The view for a spectator, with all cards and private events."""

    def __init__(self, phrases: Phrases) -> None:
        self.words = phrases
        self.turn: Turn | None = None
        self.rows: list[Seat] = []

    def tell(self, event: Any) -> Iterable[str]:
        """Return the lines of an event; a player's permission is left out."""
        match event:
            case Turn(number, seat, influence=influence):
                self.turn, self.rows = event, [at for at, left in enumerate(influence) if left]
                return ["", f"Turn {number}: {self.words.name(seat)}"]
            case PrivateEvent(seat, Hand(cards)) if self.turn and seat in self.rows:
                self.rows.remove(seat)
                return [format_seat_row(self.words, self.turn, seat, cards)]
            case PrivateEvent(seat, Hand(cards)):
                return [f"  ({self.words.name(seat)} holds {join_words(cards)}.)"]
            case PrivateEvent(seat, Drawn(cards)):
                return [f"  ({self.words.clause('draw', seat)} {join_words(cards)}.)"]
            case PrivateEvent() | AnswerEvent():
                return []
        return [*describe_event(self.words, event)]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return no lines: a spectator is not asked."""
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Return the answer of a typed line, as at a seat."""
        return parse_answer(question, line, self.words)

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as it can be typed."""
        return format_answer(answer, self.words)
