"""The line protocol of GOPS, as Ruby Quiz #116 published it in 2007, to the letter.

```
< Competition card: 12
> 10
< Opponent's bid: 3
```
The prize is the prompt. With more than two players there is one reveal for each
opponent, in seat order after one's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from attrs import frozen

from arena import Cue, MalformedLineError, Question, Seat
from arena_gops.rules import Bids, Prize

# No card has more than nine digits, so longer numbers are refused; leading zeros are allowed.
NUMBER = re.compile("0*([0-9]{1,9})")


CUES = (Cue("^Competition card: ([0-9]+)", "{}"),)
"""The example bot bids the prize's value, which is a legal bid with the usual cards."""


@frozen
class RubyQuiz116:
    """The published lines for one seat."""

    seat: Seat

    def tell(self, event: Any) -> Iterable[str]:
        """Return the line of a prize, or a line for each opponent's bid."""
        if isinstance(event, Prize):
            return (f"Competition card: {event.card}",)
        if isinstance(event, Bids):
            others = event.cards[self.seat + 1 :] + event.cards[: self.seat]
            return [f"Opponent's bid: {card}" for card in others]
        return ()

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return no lines: the prize is the question."""
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Return the bid of a line: digits, ignoring blanks around them."""
        bid = NUMBER.fullmatch(line.strip(" \t"))
        if bid:
            return int(bid[1])
        raise MalformedLineError("a bid is a number, such as 10, and nothing else")

    def say(self, question: Question[Any], answer: int) -> str:
        """Return the bid as a number."""
        return str(answer)
