"""Narrators: what a person reads of a match and types, at a seat or watching, and their phrases.

At a seat a narrator is told what the seat is told and what it answered itself; asks what the seat
is asked, and reads what the person types. For one who watches (seat None) it is told what is
announced, and who may see everything also gets each `PrivateEvent` and `AnswerEvent`: what one seat
was told, and what it answered. The same sentences stand at a terminal and on a page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Self

from attrs import Attribute, fields, frozen

from arena.rules import (
    Between,
    OneOf,
    OneSeat,
    Question,
    Seat,
    SomeOf,
    Text,
    abbreviate,
    join_words,
)
from arena.wires.codecs import Greeting, MalformedLineError, list_lines


class Mark(Enum):
    """What is special about a line; of the first three, terminals with colours show it."""

    HEADING = "heading"  #: it begins something
    WON = "won"  #: good news for its reader
    LOST = "lost"  #: bad news for its reader
    STATE = "state"  #: how things stand: a page with a board leaves it out
    HINT = "hint"  #: what may be typed: no page shows it
    SCORES = "scores"  #: each player's score so far, behind the name, as people count it
    FREE_TEXT = "free-text"  #: it quotes what another player typed, perhaps an order to its reader


@frozen
class Part:
    """A numbered part of a match, such as trick 5, of which a line tells."""

    unit: str  #: what it is, such as `trick`
    number: int  #: counted from 1

    def __str__(self) -> str:
        """Return what it is called, such as `trick 5`."""
        return f"{self.unit} {self.number}"

    @property
    def title(self) -> str:
        """What it is called at the beginning of a line, such as `Trick 5`."""
        return str(self).capitalize()


class MarkedLine(str):
    """A line with a mark, or with the part of the match that it begins, or with both."""

    __slots__ = ("mark", "part")
    mark: Mark | None  #: why it is marked
    part: Part | None  #: which it names first

    def __new__(cls, text: str, mark: Mark | None = None, part: Part | None = None) -> Self:
        """Create a line with a mark, a part, or both."""
        line = super().__new__(cls, text)
        line.mark, line.part = mark, part
        return line


def reword(line: str, text: str) -> str:
    """Return another text in place of a line, with the same mark and part."""
    return MarkedLine(text, line.mark, line.part) if isinstance(line, MarkedLine) else text


def find_part(line: str) -> Part | None:
    """Return the part of the match that a line begins, if it names one."""
    return line.part if isinstance(line, MarkedLine) else None


def is_marked(line: str, *marks: Mark) -> bool:
    """Whether a line has one of these marks."""
    return isinstance(line, MarkedLine) and line.mark in marks


@frozen
class PrivateEvent:
    """For spectators: an event that only one seat was told."""

    seat: Seat  #: who was told
    event: Any  #: of what


@frozen
class AnswerEvent:
    """The answer of a seat, for itself and for spectators."""

    seat: Seat  #: who answered
    question: Question[Any]  #: what was asked
    answer: Any  #: what the answer was


class Narrator:
    """A codec for a person: sentences on what happens, questions, and answers as they are typed.

    This one serves every game, by the names of classes and fields. A game has its own, which
    overrides `describe`, and the other methods where it has better words.
    """

    silent: ClassVar[tuple[type, ...]] = ()  #: events that players need not read of
    stepwise: bool = False  #: whether its reader goes through a replay, card by card
    seat: Seat | None  #: of the reader; None: a spectator
    phrases: Phrases  #: about the players, which call the reader `you`

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self.seat, self.phrases = seat, Phrases(names, seat)

    def describe(self, message: Any) -> Iterable[str]:
        """Return the sentences on an event, or for a question."""
        match message:
            case Greeting():
                return []
            case PrivateEvent(seat, event):
                name = self.phrases.name(seat)
                return [f"({name} is told: {line})" for line in self.describe(event)]
            case AnswerEvent(seat, question, answer):
                return [f"{self.phrases.clause('answer', seat)}: {self.say(question, answer)}"]
        return [self._describe_plainly(message)]

    def _describe_plainly(self, message: Any) -> str:
        """Describe an event or a question by its class and its fields, with players by their names.

        >>> Narrator(None, ["Ann", "Bob"])._describe_plainly(PrivateEvent(1, "card"))
        'PrivateEvent: Bob, event card'
        """
        shown = []
        for field in list_fields(message):
            value = getattr(message, field.name)
            if holds_seats(field):
                named = self._name_seats(value)
                is_subject = field.name in SUBJECTS
                shown.append(named if is_subject else f"{field.name.replace('_', ' ')} {named}")
            else:
                shown.append(f"{field.name.replace('_', ' ')} {format_value(value)}")
        return " ".join([f"{type(message).__name__}:", ", ".join(shown)]).rstrip(": ")

    def _name_seats(self, value: Any) -> str:
        """Return the names of a player or of several; of anything else its text."""
        seats = value if isinstance(value, tuple) else (value,)
        if not all(isinstance(seat, int) and 0 <= seat < len(self.phrases.names) for seat in seats):
            return format_value(value)
        return self.phrases.join(seats) or "nobody"

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""
        return [*map(begin_sentence, self._describe(event))]  # at once, as things stand now

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question, and a hint what may be typed.

        The last line with a question mark, see `find_title`, is the question's title on pages.
        """
        hint = self.hint(question)
        marked = [MarkedLine(f"  ({hint})", Mark.HINT)] if hint else []
        return [*map(begin_sentence, self._describe(question)), *marked]

    def _describe(self, message: Any) -> Iterable[str]:
        """Return the sentences on a message; raise GameError for one that is not in a list."""
        return list_lines(self, "describe", self.describe(message), "sentences")

    def withdraw(self, question: Question[Any]) -> Iterable[str]:
        """Return the sentence that somebody else's answer was first."""
        return ["  Too late: somebody else was first."]

    def hint(self, question: Question[Any]) -> str:
        """Return a hint to the answers that may be typed, or nothing where they are clear."""
        return describe_options(question.options, lambda option: self.spell(question, option)[0])

    def spell(self, question: Question[Any], option: Any) -> Sequence[str]:
        """Return the words that may be typed for an option; the first is the one that is shown.

        Any case will do, and the beginning of a word where that is unambiguous.
        """
        if isinstance(question.options, OneSeat):
            return self.phrases.names[option], str(option)
        return (format_value(option),)

    def explain(self, question: Question[Any], option: Any) -> str:
        """Explain an option to people who do not know the game, or return nothing.

        Pages show it below the option, so it is a few words: "take the trick: -13 points".
        """
        return ""

    def find_target(self, question: Question[Any], option: Any) -> Seat | None:
        """Return the player to whom an option does something, whose name ends its words.

        Pages say once what options do that differ in the player only, and then name the players.
        """
        return None

    def submit(self, question: Question[Any], cards: int) -> str:
        """Return the label of the button that gives an answer of so many cards.

        For a question whose options are a `SomeOf`; `Lay 2 cards as twos`.
        """
        return f"Choose {cards}"

    def reveal(self, seat: Seat, question: Question[Any], answer: Any) -> str:
        """Return the truth that a seat could not see when it answered, once the match is over.

        Or the subject of the answer: in sentences that call the seat `you`, or nothing; marked as
        good or bad news where that proves the answer right or wrong. This narrator was told
        everything up to the answer, as one is for who watches and may see everything.
        """
        return ""

    def read(self, question: Question[Any], line: str) -> object:
        """Return the answer in a typed line, or raise MalformedLineError."""
        match question.options:
            case OneOf() as options:
                return self._find_option(question, options, line)
            case SomeOf(cards):
                words = line.replace(",", " ").split()
                return tuple(self._find_option(question, cards, word) for word in words)
            case Between() as numbers:
                try:
                    return int(line)
                except ValueError:
                    raise MalformedLineError(f"{abbreviate(line)} is not {numbers}") from None
        return line

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as it is typed."""
        match question.options:
            case OneOf():
                return self.spell(question, answer)[0]
            case SomeOf():
                return " ".join(self.spell(question, card)[0] for card in answer)
        return format_value(answer)

    def find_forced_answer(self, question: Question[Any]) -> object | None:
        """Return the answer where a person has nothing to decide, so that nobody is asked."""
        return None

    def list_standing_answers(self, question: Question[Any]) -> Mapping[str, Any]:
        """Return the answers that a person may let stand for later questions, by their labels.

        One that a person lets stand is given as long as its label is listed. Where its answer is
        None, the person is asked, and it stands on; where it is not listed, it ends.
        """
        return {}

    def list_closed_answers(self, question: Question[Any]) -> Mapping[str, str]:
        """Return why answers are not allowed now that often are, in a few words, by their labels.

        Pages show them beside the answers that may be chosen: `{"attack": "needs 7 coins"}`.
        """
        return {}

    def _find_option(self, question: Question[Any], options: Sequence[Any], typed: str) -> Any:
        """Return the option that was typed as a whole, or the only one that begins so."""
        spelled = [
            (place, option, normalize(word))
            for option in options
            for place, word in enumerate(self.spell(question, option))
        ]
        start = normalize(typed)
        whole = [(place, option) for place, option, word in spelled if word == start]
        if whole:
            return min(whole, key=lambda found: found[0])[1]
        begun = [
            option
            for place, option, word in spelled
            if place == 0 and start[:1].isalpha() and word.startswith(start)
        ]
        if len(begun) == 1:
            return begun[0]
        able = ", ".join(self.spell(question, option)[0] for option in begun or options)
        problem = "could be any of" if begun else "is not one of"
        raise MalformedLineError(f"{abbreviate(typed)} {problem}: {able}")


IGNORED_CHARACTERS = str.maketrans({"\N{VARIATION SELECTOR-16}": "", ",": " "})


def normalize(typed: str) -> str:
    """Return typed words for comparison: commas are blanks, as between the parts of an option.

    Some keyboards append a variation selector to symbols.
    """
    return fold_spelling(typed.translate(IGNORED_CHARACTERS))


def fold_spelling(spelling: str) -> str:
    """Return a spelling for comparison with others, in whatever case and with whatever blanks.

    >>> fold_spelling(" Queen  of Spades")
    'queen of spades'
    """
    return " ".join(spelling.split()).casefold()


SUBJECTS = ("seat", "player")  # names of fields that say who did something


def list_fields(message: Any) -> list[Attribute[Any]]:
    """Return the fields of an event or a question that say what it is about."""
    return [field for field in fields(type(message)) if field.name not in ("options", "default")]


def holds_seats(field: Attribute[Any]) -> bool:
    """Return whether a field of a message says whom it is about."""
    return "Seat" in str(field.type) or field.name in SUBJECTS


def describe_plainly(message: Any) -> str:
    """Describe an event or a question by its class and its fields, as tests show it."""
    shown = [f"{field.name} {getattr(message, field.name)!r}" for field in list_fields(message)]
    return " ".join([f"{type(message).__name__}:", ", ".join(shown)]).rstrip(": ")


def separate_headings(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines as a terminal shows them: with an empty one before each heading."""
    for line in lines:
        if is_marked(line, Mark.HEADING):
            yield ""
        yield line


def format_value(value: object) -> str:
    """Return a possible answer as text: yes or no for a bool, commas between several parts.

    >>> format_value(("gold", 2)), format_value((("AS", "2C"), True))
    ('gold, 2', 'AS 2C, yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        parts = (
            " ".join(map(format_value, part)) if isinstance(part, tuple) else format_value(part)
            for part in value
        )
        return ", ".join(parts)
    return str(value)


def describe_options(options: object, spell: Callable[[Any], str] = format_value) -> str:
    """Return a description of the answers that may be given, each spelled by a function."""
    match options:
        case OneOf():
            return " | ".join(map(spell, options))
        case SomeOf(cards):
            return f"{describe_sizes(options)} of: {' '.join(map(spell, cards))}"
        case Between():
            return str(options)
        case Text(pattern):
            return f"a text that matches {pattern}"
    return "see the rules"


def describe_sizes(options: SomeOf[Any]) -> str:
    """Describe the number of cards that may be chosen."""
    sizes = options.sizes
    return f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"


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
        """List the values of all players in seat order: `you 3, Ann 12`.

        A name that ends in a digit is parted from its value: `Easy 1: 3, you: 12`.
        """
        listed = [(self.name(seat), value) for seat, value in enumerate(values)]
        colon = ":" if any(name[-1:].isdigit() for name, _ in listed) else ""
        return ", ".join(f"{name}{colon} {value}" for name, value in listed)

    def mark_good(self, line: str, *seats: Seat) -> str:
        """Return a line that is good news for these players, and bad news for all others."""
        return self._mark(line, good=self.you in seats)

    def mark_bad(self, line: str, *seats: Seat) -> str:
        """Return a line that is bad news for these players, and good news for all others."""
        return self._mark(line, good=self.you not in seats)

    def _mark(self, line: str, *, good: bool) -> str:
        """Return a line with its mark; a spectator has no good or bad news."""
        if self.you is None:
            return line
        return MarkedLine(line, Mark.WON if good else Mark.LOST, find_part(line))


def add_ending(verb: str) -> str:
    """Return a regular verb in the third person.

    >>> add_ending("take"), add_ending("pass"), add_ending("play"), add_ending("carry")
    ('takes', 'passes', 'plays', 'carries')
    """
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}{'es' if verb.endswith(SIBILANTS) else 's'}"


def find_title(lines: Sequence[str]) -> int | None:
    """Return the place of the title among the lines on a question; None if there is none.

    >>> find_title(["Your hand: 1 2", "Do you call?", MarkedLine("(? for help)", Mark.HINT)])
    1
    """
    places = [at for at, line in enumerate(lines) if "?" in line and not is_marked(line, Mark.HINT)]
    return places[-1] if places else None


def begin_sentence(text: str) -> str:
    """Return a sentence with a capital letter if it begins with `you` or `your`.

    Names of players stay as they are: they may begin with a small letter.

    >>> begin_sentence("you bid the king."), begin_sentence("ann bids the king.")
    ('You bid the king.', 'ann bids the king.')
    """
    is_you = text.startswith((f"{YOU} ", f"{YOU},", f"{YOU}r "))
    return reword(text, f"Y{text[1:]}") if is_you else text
