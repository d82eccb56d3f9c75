"""The base class of bridges, which build an OpenSpiel state from a seat's events.

A bridge receives events of the arena and translates them into OpenSpiel. It stores only these
events: the state is built from them on demand, so that it contains no information hidden from the
seat, except for the samples of a `world`.

A bridge identifies messages by the names of their classes, as in JSON lines, and imports no game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, ClassVar, Self

from attrs import Factory, define, frozen

from arena import OneOf, Question, Score, Seat, SomeOf, UserError

State = Any
"""A `pyspiel.State`; OpenSpiel has no types."""

Decide = Callable[[State, int], int]
"""A function that returns the action of a player in a state where it is its turn."""


@frozen
class SampledVariant:
    """A variant for a comparison: our options, the seats, and more options for OpenSpiel."""

    options: Mapping[str, Any] = Factory(dict)
    seats: int = 2
    theirs: Mapping[str, Any] = Factory(dict)


@define(eq=False, slots=False)
class Bridge(ABC):
    """A game of the arena in OpenSpiel, as far as one seat knows it.

    `seat` is the seat; `None` receives all events. `turn_based` selects OpenSpiel's sequential
    version of a simultaneous game. `opposing` selects returns by winner, if a game has a choice.
    `taken` lists the actions of the current answer so far.
    """

    variant: Any
    seats: int
    seat: Seat | None = None
    turn_based: bool = False
    opposing: bool = False
    taken: tuple[int, ...] = ()

    explained: ClassVar[Mapping[str, str]] = {}
    """Known differences by kind, each with the explanation."""

    @classmethod
    @abstractmethod
    def sample_variant(cls, random: Random) -> SampledVariant:
        """Draw a variant that both sides support."""

    @property
    def deals(self) -> int:
        """The number of deals that have begun; each is a game for OpenSpiel."""
        return 1

    @property
    def player(self) -> int:
        """OpenSpiel's number for this seat."""
        return self.seat or 0

    @property
    def mismatch(self) -> str:
        """The reason why OpenSpiel does not support this variant, or ""."""
        return ""

    @cached_property
    def game(self) -> Any:
        """OpenSpiel's game: the nearest one, if it does not support this variant."""
        return self._load()

    @abstractmethod
    def _load(self) -> Any:
        """Load the game."""

    @abstractmethod
    def hear(self, seat: Seat, event: Any) -> None:
        """Record an event that this seat was told."""

    @abstractmethod
    def chance(self, state: State) -> int:
        """Return the outcome of this chance node, as it was announced to the players."""

    @abstractmethod
    def moves(self) -> Iterable[Sequence[int]]:
        """Return the actions since the deal: those of all players where they act at once."""

    @abstractmethod
    def action(self, value: Any) -> int:
        """Return the action number of an answer, or of one card of it."""

    @abstractmethod
    def value(self, action: int) -> Any:
        """Return the answer, or the card of it, that an action number stands for."""

    def sample_hidden_information(self, random: Random) -> Self:
        """Return a bridge that knows everything: the hidden information is sampled."""
        return self

    def returns(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """Return OpenSpiel's returns for our scores at the end."""
        return tuple(map(float, scores))

    def points(self, state: State) -> tuple[float, ...] | None:
        """Return each seat's score so far by the state; None if the state does not show it."""
        return None

    def world(self, random: Random) -> State:
        """Return a state that agrees with everything heard; the rest is sampled."""
        whole = self.sample_hidden_information(random)
        state = self.game.new_initial_state()
        for actions in (*whole.moves(), self.taken):
            whole.advance(state, actions)
        whole.settle(state)
        return state

    def settle(self, state: State) -> None:
        """Apply the announced outcomes at chance nodes."""
        while state.is_chance_node():
            state.apply_action(self.chance(state))

    def advance(self, state: State, actions: Sequence[int]) -> None:
        """Apply the actions of a move."""
        self.settle(state)
        if actions and state.is_simultaneous_node():
            state.apply_actions([*actions])
            return
        for action in actions:
            state.apply_action(action)

    def choose(self, question: Question[Any], decide: Decide, random: Random) -> Any:
        """Return the answer that `decide` chooses, card by card if the question asks for several.

        If there is no choice, `decide` is not called: OpenSpiel may not have the node.
        """
        values, wanted = list_parts(question)
        if len(values) == wanted:
            return join_parts(question, values)
        self.taken = ()
        while len(self.taken) < wanted:
            action = decide_action(self.world(random), self.player, decide)
            self.taken += (action,)
        taken, self.taken = self.taken, ()
        return join_parts(question, map(self.value, taken))


def list_parts(question: Question[Any]) -> tuple[tuple[Any, ...], int]:
    """Return the parts of an answer and their number: one, or the number of cards asked for."""
    match question.options:
        case OneOf() as options:
            return tuple(options), 1
        case SomeOf(cards, least, most) if least == most:
            return cards, most
    raise UserError(f"OpenSpiel has no counterpart of {type(question).__name__}")


def join_parts(question: Question[Any], values: Iterable[Any]) -> Any:
    """Return the answer that consists of these parts."""
    first, *more = values
    return (first, *more) if isinstance(question.options, SomeOf) else first


def decide_action(state: State, player: int, decide: Decide) -> int:
    """Return the action that `decide` chooses; raise ValueError if it is not legal."""
    action = int(decide(state, player))
    legal = state.legal_actions(player)
    if action not in legal:
        raise ValueError(f"the bot answered {action}, which is not a legal action (legal: {legal})")
    return action
