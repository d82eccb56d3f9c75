"""Views and narrators: lines for a person at a seat, or for a spectator, and phrases for them.

A view is a codec. At a seat it is told what the seat is told, asks what the seat is
asked, and reads what a person types. For one who watches (seat None) it is told what is
announced, and beside that `PrivateEvent` and `AnswerEvent`: what one seat was told, and what it
answered; a view that has no words for them leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import cache
from inspect import signature
from typing import Any, Protocol, Self

from attrs import frozen

from arena.rules import OneOf, OneSeat, Question, Seat, SomeOf, Text, join_words
from arena.wires.codecs import Greeting, MalformedLineError


class Describer(Protocol):
    """A function of a game that describes an event or a question in words.

    It may have a third parameter `you`: the seat of the person who reads the line, or None for a
    spectator. Then a description can say "you" instead of the reader's name.
    """

    def __call__(self, message: Any, names: Sequence[str]) -> str | None:
        """Return one line; `names` are the players' in seat order. None is not shown."""


class Mark(Enum):
    """The reason why a line is highlighted: a heading, or good or bad news for its reader."""

    HEADING = "heading"  #: it begins something
    WON = "won"  #: good news
    LOST = "lost"  #: bad news


class MarkedLine(str):
    """A line of a view that is highlighted on a terminal with colours."""

    __slots__ = ("mark",)
    mark: Mark  #: why it stands out

    def __new__(cls, text: str, mark: Mark) -> Self:
        """Create a line with a mark."""
        line = super().__new__(cls, text)
        line.mark = mark
        return line


@frozen
class PrivateEvent:
    """For spectators: an event that only one seat was told."""

    seat: Seat  #: who was told
    event: Any  #: of what


@frozen
class AnswerEvent:
    """For spectators: the answer of a seat."""

    seat: Seat  #: who answered
    question: Question[Any]  #: what was asked
    answer: Any  #: what the answer was


@frozen
class PlainView:
    """A view for every game, in the words of its `describe`; `you` is the reader's seat."""

    describe: Describer
    names: Sequence[str]
    you: Seat | None = None

    def tell(self, event: Any) -> Iterable[str]:
        """Return a line for each event that has a description."""
        match event:
            case Greeting():
                return ()
            case PrivateEvent(seat, told):
                return [f"({self.names[seat]} is told: {line})" for line in self.describe_all(told)]
            case AnswerEvent(seat, question, answer):
                return (f"{self.names[seat]}: {self.say(question, answer)}",)
        return self.describe_all(event)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question, and the possible answers."""
        options = describe_options(question.options, self.names)
        return (*self.describe_all(question), f"  ({options})")

    def read(self, question: Question[Any], line: str) -> object:
        """Return the answer in a typed line, or raise MalformedLineError."""
        if isinstance(question.options, OneSeat):
            return _find_seat(question.options, self.names, " ".join(line.split()))
        return parse_words(question.options, line.split(), line)

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as it is typed."""
        if isinstance(question.options, OneSeat):
            return self.names[int(answer)]
        return format_value(answer)

    def describe_all(self, message: Any) -> Sequence[str]:
        """Return the description of a message, or nothing if there is none."""
        describe: Any = self.describe
        more = {"you": self.you} if _takes_you(describe) else {}
        words = describe(message, self.names, **more)
        return () if words is None else (words,)


@cache
def _takes_you(describe: Callable[..., object]) -> bool:
    """Whether a function has a parameter for the seat that reads what it describes."""
    return "you" in signature(describe).parameters


class Narrator(Protocol):
    """Tells of a match in sentences, for pages: what happened, and who did it.

    It is told what a view is told, and the answers of its own seat as `AnswerEvent`s.
    """

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return a question to the seat; the line that ends with a question mark is its title."""


class PlainNarrator(PlainView):
    """A narrator for every game, in the words of its `describe`."""

    def tell(self, event: Any) -> Iterable[str]:
        """Return a sentence for each event, and for each answer."""
        match event:
            case PrivateEvent(seat, told):
                return [f"{self.names[seat]} is told: {line}" for line in self.describe_all(told)]
            case AnswerEvent(seat, question, answer):
                return (f"{self.names[seat]} answers: {self.say(question, answer)}.",)
        return super().tell(event)


def format_value(value: object) -> str:
    """Return a possible answer as text: yes or no for a bool."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(format_value, value)) if isinstance(value, tuple) else str(value)


def describe_options(options: object, names: Sequence[str] = ()) -> str:
    """Return a description of the answers that may be typed; with names, seats are named."""
    match options:
        case OneSeat() if names:
            return " | ".join(names[seat] for seat in options)
        case OneOf():
            return " | ".join(map(format_value, options))
        case SomeOf(cards):
            sizes = options.sizes
            count = sizes[0] if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
            return f"{count} of: {' '.join(map(format_value, cards))}"
        case Text(pattern):
            return f"a text that matches {pattern}"
    return "see the rules"


def parse_words(options: object, words: Sequence[str], line: str) -> object:
    """Parse typed words as an answer to these options, ignoring case."""
    match options:
        case OneOf():
            return _find_choice(options, " ".join(words))
        case SomeOf(cards):
            return tuple(_find_choice(cards, word) for word in words)
    return line


def _find_seat(seats: Sequence[Seat], names: Sequence[str], typed: str) -> Seat:
    """Return the seat of the player with this name, or the seat with this number."""
    for spell in (names.__getitem__, str):
        for seat in seats:
            if spell(seat).casefold() == typed.casefold():
                return seat
    raise MalformedLineError(f"{typed!r} is not one of: {' '.join(names[seat] for seat in seats)}")


def _find_choice(choices: Iterable[Any], typed: str) -> Any:
    found = [choice for choice in choices if format_value(choice).casefold() == typed.casefold()]
    if not found:
        raise MalformedLineError(f"{typed!r} is not one of: {' '.join(map(format_value, choices))}")
    return found[0]


YOU = "you"
IRREGULAR_VERBS = {"be": ("are", "is"), "have": ("have", "has"), "do": ("do", "does")}
SIBILANTS = ("s", "x", "z", "ch", "sh")  # after which a verb takes `es`


@frozen
class Phrases:
    """Phrases about the players of a match, which call the reader `you`.

    They are for the middle of a sentence; `begin_sentence` writes `You` at its beginning.

    >>> phrases = Phrases(["Ann", "Bob", "Cleo"], you=1)
    >>> f"{phrases.clause('pass', 0)} a card to {phrases.name(1)}."
    'Ann passes a card to you.'
    >>> phrases.join(phrases.reader_first), phrases.possessive(1)
    ('you, Ann and Cleo', 'your')
    """

    names: Sequence[str]  #: of the players, in seat order
    you: Seat | None = None  #: the seat of the reader; None: a spectator

    @property
    def reader_first(self) -> list[Seat]:
        """All seats, that of the reader first."""
        return sorted(range(len(self.names)), key=lambda seat: seat != self.you)

    def name(self, seat: Seat) -> str:
        """Return the name of a player, or `you`."""
        return YOU if seat == self.you else self.names[seat]

    def join(self, seats: Iterable[Seat]) -> str:
        """Return the names of players, in this order: `Ann, Bob and you`."""
        return join_words(map(self.name, seats))

    def possessive(self, seat: Seat) -> str:
        """Return the possessive of a player's name: `your`, or `Ann's`."""
        return "your" if seat == self.you else f"{self.names[seat]}'s"

    def verb(self, verb: str, *seats: Seat) -> str:
        """Return a verb in the present, with the ending for these players as its subject."""
        plural, singular = IRREGULAR_VERBS.get(verb) or (verb, add_ending(verb))
        return plural if len(seats) > 1 or self.you in seats else singular

    def clause(self, verb: str, *seats: Seat) -> str:
        """Return the subject and the verb of a sentence: `you win`, `Ann and Bob win`."""
        return f"{self.join(seats)} {self.verb(verb, *seats)}"

    def list_values(self, values: Iterable[object]) -> str:
        """List the values of all players in seat order: `you 3, Ann 12`."""
        return ", ".join(f"{self.name(seat)} {value}" for seat, value in enumerate(values))

    def mark_good(self, line: str, *seats: Seat) -> str:
        """Return a line that is good news for these players, and bad news for all others."""
        return self._mark(line, good=self.you in seats)

    def mark_bad(self, line: str, *seats: Seat) -> str:
        """Return a line that is bad news for these players, and good news for all others."""
        return self._mark(line, good=self.you not in seats)

    def _mark(self, line: str, *, good: bool) -> str:
        """Return a line with its mark; a spectator has no good or bad news."""
        return line if self.you is None else MarkedLine(line, Mark.WON if good else Mark.LOST)


def add_ending(verb: str) -> str:
    """Return a regular verb in the third person.

    >>> add_ending("take"), add_ending("pass"), add_ending("play"), add_ending("carry")
    ('takes', 'passes', 'plays', 'carries')
    """
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}{'es' if verb.endswith(SIBILANTS) else 's'}"


def begin_sentence(text: str) -> str:
    """Return a sentence with a capital letter if it begins with `you`.

    Names of players stay as they are: they may begin with a small letter.

    >>> begin_sentence("you bid the king."), begin_sentence("ann bids the king.")
    ('You bid the king.', 'ann bids the king.')
    """
    capital = "Y" + text[1:] if text.startswith((f"{YOU} ", f"{YOU},")) else text
    return MarkedLine(capital, text.mark) if isinstance(text, MarkedLine) else capital
