"""Extraction of a bot's exact mixed strategy, by enumerating all its draws from a saved state.

A bot takes all randomness from its `random`. Here it gets one that follows a script, once for
each possible script, which reveals all its possible answers with their probabilities. The memory
of a bot between two calls is its state, which is stored pickled; a `BotPolicy` has all possible
states of the bot with their probabilities.

The result would be wrong for a bot that has other sources of randomness or memory. So some
scripts are run twice, and must give the same result.
"""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO
from math import fsum
from random import Random
from typing import Any, NoReturn, TypeVar

from attrs import evolve, frozen

from arena import Bot, Greeting, OneOf, Question, UserError
from arena.rules import describe_error

State = bytes
"""A pickled bot, without its `random`."""

Memory = dict[str, Any]

T = TypeVar("T")

MOST_WAYS = 10_000  # the most paths of one call, and the most draws of a path
MOST_DRAWS = 200_000  # the most draws of all paths
MAX_RECHECKS = 200  # the first paths of a class of bots, which are all checked,
RARE_DRAW_BITS = 53  # and later one in this many: a prime, so that the step varies

CHANCE = {"random", "_Bot__seed"}  # the attributes of a bot with its source of chance, and its seed

ways_by_class: Counter[type[Bot]] = Counter()
"""The number of paths explored with bots of each class."""


class ExtractionError(UserError):
    """A bot whose draws cannot be enumerated; the message gives the reason."""


class ForeignChanceError(ExtractionError):
    """A bot that draws from something other than its `random`, or remembers outside itself."""

    def __init__(self) -> None:
        super().__init__(
            "it does not always act the same with the same draws: all its randomness must come "
            "from its own `random`, and all its memory must be in itself"
        )


class BotPickler(pickle.Pickler):
    """Pickles a bot, and the bots that it holds.

    A bot's own pickling methods are ignored: those of an attrs class with slots save only its
    fields, and not the attributes of its base classes.
    """

    def reducer_override(self, thing: Any) -> Any:
        """Return the recipe that rebuilds an object (see the manual of `pickle`)."""
        if isinstance(thing, Bot):
            return object.__new__, (type(thing),), _read_memory(thing), None, None, _restore_memory
        return NotImplemented


@frozen(cache_hash=True)
class BotPolicy:
    """The states that a bot may be in, given what it was told and what it answered.

    Policies are equal if the bot remembers the same, whatever happened before.
    """

    states: tuple[tuple[State, float], ...]  # different ones, in order, with their probabilities

    @classmethod
    def greet(
        cls, make: Callable[[], Bot], greeting: Greeting, writer: type[BotPickler] = BotPickler
    ) -> BotPolicy:
        """Return the policy of a new bot that knows the game.

        Raise ExtractionError if its seed changes it.

        The writer pickles the bot's memory.
        """
        seeds = greeting.seed, f"not {greeting.seed}"
        states = {_greet(make, evolve(greeting, seed=seed), writer) for seed in seeds}
        if len(states) > 1:
            raise ExtractionError("what it remembers of the greeting depends on its seed")
        return cls(((states.pop(), 1.0),))

    def hear(self, event: Any) -> BotPolicy:
        """Return the policy after the bot has heard this event."""
        return self.after(lambda bot: bot.hear(event))

    def after(self, act: Callable[[Bot], None]) -> BotPolicy:
        """Return the policy after this call of the bot."""
        return _build_policy((state, chance) for chance, _, state in self._list_ways(act))

    def list_answers(self, question: Question[Any]) -> dict[Any, tuple[float, BotPolicy]]:
        """Return the probability of each possible answer, and the policy after it."""
        found: dict[Any, list[tuple[State, float]]] = {}
        for chance, answer, state in self._list_ways(_choose(question)):
            found.setdefault(answer, []).append((state, chance))
        chances = {answer: fsum(chance for _, chance in ways) for answer, ways in found.items()}
        total = fsum(chances.values())  # 1 except for rounding
        return {
            answer: (chances[answer] / total, _build_policy(ways)) for answer, ways in found.items()
        }

    def mix(self, question: Question[Any]) -> dict[Any, float]:
        """Return each answer with its probability; answers it never gives are left out."""
        return {answer: chance for answer, (chance, _) in self.list_answers(question).items()}

    def answer(self, question: Question[Any], answer: Any) -> BotPolicy:
        """Return the policy after this answer; raise UserError if the bot never gives it."""
        found = self.list_answers(question)
        if answer not in found:
            raise UserError(f"it never answers {answer!r} here, only {', '.join(map(repr, found))}")
        return found[answer][1]

    def _list_ways(self, act: Callable[[Bot], T]) -> Iterator[tuple[float, T, State]]:
        """Yield each way to act: its probability, its result and the bot's state after it."""
        ways = drawn = 0
        for state, weight in self.states:
            for draws, done, after in _list_ways(state, act):
                ways, drawn = ways + 1, drawn + draws.number
                if ways > MOST_WAYS:
                    raise ExtractionError(
                        f"the bot has more than {MOST_WAYS} ways to draw for one answer"
                    )
                if drawn > MOST_DRAWS:
                    raise ExtractionError(
                        f"the bot draws more than {MOST_DRAWS} times in all ways together"
                    )
                yield weight * draws.chance, done, after


def _greet(make: Callable[[], Bot], greeting: Greeting, writer: type[BotPickler]) -> State:
    """Create and greet a bot; it must not draw yet, as it still has its own seed."""
    bot = _call(make)
    _call(partial(bot.greet, greeting))
    new = Random(greeting.seed)
    if getattr(bot, "random", new).getstate() != new.getstate():
        raise ExtractionError("the bot draws before it hears anything")
    return _call(partial(dump_bot, bot, writer))


def _choose(question: Question[Any]) -> Callable[[Bot], Any]:
    """Return a function that asks a bot and reads its answer as the rules do."""
    options: Any = question.options
    asked = (
        evolve(question, options=UniformOptions(options)) if type(options) is OneOf else question
    )
    return lambda bot: options.read(bot.choose(asked))


class UniformOptions(OneOf[Any]):
    """Options whose draw uses an integer, which can be enumerated."""

    __slots__ = ()

    def draw(self, random: Random) -> Any:
        """Draw one of the options."""
        return random.choice(self)


def _list_ways(state: State, act: Callable[[Bot], T]) -> Iterator[tuple[ScriptedRandom, T, State]]:
    """Let the bot of this state act once for each script."""
    script: tuple[int, ...] | None = ()
    while script is not None:
        bot, draws = _call(partial(load_bot, state)), ScriptedRandom(script)
        came = _follow(bot, draws, act)
        if _needs_check(type(bot)) and came != _follow(
            load_bot(state), ScriptedRandom(script), act
        ):
            raise ForeignChanceError
        yield draws, *came
        script = draws.following()


def _follow(bot: Bot, draws: ScriptedRandom, act: Callable[[Bot], T]) -> tuple[T, State]:
    """Let a bot act with these draws; return the result and the bot's state after it."""

    def run() -> T:
        bot.random = draws
        return act(bot)

    return _call(run), _call(partial(dump_bot, bot))


def _needs_check(kind: type[Bot]) -> bool:
    """Whether to run this path a second time, as a check."""
    ways_by_class[kind] += 1
    return ways_by_class[kind] <= MAX_RECHECKS or ways_by_class[kind] % RARE_DRAW_BITS == 0


def _call(act: Callable[[], T]) -> T:
    """Call an untrusted bot; raise ExtractionError for any exception."""
    try:
        return act()
    except UserError:
        raise
    except Exception as problem:
        raise ExtractionError(
            f"it fails when all its draws are tried: {describe_error(problem)}"
        ) from problem


def _build_policy(ways: Iterable[tuple[State, float]]) -> BotPolicy:
    """Return the policy of these states, with equal states merged."""
    chances: dict[State, float] = defaultdict(float)
    for state, chance in ways:
        chances[state] += chance
    total = sum(chances.values())
    return BotPolicy(tuple(sorted((state, chance / total) for state, chance in chances.items())))


class ScriptedRandom(Random):
    """A random source that follows a script of draws, and takes the first option after it."""

    def __init__(self, script: tuple[int, ...]) -> None:
        self._script = script
        self._taken: list[tuple[int, Sequence[float]]] = []  # the options and weights of each draw
        self.chance = 1.0

    @property
    def number(self) -> int:
        """The number of draws so far."""
        return len(self._taken)

    def following(self) -> tuple[int, ...] | None:
        """Return the next script, or None after the last."""
        for at in reversed(range(len(self._taken))):
            way, chances = self._taken[at]
            for later in range(way + 1, len(chances)):
                if chances[later]:
                    return (*[taken for taken, _ in self._taken[:at]], later)
        return None

    def choices(
        self,
        population: Any,
        weights: Sequence[Any] | None = None,
        *,
        cum_weights: Sequence[Any] | None = None,
        k: int = 1,
    ) -> list[Any]:
        """Draw by weights."""
        if cum_weights is not None:
            _refuse("choices(cum_weights=...)")
        weights = [1] * len(population) if weights is None else weights
        total = sum(weights)
        chances = [weight / total for weight in weights]
        return [population[self._draw(chances)] for _ in range(k)]

    def random(self) -> float:
        """Raise ExtractionError: real numbers cannot be enumerated."""
        _refuse("random()")

    def getrandbits(self, k: int, /) -> int:
        """Raise ExtractionError: bits are turned into other numbers."""
        _refuse("getrandbits()")

    def seed(self, *arguments: Any, **named: Any) -> None:
        """Raise ExtractionError: a new seed would end the enumeration."""
        _refuse("seed()")

    def getstate(self) -> tuple[Any, ...]:
        """Raise ExtractionError: there is no state."""
        _refuse("getstate()")

    def _randbelow(self, n: int) -> int:
        """Draw a number below n; choice, randrange, shuffle and sample are built on this."""
        if n > MOST_WAYS:
            raise ExtractionError(
                f"the bot draws one of {n} values; at most {MOST_WAYS} are supported"
            )
        return self._draw((1 / n,) * n) if n > 1 else 0

    def _draw(self, chances: Sequence[float]) -> int:
        at = len(self._taken)
        if at == MOST_WAYS:
            raise ExtractionError(f"the bot draws more than {MOST_WAYS} times for one answer")
        possible = (way for way, chance in enumerate(chances) if chance)
        way = self._script[at] if at < len(self._script) else next(possible)
        if way >= len(chances):  # there were more options when the script was built
            raise ForeignChanceError
        self._taken.append((way, chances))
        self.chance *= chances[way]
        return way


def _refuse(draw: str) -> NoReturn:
    raise ExtractionError(f"the bot draws by {draw}, whose results cannot be enumerated")


def dump_bot(bot: Bot, writer: type[BotPickler] = BotPickler) -> State:
    """Pickle a bot; depending on what it holds, this may raise any exception."""
    written = BytesIO()
    writer(written).dump(bot)
    return written.getvalue()


def load_bot(state: State) -> Bot:
    """Return a bot with this memory."""
    bot: Bot = pickle.loads(state)  # noqa: S301  # it was pickled here
    return bot


def _read_memory(bot: Bot) -> tuple[Memory, Memory]:
    """Return the state of a bot from its dictionary and its slots, without its source of chance."""
    found: Any = object.__getstate__(bot)
    named, slots = found if isinstance(found, tuple) else (found, None)
    return _drop_chance(named or {}), _drop_chance(slots or {})


def _drop_chance(memory: Memory) -> Memory:
    return {name: thing for name, thing in memory.items() if name not in CHANCE}


def _restore_memory(bot: Bot, memory: tuple[Memory, Memory]) -> None:
    named, slots = memory
    vars(bot).update(named)
    for name, thing in slots.items():
        object.__setattr__(bot, name, thing)  # also works for frozen classes
