"""Out of turn: the first answer ends the ask, and programs stay in step whenever they say theirs."""

from __future__ import annotations

import json
import os
import pty
import sys
from collections import Counter
from functools import partial
from io import StringIO
from time import monotonic

import pytest

from arena import Play, Question
from arena.bot import run
from arena.cli.support.match_reports import MatchLog
from arena.host import Limits, Match, PastAsk
from arena.host.match import PastAnswer
from arena.players import (
    NOT_YET,
    BotPlayer,
    Keyboard,
    Person,
    Player,
    PollLoop,
    Process,
    Program,
    Screen,
    end_processes,
)
from arena.plugins import MatchSpec
from arena.wires import JsonLines, TimeLeft
from tests.support.first_answers import (
    FIRST,
    OWES,
    PASSES,
    PRELUDE,
    WAITS,
    WIRE,
    One,
    Two,
    check_finished,
    list_first_seats,
    list_words,
)
from tests.support.programs import (
    LIMITS,
    TIMEOUT,
    HostedMatch,
    RecordingObserver,
    host,
    program,
)
from tests.support.toys import FREE, PICK, TOY, Toy, by_first, by_seat, deal_toy, word


@pytest.mark.parametrize("text", [WAITS, OWES], ids=["answers when told", "owes"])
def test_who_does_not_answer_holds_nobody_up(mark: str, text: str) -> None:
    """The match goes on at the first answer; what is owed is dropped, and the next words are right."""
    made: list[Player] = [program(text, WIRE, mark), program(FIRST, WIRE, mark), BotPlayer(Two())]
    hosted = host(made, Toy((by_first, by_first, word) * 10), LIMITS, game="toy")
    check_finished(hosted)
    assert list_first_seats(hosted) == [1] * 20
    assert list_words(hosted, 0) == [f"word {number}" for number in range(1, 11)]
    assert hosted.took < LIMITS.move


def test_a_bot_in_this_process_does_not_wait_for_a_slow_program(mark: str) -> None:
    """It waits a moment, and no longer."""
    made: list[Player] = [program(WAITS, WIRE, mark), BotPlayer(One())]
    hosted = host(made, Toy((by_first, by_first, word)), LIMITS, game="toy")
    check_finished(hosted)
    assert list_first_seats(hosted) == [1, 1]
    assert hosted.took < LIMITS.move


def test_answers_under_way_are_dropped(mark: str) -> None:
    """Programs that all answer at once race a hundred times, and none ever gets out of step."""
    made: list[Player] = [program(FIRST, WIRE, mark) for _ in range(3)]
    hosted = host(made, Toy((by_first, by_first, word, by_first) * 25), LIMITS, game="toy")
    check_finished(hosted)
    assert len(list_first_seats(hosted)) == 75
    for seat in range(3):
        assert list_words(hosted, seat) == [f"word {number}" for number in range(1, 26)]


@pytest.fixture
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no bot be first because a busy machine is slow to wake a program."""
    monkeypatch.setattr("arena.host.match.HEAD_START_SECONDS", TIMEOUT)


@pytest.mark.usefixtures("_unhurried")
@pytest.mark.parametrize("kinds", ["bp", "pb", "pbb"])
def test_nobody_is_first_for_being_in_this_process(mark: str, kinds: str) -> None:
    """A bot's answer joins the first look at the programs, whose order is drawn."""
    made = [BotPlayer(One()) if kind == "b" else program(FIRST, WIRE, mark) for kind in kinds]
    hosted = host(made, Toy((by_first,) * 200), LIMITS, game="toy")
    check_finished(hosted)
    counts = Counter(list_first_seats(hosted))
    assert all(counts[seat] > 200 / len(kinds) / 3 for seat in range(len(kinds))), counts


def test_an_ask_of_which_all_pass(mark: str) -> None:
    """Nobody is first, and nobody owes a line."""
    made: list[Player] = [
        program(PASSES, WIRE, mark),
        BotPlayer(Two()),
        program(PASSES, WIRE, mark),
    ]
    hosted = host(made, Toy((by_first, word) * 5), LIMITS, game="toy")
    check_finished(hosted)
    assert list_first_seats(hosted) == []
    assert list_words(hosted, 2) == [f"word {number}" for number in range(1, 6)]


def test_among_bots_in_this_process_the_first_is_drawn() -> None:
    """From the match's key, so that the same match is played again."""
    hosted = [
        host(
            [BotPlayer(One()), BotPlayer(Two()), BotPlayer(One())],
            Toy((by_first,) * 60),
            game="toy",
        )
        for _ in range(2)
    ]
    assert list_first_seats(hosted[0]) == list_first_seats(hosted[1])
    counts = Counter(list_first_seats(hosted[0]))
    assert min(counts[0], counts[2]) > 15
    assert counts[1] == 0


def test_who_is_late_before_the_ask_is_over_has_a_verdict(mark: str) -> None:
    """Where the others pass, it is waited for up to its deadline; the fallback bot passes for it."""
    made: list[Player] = [program(WAITS, WIRE, mark), BotPlayer(Two()), BotPlayer(Two())]
    limits = Limits(move=0.3, start=0.0, grace=1.0)
    hosted = host(made, Toy((by_first,)), limits, game="toy")
    assert hosted.verdict.kind == "timeout"
    assert list_first_seats(hosted) == []


def test_who_never_pays_is_late_when_it_is_asked_again(mark: str) -> None:
    """However much it owes, it has the limit of one question."""
    silent = PRELUDE + "for message in messages(): pass"
    made: list[Player] = [program(silent, WIRE, mark), BotPlayer(One()), BotPlayer(Two())]
    limits = Limits(move=0.5, start=0.0, grace=1.0)
    hosted = host(made, Toy((by_first, by_first, by_first, by_seat)), limits, game="toy")
    assert hosted.verdict.kind == "timeout"
    assert hosted.verdict.question == PICK
    assert hosted.verdict.ask == 4
    assert list_first_seats(hosted)[:3] == [1, 1, 1]


def test_a_line_that_is_owed_puts_the_deadline_back(mark: str) -> None:
    """Each question has its whole limit from when the line before it came."""
    once = PRELUDE + "for message in messages():\n    if 'withdraw' in message: say(2)"
    player, loop = program(once, WIRE, mark), PollLoop()
    try:
        player.join(loop)
        match = Match(deal_toy(by_first), [player, BotPlayer(One())], LIMITS)
        player.ask((), PICK, TimeLeft(1.0))
        player.withdraw()
        player.ask((), FREE, TimeLeft(1.0))
        while player.begun == player.asked:
            loop.wait(monotonic() + LIMITS.move)
            assert player.answer() is NOT_YET
        assert player.begun == loop.woke_at > player.asked
        assert match._compute_deadline(0) == player.begun + LIMITS.start + LIMITS.move
    finally:
        end_processes(player.processes, 0.0)


def test_time_runs_until_the_ask_is_over(mark: str) -> None:
    """For who was slower, too; it keeps its allowance to start until a line of it came."""
    made: list[Player] = [program(WAITS, WIRE, mark), BotPlayer(One()), BotPlayer(Two())]
    limits = Limits(move=30.0, start=20.0, bank=60.0)
    hosted = host(made, Toy((by_first,)), limits, game="toy")
    check_finished(hosted)
    assert hosted.outcome.seconds[0] > 0
    assert hosted.match._clocks[0].allowed == 50.0
    assert hosted.match._clocks[1].allowed == 30.0


def test_the_kit_answers_each_question_once() -> None:
    """Also one that is withdrawn behind its answer: that is no event of the game."""
    heard: list[object] = []

    class Hearing(One):
        """Keeps what it hears."""

        def hear(self, event: object) -> None:
            heard.append(event)

        def withdraw(self, question: Question[object]) -> None:
            heard.append(type(question).__name__)

    wire, out = JsonLines(TOY.vocabulary), StringIO()
    greeting = {"tell": "Greeting", "game": "gops", "seat": 0, "seats": 2, "variant": {}, "seed": "",
                "format": 1}  # fmt: skip
    bid = {"ask": "Bid", "options": {"one_of": [1, 2]}, "default": None}
    lines = [json.dumps(greeting), json.dumps(bid), '{"withdraw":"Bid"}', json.dumps(bid)]
    run(partial(Hearing), StringIO("".join(f"{line}\n" for line in lines)), out)
    assert len(out.getvalue().splitlines()) == 2
    assert heard == ["Bid"]
    assert [*wire.withdraw(PICK)] == ['{"withdraw":"Pick"}']


def test_a_bot_learns_that_it_was_too_late() -> None:
    """Each time that somebody else was first; it may fail at that like anywhere else."""

    class Late(One):
        """Counts, and fails once it is told for the tenth time."""

        count = 0

        def withdraw(self, question: Question[object]) -> None:
            assert question == PICK
            self.count += 1
            assert self.count < 10, "too often"

    bots = [Late(), Late()]
    hosted = host([*map(BotPlayer, bots)], Toy((by_first,) * 8), game="toy")
    counts = Counter(list_first_seats(hosted))
    assert [bot.count for bot in bots] == [counts[1], counts[0]]
    hosted = host([*map(BotPlayer, [Late(), One()])], Toy((by_first,) * 40), game="toy")
    assert hosted.verdict.kind == "crashed"
    assert "too often" in hosted.verdict.detail


def test_who_was_too_late_is_told_so_again_in_a_resumed_match(mark: str) -> None:
    """And nobody else is, whose answers are dropped, too."""
    counting = (
        PRELUDE
        + """
for message in messages():
    if message.get("ask") == "Pick":
        say(1)
    said += "withdraw" in message
    if message.get("ask") == "Say":
        say(f"late {said}")
"""
    )
    made: list[Player] = [program(counting, WIRE, mark), program(counting, WIRE, mark)]
    past = [PastAsk((PastAnswer(first, 1, 0.0, 0.0),), {}) for first in (0, 0, 1)]
    play, seen = (
        Play.deal(Toy((by_first, by_first, by_first, word)), 2, "seed"),
        RecordingObserver(),
    )
    match = Match(play, made, LIMITS, game="toy", observers=[seen], past=past)
    hosted = HostedMatch(match.run(), match, made, seen, 0.0)
    check_finished(hosted)
    assert [list_words(hosted, seat) for seat in (0, 1)] == [["late 1"], ["late 2"]]


class Typist:
    """Somebody at a terminal."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        self.screen = StringIO()
        narrator, screen = TOY.build_narrator(0, ["I", "you"]), Screen(self.screen)
        self.person = Person(narrator, Keyboard(self.slave), screen)

    def close(self) -> None:
        """Leave."""
        os.close(self.slave)
        os.close(self.master)


def test_a_prompt_is_taken_back(mark: str) -> None:
    """A person sees that somebody was first, and need not type."""
    typist = Typist()
    try:
        made: list[Player] = [typist.person, program(FIRST, WIRE, mark)]
        hosted = host(made, Toy((by_first, by_first)), LIMITS, game="toy")
        check_finished(hosted)
        assert list_first_seats(hosted) == [1, 1]
        assert typist.screen.getvalue().count("> \n  Too late: somebody else was first.\n") == 2
    finally:
        typist.close()


def test_a_person_plays_against_bots_in_this_process_without_haste() -> None:
    """They wait for what is typed, and who is first is drawn then."""
    typist = Typist()
    try:
        os.write(typist.master, b"1\n" * 40)
        hosted = host([typist.person, BotPlayer(One())], Toy((by_first,) * 40), LIMITS, game="toy")
        check_finished(hosted)
        assert min(Counter(list_first_seats(hosted)).values()) > 5
    finally:
        typist.close()


def test_a_program_that_ends_while_it_owes(mark: str) -> None:
    """It crashed when it is asked again, and not before."""
    text = PRELUDE + "for message in messages():\n    if 'withdraw' in message: sys.exit(3)"
    made: list[Player] = [program(text, WIRE, mark), BotPlayer(One()), BotPlayer(Two())]
    hosted = host(made, Toy((by_first, by_seat)), LIMITS, game="toy")
    assert hosted.verdict.kind == "crashed"
    assert hosted.verdict.ask == 2
    assert "exit status 3" in hosted.verdict.detail


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
