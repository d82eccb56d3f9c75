"""The protocol between server and pages: each event that a page receives, with its fields.

| stream | its events, in the order in which they come |
| --- | --- |
| of a match, for a seat or for all who watch | `now`, `match`, `steps`, `no`, `out`, `end` |
| the states of a match, which replace each other | `present`, `again` |
| of a waiting room | `now`, `present`, `moved` |
| of a tournament | `hello`, `changed`, and those of a match that is watched there, or `gone` |
| of a submission to a hill | `state`, which has the fields of its `SubmissionStatus` |
| all | `bye`, if the server stops |

A message has the name of its event and its fields, which are sent as `json_format` says. In a
stream, one key has one meaning. Scripts read the JSON; agents, who follow the same feeds, are shown
the messages. What a page sends is read in `arena_web.play.pages.seat`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar, Literal, Protocol

from attrs import field, frozen

from arena import Zone
from arena.records import MatchStep
from arena_web.protocol.json_format import INLINE, OPTIONAL


class Message(Protocol):
    """An event of a stream, whose data are its fields."""

    @property
    def event(self) -> str:
        """The name of the event."""


@frozen
class Arrival:
    """Where a stream begins: what came up to this frame is no news to a page that arrives now."""

    event: ClassVar = "now"
    at: float  #: the server's time, in seconds, for clocks
    frame: int  #: the number of the latest frame
    feed: str  #: whose frames these are: a page that knows those of another feed begins anew


@frozen
class Introduction:
    """The match that is shown."""

    event: ClassVar = "match"
    key: str
    game: str  #: its name in the registry
    names: Sequence[str]  #: of the players, by their seats
    variant: Mapping[str, Any]
    seat: int | None = None  #: of the reader; None for spectators
    clock: float | None = None  #: the seconds that a person has for each answer; None: no limit


@frozen
class Choice:
    """An answer that can be chosen, or a card of an answer of several."""

    value: Any
    label: str  #: what people call it
    about: str = field(default="", metadata=OPTIONAL)  #: its explanation
    #: whether it is a card of the own hand, and is chosen there
    is_held: bool = field(default=False, metadata=OPTIONAL)
    is_card: bool = field(default=False, metadata=OPTIONAL)  #: whether it is drawn as a card
    #: the player to whom it does something, of several of whom one is chosen
    target: str = field(default="", metadata=OPTIONAL)
    action: str = field(default="", metadata=OPTIONAL)  #: what it does to the target


@frozen
class ChoiceOptions:
    """One of these answers is chosen."""

    kind: Literal["choice"] = field(default="choice", init=False)
    choices: Sequence[Choice]


@frozen
class SelectionOptions:
    """Several of these cards are chosen."""

    kind: Literal["selection"] = field(default="selection", init=False)
    choices: Sequence[Choice]
    least: int
    most: int
    submits: Sequence[str]  #: what the button says that sends so many cards, from `least` on


@frozen
class NumberOptions:
    """A number is typed."""

    kind: Literal["number"] = field(default="number", init=False)
    min: int
    max: int
    step: int
    hint: str  #: which numbers are allowed, in words


@frozen
class TextOptions:
    """A text is typed."""

    kind: Literal["text"] = field(default="text", init=False)
    pattern: str
    hint: str  #: what is allowed, in words


@frozen
class LineOptions:
    """Any line is typed, as in a terminal."""

    kind: Literal["line"] = field(default="line", init=False)


AnswerOptions = ChoiceOptions | SelectionOptions | NumberOptions | TextOptions | LineOptions
"""The answers to a question."""


@frozen
class QuestionForm:
    """A question as a page shows it."""

    n: int  #: its number at this seat, with which it is answered
    title: str
    options: AnswerOptions
    standing_answers: Sequence[str]  #: the labels of those that may stand for later questions, too
    closed_answers: Mapping[str, str]  #: why an answer cannot be chosen now, by its label
    default: Any  #: the answer that counts when the time runs out; None for none
    guide: str  #: the tip of the game for a beginner; empty for none
    allowed: float | None  #: the seconds for an answer; None: no limit
    at: float  #: the server's time, in seconds, when it was asked

    @property
    def choices(self) -> Sequence[Choice]:
        """The answers, or the cards of an answer, of which the person chooses."""
        match self.options:
            case ChoiceOptions(choices) | SelectionOptions(choices):
                return choices
        return ()


@frozen
class SeatStep:
    """A step of a match as a page of a seat gets it: what happened, and how the seat stands now."""

    #: whose keys are `l`, `t`, `z`, `s`, `bad` and `turn`
    shown: MatchStep | None = field(default=None, metadata=INLINE)
    #: the question that is open from here on
    ask: QuestionForm | None = field(default=None, metadata=OPTIONAL)
    #: the label of the answer that is given unasked; empty: none is
    standing: str | None = field(default=None, metadata=OPTIONAL)
    #: the number of the question that is answered or withdrawn
    closed_question: int | None = field(default=None, metadata=OPTIONAL)
    #: whether the person has left, so that nothing is asked any more
    left: bool = field(default=False, metadata=OPTIONAL)


@frozen
class Steps:
    """Steps that come together."""

    event: ClassVar = "steps"
    steps: Sequence[MatchStep | SeatStep] = field(metadata=INLINE)


@frozen
class Refusal:
    """Why an answer is not allowed; its question is still open."""

    event: ClassVar = "no"
    n: int  #: the number of the question
    why: str


@frozen
class RematchNews:
    """Who wants to play again, or has begun to."""

    event: ClassVar = "again"
    said: str
    #: of the next table for who is not a player there, to watch it
    address: str | None = field(default=None, metadata=OPTIONAL)


@frozen
class TableMoved:
    """Other people sit down, or the match begins: a page loads again."""

    event: ClassVar = "moved"


@frozen
class TableGone:
    """The match that was watched is no longer shown."""

    event: ClassVar = "gone"


@frozen
class ServerStops:
    """The server stops, so that the stream ends; a browser comes again."""

    event: ClassVar = "bye"


@frozen
class ServerGreeting:
    """Which server the stream of a tournament comes from."""

    event: ClassVar = "hello"
    server: str  #: another one after each start: then pages are loaded anew


@frozen
class TournamentChange:
    """Pages of a tournament show something new."""

    event: ClassVar = "changed"
    matches: int  #: that are stored
    figures: int  #: the matches that the figures of its pages count


@frozen
class PresenceReport:
    """What a person or a spectator is told of the others at a table."""

    event: ClassVar = "present"
    said: str  #: who is here, or what the reader waits for, in words
    presence: Mapping[str, str]  #: whether each of the others is here, by name
    late: Sequence[str]  #: the names of those who have never been here
    away: Sequence[str]  #: the names of those who have gone
    absent: Sequence[tuple[str, str]] = ()  #: who need not be waited for, and what comes of it


@frozen
class SeatLost:
    """What a person is told whose seat is lost."""

    event: ClassVar = "out"
    kind: str  #: of the verdict
    why: str
    then: str  #: who plays on, if anybody does
    zones: Mapping[str, Any]  #: of the board, as spectators see it from then on


class SeatOutcome(StrEnum):
    """How a match came out for a seat."""

    WON = "won"
    TIED = "tied"  #: it shares the first place with another side
    LOST = "lost"


@frozen
class PlayerResult:
    """A row in the table of a match's results."""

    place: int
    name: str
    score: float | None  #: None where it does not count, for the sake of a verdict
    count: str  #: what the game counts of the score, in words
    verdict: str  #: its kind; empty for none
    seat: int
    you: bool  #: whether the reader is this player
    #: that the player took; None where nobody may take any
    hints: int | None = field(default=None, metadata=OPTIONAL)
    #: the count over several matches of these players, if there were any
    total: str | None = field(default=None, metadata=OPTIONAL)


@frozen
class MatchEnd:
    """How a match ended, as a player or a spectator is told."""

    event: ClassVar = "end"
    end: str  #: its kind
    said: str  #: who won, in a sentence
    outcome: SeatOutcome | None = None  #: for the reader, who is a player
    rows: Sequence[PlayerResult] = ()  #: the best first
    #: what else is told where people play
    table: TableEnd | None = field(default=None, metadata=INLINE)


@frozen(kw_only=True)
class TableEnd:
    """What people are told at the end of a match besides its results."""

    more: bool  #: whether more is told, as `present` and `again`: there were several people
    next_label: str  #: what the button for the next deal is called, if that is not its usual name
    #: of the reader against these opponents; None for spectators
    record: str | None = field(default=None, metadata=OPTIONAL)
    #: the matches over which the totals of the rows are counted, if any
    counted_over: str = field(default="", metadata=OPTIONAL)
    hands: Mapping[str, Zone]  #: at the end, by their zones
