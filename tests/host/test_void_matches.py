"""A fault of the rules, of a codec, of the host is nobody's: the match is void."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena import Codec, Question, Table
from arena.host import Entrant, HostConfig, Match
from arena.host import host as hosting
from arena.host.player_factories import ProgramFactory
from arena.players import BotPlayer, FallbackBot, Player
from arena.plugins import MatchSpec
from arena.records import Recorder
from arena.rules import End, Play
from tests.support.programs import PYTHON, RecordingObserver, host, list_command_lines, program
from tests.support.toys import TOY, Round, Toy, buggy, by_seat, choosy, word

ONES = "import sys\nfor _ in sys.stdin: print(1, flush=True)"


class Broken:
    """A codec with a bug at one place; a seat's lines otherwise are numbers."""

    def __init__(self, where: str) -> None:
        self.where = where

    def tell(self, event: Any) -> Sequence[str]:
        if self.where == "tell" and not hasattr(event, "seed"):
            raise KeyError("a bug in tell")
        return ["told"]

    def ask(self, question: Question[Any]) -> Sequence[str]:
        if self.where == "ask":
            raise KeyError("a bug in ask")
        return ["asked"]

    def read(self, question: Question[Any], line: str) -> object:
        if self.where == "read":
            raise KeyError("a bug in read")
        return int(line)

    def say(self, question: Question[Any], answer: Any) -> str:
        return str(answer)


@pytest.mark.parametrize("where", ["tell", "ask", "read"])
def test_a_bug_of_a_codec_makes_the_match_void(mark: str, where: str) -> None:
    """Nobody has a score or a place, the bug is named, and no process is left."""
    players: list[Player] = [program(ONES, Broken(codec), mark) for codec in ("", where)]
    hosted = host(players, Toy((by_seat, by_seat)), game="toy")
    assert hosted.outcome.end is End.VOID
    assert hosted.outcome.scores is hosted.outcome.places is None
    assert hosted.outcome.verdicts == {}
    assert "KeyError" in hosted.outcome.detail
    assert where in hosted.outcome.detail
    problem = hosted.match.problem
    assert isinstance(problem and (problem.__cause__ or problem), KeyError)
    assert hosted.seen.outcome == hosted.outcome
    assert list_command_lines(mark) == []


@pytest.mark.parametrize("rounds", [(buggy,), (by_seat, choosy)], ids=["raise", "refuse"])
def test_a_bug_of_the_rules_makes_the_match_void(mark: str, rounds: tuple[Round, ...]) -> None:
    """Also where the rules refuse an answer that their question allows."""
    players: list[Player] = [program(ONES, Broken("")), program(ONES, Broken(""))]
    hosted = host(players, Toy(rounds), game="toy")
    assert hosted.outcome.end is End.VOID
    assert hosted.outcome.places is None
    assert hosted.outcome.detail
    assert ("(toys.py:" in hosted.outcome.detail) == (rounds[0] is buggy)
    assert list_command_lines(mark) == []


UNAVAILABLE = """
import sys
input(), input(), print(1, flush=True)
print("the endpoint is down", file=sys.stderr)
sys.exit({})
"""


@pytest.mark.parametrize(
    ("status", "detail"),
    [(75, "seat 1 could not play: the endpoint is down"), (1, ""), (69, "")],
)
def test_a_program_that_says_that_it_cannot_play_makes_the_match_void(
    mark: str, status: int, detail: str
) -> None:
    """By exit status 75, with its last line as the reason; another status is a crash."""
    players: list[Player] = [
        program(ONES, Broken(""), mark), program(UNAVAILABLE.format(status), Broken("")),
    ]  # fmt: skip
    hosted = host(players, Toy((by_seat, by_seat, by_seat)), game="toy")
    assert (hosted.outcome.end, hosted.outcome.detail) == (
        End.VOID if detail else End.FORFEITED, detail
    )  # fmt: skip
    assert hosted.outcome.verdicts.keys() == (set() if detail else {1})
    assert list_command_lines(mark) == []


@pytest.mark.parametrize("at", ["on_event", "on_questions", "on_answer"])
def test_an_observer_that_fails_leaves_no_process(mark: str, at: str) -> None:
    """Whoever watches may have a bug, but the bots are ended all the same."""

    class Blind(RecordingObserver):
        """Fails at one thing."""

    def fail(*_: object) -> None:
        raise OSError("no space left")

    setattr(Blind, at, fail)
    players: list[Player] = [program(ONES, Broken(""), mark) for _ in range(2)]
    seen = Blind()
    outcome = Match(Play.deal(Toy((by_seat,)), 2, "seed"), players, observers=[seen]).run()
    assert outcome.end is End.VOID
    assert "no space left" in outcome.detail
    assert list_command_lines(mark) == []


SAYS_HALF = r"""
import sys
for line in sys.stdin:
    if '"ask"' in line: print('"\\ud800"', flush=True)
"""


def test_no_bot_can_make_a_recorded_match_void(mark: str, tmp_path: Path) -> None:
    """Half a character could not be written to the transcript: it is its own fault to say it."""
    codec: Codec = TOY.build_codec("json", 0)
    spec = MatchSpec("key", TOY, Toy((word,)), "seed", ("a", "b"), ("a", "b"))
    path = tmp_path / "match.jsonl"
    players: list[Player] = [program(SAYS_HALF, codec, mark), BotPlayer(FallbackBot("seed"))]
    recorder = Recorder(spec, path.open("w", encoding="utf-8"))
    outcome = Match(Play.deal(spec.variant, 2, "seed"), players, observers=[recorder]).run()
    assert outcome.end is not End.VOID, outcome.detail
    assert 1 not in outcome.verdicts


def test_a_deal_that_fails_is_void_before_anybody_starts() -> None:
    """The result is one as any other, and those who watch see it."""

    class Undealable(Toy):
        """Cannot be dealt."""

        async def deal(self, table: Table) -> Any:
            raise ZeroDivisionError("no cards")

    seen = RecordingObserver()
    made = Entrant("a", "a", ProgramFactory(TOY, (*PYTHON, "pass"), "json"))
    spec = MatchSpec("key", TOY, Undealable(()), "seed", ("a", "b"), ("a", "b"))
    result = hosting(spec, [made, made], HostConfig(), [seen])
    assert result.outcome.end is End.VOID
    assert re.search(r"no cards \(test_void_matches\.py:\d+, in deal\)", result.outcome.detail)
    assert seen.outcome == result.outcome
    packed = result.pack()
    assert packed["outcome"] == "void"
    assert [(seat["score"], seat["place"]) for seat in packed["seats"]] == [(None, None)] * 2
    assert json.dumps(packed)


def test_a_program_that_could_start_is_ended_where_the_next_cannot(mark: str) -> None:
    """A fault of the host while it starts the bots leaves none of them behind."""

    class Unable(ProgramFactory):
        """The host runs out of something."""

        def create_player(self, *what: Any) -> Any:
            raise OSError(24, "Too many open files")

    sleeps = (*PYTHON, f"'{mark}'\nimport time; time.sleep(60)")
    made = [
        Entrant("a", "a", ProgramFactory(TOY, sleeps, "json")),
        Entrant("b", "b", Unable(TOY, sleeps)),
    ]
    spec = MatchSpec("key", TOY, Toy((by_seat,)), "seed", ("a", "b"), ("a", "b"))
    result = hosting(spec, made, HostConfig())
    assert result.outcome.end is End.VOID
    assert "Too many open files" in result.outcome.detail
    running = [path for path in Path("/proc").glob("[0-9]*/cmdline") if mark.encode() in read(path)]
    assert running == []


def read(path: Path) -> bytes:
    """Read a file that may be gone."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_void_match_shows_on_the_command_line(cli: Any, install: Any) -> None:
    """The exit status is 1, what happened is said, and there is no traceback."""
    source = (
        "from arena_kuhn import GAME, Kuhn\nfrom attrs import evolve, frozen\nfrom arena import hookimpl\n"
        "@frozen\nclass Bad(Kuhn):\n    async def deal(self, table):\n        raise ValueError('a bug in the deal')\n"
        "@hookimpl\ndef arena_games(): return [evolve(GAME, name='bad', variant=Bad)]\n"
    )
    site = str(install("arena_test_bad", source))
    done = cli("match", "bad", "random", "careful", "--games", "3", "--json", PYTHONPATH=site)
    assert done.returncode == 1
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["outcome"] for result in results] == ["void"] * 3
    assert {seat["place"] for result in results for seat in result["seats"]} == {None}
    shown = cli("match", "bad", "random", "careful", PYTHONPATH=site)
    assert shown.returncode == 1
    assert "a bug in the deal" in shown.stdout
    assert "Traceback" not in shown.stderr + done.stderr
