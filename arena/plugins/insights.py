"""Playing style: what a game observes in recorded matches, as counts that add up.

A statistic is a mean of observations, as a whole or by one or two labels. So all that has to be
kept of a match is, for each statistic and label, how many observations there were and what they
come to: matches are added one by one, in any order, and never read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attrs import field, frozen

from arena.rules import Seat

Label = str | int
"""Where an observation stands on an axis: numbers are sorted as such, before words."""

PERCENT = "%"
"""The unit of statistics whose observations are 0 or 1."""


@frozen
class Statistic:
    """A mean of observations: a figure, or with labels a plot.

    Without axes it is one figure. With `across` it is a bar for each label. With `across` and
    `up` it is a heat map: how the labels `up` are shared out for each label `across`; what the
    observations come to does not matter then, only how many there are.
    """

    key: str  #: by which observations name it
    title: str  #: what is shown
    unit: str = ""  #: of the mean, such as `cards`; `%` for a share
    across: str = ""  #: what the labels of the first axis are
    up: str = ""  #: what the labels of the second axis are

    @property
    def is_figure(self) -> bool:
        """Whether it is a single figure."""
        return not self.across

    @property
    def is_map(self) -> bool:
        """Whether it is a heat map."""
        return bool(self.across and self.up)


class Observation(NamedTuple):
    """One observation of a match, about the player in a seat."""

    seat: Seat  #: who is observed
    key: str  #: of the statistic
    value: float = 1.0  #: 0 or 1 for a share
    x: Label = ""  #: on the first axis, if the statistic has one
    y: Label = ""  #: on the second axis, if the statistic has one


Observer = Callable[[Sequence[Mapping[str, Any]]], Iterable[Observation]]


@frozen
class Insights:
    """The statistics of a game, and the function that observes them in a recorded match.

    `observe` gets the lines of a transcript as JSON: the header, then what happened, in order. An
    answer with `fallback` was given by the fallback bot, which says nothing about the player.
    """

    statistics: Sequence[Statistic]  #: in the order in which they are shown
    observe: Observer = field(eq=False)  #: from the lines of a transcript
    game: str = ""  #: its name; none: for every game
    version: int = 1  #: raise it when `observe` changes, so that matches are observed anew


GENERAL_STATISTICS = (
    Statistic("length", "Length of a match", "rounds"),
    Statistic("answers", "Answers in a match", "answers"),
    Statistic("seconds", "Time for an answer", "s"),
    Statistic("options", "Choices in a question", "choices", across="question"),
    Statistic("kinds", "Answers in a match, by question", "answers", across="question"),
    Statistic("times", "Time for an answer, by question", "s", across="question"),
)


def observe_generally(lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the observations of a match of any game: length, choices, answers and times."""
    seats = range(len(lines[0]["seats"]))
    asked: dict[Seat, str] = {}
    answered: list[dict[str, int]] = [{} for _ in seats]
    for line in lines[1:]:
        if question := line.get("question"):
            asked[line["to"]] = question["ask"]
            choices = question["options"].get("one_of")
            if choices is not None:
                yield Observation(line["to"], "options", len(choices), question["ask"])
        elif "answer" in line and not line["fallback"]:
            seat = line["from"]
            kind, counts = asked[seat], answered[seat]
            counts[kind] = counts.get(kind, 0) + 1
            yield Observation(seat, "seconds", line["seconds"])
            yield Observation(seat, "times", line["seconds"], kind)
        elif outcome := line.get("outcome"):
            yield from (Observation(seat, "length", outcome["rounds"]) for seat in seats)
    for seat, counts in enumerate(answered):
        yield Observation(seat, "answers", sum(counts.values()))
        yield from (Observation(seat, "kinds", many, kind) for kind, many in counts.items())


GENERAL_INSIGHTS = Insights(GENERAL_STATISTICS, observe_generally)
"""What is observed in matches of every game."""
