"""Bots in this process: what they raise is their crash, what they take is their time."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from arena import Bot, FailingBot, Greeting, Question, RandomBot
from arena.host import Limits
from arena.players import BotPlayer, FallbackBot, Player
from arena.rules import End, Fault, join_words
from arena_gops import RubyQuiz116
from arena_gops.bots import Matching
from tests.support.programs import ECHO, LIMITS, ONCE, SLACK, host, program
from tests.support.toys import PICK, Pick, Toy, by_seat


class Failing(Matching):
    """Fails somewhere."""

    def __init__(self, where: str, problem: BaseException) -> None:
        self.where, self.problem = where, problem

    def fail(self, where: str) -> None:
        if where == self.where:
            raise self.problem

    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.fail("greet")

    def hear(self, event: Any) -> None:
        super().hear(event)
        self.fail("hear")

    def choose(self, question: Any) -> int:
        self.fail("choose")
        return super().choose(question)


class UnspeakableError(Exception):
    """An exception that cannot be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


PROBLEMS = [ValueError("oh dear"), SystemExit(3), RecursionError("too deep"), MemoryError()]


@pytest.mark.parametrize("where", ["greet", "hear", "choose"])
@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_what_a_bot_raises_is_its_crash(where: str, problem: BaseException) -> None:
    """Wherever it is, and that is said; the others play on."""
    hosted = host(
        [BotPlayer(Matching()), BotPlayer(Failing(where, problem)), BotPlayer(Matching())]
    )
    assert hosted.verdict.kind is Fault.CRASHED
    assert hosted.verdict.ask == 1
    words = f"{type(problem).__name__}: {problem}".removesuffix(": ")
    assert re.fullmatch(
        rf"{re.escape(words)} \(test_in_process\.py:\d+, in fail\)", hosted.verdict.detail
    )
    assert hosted.outcome.places == (1, 3, 1)
    assert hosted.outcome.end is End.FINISHED


def test_an_exception_without_words_is_a_crash_as_any_other() -> None:
    """Even to print it may fail."""
    hosted = host(
        [
            BotPlayer(Matching()),
            BotPlayer(Failing("choose", UnspeakableError())),
            BotPlayer(Matching()),
        ]
    )
    assert hosted.verdict.kind is Fault.CRASHED
    assert "UnspeakableError" in hosted.verdict.detail


def test_a_crash_after_the_last_answer_is_none() -> None:
    """The match is over; nothing more is asked."""

    class Late(Matching):
        """Fails at the last bids."""

        def hear(self, event: Any) -> None:
            super().hear(event)
            if hasattr(event, "cards") and not self.left:
                raise ValueError("too late")

        def choose(self, question: Any) -> int:
            self.left = len(question.options) - 1
            return super().choose(question)

    assert host([BotPlayer(Matching()), BotPlayer(Late())]).outcome.verdicts == {}


class Answering(Bot):
    """Gives what it is made with."""

    def __init__(self, answer: object, after: float = 0.0) -> None:
        self.answer, self.after = answer, after

    def choose(self, question: Question[Any]) -> Any:
        time.sleep(self.after)
        return self.answer


class Array:
    """As arrays of some libraries: what is compared with it gives no truth."""

    def __eq__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "answer",
    [None, 4, True, 1.0, "1", [1], (1,), object(), 10**5000, Array(), NotImplemented, Answering],
    ids=lambda answer: type(answer).__name__,
)
def test_an_answer_of_another_kind_is_illegal(answer: object) -> None:
    """It is the bot's fault and never the host's."""
    players: list[Player] = [
        BotPlayer(Answering(1)),
        BotPlayer(Answering(answer)),
        BotPlayer(Answering(2)),
    ]
    hosted = host(players, Toy((by_seat, by_seat)), game="toy")
    assert hosted.outcome.end is End.FINISHED, hosted.outcome.detail
    assert hosted.verdict.kind is Fault.ILLEGAL
    assert hosted.verdict.question == PICK


def test_a_slow_bot_is_judged_when_it_returns(mark: str) -> None:
    """Nothing can look earlier; who was asked beside it is not late for that."""
    limits = Limits(move=0.2, start=0.0)
    players: list[Player] = [
        BotPlayer(Answering(1)),
        BotPlayer(Answering(1, after=0.5)),
        BotPlayer(Answering(2)),
    ]
    hosted = host(players, Toy((by_seat,)), limits, game="toy")
    assert hosted.verdict.kind is Fault.TIMEOUT
    assert hosted.verdict.limit == 0.2
    assert limits.move <= hosted.verdict.seconds < 0.5 + SLACK
    assert hosted.verdict.line == ""
    others: list[Player] = [
        BotPlayer(Answering(1, after=0.3)),
        program(ECHO, RubyQuiz116(1), mark),
        BotPlayer(Matching()),
    ]
    assert 1 not in host(others).outcome.verdicts


def test_slow_bots_take_no_time_from_a_programs_bank(mark: str) -> None:
    """While two bots think in this process nobody looks: a program pays for its own time only."""

    class Thinking(Matching):
        """Thinks a while, seven times: longer than the bank, with the other."""

        asked = 0

        def choose(self, question: Any) -> int:
            self.asked += 1
            time.sleep(0.25 if self.asked <= 7 else 0.0)
            return super().choose(question)

    limits = evolve(LIMITS, bank=3.0)
    last = "import time\n" + ECHO.replace(
        "print(", "count += 1; time.sleep(0.2 * (count > 11)); print("
    )
    players: list[Player] = [
        BotPlayer(Thinking()),
        program("count = 0\n" + last, RubyQuiz116(1), mark),
        BotPlayer(Thinking()),
    ]
    assert host(players, limits=limits).outcome.verdicts == {}


def test_the_hosts_latency_is_that_of_each_answer(mark: str, tmp_path: Path) -> None:
    """What was there when it was asked for has none, whatever the answer before it had."""

    class Twelve(Matching):
        """Thinks at the second bid, when the other has said all of its own."""

        def choose(self, question: Any) -> int:
            if len(question.options) == 12:
                os.read(said, 1)
                time.sleep(0.6)
            return super().choose(question)

    os.mkfifo(tmp_path / "said")
    said = os.open(tmp_path / "said", os.O_RDWR)
    says = f"open({str(tmp_path / 'said')!r}, 'w').write('x')"
    early = f"{ONCE}print(*others, sep='\\n', flush=True)\n{says}\nsys.stdin.read()"
    hosted = host([BotPlayer(Twelve()), program(early, RubyQuiz116(1), mark)], limits=LIMITS)
    os.close(said)
    latencies = [answer.latency for answer in hosted.seen.answers if answer.seat == 1]
    assert latencies[1] > 0  # how much of the thinking, only an idle machine can tell
    assert not any(latencies[2:])


def test_a_bot_is_told_all_that_its_seat_is_told_and_in_order() -> None:
    """The greeting first, then what was told, before it is asked."""
    said: list[object] = []

    class Listening(Matching):
        """Keeps what it hears."""

        def greet(self, greeting: Greeting) -> None:
            super().greet(greeting)
            said.append(greeting)

        def hear(self, event: Any) -> None:
            super().hear(event)
            said.append(event)

    hosted = host([BotPlayer(Matching()), BotPlayer(Listening())])
    assert isinstance(said[0], Greeting)
    assert (said[0].game, said[0].seat, said[0].seats) == ("gops", 1, 2)
    assert said[1:] == [event for _, event in hosted.seen.told_]
    assert len(said) == 27


class Greeted(Matching):
    """Keeps its seed."""

    seed = ""

    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.seed = greeting.seed


def test_each_bot_has_a_seed_of_its_own() -> None:
    """It is no seed of the deal's, nor another bot's, and the same when played again."""
    seeds = []
    for _ in range(2):
        bots = [Greeted(), Greeted(), Greeted()]
        host([BotPlayer(bot) for bot in bots], seed="the deal")
        seeds.append([bot.seed for bot in bots])
    assert seeds[0] == seeds[1]
    assert len({*seeds[0], "the deal"}) == 4


def test_the_autopilot_gives_the_default_or_a_draw() -> None:
    """What it draws is legal, and fixed by its seed."""
    assert FallbackBot("seed").choose(PICK) == 2
    free = Pick(PICK.options)
    drawn = [FallbackBot(f"{seed}").choose(free) for seed in range(50)]
    assert {*drawn} == {1, 2, 3}
    assert drawn == [FallbackBot(f"{seed}").choose(free) for seed in range(50)]


def test_time_is_counted_for_all_answers() -> None:
    """What a seat took for all its answers stands in the outcome."""
    players: list[Player] = [BotPlayer(Answering(1, after=0.05)), BotPlayer(Answering(1))]
    hosted = host(players, Toy((by_seat,) * 4), LIMITS, game="toy")
    assert 0.2 <= hosted.outcome.seconds[0] < 0.2 + SLACK


def test_a_failing_bot_fails_behind_its_answers() -> None:
    """It crashes at the next question, and the fallback bot plays its seat on."""
    players: list[Player] = [BotPlayer(RandomBot()) for _ in range(2)]
    outcome = host([BotPlayer(FailingBot(RandomBot, 3)), *players]).outcome
    (verdict,) = outcome.verdicts.values()
    assert (verdict.kind, verdict.ask) == ("crashed", 4)
    assert outcome.end is End.FINISHED


def test_a_list_is_said() -> None:
    """Of nobody, one, two and more."""
    assert [join_words("ABC"[:many]) for many in range(4)] == ["", "A", "A and B", "A, B and C"]
