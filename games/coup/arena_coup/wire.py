"""The text protocol of Coup: a line for each event, and for each question with its answers.

```
< turn 5 player 1 coins 4,3,0 influence 2,1,0 revealed -,Duke,Captain+Contessa
< hand 0 Assassin Captain
< action 1 tax
< ask challenge 1 Duke tax | allow challenge
> challenge
```
The first word is the kind of the line; seats are numbers. The possible answers to a question follow
the bar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from arena import Cue, MalformedLineError, Question, Seat
from arena_coup.characters import CHARACTERS, Cards
from arena_coup.messages import (
    Acted,
    Block,
    Blocked,
    Challenge,
    Challenged,
    ChooseAction,
    Drawn,
    Hand,
    KeepCards,
    LoseInfluence,
    Lost,
    Out,
    Proved,
    Settled,
    ShowCard,
    Turn,
    Won,
)

CHARACTER = "|".join(CHARACTERS)
CARDS_LINE = re.compile(f"(?:{CHARACTER})(?: (?:{CHARACTER}))*")
VERBS = {Blocked: "blocks", Proved: "proves", Lost: "loses", Out: "out", Won: "won"}
WORD_LINE = re.compile("[A-Za-z-]{1,16}(?::[0-9])?")


CUES = (
    Cue("^ask keep 2 [|] ([^ ]+ [^ ]+)", "{}"),
    Cue("^ask [^|]+[|] ([^ ]+)", "{}"),
)
"""The example bot answers with the first word after the bar, or the first two to keep two cards."""


@frozen
class CoupLines:
    """The protocol for one seat; all lines except those of its hand are the same for all seats."""

    seat: Seat

    def tell(self, event: Any) -> Iterator[str]:
        """Return the line of an event; the greeting has none."""
        match event:
            case Turn():
                yield encode_turn(event)
            case Hand(cards):
                yield f"hand {self.seat} {' '.join(cards)}"
            case Drawn(cards):
                yield f"drawn {' '.join(cards)}"
            case Acted(seat, action):
                yield f"action {seat} {action}"
            case Challenged(seat, claimant, character):
                yield f"challenges {seat} {claimant} {character}"
            case Settled(seat, action, succeeded):
                yield f"{'done' if succeeded else 'failed'} {seat} {action}"
            case Blocked(seat, character) | Proved(seat, character) | Lost(seat, character):
                yield f"{VERBS[type(event)]} {seat} {character}"
            case Out(seat) | Won(seat):
                yield f"{VERBS[type(event)]} {seat}"

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the line of a question, with the possible answers after the bar."""
        options: Any = question.options
        choices = options.cards if isinstance(question, KeepCards) else options
        return (f"ask {encode_question(question)} | {' '.join(choices)}",)

    def read(self, question: Question[Any], line: str) -> object:
        """Return the word, or the cards to keep."""
        if isinstance(question, KeepCards):
            return tuple(_match_line(CARDS_LINE, line, "CARD or CARD CARD").split(" "))
        return _match_line(WORD_LINE, line, "one of the words after the bar")

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the line that a program sends for an answer."""
        return " ".join(answer) if isinstance(question, KeepCards) else str(answer)


def encode_turn(turn: Turn) -> str:
    """Return the line of a turn, with the public state in seat order."""
    revealed = join_values(map(join_face_up, turn.revealed))
    return (
        f"turn {turn.number} player {turn.seat} coins {join_values(turn.coins)}"
        f" influence {join_values(turn.influence)} revealed {revealed}"
    )


def join_values(values: Iterable[object]) -> str:
    """Join a value for each seat."""
    return ",".join(map(str, values))


def join_face_up(cards: Cards) -> str:
    """Join the cards that a seat has lost."""
    return "+".join(cards) or "-"


def encode_question(question: Question[Any]) -> str:
    """Return the text of a question."""
    match question:
        case ChooseAction():
            return "act"
        case Challenge(_, claimant, character, action):
            return f"challenge {claimant} {character} {action}"
        case Block(_, seat, action):
            return f"block {seat} {action}"
        case ShowCard(_, character, challenger):
            return f"show {character} {challenger}"
        case LoseInfluence():
            return "lose"
        case KeepCards(options):
            return f"keep {options.least}"
    raise TypeError(f"unknown question {type(question).__name__}")


def _match_line(form: re.Pattern[str], line: str, shape: str) -> str:
    if not form.fullmatch(line):
        raise MalformedLineError(f"expected {shape}")
    return line
