"""Bots whose policy is OpenSpiel's, by name, or your own.

A bot of OpenSpiel is asked with `step(state)`, a policy with `action_probabilities(state)`. Both
get a state in which it is their turn, and no other information: everything is in the state's
history. Information hidden from the seat is sampled again for each state.
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

from arena import Bot, Greeting, Question, UserError
from arena_openspiel.bridges import Bridge, Decide, State, find_bridge

Policy = Any
"""A `pyspiel.Bot`, a `pyspiel.Policy`, or a policy of `open_spiel.python.policy`."""

Factory = Callable[[Any, int, int], Policy]
"""Creates a policy from a game, the number of its player, and a seed."""

MAX_LEAVES, MAX_ITERATIONS, TARGET_LEAF_VISITS = 20_000, 10_000, 500_000
EXPLORATION = 2.0
MAX_MEMORY_MB = 100
DEFAULT_FUNCTION = "bot"  # the default name of a file's function


class OpenSpielBot(Bot):
    """A bot that plays by a bot or a policy of OpenSpiel, in a game that both have.

    `kind` is a kind of policy with its parameters, or a factory: `factory(game, player, seed)`
    gives a bot or a policy. Raises UserError at the greeting if OpenSpiel does not support the
    variant.
    """

    bridge: Bridge
    decide: Decide

    def __init__(self, kind: PolicyKind | Factory) -> None:
        self.kind = kind if isinstance(kind, PolicyKind) else CustomPolicy(kind)

    def greet(self, greeting: Greeting) -> None:
        """Load OpenSpiel's game and create the policy."""
        super().greet(greeting)
        self.bridge = find_bridge(greeting.game)(
            self.variant, self.seats, self.seat, turn_based=self.kind.turn_based, opposing=True
        )
        if self.bridge.mismatch:
            raise UserError(self.bridge.mismatch)
        self.decide = build_decide(self.kind.make(self.bridge, self.random), self.random)

    def hear(self, event: Any) -> None:
        """Record what this seat is told."""
        self.bridge.hear(self.seat, event)

    def choose(self, question: Question[Any]) -> Any:
        """Ask OpenSpiel's bot."""
        return self.bridge.choose(question, self.decide, self.random)


def build_decide(policy: Policy, random: Random) -> Decide:
    """Return a function that decides by this policy."""
    if hasattr(policy, "step"):
        return lambda state, _: int(policy.step(state))
    if hasattr(policy, "action_probabilities"):
        return lambda state, player: sample_action(policy, state, player, random)
    raise UserError(
        f"{policy!r} is not a bot or a policy: it has neither step nor action_probabilities"
    )


def sample_action(policy: Policy, state: State, player: int, random: Random) -> int:
    """Draw an action from a policy; at a simultaneous node it is given the player, too."""
    asked = (state, player) if state.is_simultaneous_node() else (state,)
    chances = policy.action_probabilities(*asked)
    return int(random.choices([*chances], [*chances.values()])[0])


@frozen
class PolicyKind:
    """A kind of policy; its fields are its parameters."""

    games: ClassVar[tuple[str, ...]] = ("gops", "hearts", "kuhn")
    turn_based: ClassVar[bool] = False

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Create the policy for the seat of this bridge, or raise UserError."""
        raise NotImplementedError


@frozen
class UniformPolicy(PolicyKind):
    """OpenSpiel's uniform random bot: all legal actions are equally likely."""

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Create the bot."""
        return pyspiel.make_uniform_random_bot(bridge.player, draw_seed(random))


@frozen
class Mcts(PolicyKind):
    """Monte Carlo tree search with random rollouts, for games without hidden information.

    The search lets players bid in turn, so that the others see its bid: it is cautious.
    """

    games = ("gops",)
    turn_based = True
    simulations: int = field(default=1000, validator=validators.ge(1))

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Create the bot."""
        rollout = pyspiel.RandomRolloutEvaluator(1, draw_seed(random))
        return pyspiel.MCTSBot(
            bridge.game,
            rollout,
            EXPLORATION,
            self.simulations,
            MAX_MEMORY_MB,
            True,
            draw_seed(random),
            False,
        )


@frozen
class Ismcts(PolicyKind):
    """Information set MCTS, for games with hidden information.

    Each simulation starts from another world that the bridge samples. OpenSpiel's own worlds
    (`resample_from_infostate`) are impossible in Hearts while cards are passed: seats pass cards
    that they do not hold.
    """

    games = ("hearts", "kuhn")
    simulations: int = field(default=200, validator=validators.ge(1))

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Create the bot."""
        from numpy.random import RandomState
        from open_spiel.python.algorithms.ismcts import ISMCTSBot
        from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

        rollout = RandomRolloutEvaluator(1, RandomState(draw_seed(random)))
        bot = ISMCTSBot(
            bridge.game, rollout, EXPLORATION * bridge.game.max_utility(), self.simulations,
            random_state=RandomState(draw_seed(random)),
        )  # fmt: skip
        bot.set_resampler(lambda *_: bridge.world(random))
        return bot


@frozen
class Cfr(PolicyKind):
    """The average policy after `iterations` of counterfactual regret minimization.

    It walks the whole tree: Kuhn poker, or GOPS with few cards. By default it runs as many
    iterations as take about a second.
    """

    games = ("gops", "kuhn")
    turn_based = True
    iterations: int | None = field(default=None, validator=validators.optional(validators.ge(1)))

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Solve the game, if it is small enough."""
        ends = count_leaves(bridge)
        if ends > MAX_LEAVES:
            raise UserError(
                f"cfr walks the whole game tree, which has more than {MAX_LEAVES} leaves here: "
                "choose fewer cards, or a fixed order of prizes"
            )
        solver = pyspiel.CFRSolver(bridge.game)
        for _ in range(self.iterations or min(MAX_ITERATIONS, TARGET_LEAF_VISITS // ends)):
            solver.evaluate_and_update_policy()
        return solver.tabular_average_policy()  # `average_policy` dies with the solver


def count_leaves(bridge: Bridge) -> int:
    """Return an upper bound on the number of leaves of the game tree (GOPS only, else small)."""
    cards: int = getattr(bridge.variant, "cards", 1)
    orders: int = bridge.seats + (getattr(bridge.variant, "prizes", "") == "shuffled")
    ends: int = factorial(cards) ** orders
    return ends


@frozen
class CustomPolicy(PolicyKind):
    """Your own function `factory(game, player, seed)`, which returns a bot or a policy."""

    factory: Factory
    turn_based: bool = False  # type: ignore[misc]  # for these it is a parameter

    def make(self, bridge: Bridge, random: Random) -> Policy:
        """Call the factory."""
        return self.factory(bridge.game, bridge.player, draw_seed(random))


KINDS: dict[str, type[PolicyKind]] = {
    "uniform": UniformPolicy,
    "mcts": Mcts,
    "ismcts": Ismcts,
    "cfr": Cfr,
}


def draw_seed(random: Random) -> int:
    """Draw a seed that all generators accept."""
    return random.getrandbits(31)


def load_factory(text: str) -> Factory:
    """Load the function `MODULE:NAME`, `FILE.py` or `FILE.py:NAME`; raise UserError."""
    where, _, name = text.partition(":")
    module = load_file(Path(where)) if where.endswith(".py") else load_module(where)
    found = getattr(module, name or DEFAULT_FUNCTION, None)
    if not callable(found):
        raise UserError(f"{where} has no function {name or DEFAULT_FUNCTION!r}")
    return found  # type: ignore[no-any-return]  # anybody's


def load_file(path: Path) -> ModuleType:
    """Import a file as a module; raise UserError if it does not exist."""
    spec = spec_from_file_location(path.stem, path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise UserError(f"{path}: no such file")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def load_module(name: str) -> ModuleType:
    """Import a module; raise UserError if that fails."""
    try:
        return import_module(name)
    except ImportError as problem:
        raise UserError(f"{name}: {problem}") from None
