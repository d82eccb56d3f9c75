"""What may sit in the seat: bots and policies of OpenSpiel, by name, or anybody's.

A bot is asked with `step(state)`, a policy with `action_probabilities(state)`. Both are
given a state in which it is their turn, and are told nothing beside it: the state's history
has all there is. What a seat was not told is drawn anew in each of these states.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from math import factorial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, ClassVar

import pyspiel
from attrs import field, frozen, validators

from arena import UserError
from arena_openspiel.bridge import Bridge, Decide, State

Policy = Any
"""A `pyspiel.Bot`, a `pyspiel.Policy`, or a policy of `open_spiel.python.policy`."""

Factory = Callable[[Any, int, int], Policy]
"""Makes a policy of a game, the number of its player, and a seed."""

MOST_LEAVES, MOST_ITERATIONS, WALKED = 20_000, 10_000, 500_000
EXPLORE = 2.0
MEGABYTES = 100
FACTORY = "bot"  # what a file's function is called unless it is said


@frozen
class Kind:
    """A way to make a policy; its fields are its parameters."""

    games: ClassVar[tuple[str, ...]] = ("gops", "hearts", "kuhn")
    turn_based: ClassVar[bool] = False

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Return one for the seat of this bridge, or raise UserError."""
        raise NotImplementedError


@frozen
class Uniform(Kind):
    """Each legal action as likely: OpenSpiel's uniform random bot."""

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Return the bot."""
        return pyspiel.make_uniform_random_bot(bridge.player, seed(random))


@frozen
class Mcts(Kind):
    """Monte Carlo tree search with random play to the end, for games without secrets.

    The search has players bid in turn, and lets the others see its bid: it is cautious.
    """

    games = ("gops",)
    turn_based = True
    simulations: int = field(default=1000, validator=validators.ge(1))

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Return the bot."""
        rollout = pyspiel.RandomRolloutEvaluator(1, seed(random))
        return pyspiel.MCTSBot(
            bridge.game, rollout, EXPLORE, self.simulations, MEGABYTES, True, seed(random), False
        )


@frozen
class Ismcts(Kind):
    """Information set MCTS, for games with secrets: each simulation is of another world.

    The worlds are the bridge's. OpenSpiel's own (`resample_from_infostate`) are impossible in
    Hearts while cards are passed: seats pass cards that they do not hold.
    """

    games = ("hearts", "kuhn")
    simulations: int = field(default=200, validator=validators.ge(1))

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Return the bot."""
        from numpy.random import RandomState
        from open_spiel.python.algorithms.ismcts import ISMCTSBot
        from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

        rollout = RandomRolloutEvaluator(1, RandomState(seed(random)))
        bot = ISMCTSBot(
            bridge.game, rollout, EXPLORE * bridge.game.max_utility(), self.simulations,
            random_state=RandomState(seed(random)),
        )  # fmt: skip
        bot.set_resampler(lambda *_: bridge.world(random))
        return bot


@frozen
class Cfr(Kind):
    """The average policy after `iterations` of counterfactual regret minimization.

    It walks the whole tree: Kuhn poker, or GOPS with few cards. If nothing is said there are as
    many iterations as take about a second.
    """

    games = ("gops", "kuhn")
    turn_based = True
    iterations: int | None = field(default=None, validator=validators.optional(validators.ge(1)))

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Solve the game, if it is small enough."""
        ends = leaves(bridge)
        if ends > MOST_LEAVES:
            raise UserError(
                f"cfr walks the whole tree, and this has more than {MOST_LEAVES} ends: "
                "let there be fewer cards, or a fixed order of prizes"
            )
        solver = pyspiel.CFRSolver(bridge.game)
        for _ in range(self.iterations or min(MOST_ITERATIONS, WALKED // ends)):
            solver.evaluate_and_update_policy()
        return solver.tabular_average_policy()  # `average_policy` dies with the solver


@frozen
class Foreign(Kind):
    """What a factory makes: `factory(game, player, seed)` gives a bot or a policy."""

    factory: Factory
    turn_based: bool = False  # type: ignore[misc]  # for these it is a parameter

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Call the factory."""
        return self.factory(bridge.game, bridge.player, seed(random))


KINDS: dict[str, type[Kind]] = {"uniform": Uniform, "mcts": Mcts, "ismcts": Ismcts, "cfr": Cfr}


def seed(random: Random) -> int:
    """Return a number that all generators take."""
    return random.getrandbits(31)


def leaves(bridge: Bridge) -> int:
    """Count the ends of the game, as far as it may have many."""
    cards: int = getattr(bridge.variant, "cards", 1)
    orders: int = bridge.seats + (getattr(bridge.variant, "prizes", "") == "shuffled")
    ends: int = factorial(cards) ** orders
    return ends


def deciding(policy: Policy, random: Random) -> Decide:
    """Return a function that decides as this policy does."""
    if hasattr(policy, "step"):
        return lambda state, _: int(policy.step(state))
    if hasattr(policy, "action_probabilities"):
        return lambda state, player: sampled(policy, state, player, random)
    raise UserError(f"{policy!r} is no bot and no policy: it has no step, no action_probabilities")


def sampled(policy: Policy, state: State, player: int, random: Random) -> int:
    """Draw an action from a policy; where all act at once it has to be told who is asked."""
    asked = (state, player) if state.is_simultaneous_node() else (state,)
    chances = policy.action_probabilities(*asked)
    return int(random.choices([*chances], [*chances.values()])[0])


def factory(text: str) -> Factory:
    """Find `MODULE:NAME`, or `FILE.py`, perhaps with `:NAME`; raise UserError."""
    where, _, name = text.partition(":")
    module = in_file(Path(where)) if where.endswith(".py") else in_module(where)
    found = getattr(module, name or FACTORY, None)
    if not callable(found):
        raise UserError(f"{where} has no function {name or FACTORY!r}")
    return found  # type: ignore[no-any-return]  # anybody's


def in_file(path: Path) -> ModuleType:
    """Run a file as a module."""
    spec = spec_from_file_location(path.stem, path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise UserError(f"there is no file {path}")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def in_module(name: str) -> ModuleType:
    """Import a module."""
    try:
        return import_module(name)
    except ImportError as problem:
        raise UserError(f"{name}: {problem}") from None
