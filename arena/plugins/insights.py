"""Playing style: what a game observes in recorded matches, as counts that add up.

A statistic is a mean of observations, as a whole or by one or two labels. So all that has to be
kept of a match is, for each statistic and label, how many observations there were and what they
come to: matches are added one by one, in any order, and never read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attrs import define, field, frozen

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
    many: int = 1  #: observations of which `value` is the sum


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


@define
class _QuestionTotals:
    """What one player was asked by one kind of question, and answered itself."""

    listed: int = 0  #: questions whose choices are listed
    choices: int = 0
    answers: int = 0
    seconds: float = 0.0


def observe_generally(lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the observations of a match of any game: length, choices, answers and times."""
    seats = range(len(lines[0]["seats"]))
    totals: list[dict[str, _QuestionTotals]] = [{} for _ in seats]
    asked: dict[Seat, _QuestionTotals] = {}
    for line in lines:
        if "question" in line:
            question, seat = line["question"], line["to"]
            total = asked[seat] = totals[seat].setdefault(question["ask"], _QuestionTotals())
            if (choices := question["options"].get("one_of")) is not None:
                total.listed += 1
                total.choices += len(choices)
        elif "answer" in line and not line["fallback"]:
            total = asked[line["from"]]
            total.answers += 1
            total.seconds += line["seconds"]
    rounds = [line["outcome"]["rounds"] for line in lines[-1:] if "outcome" in line]
    for seat in seats:
        yield from (Observation(seat, "length", many) for many in rounds)
        yield from _sum_questions(seat, totals[seat])


def _sum_questions(seat: Seat, totals: Mapping[str, _QuestionTotals]) -> Iterator[Observation]:
    """Yield the observations of one player, those that are alike together."""
    answers = sum(total.answers for total in totals.values())
    seconds = sum(total.seconds for total in totals.values())
    yield Observation(seat, "answers", answers)
    if answers:
        yield Observation(seat, "seconds", seconds, many=answers)
    for kind, total in totals.items():
        if total.listed:
            yield Observation(seat, "options", total.choices, kind, many=total.listed)
        if total.answers:
            yield Observation(seat, "kinds", total.answers, kind)
            yield Observation(seat, "times", total.seconds, kind, many=total.answers)


GENERAL_INSIGHTS = Insights(GENERAL_STATISTICS, observe_generally)
"""What is observed in matches of every game."""
