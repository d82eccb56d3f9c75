"""One game played by our rules and by OpenSpiel's at once, compared at every decision.

What chance does is told by our rules, and so are the players' actions decided: both rules
are given the same. Compared are who is asked, what may be answered, what that seat knows,
the points so far, when it ends and with which result. What a seat knows is OpenSpiel's text
for it: that of a state built from what our rules told this seat has to be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from random import Random
from typing import Any, Protocol

import pyspiel
from attrs import Factory, define, frozen

from arena import Play, Question, Score, Seat
from arena_openspiel.bridge import Bridge, State, choices, together

TURN, LEGAL, KNOWN, POINTS, END, RESULT, NO_CHOICE = KINDS = (
    "turn", "legal", "known", "points", "end", "result", "no choice",
)  # fmt: skip
"""What may differ: who is asked, what may be answered, what a seat knows, the points so far,
when the game ends, its returns, and whether somebody without a choice is asked."""

SLIGHT = 1e-9  # returns are floats


@frozen
class Difference:
    """Where the rules differ: what of it, in which game, at which of its decisions."""

    kind: str
    game: int
    move: int
    ours: str
    theirs: str

    def __str__(self) -> str:
        """Say it in a line."""
        return f"game {self.game}, move {self.move}: ours {self.ours}, theirs {self.theirs}"


class DivergenceError(Exception):  # it is what was looked for
    """There is no answer that both rules allow at this decision."""


class Bridges(Protocol):
    """Makes the bridge of a seat, or of who hears everything (None)."""

    def __call__(self, seat: Seat | None) -> Bridge:
        """Return it."""


@define(eq=False)
class Lockstep:
    """Both games as far as they are played, and the first difference of each kind."""

    number: int
    play: Play
    bridges: Bridges
    random: Random
    found: dict[str, Difference] = Factory(dict)
    move: int = 0
    deals: int = 0
    state: State = None
    before: tuple[Score, ...] = ()  # our scores when the deal began
    everything: Bridge = Factory(lambda self: self.bridges(None), takes_self=True)
    seated: list[Bridge] = Factory(
        lambda self: [self.bridges(seat) for seat in range(self.play.seats)], takes_self=True
    )

    def run(self) -> Mapping[str, Difference]:
        """Play to the end, or to where the games part."""
        try:
            self._hear()
            while not self.play.over:
                self._decide()
                self._hear()
            self._ended()
        except DivergenceError:
            pass
        return self.found

    def _hear(self) -> None:
        """Tell each bridge what it may hear; begin OpenSpiel's game with each deal."""
        for to, event in self.play.drain():
            self.everything.hear(to or 0, event)
            for seat in range(self.play.seats) if to is None else (to,):
                self.seated[seat].hear(seat, event)
        if self.everything.deals != self.deals:
            self._begin()
        self.everything.settle(self.state)

    def _begin(self) -> None:
        if self.deals:
            self._ended()
        self.deals = self.everything.deals
        self.state = self.everything.game.new_initial_state()
        self.before = self.play.scores

    def _decide(self) -> None:
        """Compare what is asked, and answer it in both games."""
        questions = dict(self.play.pending)
        self.move += 1
        if self.state.is_terminal():
            self._surplus(questions.values())
            answers = {seat: question.options.draw(self.random)
                       for seat, question in questions.items()}  # fmt: skip
        else:
            self._compare(POINTS, self._gained(), self.everything.points(self.state))
            answers = self._at_once(questions) or self._in_turn(questions)
        for seat, answer in answers.items():
            self.play.answer(seat, answer)

    def _surplus(self, questions: Iterable[Question[Any]]) -> None:
        """Note that ours goes on, and whether anybody has a choice."""
        forced = all(len(values) == wanted for values, wanted in map(choices, questions))
        self._differ(NO_CHOICE if forced else END, "asks", "is over")

    def _at_once(self, questions: Mapping[Seat, Question[Any]]) -> dict[Seat, Any]:
        """Answer where OpenSpiel has all players act at once; return nothing if it has not."""
        if not self.state.is_simultaneous_node():
            return {}
        theirs = [*range(self.state.num_players())]
        self._compare(TURN, [*questions], theirs)
        if [*questions] != theirs:
            raise DivergenceError
        taken = {seat: self._take(seat, question, ())[0] for seat, question in questions.items()}
        self.state.apply_actions([*taken.values()])
        return {seat: self._value(seat, action) for seat, action in taken.items()}

    def _in_turn(self, questions: Mapping[Seat, Question[Any]]) -> dict[Seat, Any]:
        """Answer seat by seat and card by card, as OpenSpiel asks."""
        answers = {}
        for seat, question in questions.items():
            taken: tuple[int, ...] = ()
            for _ in range(choices(question)[1]):
                self._turn(seat)
                taken = self._take(seat, question, taken)
                self.state.apply_action(taken[-1])
            answers[seat] = together(question, [self._value(seat, action) for action in taken])
        return answers

    def _turn(self, seat: Seat) -> None:
        """Compare who is asked; whoever cannot be asked ends the comparison."""
        theirs = self.state.current_player()
        self._compare(TURN, seat, theirs)
        if theirs != seat:
            raise DivergenceError

    def _take(self, seat: Seat, question: Question[Any], taken: tuple[int, ...]) -> tuple[int, ...]:
        """Compare what this seat may do and knows; add an action that both rules allow."""
        values, _ = choices(question)
        ours = {*map(self.everything.action, values)} - {*taken}
        theirs = {*self.state.legal_actions(seat)}
        self._compare(LEGAL, self._values(ours), self._values(theirs))
        if not taken:
            known = self.state.information_state_string(seat)
            self._compare(KNOWN, *parted(self._told(seat), known))
        if not ours & theirs:
            raise DivergenceError
        return (*taken, self.random.choice(sorted(ours & theirs)))

    def _told(self, seat: Seat) -> Any:
        """Return OpenSpiel's text for what our rules told this seat, or why there is none."""
        try:
            return self.seated[seat].world(self.random).information_state_string(seat)
        except (pyspiel.SpielError, LookupError, ValueError) as problem:
            return f"told what cannot be ({problem})"

    def _ended(self) -> None:
        """Compare the end of a deal, or of the game."""
        if not self.state.is_terminal():
            self._differ(END, "is over", "goes on")
        else:
            ours = self.everything.returns(self._gained())
            self._compare(RESULT, ours, (*self.state.returns(),))

    def _gained(self) -> tuple[Score, ...]:
        """Return the scores of this deal."""
        return tuple(now - had for now, had in zip(self.play.scores, self.before, strict=True))

    def _value(self, seat: Seat, action: int) -> Any:
        return self.seated[seat].value(action)

    def _values(self, actions: Iterable[int]) -> list[Any]:
        return [self.everything.value(action) for action in sorted(actions)]

    def _compare(self, kind: str, ours: Any, theirs: Any) -> None:
        """Note a difference, unless one has no word for it (None)."""
        if theirs is not None and not alike(ours, theirs):
            self._differ(kind, shown(ours), shown(theirs))

    def _differ(self, kind: str, ours: str, theirs: str) -> None:
        self.found.setdefault(kind, Difference(kind, self.number, self.move, ours, theirs))


def parted(ours: str, theirs: str) -> tuple[str, str]:
    """Return the first lines in which two texts differ, if they do."""
    pairs = zip_longest(ours.splitlines(), theirs.splitlines(), fillvalue="")
    return next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))


def alike(ours: Any, theirs: Any) -> bool:
    """Return whether these are equal, numbers as far as floats go."""
    if isinstance(ours, tuple):
        return len(ours) == len(theirs) and all(
            abs(mine - other) < SLIGHT for mine, other in zip(ours, theirs, strict=True)
        )
    return bool(ours == theirs)


def shown(value: Any) -> str:
    """Write a thing in a line, numbers as briefly as they are exact."""
    if isinstance(value, list | tuple):
        return " ".join(map(shown, value)) or "none"
    return (
        f"{float(value):g}"
        if isinstance(value, Score) and not isinstance(value, bool)
        else str(value)
    )
