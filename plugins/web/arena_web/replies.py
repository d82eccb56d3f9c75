"""What the server replies to scripts of pages besides streams, as JSON with the fields of classes.

| asked for | reply |
| --- | --- |
| the steps of a match | `ReplaySteps` |
| what plugins say of it | `MatchNotes` |
| what decided it | `MatchReview` |
| a hint for the open question | `HintReply` |
| how far the preparation of a bot is | `PreparationProgress` |
| the match that the live page shows next | `FeaturedMatch` |
| a match of each game, by its name | `SampleMatch` |

`arena_web.messages` has the events of streams.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import Attribute, asdict, frozen

from arena import Hint, HintSource
from arena.records import MatchStep
from arena.wires import to_printable


def _differs_from_default(field: Attribute[Any], value: Any) -> bool:
    return bool(value != field.default)


@frozen
class Eye:
    """An eye through which a match can be seen; the page of a replay holds a list of them."""

    key: str  #: `all`, `public`, or the number of a seat
    name: str  #: of the player in the seat; else what is seen

    @property
    def json(self) -> dict[str, Any]:
        """The eye as pages read it."""
        return asdict(self)


@frozen
class ReplayStep:
    """A step of a replay, with what is known once the match is over."""

    shown: MatchStep
    weight: float | None = None  #: of a turning point: the points that its round moved

    @property
    def json(self) -> dict[str, Any]:
        """The step as pages read it."""
        weight = {} if self.weight is None else {"weight": self.weight}
        return {**self.shown.json, **weight}


@frozen
class ReplaySteps:
    """A match as one perspective sees it."""

    names: Sequence[str]  #: of the players, by their seats
    steps: Sequence[ReplayStep]

    @property
    def json(self) -> dict[str, Any]:
        """The reply as pages read it."""
        return {"names": self.names, "steps": [step.json for step in self.steps]}


@frozen
class StoredReplay:
    """A replay on a site of files: all that a server would reply for it."""

    eyes: Sequence[Eye]
    steps: Mapping[str, Sequence[ReplayStep]]  #: by the keys of the eyes

    @property
    def json(self) -> dict[str, Any]:
        """The replay as pages read it."""
        steps = {key: [step.json for step in steps] for key, steps in self.steps.items()}
        return {"eyes": [eye.json for eye in self.eyes], "steps": steps}


@frozen
class SampleMatch:
    """The beginning of a match between bundled bots, of which all is shown."""

    names: Sequence[str]  #: of the players, by their seats
    steps: Sequence[ReplayStep]
    picture: int  #: the index of the step at which most cards lie on the table

    @property
    def json(self) -> dict[str, Any]:
        """The match as pages read it."""
        steps = [step.json for step in self.steps]
        return {"names": self.names, "steps": steps, "picture": self.picture}


@frozen
class NotedCost:
    """What an answer cost in expectation."""

    amount: float  #: in the game's points; 0 for a best answer
    answer: str  #: what was answered to what
    best: str  #: what a best player answers
    is_best: bool  #: whether no answer was noticeably better


@frozen
class Note:
    """What a plugin says of a line of a transcript."""

    line: int
    text: str
    seat: int | None = None  #: who has done what is said, if it is somebody
    figure: float | None = None  #: what seat 0 could expect from there on
    of: int | None = None  #: whose lead the figure is, if not that of seat 0
    query: Mapping[str, str] | None = None  #: where an explorer shows more of it
    cost: NotedCost | None = None  #: of the answer of `seat`, where it is known
    whole: bool = False  #: whether it is said of the match as a whole

    @property
    def json(self) -> dict[str, Any]:
        """The note as pages read it, without what is not so."""
        return asdict(self, filter=_differs_from_default)


@frozen
class MatchNotes:
    """What plugins say of a match."""

    notes: Sequence[Note]

    @property
    def json(self) -> dict[str, Any]:
        """The reply as pages read it."""
        return {"notes": [note.json for note in self.notes]}


@frozen
class ReviewMoment:
    """A moment that decided a match, in words."""

    line: int  #: of the transcript, to which it leads
    title: str
    words: str  #: what happened; may be empty
    better: str  #: what would have been better; may be empty


@frozen
class MatchReview:
    """What a page says of a match, as one seat sees it."""

    title: str
    summary: str  #: what the moments are; empty: there is nothing to say
    method: str  #: what their figures are; empty where there are none
    moments: Sequence[ReviewMoment]  #: the first is told first

    @property
    def json(self) -> dict[str, Any]:
        """The reply as pages read it."""
        return asdict(self)


@frozen
class GivenAnswer:
    """An answer of a hint, as a page shows it."""

    answer: Any  #: the value that the page would send
    label: str  #: the answer in the words of the game
    share: float  #: how often to give it, from 0 to 1
    text: str  #: what is then to be expected; may be empty


@frozen
class GivenHint:
    """A hint as a page shows it."""

    source: str  #: who gives it
    text: str
    answers: Sequence[GivenAnswer]

    @classmethod
    def of(cls, source: HintSource, hint: Hint, say: Callable[[Any], str]) -> GivenHint:
        """Return a hint of a source, with its answers in the words of the game."""
        answers = [
            GivenAnswer(
                candidate.answer,
                to_printable(say(candidate.answer)),
                min(1.0, max(0.0, candidate.share)),
                to_printable(candidate.text),
            )
            for candidate in hint.answers
        ]
        return cls(to_printable(hint.source or source.title), to_printable(hint.text), answers)

    @property
    def json(self) -> dict[str, Any]:
        """The hint as pages read it."""
        return asdict(self)


@frozen
class NoHint:
    """That no source knows the position."""

    none: str  #: why

    @property
    def json(self) -> dict[str, Any]:
        """The reason as pages read it."""
        return {"none": self.none}


@frozen
class HintReply:
    """A hint for a question, or why there is none."""

    n: int  #: the number of the question
    hint: GivenHint | NoHint

    @property
    def json(self) -> dict[str, Any]:
        """The reply as pages read it."""
        return {"n": self.n, **self.hint.json}


@frozen
class PreparationProgress:
    """How far the preparation of a bot is."""

    share: float  #: from 0 to 1
    over: bool

    @property
    def json(self) -> dict[str, Any]:
        """The reply as pages read it."""
        return asdict(self)


@frozen
class FeaturedMatch:
    """A match that the live page shows."""

    kind: str  #: `live` or `replay`; `none` if there is no match
    key: str = ""
    names: Sequence[str] = ()  #: of its players, as people read them

    @property
    def json(self) -> dict[str, Any]:
        """The reply as pages read it."""
        return asdict(self, filter=_differs_from_default)
