"""`arena check`: every kind of faulty bot is told what it does wrong, and good ones pass."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from arena.check import check
from arena.host import parse_entrant
from arena.plugins import load_game
from tests.support.example_bots import GAMES, LANGUAGES, bot
from tests.support.faulty_bots import GOPS, MUTE, UNFLUSHED, Bots, get_only_finding
from tests.support.first_answers import WAITS, One
from tests.support.programs import DEAF, ECHO, HASTY, LIMITS, MARK
from tests.support.toys import TOY, Toy, by_first


@pytest.fixture
def bots(tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch) -> Bots:
    """Return a way to make programs, of which none may be left, and to check them."""
    monkeypatch.setenv(MARK, mark)
    return Bots(tmp_path)


CHECKED_IN_A_MOMENT = {("gops", "python"), ("gops", "bash")}
"""Of all games and languages; all the others are played in tests/docs/test_examples.py, too."""


@pytest.mark.parametrize(
    ("game", "language"),
    [
        pytest.param(*pair, marks=[pytest.mark.release] * (pair not in CHECKED_IN_A_MOMENT))
        for pair in product(GAMES, LANGUAGES)
    ],
)
def test_an_example_passes(tmp_path: Path, game: str, language: str) -> None:
    """In every situation, and there is no warning either."""
    rules = load_game(game)
    report = check(
        rules, parse_entrant(rules, bot(game, language, tmp_path)), limits=LIMITS, seed="1"
    )
    assert [*report.findings] == []
    assert report.passed
    assert len(report.parts) == 3 + len(rules.scenarios) + 2
    assert report.facts.matches == 12 + len(rules.scenarios)
    assert report.facts.ends_by_itself


MISTAKES = {
    "it does not flush": (
        "for card in cards(): print(card)", UNFLUSHED, "timeout", 1, None, "flush its output"),
    "it says nothing": ("time.sleep(60)", MUTE, "timeout", 1, None, "It wrote nothing"),
    "it starts too slowly": (
        "time.sleep(60)\nfor card in cards(): say(card)", MUTE, "timeout", 1, None,
        "0.5 seconds, including its start"),
    "there is no newline": (
        "for card in cards(): os.write(1, b'13\\n12' if card == 13 else b'')", evolve(HASTY, move=0.2), "timeout", 2, "12",
        "the newline at the end is missing"),
    "it thinks for too long": (
        "for at, card in enumerate(cards()): at == 2 and time.sleep(60); say(card)", HASTY,
        "timeout", 3, None, "1 seconds. It wrote nothing."),
    "it lays what is gone": ("for card in cards(): say(13)", LIMITS, "illegal", 2, "13", "keep track of its cards"),
    "it is wrong at the end": (
        "for at, card in enumerate(cards(), 2): say(at)", LIMITS, "illegal", 13, "14", "keep track of its cards"),
    "it says garbage": (
        "for card in cards(): say(f'I bid {card}')", LIMITS, "malformed", 1, "I bid 13",
        "standard error"),
    "it says more than it is asked": (
        "for card in cards(): say(f'{card}\\nthinking')", LIMITS, "malformed", 2, "thinking",
        "answered twice"),
    "it breaks off": (
        "for at, card in enumerate(cards()): at == 4 and {}[card]; say(card)", LIMITS,
        "crashed", 5, None, "The end of its standard error"),
    "it leaves": (
        "for at, card in zip(range(3), cards()): say(card)", LIMITS, "crashed", 4, None,
        "ended before the match did"),
    "it floods": ("while 1: say('x' * 5000)", DEAF, "flooded", 1, "x" * 200, "a loop"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named(bots: Bots, mistake: tuple[Any, ...]) -> None:
    """With the question at which it was made, what came, what it means, and what to do."""
    text, limits, kind, ask, answered, advice = mistake
    report = bots.check(text, limits)
    (finding,) = [finding for finding in report.findings if finding.fault]
    assert not report.passed
    assert (finding.kind, finding.ask, finding.answered) == (kind, ask, answered)
    assert advice in finding.advice
    assert finding.situation == "3 players"


def test_a_mistake_has_its_lines(bots: Bots) -> None:
    """Those that were sent since the last answer, the one that came, and what was allowed."""
    finding = get_only_finding(bots.check("for card in cards(): say(13)"))
    bids = [line for line in finding.sent if line.startswith("Opponent's bid: ")]
    assert len(bids) == 2
    assert finding.sent[-1].startswith("Competition card: ")
    assert finding.allowed == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 or 12"


def test_a_crash_has_what_was_said_last(bots: Bots) -> None:
    """The end of its stderr, with the traceback."""
    finding = get_only_finding(bots.check("for card in cards(): {}[card]"))
    assert "exit status 1" in finding.detail
    assert "KeyError: 13" in finding.stderr


HARMLESS = {
    "it does not end": (ECHO + "time.sleep(60)", "lingers", "kept running for more than"),
    "it says goodbye": (ECHO + "say('bye')", "unasked", "answers no question"),
    "it fails at the end": (ECHO + "print(input())", "status", "exit status 1"),
    "it writes very much to stderr": (
        "sys.stderr.write('x' * 2 * 10**6)" + ECHO, "stderr", "2.0 MB"),
    "it leaves a process": (
        "subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL)" + ECHO, "leaves",
        "1 process that it started"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "detail"), HARMLESS.values(), ids=HARMLESS)
def test_what_no_match_holds_against_a_bot(bots: Bots, text: str, kind: str, detail: str) -> None:
    """It passes, and is told all the same."""
    report = bots.check(text, DEAF if kind in ("lingers", "leaves") else LIMITS)
    finding = get_only_finding(report)
    assert report.passed
    assert (finding.kind, finding.fault) == (kind, False)
    assert detail in finding.detail


def test_what_is_said_when_nobody_asks_is_shown(bots: Bots) -> None:
    """A report shows the unasked lines of a bot."""
    assert (
        get_only_finding(bots.check(ECHO + "say('bye'), say('see you')")).answered == "bye\nsee you"
    )


def test_a_program_that_does_not_end_is_waited_for_a_few_times_only(bots: Bots) -> None:
    """Then it is known; matches go on."""
    report = bots.check(ECHO + "time.sleep(60)", evolve(DEAF, grace=0.1), quick=False, sizes=[4])
    assert report.facts.matches == 4
    assert get_only_finding(report).times == 3 + 2
    assert report.facts.ends_by_itself is False


def test_a_program_that_cannot_start(tmp_path: Path) -> None:
    """It is said so at once, and nothing else is tried."""
    (tmp_path / "lost").write_text("#!/no/such/interpreter\n")
    (tmp_path / "lost").chmod(0o755)
    report = check(GOPS, parse_entrant(GOPS, str(tmp_path / "lost")), limits=LIMITS)
    assert "cannot be started" in get_only_finding(report).advice
    assert report.left_out == "it did not give a single answer"
    assert report.facts.matches == 1


def test_who_is_late_again_and_again_is_not_tried_any_further(bots: Bots) -> None:
    """After three matches there is nothing more to learn."""
    late = "for at, card in enumerate(cards()): at and time.sleep(60); say(card)"
    report = bots.check(late, evolve(HASTY, move=0.3, grace=0.1), quick=False)
    assert get_only_finding(report).times == report.facts.matches == 3
    assert report.left_out == "it was late in 3 matches"


RANDOM = """
hand = [*range(1, 14)]
for card in cards():
    say(hand.pop(os.urandom(1)[0] % len(hand)))
"""


@pytest.mark.parametrize(
    ("text", "alike"), [(ECHO, True), (RANDOM, False), ("for card in cards(): say(0)", None)]
)
def test_does_it_answer_the_same_lines_alike(bots: Bots, text: str, alike: bool | None) -> None:
    """Its first match is played again; of who failed in it nobody knows."""
    assert bots.check(text, quick=False, sizes=[2]).facts.alike is alike


def test_kinds_of_mistakes_are_told_once(bots: Bots) -> None:
    """With how often each was made; figures make no other kind."""
    text = (
        "for at, card in enumerate(cards()): say('ten' if card == 7 else card); at > 8 and {}[at]"
    )
    report = bots.check(text, quick=False, sizes=[2, 3], variant=None)
    assert {finding.kind for finding in report.findings} == {"malformed", "crashed"}
    assert len(report.findings) == 2
    assert sum(finding.times for finding in report.findings) == report.facts.matches
    assert {part.state for part in report.parts[:-2]} == {"wrong"}


def test_what_is_owed_is_not_unasked(bots: Bots) -> None:
    """A bot that answers a question only when it is taken back does nothing wrong."""
    game = evolve(TOY, bots={"one": One})
    entered = parse_entrant(game, f"tried={bots.line(WAITS)}")
    report = check(
        game, entered, Toy((by_first,) * 3), sizes=(2,), limits=LIMITS, seed="1", quick=True
    )
    assert [*report.findings] == []
    assert report.passed
