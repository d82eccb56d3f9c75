"""The lines of Briscola for programs.

```
< Trick: you 1 leader 0 trump 5D stock 34 points 0 0
< Played: 0 4B
< Play: 3C KD 7B
> 7B
< Played: 1 7B
< Taken: 1 0
```
The last of the lines before an answer names all cards that may be played.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from arena import Cue, MalformedLineError, Question, Seat
from arena_briscola.cards import FULL_PACK
from arena_briscola.messages import Played, Taken, Trick

CUES = (Cue("^Play: ([^ ]+)", "{}"),)
"""What is played is the first card."""


@frozen
class BriscolaLines:
    """One seat's side of the lines: only `you` differs from seat to seat, and the hand."""

    seat: Seat

    def tell(self, event: Any) -> Iterable[str]:
        """Return the line of an event; the hand is told when a card is asked for."""
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
        """Ask for one of the cards that are held."""
        hand: Any = question.options
        return [f"Play: {' '.join(hand)}"]

    def read(self, question: Question[Any], line: str) -> object:
        """Return the card, with blanks around it at most."""
        card = line.strip(" \t")
        if card not in FULL_PACK:
            raise MalformedLineError("expected a card, such as 3C, and nothing else")
        return card

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the card."""
        return str(answer)
