"""Learns Kuhn poker in the environment by self-play, and writes the policy to a file.

The method is Monte Carlo counterfactual regret minimization with outcome sampling (Lanctot et
al. 2009): an agent becomes more likely to do what it regrets not having done. Not the last
probabilities but their average approaches an equilibrium.
"""  # noqa: INP001  # two programs, no package

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

import arena_pettingzoo

EXPLORATION = 0.6  # the share of the learner's actions that are drawn evenly
ACTIONS = 2  # to bet, or not

Figures = NDArray[np.float64]
Table = dict[str, Figures]  # by the observation, as hexadecimal digits


def build_table() -> Table:
    """Return a table of zeros."""
    return defaultdict(lambda: np.zeros(ACTIONS))


@frozen
class Decision:
    """One decision in a game, with the probabilities of the policy and of the sampling."""

    known: str
    learning: bool
    chances: Figures
    drawn: Figures
    action: int


@define
class Learner:
    """Regrets, and how often each action was chosen, by situation."""

    regrets: Table = field(factory=build_table)
    chosen: Table = field(factory=build_table)

    def compute_chances(self, known: str, allowed: Figures) -> Figures:
        """Return each action's probability: in proportion to its regret, or uniform."""
        wanted: Figures = np.maximum(self.regrets[known], 0) * allowed
        likely = wanted if wanted.any() else allowed
        chances: Figures = likely / likely.sum()
        return chances

    def choose(self, seen: dict[str, Any], learning: bool, random: np.random.Generator) -> Decision:
        """Draw an action; an agent that learns also explores."""
        known, allowed = seen["observation"].tobytes().hex(), seen["action_mask"].astype(float)
        chances = drawn = self.compute_chances(known, allowed)
        if learning:
            drawn = EXPLORATION * allowed / allowed.sum() + (1 - EXPLORATION) * chances
        return Decision(known, learning, chances, drawn, int(random.choice(ACTIONS, p=drawn)))

    def learn(self, game: list[Decision], score: float) -> None:
        """Add up the regrets of one agent, and the choices of the other.

        What is rarely sampled counts more (`weights`), so that the estimate has no bias.
        """
        tried = [each.drawn[each.action] if each.learning else 1.0 for each in game]
        weights = 1 / np.cumprod([1.0, *tried])
        value = score
        for each, weight in reversed([*zip(game, weights, strict=False)]):
            if each.learning:
                values = np.zeros(ACTIONS)
                values[each.action] = value / each.drawn[each.action]
                value = each.chances @ values
                self.regrets[each.known] += weight * (values - value)
            else:
                self.chosen[each.known] += weight * each.chances

    def compute_average(self) -> dict[str, list[float]]:
        """Return the average probabilities of the actions, by situation."""
        rows = sorted(self.chosen.items())
        return {known: np.round(row / row.sum(), 4).tolist() for known, row in rows}


def play(
    env: Any, learner: Learner, agent: str, random: np.random.Generator
) -> tuple[list[Decision], float]:
    """Play a game from which this agent learns; return all choices and its score."""
    game, score = [], 0.0
    for turn in env.agent_iter():
        seen, reward, over, _, _ = env.last()
        if turn == agent:
            score += reward
        if not over:
            game.append(learner.choose(seen, turn == agent, random))
        env.step(None if over else game[-1].action)
    return game, score


def train(games: int, seed: int) -> dict[str, list[float]]:
    """Play this number of games; return the average policy."""
    env = arena_pettingzoo.env("kuhn")
    random, learner = np.random.default_rng(seed), Learner()
    for number in range(games):
        env.reset(seed=None if number else seed)  # which fixes those after it, too
        learner.learn(*play(env, learner, env.agents[number % 2], random))
    return learner.compute_average()


@click.command()
@click.option("--games", default=20_000, show_default=True, help="Number of games.")
@click.option("--seed", default=1, show_default=True, help="Seed of all deals and draws.")
@click.option("--to", default="policy.json", show_default=True, help="File for the policy.")
def main(games: int, seed: int, to: str) -> None:
    """Learn Kuhn poker, and write the probabilities of the actions to a file."""
    chances = train(games, seed)
    Path(to).write_text(json.dumps(chances, indent=1), "utf-8")
    click.echo(f"{games} games, {len(chances)} situations: {to}")


if __name__ == "__main__":
    main()
