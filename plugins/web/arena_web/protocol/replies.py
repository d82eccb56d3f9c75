"""What the server replies to scripts of pages besides streams.

| asked for | reply |
| --- | --- |
| the steps of a match | `ReplaySteps` |
| what plugins say of it | `MatchNotes` |
| what decided it | `MatchReview` |
| a hint for the open question | `HintReply` |
| how far the preparation of a bot is | `PreparationProgress` |
| the match that the live page shows next | `FeaturedMatch` or `NoFeaturedMatch` |
| a match of each game, by its name | `SampleMatch` |

The fields of a reply are sent as `json_format` says. `messages` has the events of streams.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from attrs import field, frozen

from arena import Hint, HintSource
from arena.records import MatchStep
from arena.wires import to_printable
from arena_web.protocol.json_format import INLINE, OPTIONAL


@frozen
class Eye:
    """An eye through which a match can be seen; the page of a replay holds a list of them."""

    key: str  #: `all`, `public`, or the number of a seat
    name: str  #: of the player in the seat; else what is seen


@frozen
class ReplayStep:
    """A step of a replay, with what is known once the match is over."""

    shown: MatchStep = field(metadata=INLINE)
    number: int  #: which is the same through each eye
    #: where the match is from here on, such as `Deal 2, trick 5`; empty where it was before
    place: str = field(default="", metadata=OPTIONAL)
    #: of a turning point: the points that its round moved
    weight: float | None = field(default=None, metadata=OPTIONAL)


@frozen
class ReplaySteps:
    """A match as one perspective sees it."""

    names: Sequence[str]  #: of the players, by their seats
    steps: Sequence[ReplayStep]


@frozen
class StoredReplay:
    """A replay on a site of files: all that a server would reply for it."""

    eyes: Sequence[Eye]
    steps: Mapping[str, Sequence[ReplayStep]]  #: by the keys of the eyes


@frozen
class SampleMatch:
    """The beginning of a match between bundled bots, of which all is shown."""

    names: Sequence[str]  #: of the players, by their seats
    steps: Sequence[ReplayStep]
    picture: int  #: the index of the step at which most cards lie on the table


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
    #: who has done what is said, if it is somebody
    seat: int | None = field(default=None, metadata=OPTIONAL)
    #: what seat 0 could expect from there on
    figure: float | None = field(default=None, metadata=OPTIONAL)
    #: whose lead the figure is, if not that of seat 0
    of: int | None = field(default=None, metadata=OPTIONAL)
    #: where an explorer shows more of it
    query: Mapping[str, str] | None = field(default=None, metadata=OPTIONAL)
    #: of the answer of `seat`, where it is known
    cost: NotedCost | None = field(default=None, metadata=OPTIONAL)
    #: whether it is said of the match as a whole
    whole: bool = field(default=False, metadata=OPTIONAL)


@frozen
class MatchNotes:
    """What plugins say of a match."""

    notes: Sequence[Note]


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

    kind: Literal["given"] = field(default="given", init=False)
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


@frozen
class NoHint:
    """That no source knows the position."""

    kind: Literal["none"] = field(default="none", init=False)
    why: str


@frozen
class HintReply:
    """A hint for a question, or why there is none."""

    n: int  #: the number of the question
    hint: GivenHint | NoHint = field(metadata=INLINE)


@frozen
class PreparationProgress:
    """How far the preparation of a bot is."""

    share: float  #: from 0 to 1
    over: bool


@frozen
class FeaturedMatch:
    """A match that the live page shows."""

    kind: Literal["live", "replay"]
    key: str
    names: Sequence[str]  #: of its players, as people read them


@frozen
class NoFeaturedMatch:
    """That there is no match to show."""

    kind: Literal["none"] = field(default="none", init=False)
