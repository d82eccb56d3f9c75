"""Coup for programs: a line for each event and question, and numbers for learning programs.

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
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

from attrs import define, field, frozen

from arena import Cue, Greeting, MalformedLineError, Question, Seat
from arena_coup.rules import (
    ACTION_KINDS,
    ALLOW,
    CARDS_PER_CHARACTER,
    CHALLENGE,
    CHARACTERS,
    EXCHANGE,
    EXCHANGE_CARDS,
    INFLUENCES,
    Acted,
    Block,
    Blocked,
    Cards,
    Challenge,
    Challenged,
    ChooseAction,
    Coup,
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
    format_action,
    parse_action,
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


MAX_COINS = 12
"""The most coins a seat can have: nine at the start of its turn, and three from the tax."""


def actions(_: Coup, seats: int) -> Sequence[Any]:
    """Return all answers: actions with each target, words, characters, and cards to keep."""
    deeds = [
        format_action(deed, target)
        for deed in ACTION_KINDS.values()
        for target in (range(seats) if deed.targeted else (None,))
    ]
    sizes = range(1, INFLUENCES + 1)
    kept = [some for size in sizes for some in combinations_with_replacement(CHARACTERS, size)]
    return (*deeds, ALLOW, CHALLENGE, *CHARACTERS, *kept)


@define
class CoupObservationEncoder:
    """A seat's knowledge as numbers: 30 of the current turn, and 12 for each seat.

    First, by character: this seat's cards, the cards drawn, the revealed cards, and the claim that
    is not settled yet. Then the kind of the action, whether this seat is its target, whether the
    claim is challenged, and the share of the turns played. Then for each seat, starting with this
    one: its coins, its influence, and whether it is the actor, the claimant, the target; by
    character, whether it has claimed that with the cards that it holds; and for the claims that it
    has proved, and those that were lies, 0 for none and 1/2, 2/3, 3/4 ... for one and more.
    """

    greeting: Greeting
    number: int = 0
    actor: Seat | None = None
    hand: Cards = ()
    drawn: Cards = ()
    revealed: Cards = ()
    coins: list[int] = field(factory=list)
    influence: list[int] = field(factory=list)
    action: str = ""
    target: Seat | None = None
    claimant: Seat | None = None
    claim: str = ""
    challenged: bool = False
    claims: list[set[str]] = field(factory=list)  # of each seat with its present cards
    proofs: list[int] = field(factory=list)  # of each seat's claims
    lies: list[int] = field(factory=list)  # of each seat that were found out

    def __attrs_post_init__(self) -> None:
        seats = self.greeting.seats
        self.coins, self.influence = [0] * seats, [0] * seats
        self.claims, self.proofs, self.lies = (
            [set() for _ in range(seats)],
            [0] * seats,
            [0] * seats,
        )

    def observation(self) -> list[float]:
        """Return the observation as numbers."""
        seat, seats = self.greeting.seat, self.greeting.seats
        own_first = (*range(seat, seats), *range(seat))
        return [
            *self._common_values(),
            *(figure for other in own_first for figure in self._seat_values(other)),
        ]

    def tell(self, event: Any) -> None:
        """Record an event."""
        match event:
            case Turn():
                self._begin(event)
            case Hand(cards):
                self.hand, self.drawn = cards, ()
            case Drawn(cards):
                self.drawn = cards
            case Acted(seat, action):
                deed, self.target = parse_action(action)
                self.action = deed.name
                self._claim(seat, deed.claims or "")
            case Blocked(seat, character):
                self._claim(seat, character)
            case Challenged():
                self.challenged = True
            case _:
                self._settle(event)

    def _settle(self, event: Any) -> None:
        match event:
            case Proved(seat, character):
                self.proofs[seat] += 1
                self.claims[seat].discard(character)  # the card was exchanged for an unknown one
                self._claim(None, "")
            case Settled(seat, action, succeeded):
                if succeeded and action == EXCHANGE.name:
                    self.claims[seat].clear()
                self._claim(None, "")
            case Lost(seat, character):
                self._lose(seat, character)
            case Out(seat):
                self.coins[seat] = 0

    def _begin(self, turn: Turn) -> None:
        self.number, self.actor, self.action, self.target = turn.number, turn.seat, "", None
        self.coins, self.influence = [*turn.coins], [*turn.influence]
        self.revealed = tuple(card for cards in turn.revealed for card in cards)
        self._claim(None, "")

    def _claim(self, seat: Seat | None, character: str) -> None:
        self.claimant, self.claim, self.challenged = seat, character, False
        if seat is not None and character:
            self.claims[seat].add(character)

    def _lose(self, seat: Seat, character: str) -> None:
        self.influence[seat] -= 1
        self.revealed += (character,)
        self.claims[seat].discard(character)
        if seat == self.claimant:
            if self.challenged:
                self.lies[seat] += 1
                self.claims[seat].clear()
            self._claim(None, "")
        if seat == self.greeting.seat and not self.influence[seat]:
            self.hand = ()

    def _common_values(self) -> Iterator[float]:
        """Return the numbers that do not belong to a seat."""
        piles = (
            (self.hand, INFLUENCES),
            (self.drawn, EXCHANGE_CARDS),
            (self.revealed, CARDS_PER_CHARACTER),
        )
        for cards, most in piles:
            yield from (cards.count(character) / most for character in CHARACTERS)
        yield from (float(self.claim == character) for character in CHARACTERS)
        yield from (float(self.action == name) for name in ACTION_KINDS)
        yield from (float(self.target == self.greeting.seat), float(self.challenged))
        yield self.number / self.greeting.variant.max_turns

    def _seat_values(self, seat: Seat) -> Iterator[float]:
        """Return the numbers of a seat."""
        yield from (self.coins[seat] / MAX_COINS, self.influence[seat] / INFLUENCES)
        yield from (float(seat == role) for role in (self.actor, self.claimant, self.target))
        yield from (float(character in self.claims[seat]) for character in CHARACTERS)
        yield from (count / (count + 1) for count in (self.proofs[seat], self.lies[seat]))
