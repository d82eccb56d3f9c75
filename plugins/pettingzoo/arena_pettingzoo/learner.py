"""A network learns a game by proximal policy optimization (Schulman et al., 2017).

It plays some matches, and makes what came out better than expected more likely. What is to be
expected says a second network, which learns with it. What counts is the share of the others that
were beaten, and half as much the lead in points, which says more of a single answer.

Both learn in numpy alone: nine tenths of the time go to the rules, the encoders and the bots, so a
library for gradients would save next to nothing.

What is learned is not the last network but the mean of all, the later ones with more weight: where
an answer has to be mixed, the last one runs in circles.

How many matches will follow changes nothing in those before. So a run of some seconds can be
repeated by the number of its matches, to the same weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Self

import numpy as np
from attrs import define, evolve, field, frozen

from arena import Game, Greeting, UserError
from arena.host import check_seat_count, check_whole_number
from arena.plugins import build_variant, get_plugins
from arena.rules import (
    Seed,
    derive_seed,
    find_sides,
    generate_seed,
    is_cooperative,
    read_seed,
)
from arena_pettingzoo.answer_parts import AnswerParts, Numbers
from arena_pettingzoo.encodings import GameSetup
from arena_pettingzoo.learned_bot import find_encoder
from arena_pettingzoo.networks import Adam, Floats, LayeredNetwork
from arena_pettingzoo.self_play import Experience, SelfPlay

HIDDEN = 64  # units of each network
DECISIONS = 1500  # from which one update learns, more or less
BATCH_MATCHES = range(16, 513)  # that are played at once
PASSES = 3  # of an update over its decisions
SLICE = 512  # decisions of one step
CLIP = 0.2  # by how much an update may change a probability
ENTROPY = 0.01  # what it is worth to stay undecided
TRACE = 0.95  # how far a surprise reaches back (lambda)
RATE = 3e-3
LEAD_WORTH = 0.5  # of a usual lead, beside 1 for all others beaten
LEAST_LEAD = 1e-6
MEMORY = 20  # updates over which the usual lead and the share are averaged
MEAN_WEIGHT = 3  # of the latest network in the mean, beside the number of all


@frozen(eq=False)
class Learned:
    """What was learned in some matches."""

    setup: GameSetup  #: the game, its variant and the seats of a match
    seed: str
    parts: AnswerParts
    network: LayeredNetwork
    matches: int = 0
    decisions: int = 0
    share: float | None = None  #: lately, of the game's quick bots that were beaten while learning
    interrupted: bool = False

    def describe(self) -> dict[str, Any]:
        """Return the match, the seed and the length of learning, as JSON."""
        return {
            "game": self.setup.game.name,
            "seats": self.setup.seats,
            "options": self.setup.game.write_variant(self.setup.variant),
            "seed": self.seed,
            "matches": self.matches,
        }


@define(eq=False)
class Learner:
    """The state of learning."""

    learned: Learned  #: until the last update; replaced by each
    self_play: SelfPlay
    network: LayeredNetwork
    critic: LayeredNetwork
    random: np.random.Generator
    updates: int = 0
    usual_lead: float = 0.0
    adam: Adam = field(init=False)
    critic_adam: Adam = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.adam = Adam(self.network.parameters, RATE)
        self.critic_adam = Adam(self.critic.parameters, RATE)

    @classmethod
    def create(cls, setup: GameSetup, seed: str) -> Self:
        """Return a learner that has not learned anything; raise UserError for such a game."""
        if is_cooperative(find_sides(setup.variant, setup.seats)):
            raise UserError(
                f"{setup.game.name}: the game is cooperative, so there is nobody to beat"
            )
        try:
            parts = AnswerParts.of(setup)
        except ValueError as problem:
            raise UserError(str(problem)) from None
        random = np.random.default_rng(int(derive_seed(seed, "learning"), 16))
        greeting = Greeting(setup.game.name, 0, setup.seats, setup.variant, "")
        inputs = len(find_encoder(setup.game)(greeting).observation())
        network = LayeredNetwork.create(inputs, HIDDEN, len(parts.parts), random)
        critic = LayeredNetwork.create(inputs, HIDDEN, 1, random)
        self_play = SelfPlay(setup, parts, derive_seed(seed, "self-play"))
        learned = Learned(setup, seed, parts, network.copy())
        return cls(learned, self_play, network, critic, random)

    def update(self, most: int | None = None) -> None:
        """Play some matches, at most so many, and learn from them."""
        count, done = self._choose_batch(), self.learned
        if most is not None:
            count = min(most, count)
        experience = self.self_play.play(self.network, done.matches, count, self.random)
        self.updates += 1
        self._learn(experience)
        share, latest = done.share, experience.against_bots
        if latest is not None:  # a small batch meets no bots
            share = latest if share is None else share + self._weigh_latest() * (latest - share)
        self.learned = evolve(
            done,
            network=self._average(done.network),
            matches=done.matches + count,
            decisions=done.decisions + len(experience.chosen),
            share=share,
        )

    def _average(self, mean: LayeredNetwork) -> LayeredNetwork:
        """Return the mean of all networks so far."""
        weight = np.float32(min(1.0, MEAN_WEIGHT / (self.updates + MEAN_WEIGHT - 1)))
        pairs = zip(mean.parameters, self.network.parameters, strict=True)
        return LayeredNetwork(*[old + weight * (new - old) for old, new in pairs])

    def _weigh_latest(self) -> float:
        """Return the weight of the latest update in an average of the last ones."""
        return max(1 / self.updates, 1 / MEMORY)

    def _choose_batch(self) -> int:
        """Return how many matches have about as many decisions as an update needs."""
        done = self.learned
        if not done.matches:
            return BATCH_MATCHES[0]
        wanted = round(DECISIONS * done.matches / max(1, done.decisions))
        return min(max(wanted, BATCH_MATCHES[0]), BATCH_MATCHES[-1])

    def _learn(self, experience: Experience) -> None:
        """Change both networks."""
        finals = np.array([leads[-1] for leads in experience.leads])
        lead = float(np.sqrt(np.mean(finals**2)))
        self.usual_lead += self._weigh_latest() * (lead - self.usual_lead)
        worth = np.float32(LEAD_WORTH / max(self.usual_lead, LEAST_LEAD))
        _, expected = self.critic.compute(experience.observations)
        returns, advantages = estimate_advantages(experience, expected[:, 0], worth)
        advantages = (advantages - advantages.mean()) / (advantages.std() + np.float32(1e-6))
        for _ in range(PASSES):
            order = self.random.permutation(len(returns))
            for start in range(0, len(order), SLICE):
                some = order[start : start + SLICE]
                self._step(experience, some, advantages[some])
                self._step_critic(experience.observations[some], returns[some])

    def _step(self, experience: Experience, some: Numbers, advantages: Floats) -> None:
        """Make some decisions more likely, or less."""
        observations = experience.observations[some]
        allowed = experience.allowed.select(some)
        hidden, outputs = self.network.compute(observations)
        logarithms = allowed.compute_logarithms(outputs)
        chosen = allowed.starts + experience.chosen[some]
        ratios = np.exp(logarithms[chosen] - experience.logarithms[some])
        clipped = np.where(advantages > 0, ratios > 1 + CLIP, ratios < 1 - CLIP)
        pushes = np.where(clipped, 0, advantages * ratios)
        likely = np.exp(logarithms)
        entropies = -np.add.reduceat(likely * logarithms, allowed.starts)
        slopes = pushes[allowed.owners] * likely
        slopes[chosen] -= pushes
        slopes += ENTROPY * likely * (logarithms + entropies[allowed.owners])
        by_part = allowed.sum_by_part(slopes / len(some), len(self.learned.parts.parts))
        self.adam.step(self.network.find_gradients(observations, hidden, by_part))

    def _step_critic(self, observations: Floats, returns: Floats) -> None:
        """Bring the expected results nearer to those that came out."""
        hidden, outputs = self.critic.compute(observations)
        errors = (outputs - returns[:, None]) / np.float32(len(returns))
        self.critic_adam.step(self.critic.find_gradients(observations, hidden, errors))


def estimate_advantages(
    experience: Experience, expected: Floats, worth: np.float32
) -> tuple[Floats, Floats]:
    """Return what came of each decision, and by how much that is better than expected.

    Both are of generalized advantage estimation (Schulman et al., 2016); a point of the lead has
    this worth.
    """
    advantages = np.zeros_like(expected)
    for numbers, leads, share in zip(
        experience.sequences, experience.leads, experience.shares, strict=True
    ):
        gains = worth * np.diff(leads)
        gains[-1] += share
        after, trace = np.float32(0), np.float32(0)
        for number, gain in zip(numbers[::-1], gains[::-1], strict=True):
            trace = gain + after - expected[number] + np.float32(TRACE) * trace
            advantages[number] = trace
            after = expected[number]
    return expected + advantages, advantages


def learn_game(
    game: str | Game,
    *,
    options: Mapping[str, Any] | None = None,
    table: int | None = None,
    matches: int | None = None,
    seconds: float | None = None,
    seed: Seed | None = None,
    progress: Callable[[Learned], object] | None = None,
) -> Learned:
    """Learn a game by playing it, and return what was learned.

    Args:
        game: its name, or the game itself.
        options: parameters of the game.
        table: the seats of a match; None: the fewest.
        matches: to learn from; None: as many as there is time for.
        seconds: after which no more matches begin; None: until all are played.
        seed: of all chance; None: a random one. The same seed and number of matches give the same
            weights on the same machine.
        progress: called after each update with what was learned so far.

    Returns what was learned; after an interrupt what was learned until then.

    Raises:
        UserError: where the game cannot be learned.
    """
    if matches is None and seconds is None:
        raise UserError("say for how many matches or seconds to learn")
    if matches is not None:
        check_whole_number("matches", matches, 1)
    rules = get_plugins().find_game(game) if isinstance(game, str) else game
    learner = Learner.create(
        build_setup(rules, options or {}, table),
        generate_seed() if seed is None else read_seed(seed),
    )
    end = None if seconds is None else monotonic() + seconds
    try:
        while (matches is None or learner.learned.matches < matches) and (
            end is None or monotonic() < end
        ):
            learner.update(None if matches is None else matches - learner.learned.matches)
            if progress:
                progress(learner.learned)
    except KeyboardInterrupt:
        return evolve(learner.learned, interrupted=True)
    return learner.learned


def build_setup(game: Game, options: Mapping[str, Any], table: int | None) -> GameSetup:
    """Return what is played; raise UserError where the game does not allow it."""
    variant, seats = build_variant(game, options), min(game.seats) if table is None else table
    check_seat_count(game, seats)
    return GameSetup(game, variant, seats)
