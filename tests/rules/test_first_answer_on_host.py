"""Out of turn: what the host sees of a program that never was, and what its log says."""

from __future__ import annotations

import json
import sys
from functools import partial

import pytest

from arena import Play
from arena.cli.support.match_reports import MatchLog
from arena.host import Match
from arena.players import BotPlayer, Process, Program
from arena.plugins import MatchSpec
from tests.support.first_answers import WIRE, One, Two
from tests.support.programs import host
from tests.support.toys import TOY, Toy, by_first, by_seat


def test_the_log_says_whose_question_was_taken_back(capsys: pytest.CaptureFixture[str]) -> None:
    """As a line of its own, with every turn."""
    variant, names = Toy((by_first,)), ("a", "b")
    spec = MatchSpec("key", TOY, variant, "seed", names, names)
    log = MatchLog(2, "json").build_observer(spec)
    players = [BotPlayer(One()), BotPlayer(One())]
    Match(Play.deal(variant, 2, "seed"), players, key="key", observers=[log]).run()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    answered = [line["player"] for line in lines if line["event"] == "answered"]
    taken_back = [line["players"] for line in lines if line["event"] == "withdrawn"]
    assert sorted([*answered, *taken_back[0]]) == ["a", "b"]


def test_a_program_that_cannot_be_started_is_found_out_when_it_counts() -> None:
    """A program that cannot be started is found out when its answer counts, or is drawn first."""
    player = Program(partial(Process, [sys.executable + "-is-not-there"]), WIRE)
    hosted = host(
        [player, BotPlayer(One()), BotPlayer(Two())], Toy((by_first, by_seat)), game="toy"
    )
    assert hosted.verdict.kind == "crashed"
