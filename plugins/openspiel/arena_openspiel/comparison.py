"""The comparison of our rules with OpenSpiel's, for `arena-openspiel compare`.

It plays random games, each of a variant that both support, unless options name one. A game is
played by both rules at once, and compared at every decision. The arena's rules determine chance
events and the players' actions, and OpenSpiel's rules get the same. The comparison covers the seats
asked, the legal answers, each seat's information, the points so far, the end and the result. The
information of a seat is OpenSpiel's text for it, which must equal the text of a state built from
this seat's events in the arena.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from random import Random
from typing import Any, Protocol

import pyspiel
from attrs import Factory, define, frozen

from arena import Game, Play, Question, Score, Seat
from arena_openspiel.bridges import Bridge, State, join_parts, list_parts

TURN, LEGAL, KNOWN, POINTS, END, RESULT, NO_CHOICE = KINDS = (
    "turn", "legal", "known", "points", "end", "result", "no choice",
)  # fmt: skip
"""The kinds of differences: the seats asked, the legal answers, a seat's information, the points so
far, the end of the game, its returns, and a question without a choice."""

TOLERANCE = 1e-9  # returns are floats


def compare(
    game: Game, kind: type[Bridge], games: int, seed: str, **given: Any
) -> ComparisonReport:
    """Play this number of games by both rules and return the report.

    `given` are options of the variant, and `seats`. Other options are drawn for each game from
    what OpenSpiel supports. Raises ValueError if there is no such variant.
    """
    deals, decisions, differences = 0, 0, list[RuleDifference]()
    for number in range(1, games + 1):
        game_pair = deal_lockstep(game, kind, number, Random(f"{seed}/{number}"), given)
        differences += game_pair.run().values()
        deals, decisions = deals + game_pair.deals, decisions + game_pair.move
    return ComparisonReport(game.name, games, deals, decisions, differences, kind.explained)


def deal_lockstep(
    game: Game, kind: type[Bridge], number: int, random: Random, given: Mapping[str, Any]
) -> Lockstep:
    """Deal one game to compare."""
    drawn = kind.sample_variant(random)
    options = {**drawn.options, **given}
    seats = options.pop("seats", drawn.seats)
    variant = game.read_variant(options)
    play = Play.deal(variant, seats, f"{random.random()}")
    return Lockstep(number, play, partial(kind, variant, seats, **drawn.theirs), random)


@frozen
class ComparisonReport:
    """The numbers of games and decisions compared, and all differences found."""

    game: str
    games: int
    deals: int
    decisions: int
    differences: Sequence[RuleDifference]
    explained: Mapping[str, str]

    @property
    def holds(self) -> bool:
        """Whether all differences are explained."""
        return all(difference.kind in self.explained for difference in self.differences)

    def lines(self) -> Iterator[str]:
        """Yield the report: for each kind of difference its count, first place and explanation."""
        yield (
            f"{self.game}: {self.games} games, {self.deals} deals, {self.decisions} decisions; "
            f"{'differences:' if self.differences else 'no differences'}"
        )
        for kind, count in Counter(difference.kind for difference in self.differences).items():
            first = next(difference for difference in self.differences if difference.kind == kind)
            yield f"  {kind}, in {count} games; first in {first}"
            yield f"    {self.explained.get(kind, 'not explained')}"


@define(eq=False)
class Lockstep:
    """Both games as far as they are played, and the first difference of each kind."""

    number: int
    play: Play
    bridges: BridgeFactory
    random: Random
    found: dict[str, RuleDifference] = Factory(dict)
    move: int = 0
    deals: int = 0
    state: State = None
    before: tuple[Score, ...] = ()  # our scores when the deal began
    everything: Bridge = Factory(lambda self: self.bridges(None), takes_self=True)
    seated: list[Bridge] = Factory(
        lambda self: [self.bridges(seat) for seat in range(self.play.seats)], takes_self=True
    )

    def run(self) -> Mapping[str, RuleDifference]:
        """Play to the end, or until the games cannot go on together."""
        try:
            self._hear()
            while not self.play.over:
                self._decide()
                self._hear()
            self._compare_end()
        except DivergenceError:
            pass
        return self.found

    def _hear(self) -> None:
        """Pass events on to the bridges that may hear them; start a state for each deal."""
        for to, event in self.play.drain():
            self.everything.hear(to or 0, event)
            for seat in range(self.play.seats) if to is None else (to,):
                self.seated[seat].hear(seat, event)
        if self.everything.deals != self.deals:
            self._begin()
        self.everything.settle(self.state)

    def _begin(self) -> None:
        if self.deals:
            self._compare_end()
        self.deals = self.everything.deals
        self.state = self.everything.game.new_initial_state()
        self.before = self.play.scores

    def _decide(self) -> None:
        """Compare the questions, and answer them in both games."""
        questions = dict(self.play.pending)
        self.move += 1
        if self.state.is_terminal():
            self._note_surplus(questions.values())
            answers = {seat: question.options.draw(self.random)
                       for seat, question in questions.items()}  # fmt: skip
        else:
            self._compare(POINTS, self._compute_gains(), self.everything.points(self.state))
            answers = self._answer_at_once(questions) or self._answer_in_turn(questions)
        for seat, answer in answers.items():
            self.play.answer(seat, answer)

    def _note_surplus(self, questions: Iterable[Question[Any]]) -> None:
        """Record that our game goes on after OpenSpiel's end, and whether anybody has a choice."""
        forced = all(len(values) == wanted for values, wanted in map(list_parts, questions))
        self._differ(NO_CHOICE if forced else END, "asks", "is over")

    def _answer_at_once(self, questions: Mapping[Seat, Question[Any]]) -> dict[Seat, Any]:
        """Answer at a simultaneous node of OpenSpiel's; return an empty dict at any other node."""
        if not self.state.is_simultaneous_node():
            return {}
        theirs = [*range(self.state.num_players())]
        self._compare(TURN, [*questions], theirs)
        if [*questions] != theirs:
            raise DivergenceError
        taken = {seat: self._take(seat, question, ())[0] for seat, question in questions.items()}
        self.state.apply_actions([*taken.values()])
        return {seat: self._value(seat, action) for seat, action in taken.items()}

    def _answer_in_turn(self, questions: Mapping[Seat, Question[Any]]) -> dict[Seat, Any]:
        """Answer seat by seat and card by card, as OpenSpiel asks."""
        answers = {}
        for seat, question in questions.items():
            taken: tuple[int, ...] = ()
            for _ in range(list_parts(question)[1]):
                self._compare_turn(seat)
                taken = self._take(seat, question, taken)
                self.state.apply_action(taken[-1])
            answers[seat] = join_parts(question, [self._value(seat, action) for action in taken])
        return answers

    def _compare_turn(self, seat: Seat) -> None:
        """Compare whose turn it is; raise DivergenceError if the games disagree."""
        theirs = self.state.current_player()
        self._compare(TURN, seat, theirs)
        if theirs != seat:
            raise DivergenceError

    def _take(self, seat: Seat, question: Question[Any], taken: tuple[int, ...]) -> tuple[int, ...]:
        """Compare a seat's legal actions and information; append an action legal in both."""
        values, _ = list_parts(question)
        ours = {*map(self.everything.action, values)} - {*taken}
        theirs = {*self.state.legal_actions(seat)}
        self._compare(LEGAL, self._values(ours), self._values(theirs))
        if not taken:
            known = self.state.information_state_string(seat)
            self._compare(KNOWN, *find_first_difference(self._render_knowledge(seat), known))
        if not ours & theirs:
            raise DivergenceError
        return (*taken, self.random.choice(sorted(ours & theirs)))

    def _render_knowledge(self, seat: Seat) -> Any:
        """Return OpenSpiel's text for what our rules told this seat, or why there is none."""
        try:
            return self.seated[seat].world(self.random).information_state_string(seat)
        except (pyspiel.SpielError, LookupError, ValueError) as problem:
            return f"an impossible state ({problem})"

    def _compare_end(self) -> None:
        """Compare the end of a deal, or of the game."""
        if not self.state.is_terminal():
            self._differ(END, "is over", "goes on")
        else:
            ours = self.everything.returns(self._compute_gains())
            self._compare(RESULT, ours, (*self.state.returns(),))

    def _compute_gains(self) -> tuple[Score, ...]:
        """Return each seat's score in this deal."""
        return tuple(now - had for now, had in zip(self.play.scores, self.before, strict=True))

    def _value(self, seat: Seat, action: int) -> Any:
        return self.seated[seat].value(action)

    def _values(self, actions: Iterable[int]) -> list[Any]:
        return [self.everything.value(action) for action in sorted(actions)]

    def _compare(self, kind: str, ours: Any, theirs: Any) -> None:
        """Record a difference, unless OpenSpiel does not show the value (None)."""
        if theirs is not None and not is_equal(ours, theirs):
            self._differ(kind, format_finding(ours), format_finding(theirs))

    def _differ(self, kind: str, ours: str, theirs: str) -> None:
        self.found.setdefault(kind, RuleDifference(kind, self.number, self.move, ours, theirs))


def find_first_difference(ours: str, theirs: str) -> tuple[str, str]:
    """Return the first pair of lines that differ between two texts, or two empty ones."""
    pairs = zip_longest(ours.splitlines(), theirs.splitlines(), fillvalue="")
    return next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))


def is_equal(ours: Any, theirs: Any) -> bool:
    """Whether two values are equal; tuples of numbers within a tolerance."""
    if isinstance(ours, tuple):
        return len(ours) == len(theirs) and all(
            abs(mine - other) < TOLERANCE for mine, other in zip(ours, theirs, strict=True)
        )
    return bool(ours == theirs)


def format_finding(value: Any) -> str:
    """Format a value as one line."""
    if isinstance(value, list | tuple):
        return " ".join(map(format_finding, value)) or "none"
    return (
        f"{float(value):g}"
        if isinstance(value, Score) and not isinstance(value, bool)
        else str(value)
    )


@frozen
class RuleDifference:
    """A difference between the rules: its kind, the game, and the decision."""

    kind: str
    game: int
    move: int
    ours: str
    theirs: str

    def __str__(self) -> str:
        """Format the difference as one line."""
        return f"game {self.game}, move {self.move}: arena {self.ours}, OpenSpiel {self.theirs}"


class DivergenceError(Exception):  # not an error, but the result of the search
    """Both games cannot go on together: no answer is legal in both."""


class BridgeFactory(Protocol):
    """Creates the bridge of a seat, or (None) a bridge that hears everything."""

    def __call__(self, seat: Seat | None) -> Bridge:
        """Create the bridge."""
