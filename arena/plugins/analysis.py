"""What plugins say about matches: annotations, hints and playing styles.

Annotations describe matches, explorers describe games; both come from plugins that analyse a game.
Pages show them; the arena itself knows only their form.

A hint is computed from an information state: what one seat may know, and nothing else. So no hint
can give away what is hidden, however it is computed.

Playing style is what a game observes in recorded matches. A statistic is a mean of observations,
overall or by one or two labels. So for each statistic and label, only the number and the sum of a
match's observations have to be kept: matches are added one by one, in any order, and never read
twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple, Protocol, runtime_checkable

from attrs import Factory, define, field, frozen
from attrs.validators import in_

from arena.players import Bot
from arena.rules import Question, Seat
from arena.wires import Greeting

NOTICEABLE_POINTS = 0.005  # points that are written as more than 0.00


@frozen
class WinningChances:
    """How likely it is to win after an answer, and after a best one; a tie counts half."""

    before: float  #: after a best answer, from 0 to 1
    after: float  #: after the answer that was given
    best: str  #: what a best player answers who plays to win

    @property
    def lost(self) -> float:
        """By how much it became less likely."""
        return self.before - self.after


@frozen
class AnswerCost:
    """What an answer cost in expectation, against the best answer to the same question."""

    amount: float  #: in the game's points; 0 for a best answer
    answer: str  #: what was answered to what, such as "7 for the 12"
    best: str  #: what a best player answers
    chances: WinningChances | None = None  #: to win, where they are known: what counts in a review

    @property
    def is_best(self) -> bool:
        """Whether no answer was better by a hundredth of a point."""
        return self.amount < NOTICEABLE_POINTS


@frozen
class Annotation:
    """A remark about a moment of a finished match.

    Notes of a seat are marked on the line of time, and figures make a curve. What is said of the
    first line, of no seat and without a figure, is said of the match as a whole.
    """

    line: int  #: of the transcript, counted from 1, with which the moment is there
    text: str = ""  #: what is said
    seat: Seat | None = None  #: who has done what is said, if it is somebody
    figure: float | None = None  #: what seat 0 could expect from there on
    query: Mapping[str, str] | None = None  #: where a walk through the game shows more of it
    cost: AnswerCost | None = None  #: of the answer of `seat`, where it is known

    @property
    def is_on_match(self) -> bool:
        """Whether it is said of the match as a whole."""
        return self.line == 1 and self.seat is None and self.figure is None


@frozen
class ChoiceShare:
    """A choice, such as a card, with its share and what it is worth."""

    label: str  #: of the choice, such as the name of a card
    share: float | None = None  #: from 0 to 1, if it is drawn with a certain frequency
    text: str = ""  #: what it is worth
    query: Mapping[str, str] | None = None  #: where it leads, if it leads somewhere
    is_chosen: bool = False  #: by who looks at the page
    card: str = ""  #: as zones name it, such as `QS`, if it is drawn as a card


@frozen
class ShareChart:
    """Choices under a heading, drawn as cards with bars."""

    title: str  #: above the bars
    bars: Sequence[ChoiceShare]  #: from left to right
    note: str = ""  #: below the title: what the figures are


@frozen
class ExplorerField:
    """A field of the form in which a user asks for another position."""

    name: str  #: in the query
    label: str  #: beside the field
    value: str = ""  #: here
    choices: Mapping[str, str] = Factory(dict)  #: values and their labels, if one is chosen


@frozen
class MissingPage:
    """A page that an explorer cannot show yet."""

    note: str  #: which it is, and what it takes, without a full stop
    query: Mapping[str, str] = Factory(dict)  #: empty if the explorer cannot prepare it


@frozen(kw_only=True)
class ExplorerPage:
    """A page of an explorer."""

    words: Sequence[str] = ()  #: what there is to see here
    fields: Sequence[ExplorerField] = ()  #: of the form that asks for another position
    charts: Sequence[ShareChart] = ()  #: below each other
    steps: Mapping[str, Mapping[str, str]] = Factory(dict)  #: other pages: label, and query
    options: Sequence[ShareChart] = ()  #: above all: ways to begin, or to see this position
    path: Sequence[ChoiceShare] = ()  #: what led here, each with the query of the position before
    missing: Sequence[MissingPage] = ()  #: what one may ask for here and cannot be shown yet


@frozen
class Explorer:
    """An explorer of a solved game: a function from a query, empty at first, to a page.

    `find_page` raises UserError for what there is not.
    """

    game: str  #: its name
    title: str  #: of its pages
    #: from a query to a page
    find_page: Callable[[Mapping[str, str]], ExplorerPage] = field(eq=False)
    #: from the options of a match to the query of its start; empty where that is not solved
    find_start: Callable[[Any], Mapping[str, str]] = field(eq=False, default=lambda _: {})
    #: computes what the page of a query lacks, and tells the share that is done, from 0 to 1
    prepare: Callable[[Mapping[str, str], Callable[[float], None]], None] | None = field(
        eq=False, default=None
    )


@frozen
class InformationState:
    """What a seat knows when it is asked: the same as a bot in that seat was told."""

    greeting: Greeting  #: the seat, the number of players, and the game's parameters
    events: Sequence[Any]  #: that the seat was told in this match, in their order
    question: Question[Any]  #: that is open

    @property
    def seat(self) -> Seat:
        """The seat that is asked."""
        return self.greeting.seat


@frozen
class HintedAnswer:
    """An answer of a hint, which pages show in the words of the game."""

    answer: Any  #: as the question's options read it
    share: float = 1.0  #: how often a good player gives it, from 0 to 1
    text: str = ""  #: what it is worth
    worth: float | None = None  #: the same as a number, where a source knows it exactly


def _list_reasons(reasons: str | Sequence[str]) -> Sequence[str]:
    """Return reasons as a sequence; an empty one is none."""
    return tuple(filter(None, [reasons] if isinstance(reasons, str) else reasons))


@frozen
class Hint:
    """A good answer to an open question, and why it is good."""

    #: why, each in a sentence of its own, so that a review says none twice; or one alone
    reasons: Sequence[str] = field(converter=_list_reasons)
    answers: Sequence[HintedAnswer]  #: one, or several among which a good player draws
    source: str = ""  #: what it comes from, where that is not what the title of its source says

    @property
    def text(self) -> str:
        """The reasons in a row."""
        return " ".join(self.reasons)


@frozen
class AnswerContrast:
    """Why an answer is better than another one, in the words of a game."""

    text: str  #: the reason, in a sentence
    gain: float  #: by how much, in the game's points; more than chance explains


def _support_all(variant: Any, seats: int) -> None:
    """Support every variant."""


@frozen
class HintSource:
    """A source of hints for a game: an exact solution, a search, or a bundled bot."""

    game: str  #: its name
    title: str  #: what the hints come from, such as "The exact solution"
    #: raises UserError for a position of which it knows nothing
    compute_hint: Callable[[InformationState], Hint] = field(eq=False)
    #: raises UserError if it never knows anything of a variant with so many players
    check_support: Callable[[Any, int], None] = field(eq=False, default=_support_all)
    #: plays on in all seats where answers are weighed after a match; none: those of the game
    substitute: type[Bot] | None = field(eq=False, default=None)
    bot: str = ""  #: the name of the bundled bot whose answers they are, if they are one's
    #: why the second of two answers is better; None where it hardly is
    contrast: Callable[[InformationState, Any, Any], AnswerContrast | None] | None = field(
        eq=False, default=None
    )

    @property
    def is_bot(self) -> bool:
        """Whether it is what a bot would answer, which is asked after sources that know."""
        return bool(self.bot)


@runtime_checkable
class ContrastingBot(Protocol):
    """A bot that says why one answer is better than another."""

    def contrast(self, question: Question[Any], answer: Any, better: Any) -> AnswerContrast | None:
        """Return why the second answer is better; None where it hardly is.

        The bot was told all events up to the question.
        """


def build_bot_hints(
    game: str, name: str, bot: type[Bot], *, substitute: type[Bot] | None = None
) -> HintSource:
    """Build a source of hints from a bundled bot, which says what it would answer.

    The bot is told all events again for each hint, and asked the open question alone. So it must
    be one that learns of its own answers from the events. It says why, if it has an `explain`;
    otherwise the hint says what its docstring says of it. With a `contrast` it also says in reviews
    why an answer is better than the one that was given. The `substitute` plays on in all seats
    where answers are weighed after a match: it has to be quick, and the private events that it
    hears have to come anew in each round. Without one it is those that the game names.
    """
    about = (bot.__doc__ or "").strip().partition("\n")[0].replace("`", "")

    def seat(state: InformationState) -> Bot:
        player = bot()
        player.greet(state.greeting)
        for event in state.events:
            player.hear(event)
        return player

    def compute_hint(state: InformationState) -> Hint:
        player = seat(state)
        answer = player.choose(state.question)
        reasons = player.explain(state.question, answer) or about
        return Hint(reasons, (HintedAnswer(answer),))

    def contrast(state: InformationState, answer: Any, better: Any) -> AnswerContrast | None:
        player = seat(state)
        assert isinstance(player, ContrastingBot)
        return player.contrast(state.question, answer, better)

    return HintSource(
        game,
        f"The bot {name}",
        compute_hint,
        bot().check_support,
        substitute=substitute,
        bot=name,
        contrast=contrast if issubclass(bot, ContrastingBot) else None,
    )


Label = str | int
"""Where an observation stands on an axis: numbers are sorted as such, before words."""

PERCENT = "%"
"""The unit of statistics whose observations are 0 or 1."""

QUESTION = "question"
"""The axis whose labels are kinds of questions, by the names of their classes."""


@frozen
class Statistic:
    """A mean of observations: a figure, or with labels a plot.

    Without axes it is one figure. With `across` it is a bar for each label. With `across` and
    `up` it is a heat map: how the labels `up` are shared out for each label `across`; what the
    observations come to does not matter then, only how many there are.
    """

    key: str  #: by which observations name it
    title: str  #: what is shown
    unit: str = ""  #: of the mean, in the plural, such as `cards`; `%` for a share
    across: str = ""  #: what the labels of the first axis are
    up: str = ""  #: what the labels of the second axis are
    about: str = ""  #: what a figure says of a player, and whether more is good, in a sentence
    least: float = -inf  #: that an observation can be: no interval goes below it
    most: float = inf  #: that an observation can be: no interval goes above it
    better: str = field(
        default="", validator=in_(("", "more", "less"))
    )  #: what is good for a player
    advice: str = ""  #: what to do, in a sentence, for whoever has less or more than is good

    @property
    def is_figure(self) -> bool:
        """Whether it is a single figure."""
        return not self.across

    @property
    def is_map(self) -> bool:
        """Whether it is a heat map."""
        return bool(self.across and self.up)

    def describe_label(self, label: Label) -> str:
        """Return a label of the first axis as people read it."""
        return name_question(str(label)) if self.across == QUESTION else str(label)


class Observation(NamedTuple):
    """One observation of a match, about the player in a seat."""

    seat: Seat  #: who is observed
    key: str  #: of the statistic
    value: float = 1.0  #: 0 or 1 for a share
    x: Label = ""  #: on the first axis, if the statistic has one
    y: Label = ""  #: on the second axis, if the statistic has one
    many: int = 1  #: observations of which `value` is the sum


@frozen
class Insights:
    """The statistics of a game, and the function that observes them in a recorded match.

    `observe` gets the lines of a transcript as JSON: the header, then what happened, in order. An
    answer with `fallback` was given by the fallback bot, which says nothing about the player.
    """

    statistics: Sequence[Statistic]  #: in the order in which they are shown
    #: from the lines of a transcript
    observe: Callable[[Sequence[Mapping[str, Any]]], Iterable[Observation]] = field(eq=False)
    game: str = ""  #: its name; none: for every game
    version: int = 1  #: raise it when `observe` changes, so that matches are observed anew


def name_question(kind: str) -> str:
    """Return the name of a kind of question as people read it.

    >>> name_question("LoseInfluence"), name_question("Bid")
    ('lose influence', 'bid')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).lower()


GENERAL_STATISTICS = (
    Statistic(
        "length",
        "Length of a match",
        "rounds",
        about="The same for all who played the match.",
        least=0,
    ),
    Statistic(
        "answers",
        "Answers in a match",
        "answers",
        about="How often the player was asked something.",
        least=0,
    ),
    Statistic(
        "seconds",
        "Time for an answer",
        "s",
        about="A habit: what counts is to stay within limits.",
        least=0,
    ),
    Statistic(
        "options", "Answers to choose from, by question", "choices", across=QUESTION, least=1
    ),
    Statistic("kinds", "Answers in a match, by question", "answers", across=QUESTION, least=0),
    Statistic("times", "Time for an answer, by question", "s", across=QUESTION, least=0),
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
