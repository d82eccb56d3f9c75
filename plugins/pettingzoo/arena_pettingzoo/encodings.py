"""A game in numbers: its actions, the observations of a seat, and the default encoding.

An action is the number of an answer; a mask has the legal ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from hashlib import blake2b
from itertools import chain
from typing import Any, Self, cast

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena import Game, Greeting, Question, format_choices, load_game

Rename = Callable[[Any], Any]
"""Returns what an encoder calls an answer at the moment."""

Mask = NDArray[np.int8]
"""1 for each legal action, 0 for all others."""

Observation = dict[str, NDArray[Any]]
"""`observation` (float32, from 0 to 1) and `action_mask` (int8), both one-dimensional."""

PLACES = 512
MAX_ACTIONS = 100_000  # a mask of so many takes a tenth of a second to make


@frozen
class GameSetup:
    """A game with actions, its variant, and the number of seats."""

    game: Game
    variant: Any
    seats: int

    @classmethod
    def of(cls, game: str | Game, seats: int | None, options: Mapping[str, Any]) -> Self:
        """Check the arguments of a user; raise UnknownNameError or ValueError."""
        game = resolve_game(game)
        seats = game.seats[0] if seats is None else seats
        if seats not in game.seats:
            raise ValueError(f"{game.name} is for {format_choices(game.seats)} seats, not {seats}")
        setup = cls(game, game.read_variant(options), seats)
        Actions.of(game, setup.variant, seats)  # raises ValueError now if there are none
        return setup


def resolve_game(game: str | Game) -> Game:
    """Return a game, loaded by its name if needed; raise UnknownNameError."""
    return _load_game(game) if isinstance(game, str) else game


@cache
def _load_game(name: str) -> Game:
    """Load a game once, since a policy may play in thousands of matches."""
    return load_game(name)


class Actions:
    """All answers of a game in a fixed order; an action is the index of an answer."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self._answers = answers
        self._numbers = {build_key(answer): number for number, answer in enumerate(answers)}

    @classmethod
    def of(cls, game: Game, variant: Any, seats: int) -> Actions:
        """Return the actions of a game; raise ValueError if it does not list them."""
        if game.learning.actions is None:
            raise ValueError(
                f"{game.name} cannot be a learning environment: it does not list its actions "
                "(Learning.actions)"
            )
        return _build_actions(game.learning.actions, variant, seats)

    def __len__(self) -> int:
        return len(self._numbers)

    def answer(self, action: int) -> Any:
        """Return the answer of an action; raise ValueError if there is no such action."""
        if not 0 <= action < len(self):
            raise ValueError(f"action {action} is not one of 0 to {len(self) - 1}")
        return self._answers[action]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._answers)

    def mask(self, question: Question[Any] | None, rename: Rename | None = None) -> Mask:
        """Return the mask of the legal actions; all 0 if there is no question.

        `rename` says what the encoder of the seat calls an answer.
        """
        mask = np.zeros(len(self), np.int8)
        if question is not None:
            mask[self._find_legal(question, rename)] = 1
        return mask

    def _find_legal(self, question: Question[Any], rename: Rename | None) -> list[int]:
        numbers, asked = self._numbers, type(question).__name__
        options: Any = question.options
        if not isinstance(options, Iterable):
            raise ValueError(f"{asked}: the answers {options!r} cannot be listed for a mask")  # noqa: TRY004
        named = map(rename, options) if rename else options
        try:
            return [numbers[build_key(answer)] for answer in named]
        except KeyError as missing:
            raise ValueError(
                f"{asked}: the answer {missing} is missing from Learning.actions"
            ) from None


@lru_cache(maxsize=16)
def _build_actions(actions: Any, variant: Any, seats: int) -> Actions:
    """Build the actions once for each game, variant and number of seats: they may be many."""
    answers = actions(variant, seats)
    if len(answers) > MAX_ACTIONS:
        raise ValueError(
            f"a learning environment cannot have {len(answers)} actions (at most {MAX_ACTIONS});"
            " choose options of the game with fewer, such as larger steps between numbers"
        )
    return Actions(answers)


def build_key(answer: Any) -> Any:
    """Return a dict key for an answer; those of True and 1 are different.

    >>> build_key(True) == build_key(1), build_key(("AH", 1)) == build_key(("AH", 1))
    (False, True)
    """
    if isinstance(answer, tuple):
        return tuple(map(build_key, answer))
    return type(answer), answer


class SeatObserver:
    """Encodes the events of one seat from the greeting on, and knows its actions.

    It is the same in an environment and in a match.
    """

    def __init__(self, game: Game, greeting: Greeting) -> None:
        make = game.learning.encoder or partial(DefaultObservationEncoder, game)
        self._encoder = make(greeting)
        self._rename: Rename | None = getattr(self._encoder, "rename", None)
        self.actions = Actions.of(game, greeting.variant, greeting.seats)

    def hear(self, event: Any) -> None:
        """Record an event that the seat was told."""
        self._encoder.tell(event)

    def observation(self) -> NDArray[np.float32]:
        """Return everything heard so far in the game's own encoding, or in the default one."""
        return np.asarray(self._encoder.observation(), np.float32)

    def observe(self, question: Question[Any] | None) -> Observation:
        """Return the seat's observation and the mask of its legal actions."""
        return {"observation": self.observation(), "action_mask": self.mask(question)}

    def mask(self, question: Question[Any] | None) -> Mask:
        """Return the mask of the actions that are legal now."""
        return self.actions.mask(question, self._rename)

    def answer(self, action: int, question: Question[Any]) -> Any:
        """Return the answer that an action stands for now; raise ValueError if there is none."""
        wanted, rename = self.actions.answer(action), self._rename
        if rename is None:
            return wanted
        key, options = build_key(wanted), cast("Iterable[Any]", question.options)
        answers = chain(options, self.actions)
        return next(answer for answer in answers if build_key(rename(answer)) == key)


class DefaultObservationEncoder:
    """Encodes the events of a seat, from the greeting on, as 512 numbers from 0 to 1.

    It is for games that have no encoding of their own. The events are split into facts, such as
    `Acted.bets=true`. A hash of its text gives each fact one of 512 places; the number there says
    how recent the fact is: 1 for the latest event, 1/2 for the one before, 1/3, 1/4 and so on.
    Facts that share a place cannot be told apart, and a repeated fact counts by its last time. This
    works to some degree for any game, and worse than an encoding by somebody who knows the game.
    """

    def __init__(self, game: Game, greeting: Greeting) -> None:
        self._game, self._count = game, 0
        self._latest: dict[int, int] = {}  # the last event of each place
        self.tell(greeting)

    def tell(self, event: Any) -> None:
        """Record an event."""
        self._latest.update(
            {hash_fact(fact): self._count for fact in list_facts(self._game, event)}
        )
        self._count += 1

    def observation(self) -> list[float]:
        """Return the numbers: the more recent a fact, the larger."""
        figures = [0.0] * PLACES
        for place, at in self._latest.items():
            figures[place] = 1 / (self._count - at)
        return figures


def list_facts(game: Game, event: Any) -> Iterator[str]:
    """Yield the facts of an event; of the greeting, only the seat and the number of seats."""
    if isinstance(event, Greeting):
        yield f"Greeting.seat={event.seat}"
        yield f"Greeting.seats={event.seats}"
    else:
        packed = game.vocabulary.pack(event)
        name = packed.pop("tell")
        yield name
        yield from flatten(name, packed)


def flatten(path: str, value: Any) -> Iterator[str]:
    """Yield the facts of a JSON value.

    >>> list(flatten("Bids", {"cards": [3, 1]}))
    ['Bids.cards.0=3', 'Bids.cards.1=1']
    """
    if isinstance(value, dict):
        for name, part in value.items():
            yield from flatten(f"{path}.{name}", part)
    elif isinstance(value, list | tuple):
        for at, part in enumerate(value):
            yield from flatten(f"{path}.{at}", part)
    else:
        yield f"{path}={json.dumps(value)}"


@lru_cache(maxsize=1 << 16)
def hash_fact(fact: str) -> int:
    """Return the place of a fact, the same on every machine and in every run.

    >>> hash_fact("Prize.card=3")
    41
    """
    return int.from_bytes(blake2b(fact.encode(), digest_size=8).digest()) % PLACES
