"""The kit and the wire, where a process plays match after match."""

from __future__ import annotations

import json
from io import StringIO

import pytest

from arena import Question
from arena.bot import Bot, run
from arena.plugins import load_game
from arena.wires import MATCH_OVER_LINE, Vocabulary

GOPS = load_game("gops")
SMALL = GOPS.read_variant({"cards": 3})


def test_no_game_has_a_message_of_that_name() -> None:
    """The end of a match is a question of the wire."""
    kind = type("MatchOver", (Question,), {})
    with pytest.raises(ValueError, match="MatchOver is a name of the wire"):
        Vocabulary.of(kind)


class Counting(Bot):
    """Bids how many were made, and how often it was asked."""

    made = 0

    def __init__(self) -> None:
        Counting.made += 1
        self.asked = 0

    def choose(self, question: object) -> object:
        """Count the questions."""
        self.asked += 1
        return [self.made, self.asked]


def test_the_kit_plays_many_matches() -> None:
    """Each match has a new bot, which is made before it is ready."""
    greeting = {"tell": "Greeting", "game": "gops", "seat": 0, "seats": 2,
                "variant": GOPS.write_variant(SMALL), "seed": "s", "format": 1}  # fmt: skip
    bid = {"ask": "Bid", "options": {"one_of": [1]}, "default": None}
    match = [json.dumps(greeting), json.dumps(bid), json.dumps(bid), MATCH_OVER_LINE]
    out = StringIO()
    run(Counting, StringIO("\n".join(match * 2)), out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert lines == [[1, 1], [1, 2], "ready", [2, 1], [2, 2], "ready"]
