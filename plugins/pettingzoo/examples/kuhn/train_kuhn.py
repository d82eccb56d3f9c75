"""Learns Kuhn poker in the environment, by playing against itself, and writes what it learned.

The method is Monte Carlo counterfactual regret minimization with outcome sampling (Lanctot et
al. 2009): what an agent should have done more often, it will do more often. Not its last
chances but their average comes near to an equilibrium.
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

EXPLORING = 0.6  # the share of the learner's actions that are drawn evenly
ACTIONS = 2  # to bet, or not

Figures = NDArray[np.float64]
Table = dict[str, Figures]  # by the observation, as hexadecimal digits


def table() -> Table:
    """Return a table of zeros."""
    return defaultdict(lambda: np.zeros(ACTIONS))


@frozen
class Choice:
    """One choice of a game: what was seen, and each action's chance to be taken and drawn."""

    known: str
    learning: bool
    chances: Figures
    drawn: Figures
    action: int


@define
class Learner:
    """Regrets, and how often each action was chosen, by what was seen."""

    regrets: Table = field(factory=table)
    chosen: Table = field(factory=table)

    def chances(self, known: str, allowed: Figures) -> Figures:
        """Return each action's chance: in proportion to its regret, or even."""
        wanted: Figures = np.maximum(self.regrets[known], 0) * allowed
        likely = wanted if wanted.any() else allowed
        chances: Figures = likely / likely.sum()
        return chances

    def choose(self, seen: dict[str, Any], learning: bool, random: np.random.Generator) -> Choice:
        """Draw an action; who learns also tries what seems bad."""
        known, allowed = seen["observation"].tobytes().hex(), seen["action_mask"].astype(float)
        chances = drawn = self.chances(known, allowed)
        if learning:
            drawn = EXPLORING * allowed / allowed.sum() + (1 - EXPLORING) * chances
        return Choice(known, learning, chances, drawn, int(random.choice(ACTIONS, p=drawn)))

    def learn(self, game: list[Choice], score: float) -> None:
        """Add up what one agent regrets, and what the other chose.

        What was seldom drawn counts the more (`weights`), so that it evens out.
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

    def average(self) -> dict[str, list[float]]:
        """Return each action's chance by what was seen."""
        rows = sorted(self.chosen.items())
        return {known: np.round(row / row.sum(), 4).tolist() for known, row in rows}


def play(
    env: Any, learner: Learner, agent: str, random: np.random.Generator
) -> tuple[list[Choice], float]:
    """Play one game from which this agent learns; return all choices, and its score."""
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
    """Play this number of games; return what was learned."""
    env = arena_pettingzoo.env("kuhn")
    random, learner = np.random.default_rng(seed), Learner()
    for number in range(games):
        env.reset(seed=None if number else seed)  # which fixes those after it, too
        learner.learn(*play(env, learner, env.agents[number % 2], random))
    return learner.average()


@click.command()
@click.option("--games", default=20_000, show_default=True, help="How many to play.")
@click.option("--seed", default=1, show_default=True, help="Of all deals and draws.")
@click.option("--to", default="policy.json", show_default=True, help="The file to write.")
def main(games: int, seed: int, to: str) -> None:
    """Learn Kuhn poker, and write the chances of each action to a file."""
    chances = train(games, seed)
    Path(to).write_text(json.dumps(chances, indent=1), "utf-8")
    click.echo(f"{games} games, {len(chances)} situations: {to}")


if __name__ == "__main__":
    main()
