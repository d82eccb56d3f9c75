"""Any game that lists its actions as a game of OpenSpiel: the tree of a sample of its deals.

Those who are asked at once answer one after the other, and none is told before all have. The deal
is the one chance node: each outcome is a deal of the sample, with all chance to come. So what is
computed is exact for the sample. For a game with few deals and no chance later that is the game.

The utility is the score less the mean of all scores, so that the game has the sum zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import inf
from typing import Any, ClassVar

import pyspiel
from attrs import define, field, frozen

from arena import Bot, Greeting, OneOf, Play, Question, UserError
from arena.plugins import Game
from arena.rules import IllegalAnswerError, Variant, derive_seed, is_same
from arena.wires import TimeLeft

MAX_NODES = 50_000
UNLIMITED = TimeLeft(inf)
Known = tuple[tuple[str, Any], ...]
"""What a seat knows: events that it heard, what it was asked, and what it answered."""
TabularPolicy = dict[str, list[tuple[int, float]]]
"""How likely each action is, by what a player knows."""
HEARS, ASKED, GAVE = "hears", "asked", "gave"


@frozen(eq=False)
class Node:
    """A point of the game: a deal, a question, or the end."""

    player: int  # whose question it is, or chance, or the end
    children: Sequence[tuple[int, int]] = ()  # each action with the number of its node
    chances: Sequence[float] = ()  # of the children of the deal
    knowledge: str = ""  # all that the player knows, as text
    returns: Sequence[float] = ()  # of each player, at the end


@define(eq=False, slots=False)
class GameTree:
    """All plays of some deals of a game."""

    game: Game
    variant: Variant
    seats: int
    actions: Sequence[Any]  # all answers that are ever legal
    nodes: list[Node] = field(factory=list)
    #: what a seat knows and is asked there, by its text
    questions: dict[str, tuple[int, Known, Question[Any]]] = field(factory=dict)

    def __deepcopy__(self, _: object) -> GameTree:
        """Return itself: OpenSpiel copies states, and a tree does not change."""
        return self

    @classmethod
    def build(cls, game: Game, variant: Variant, seats: int, deals: int, seed: str) -> GameTree:
        """Play all that can be played in a sample of deals; equal ones are one.

        Raises:
            UserError: where the game lists no actions, or the tree is too large.
        """
        if game.learning.actions is None:
            raise UserError(f"{game.name} lists no actions (Learning.actions), which this needs")
        tree = cls(game, variant, seats, game.learning.actions(variant, seats))
        sample = Counter[Any]()
        plays = dict[Any, Play]()
        for number in range(deals):
            play = Play.deal(variant, seats, derive_seed(seed, "deal", number))
            sample[play.position] += 1
            plays.setdefault(play.position, play)
        roots = [tree._add(plays[dealt], ((),) * seats) for dealt in sample]
        chances = [many / deals for many in sample.values()]
        tree.nodes.append(Node(pyspiel.PlayerId.CHANCE, [*enumerate(roots)], chances))
        return tree

    def _add(self, play: Play, known: Sequence[Known]) -> int:
        """Add a play with all that may follow; return the number of its node."""
        for to, event in play.drain():
            heard = (HEARS, event)
            known = [
                (*old, heard) if to is None or to == seat else old for seat, old in enumerate(known)
            ]
        if play.over:
            scores = [*map(float, play.scores)]
            mean = sum(scores) / len(scores)
            return self._append(
                Node(pyspiel.PlayerId.TERMINAL, returns=[score - mean for score in scores])
            )
        seat = min(play.pending)
        question = play.pending[seat]
        text = f"{seat}: {known[seat]!r} {question!r}"
        self.questions.setdefault(text, (seat, known[seat], question))
        children = list[tuple[int, int]]()
        for action in self.list_legal(question):
            after, answer = play.clone(), self.actions[action]
            after.answer(seat, answer)
            mine = (*known[seat], (ASKED, question), (GAVE, answer))
            children.append((action, self._add(after, [*known[:seat], mine, *known[seat + 1 :]])))
        return self._append(Node(seat, children, knowledge=text))

    def _append(self, node: Node) -> int:
        if len(self.nodes) >= MAX_NODES:
            raise UserError(
                f"{self.game.name}: these deals have more than {MAX_NODES:,} nodes; take fewer"
                " (--deals), or make the game shorter by an option (-o)"
            )
        self.nodes.append(node)
        return len(self.nodes) - 1

    def describe(self) -> str:
        """Say of what a figure is."""
        deals = len(self.nodes[-1].children)
        return f"{self.game.title}, {self.seats} seats, a sample of {deals} different deals"

    def list_legal(self, question: Question[Any]) -> Iterator[int]:
        """Yield the numbers of the actions that a question allows."""
        options = question.options
        if isinstance(options, OneOf):  # without a look at all that is ever legal
            yield from sorted(self._numbers[type(option), option] for option in options)
            return
        for number, action in enumerate(self.actions):
            try:
                options.read(action)
            except IllegalAnswerError:
                continue
            yield number

    @cached_property
    def _numbers(self) -> dict[tuple[type, Any], int]:
        return {(type(action), action): number for number, action in enumerate(self.actions)}

    def sample_policy(self, make: Callable[[], Bot], samples: int, seed: str) -> TabularPolicy:
        """Ask new bots each question, and return how often each action is their answer.

        Each is told what the seat knows, and asked what it was asked before.
        """
        policy: TabularPolicy = {}
        for number, (text, (seat, known, question)) in enumerate(self.questions.items()):
            counts = Counter[int]()
            for sample in range(samples):
                own = derive_seed(seed, "bot", number, sample)
                bot = make()
                bot.greet(Greeting(self.game.name, seat, self.seats, self.variant, own))
                counts[self._ask(bot, known, question)] += 1
            policy[text] = [(at, counts[at] / samples) for at in self.list_legal(question)]
        return policy

    def _ask(self, bot: Bot, known: Known, question: Question[Any]) -> int:
        """Return the number of a bot's answer after all that it is told and asked before."""
        bot.time = UNLIMITED
        for kind, what in known:
            if kind == HEARS:
                bot.hear(what)
            elif kind == ASKED:
                bot.choose(what)
        answer = bot.choose(question)
        return next(at for at, action in enumerate(self.actions) if is_same(action, answer))


@frozen
class Solution:
    """A policy, and how much a best reply wins against it."""

    policy: TabularPolicy  #: by what a player knows
    exploitability: float  #: in points a match, the mean of all seats


def solve(tree: GameTree, iterations: int) -> Solution:
    """Solve a tree by CFR+ (Tammelin, 2014), and return the average policy."""
    solver = pyspiel.CFRPlusSolver(TreeGame(tree))
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    average = solver.tabular_average_policy().policy_table()
    policy = {text: [*average[text]] for text in tree.questions}
    return Solution(policy, measure_exploitability(tree, policy))


def measure_exploitability(tree: GameTree, policy: TabularPolicy) -> float:
    """Return how many points more a best reply wins than the policy, the mean of all seats."""
    game = TreeGame(tree)
    return float(pyspiel.nash_conv(game, pyspiel.TabularPolicy(policy))) / tree.seats


class TreeGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """A tree as a game of OpenSpiel."""

    def __init__(self, tree: GameTree) -> None:
        ends = [abs(value) for node in tree.nodes for value in node.returns]
        kind = pyspiel.GameType(
            short_name=f"arena_{tree.game.name}",
            long_name=tree.game.title,
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=tree.seats,
            min_num_players=tree.seats,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=False,
            provides_observation_tensor=False,
        )
        about = pyspiel.GameInfo(
            num_distinct_actions=len(tree.actions),
            max_chance_outcomes=len(tree.nodes[-1].children),
            num_players=tree.seats,
            min_utility=-max(ends),
            max_utility=max(ends),
            utility_sum=0.0,
            max_game_length=len(tree.nodes),
        )
        super().__init__(kind, about, {})
        self.tree = tree

    def new_initial_state(self) -> TreeState:
        """Return the state before the deal."""
        return TreeState(self)

    def make_py_observer(self, _: object = None, __: object = None) -> KnowledgeObserver:
        """Return what says what a player knows."""
        return KnowledgeObserver()


class KnowledgeObserver:
    """Says what a player knows, as OpenSpiel asks for it."""

    tensor = None
    dict: ClassVar[dict[str, Any]] = {}

    def set_from(self, state: TreeState, player: int) -> None:
        """Do nothing: there are no numbers."""

    def string_from(self, state: TreeState, player: int) -> str:
        """Return all that a player knows who is asked there."""
        return state.describe_knowledge(player)


class TreeState(pyspiel.State):  # type: ignore[misc]
    """A node of a tree as a state of OpenSpiel."""

    def __init__(self, game: TreeGame) -> None:
        super().__init__(game)
        self._tree, self._at = game.tree, len(game.tree.nodes) - 1

    @property
    def _node(self) -> Node:
        return self._tree.nodes[self._at]

    def current_player(self) -> int:
        """Return whose question it is, or chance, or the end."""
        return self._node.player

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the deals with their probabilities."""
        return [*enumerate(self._node.chances)]

    def _legal_actions(self, _: int) -> list[int]:
        return [action for action, _ in self._node.children]

    def _apply_action(self, action: int) -> None:
        self._at = dict(self._node.children)[action]

    def _action_to_string(self, player: int, action: int) -> str:
        chance = player == pyspiel.PlayerId.CHANCE
        return f"deal {action}" if chance else str(self._tree.actions[action])

    def describe_knowledge(self, player: int) -> str:
        """Return all that a player knows who is asked here; nothing of others."""
        return self._node.knowledge if player == self._node.player else ""

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return bool(self._node.player == pyspiel.PlayerId.TERMINAL)

    def returns(self) -> list[float]:
        """Return each player's score less the mean."""
        return [*self._node.returns] or [0.0] * self._tree.seats

    def __str__(self) -> str:
        return str(self._at)
