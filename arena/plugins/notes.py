"""What a plugin that knows a game well has to say of it: notes on matches, and walks to study.

Pages show both; the arena itself knows of neither more than its shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import Factory, field, frozen

from arena.rules import Seat


@frozen
class Note:
    """Something to say of a moment of a match that is over.

    `line` is that of the transcript, counted from 1, with which the moment is there. With a
    `seat` it is of what that seat did, and marked as a thing to look at; `figure` is what seat 0
    could expect from there on, of which a page makes a curve.
    """

    line: int
    text: str = ""
    seat: Seat | None = None
    figure: float | None = None


@frozen
class Bar:
    """A choice, how often it is taken, from 0 to 1, and what is said of it."""

    label: str
    share: float
    text: str = ""
    query: Mapping[str, str] | None = None  #: where it leads, if it leads somewhere


@frozen
class Chart:
    """Bars under a heading."""

    title: str
    bars: Sequence[Bar]


@frozen(kw_only=True)
class Study:
    """A page of a walk through what is known of a game."""

    words: Sequence[str] = ()  #: what there is to see here
    fields: Mapping[str, str] = Factory(dict)  #: what may be asked for: name, and value here
    charts: Sequence[Chart] = ()
    steps: Mapping[str, Mapping[str, str]] = Factory(dict)  #: other pages: label, and query


@frozen
class Walk:
    """A walk through what is known of a game: from a query, which is empty at first, to a page.

    `look` raises UserError for what there is not.
    """

    game: str
    title: str
    look: Callable[[Mapping[str, str]], Study] = field(eq=False)
