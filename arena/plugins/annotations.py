"""Annotations of matches and explorers of games, from plugins that analyse a game.

Pages show both; the arena itself knows of neither more than its shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import Factory, field, frozen

from arena.rules import Seat

NOTICEABLE_POINTS = 0.005  # points that are written as more than 0.00


@frozen
class AnswerCost:
    """What an answer cost in expectation, against the best answer to the same question."""

    amount: float  #: in the game's points; 0 for a best answer
    answer: str  #: what was answered to what, such as "7 for the 12"
    best: str  #: what a best player answers

    @property
    def is_best(self) -> bool:
        """Whether no answer was better by a hundredth of a point."""
        return self.amount < NOTICEABLE_POINTS


@frozen
class Annotation:
    """A remark about a moment of a finished match.

    Notes of a seat are marked on the line of time, and figures make a curve. What is said of the
    first line is said of the match as a whole.
    """

    line: int  #: of the transcript, counted from 1, with which the moment is there
    text: str = ""  #: what is said
    seat: Seat | None = None  #: who has done what is said, if it is somebody
    figure: float | None = None  #: what seat 0 could expect from there on
    query: Mapping[str, str] | None = None  #: where a walk through the game shows more of it
    cost: AnswerCost | None = None  #: of the answer of `seat`, where it is known


@frozen
class ShareBar:
    """A choice with its share, from 0 to 1, and a remark."""

    label: str  #: of the choice
    share: float  #: from 0 to 1
    text: str = ""  #: behind the bar
    query: Mapping[str, str] | None = None  #: where it leads, if it leads somewhere


@frozen
class ShareChart:
    """Bars under a heading."""

    title: str  #: above the bars
    bars: Sequence[ShareBar]  #: from top to bottom


@frozen(kw_only=True)
class ExplorerPage:
    """A page of an explorer."""

    words: Sequence[str] = ()  #: what there is to see here
    fields: Mapping[str, str] = Factory(dict)  #: what may be asked for: name, and value here
    charts: Sequence[ShareChart] = ()  #: beside each other
    steps: Mapping[str, Mapping[str, str]] = Factory(dict)  #: other pages: label, and query


@frozen
class Explorer:
    """An explorer of a solved game: a function from a query, empty at first, to a page.

    `look` raises UserError for what there is not.
    """

    game: str  #: its name
    title: str  #: of its pages
    find_page: Callable[[Mapping[str, str]], ExplorerPage] = field(
        eq=False
    )  #: from a query to a page
