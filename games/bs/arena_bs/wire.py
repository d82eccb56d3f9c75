"""The published lines of BS, to the letter.

```
< Players: Alice(16481)[18], Bob(16479)[17], Charlie(16480)[17]
< Hand: 2D 7S AS ...
< Your turn: A
> Play: AS 2D AH
< Player Alice(16481) plays: 3 x A
> Pass
< Called BS: Charlie(16480), Bob(16479)
```
The play is the prompt for a declaration; there is no line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from arena import Cue, MalformedLineError, Question, Seat
from arena.cards import Cards
from arena_bs.rules import (
    BS,
    PASS,
    PEANUT_BUTTER,
    RANKS,
    SUITS,
    Called,
    ChooseCards,
    Declare,
    Hand,
    Judged,
    Nickname,
    PileTaken,
    Played,
    Receives,
    Shown,
    Turn,
    Won,
)

CARD = f"[{RANKS}][{SUITS}]"
NAME_LINE = re.compile("Nickname: (.*)")
PLAY_LINE = re.compile(f"Play: ({CARD}(?: {CARD})*)")
DECLARATION = re.compile("[A-Za-z ]{1,32}")
MEANINGS = {"BS": BS, "BP": PEANUT_BUTTER}  # by its capitals in alphabetical order


CUES = (
    Cue("^Unique ID: ", "Nickname: {name}"),
    Cue("^Hand: ([^ ]+)"),
    Cue("^Your turn: ", "Play: {}"),
    Cue("^Player [^ ]+ plays: ", "Pass"),
)
"""The example bot lays the first card of its hand."""


@frozen
class BsLines:
    """The published lines for one seat; all seats get the same lines."""

    seat: Seat

    def tell(self, event: Any) -> Iterator[str]:
        """Return the line of an event; the greeting has none."""
        match event:
            case Turn(players):
                yield "Players: " + ", ".join(f"{player}[{count}]" for player, count in players)
            case Hand(cards):
                yield f"Hand: {join_cards(cards)}"
            case Played(player, count, rank):
                yield f"Player {player} plays: {count} x {rank}"
            case Called(players):
                yield f"Called BS: {', '.join(map(str, players))}".rstrip()
            case Shown(player, cards):
                yield f"Player {player} had played: {join_cards(cards)}"
            case Judged(player, bluffing):
                yield f"Player {player} was {'' if bluffing else 'not '}bluffing."
            case Receives(player, wording):
                yield f"Player {player} {wording} the pile."
            case PileTaken(cards, bluffing):
                reason = "Your bluff was called" if bluffing else "You misjudged"
                yield f"{reason}: {join_cards(cards)}"
            case Won(player):
                yield f"Player {player} won!"

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the line with the player's number or the rank; a declaration has none."""
        match question:
            case Nickname():
                return (f"Unique ID: {question.number}",)
            case ChooseCards():
                return (f"Your turn: {question.rank}",)
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Return the name, the cards in the order given, or the declaration of a line."""
        match question:
            case Nickname():
                return _match_line(NAME_LINE, line, "Nickname: NAME")
            case ChooseCards():
                return tuple(_match_line(PLAY_LINE, line, "Play: CARD CARD ...").split(" "))
            case Declare():
                return parse_declaration(question, line)
        raise TypeError(f"this protocol has no question {type(question).__name__}")

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the line that a program sends for an answer."""
        match question:
            case Nickname():
                return f"Nickname: {answer}"
            case ChooseCards():
                return f"Play: {join_cards(answer)}"
        return str(answer)


def join_cards(cards: Cards) -> str:
    """Join cards in the protocol's notation."""
    return " ".join(cards)


def parse_declaration(question: Declare, line: str) -> str:
    """Return the declaration of a line: `Bacon Sandwich` is a way to call BS.

    To call BS, the only capitals are one B and one S, in either order; for Peanut Butter, one P and
    one B. The player whose turn it is may declare Peanut Butter, the others BS.
    """
    if line == PASS:
        return PASS
    capitals = "".join(sorted(filter(str.isupper, line)))
    meaning = MEANINGS.get(capitals) if DECLARATION.fullmatch(line) else None
    if meaning and meaning in question.options:
        return meaning
    raise MalformedLineError(f"expected {' or '.join(question.options)}")


def _match_line(form: re.Pattern[str], line: str, shape: str) -> str:
    found = form.fullmatch(line)
    if not found:
        raise MalformedLineError(f"expected {shape}")
    return found[1]
