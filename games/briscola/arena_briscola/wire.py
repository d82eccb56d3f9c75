"""The lines of Briscola for programs.

```
< Trick: you 1 leader 0 trump 5D stock 34 points 0 0
< Played: 0 4B
< Play: 3C KD 7B
> 7B
< Played: 1 7B
< Taken: 1 0
```
The last line before an answer lists all cards that may be played.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from arena import Cue, MalformedLineError, Question, Seat
from arena_briscola.cards import FULL_PACK
from arena_briscola.messages import Played, Taken, Trick

CUES = (Cue("^Play: ([^ ]+)", "{}"),)
"""The example bot plays the first card."""


@frozen
class BriscolaLines:
    """The lines for one seat; only `you` and the hand differ between seats."""

    seat: Seat

    def tell(self, event: Any) -> Iterable[str]:
        """Return the line of an event; the hand follows with the question."""
        match event:
            case Trick(leader, trump, stock, scores):
                table = f"leader {leader} trump {trump} stock {stock}"
                return [f"Trick: you {self.seat} {table} points {' '.join(map(str, scores))}"]
            case Played(seat, card):
                return [f"Played: {seat} {card}"]
            case Taken(seat, points):
                return [f"Taken: {seat} {points}"]
        return []

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the line that asks for a card of the hand."""
        hand: Any = question.options
        return [f"Play: {' '.join(hand)}"]

    def read(self, question: Question[Any], line: str) -> object:
        """Return the card of a line, ignoring blanks around it."""
        card = line.strip(" \t")
        if card not in FULL_PACK:
            raise MalformedLineError("expected a card, such as 3C, and nothing else")
        return card

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the line of a card."""
        return str(answer)
