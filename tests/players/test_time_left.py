"""What a bot is told of the limits and of the time that it has left."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from attrs import asdict

from arena import Bot, Question
from arena.host import Limits
from arena.players import BotPlayer
from arena.wires import JsonLines
from arena_gops.game import GAME
from tests.support.programs import host, program

LIMITS = Limits(move=50.0, start=60.0, bank=70.0, increment=1.0)

REPEATS_THE_TIMES = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "ask" in message:
        print(json.dumps(message["time"]), file=sys.stderr, flush=True)
        print(message["options"]["one_of"][0], flush=True)
    elif message["tell"] == "Greeting":
        print(json.dumps(message["limits"]), file=sys.stderr, flush=True)
"""


class Keeping(Bot):
    """Keeps what it is told of its time."""

    def __init__(self) -> None:
        self.limits: list[Any] = []
        self.times: list[dict[str, float]] = []

    def greet(self, greeting: Any) -> None:
        """Keep the limits."""
        self.limits += [asdict(greeting.limits)]

    def choose(self, question: Question[Any]) -> object:
        """Keep what is left."""
        self.times += [self.time._asdict()]
        return question.options.draw  # no answer: it fails at once


def check_times(times: Sequence[dict[str, float]]) -> None:
    """Check that the first is the whole allowance, and that the bank runs, and is refilled."""
    assert times[0] == {"move": 110.0, "bank": 70.0}
    for before, after in pairwise(times):
        assert after["move"] == min(50.0, after["bank"])
        assert before["bank"] - 50.0 <= after["bank"] <= before["bank"] + LIMITS.increment


def test_a_program_is_told_the_limits_and_what_is_left(mark: str) -> None:
    """In JSON lines: the limits with the greeting, and what is left with each question."""
    hosted = host(
        [program(REPEATS_THE_TIMES, JsonLines(GAME.vocabulary), mark), BotPlayer(Keeping())],
        limits=LIMITS,
    )
    limits, *times = map(json.loads, hosted.program(0).errors.splitlines())
    assert limits == asdict(LIMITS)
    check_times(times)


def test_without_a_bank_there_is_the_limit_of_a_move(mark: str) -> None:
    """The first answer may take the time to start, too."""
    answering = program(REPEATS_THE_TIMES, JsonLines(GAME.vocabulary), mark)
    hosted = host(
        [answering, program(REPEATS_THE_TIMES, JsonLines(GAME.vocabulary), mark)],
        limits=Limits(move=50.0, start=60.0),
    )
    _, *times = map(json.loads, hosted.program(0).errors.splitlines())
    assert times == [{"move": 110.0}, *[{"move": 50.0}] * 12]


def test_a_bot_in_this_process_is_told_the_same(mark: str) -> None:
    """It is `Bot.time`, and the limits are in the greeting."""
    keeping = Keeping()
    host(
        [program(REPEATS_THE_TIMES, JsonLines(GAME.vocabulary), mark), BotPlayer(keeping)],
        limits=LIMITS,
    )
    assert keeping.limits == [asdict(LIMITS)]
    check_times(keeping.times)
