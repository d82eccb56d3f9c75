"""A bot that answers by a network which `arena learn` has trained, in plain Python.

`arena learn` copies this file into the folder of each bot that it writes, beside the weights. So
the bot needs the game's package and the arena, and no numeric library.

The network has one hidden layer. What comes out are numbers for parts of answers: an answer is as
likely as the exponential of the sum of its parts. A choice of cards is the sum of its cards, so
that 22,100 choices of three cards take 52 numbers. Most of what is observed is 0, and what is 0 is
left out, so that an answer takes less than a millisecond.
"""

from __future__ import annotations

import json
import sys
from array import array
from base64 import b64decode
from collections.abc import Callable, Sequence
from functools import partial
from math import exp
from pathlib import Path
from typing import Any

from arena import Bot, Greeting, Question
from arena.bot import run
from arena.plugins import Game, load_game

NETWORK_FILE = Path(__file__).with_name("network.json")
LEAST_SHARE = 0.1
"""Answers with a smaller share of the likeliest one's probability are never given.

They are what learning has not unlearned yet (Ganzfried and Sandholm, 2012, on thresholding).
"""


class Network:
    """The weights of a network, and what it was trained for."""

    def __init__(self, described: dict[str, Any]) -> None:
        self.game: str = described["game"]
        self.seats: int = described["seats"]
        self.options: dict[str, Any] = described["options"]
        self.splits: bool = described["splits"]
        self.inputs: int = described["inputs"]
        hidden = described["hidden"]
        self.parts = {part: number for number, part in enumerate(described["parts"])}
        self._from_input = _read_rows(described["from_input"], hidden)
        (self._hidden_bias,) = _read_rows(described["hidden_bias"], hidden)
        self._to_part = _read_rows(described["to_part"], hidden)
        (self._part_bias,) = _read_rows(described["part_bias"], len(self.parts))

    @classmethod
    def load(cls, path: Path) -> Network:
        """Read the file of a network."""
        return cls(json.loads(path.read_text("utf-8")))

    def weigh(self, observation: Sequence[float], answers: Sequence[Any]) -> list[float]:
        """Return the probability of each answer."""
        hidden = self._hidden_bias
        for value, weights in zip(observation, self._from_input, strict=True):
            if value:
                hidden = [
                    sum_so_far + value * weight
                    for sum_so_far, weight in zip(hidden, weights, strict=True)
                ]
        active = [(at, value) for at, value in enumerate(hidden) if value > 0]
        parts = [
            [self.parts[part] for part in list_parts(answer, splits=self.splits)]
            for answer in answers
        ]
        figures = {
            number: self._part_bias[number]
            + sum([value * self._to_part[number][at] for at, value in active])
            for number in {number for some in parts for number in some}
        }
        return compute_probabilities([sum([figures[part] for part in some]) for some in parts])


def _read_rows(text: str, width: int) -> list[list[float]]:
    """Return the rows of a matrix, given as little-endian single precision numbers in base 64."""
    numbers = array("f", b64decode(text))
    if sys.byteorder == "big":
        numbers.byteswap()
    values = numbers.tolist()
    return [values[at : at + width] for at in range(0, len(values), width)]


def list_parts(answer: Any, *, splits: bool) -> list[str]:
    """Return the names of an answer's parts: its own, or those of what it selects.

    >>> list_parts(("AH", "2C"), splits=True), list_parts(("AH",), splits=False)
    (['*"AH"', '*"2C"'], ['["AH"]'])
    """
    if splits and isinstance(answer, tuple):
        return [f"*{json.dumps(part)}" for part in answer] or ["*"]
    return [json.dumps(answer)]


def compute_probabilities(figures: Sequence[float]) -> list[float]:
    """Return the probabilities of answers by their sums; unlikely ones have none."""
    best = max(figures)
    likely = [exp(figure - best) for figure in figures]
    kept = [share if share >= LEAST_SHARE else 0.0 for share in likely]
    total = sum(kept)
    return [share / total for share in kept]


def find_encoder(game: Game) -> Callable[[Greeting], Any]:
    """Return what makes the encoder of a seat: the game's own, or the default one."""
    if game.learning.encoder:
        return game.learning.encoder
    from arena_pettingzoo.encodings import DefaultObservationEncoder  # which needs numpy

    return partial(DefaultObservationEncoder, game)


class LearnedBot(Bot):
    """Draws its answers by the probabilities that a network gives them."""

    def __init__(self, network: Network, game: Game | None = None) -> None:
        self._network = network
        self._make_encoder = find_encoder(game or load_game(network.game))

    def greet(self, greeting: Greeting) -> None:
        """Start to observe the match; raise ValueError for a table that it has not learned."""
        super().greet(greeting)
        self._encoder = self._make_encoder(greeting)
        network, figures = self._network, len(self._encoder.observation())
        if (greeting.seats, figures) != (network.seats, network.inputs):
            raise ValueError(
                f"this bot has learned {network.game} with {network.seats} seats and the options"
                f" {json.dumps(network.options)}, and cannot play another table"
            )

    def hear(self, event: Any) -> None:
        """Record an event."""
        self._encoder.tell(event)

    def weigh(self, question: Question[Any]) -> list[tuple[Any, float]]:
        """Return the allowed answers, each with its probability."""
        options: Any = question.options
        answers = [*options]
        rename = getattr(self._encoder, "rename", None)
        named = [*map(rename, answers)] if rename else answers
        shares = self._network.weigh(self._encoder.observation(), named)
        return [*zip(answers, shares, strict=True)]

    def choose(self, question: Question[Any]) -> Any:
        """Draw an answer."""
        left = self.random.random()
        for answer, share in self.weigh(question):
            if share:
                likely = answer
                left -= share
                if left < 0:
                    break
        return likely


if __name__ == "__main__":
    NETWORK = Network.load(NETWORK_FILE)
    run(partial(LearnedBot, NETWORK))
