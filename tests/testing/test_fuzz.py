"""`arena fuzz`: what breaks a game comes out as a test that fails for the same reason."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from itertools import count, islice
from math import inf
from pathlib import Path

import pytest
from attrs import evolve

from arena import Game
from arena.testing import LAWS
from arena.testing.fuzz import FIRST_CASES, BrokenLaw, FuzzResult, _Fuzzer, fuzz
from arena.testing.harness.cases import Case
from arena.testing.harness.hypothesis_strategies import draw_cases
from tests.support.command import Cli, Install
from tests.testing.games import chancy, faulty, offering, openly, styles
from tests.testing.games.holding import ended

pytestmark = pytest.mark.slow  # tries cases for as long as it is told
PLUGIN = """
from attrs import evolve
from arena import hookimpl
from tests.testing.games import faulty

@hookimpl
def arena_games():
    return [
        evolve(faulty.FAILING_LOW, name="failing-low"),
        evolve(faulty.REFUSING, name="refusing"),
    ]
"""


@pytest.fixture(autouse=True)
def _one_other_interpreter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.function is not test_other_interpreters_are_asked_too:
        monkeypatch.setattr("arena.testing.harness.hash_seeds.INTERPRETER_COUNT", 1)


def tried(game: Game, seconds: float = 90, first: int = 1) -> FuzzResult:
    with ended(2 * seconds + 20):
        return fuzz(game, seconds, {}, lambda _law, _tried: None, first)


def found(game: Game) -> BrokenLaw:
    found = tried(game).broken_law
    assert found is not None
    return found


@pytest.fixture
def site(install: Install, root: Path) -> str:
    return os.pathsep.join([str(install("arena_test_fuzz", PLUGIN)), str(root)])


@pytest.fixture
def counted_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a second pass with each look at the clock, however busy the machine is."""
    seconds = count()
    monkeypatch.setattr("arena.testing.fuzz.monotonic", lambda: next(seconds))


@pytest.mark.usefixtures("counted_seconds")
def test_a_sound_game_is_sound(quick: Cli) -> None:
    """Until the time is up; for programs, a line says how often each law was tried."""
    done = quick("fuzz", "kuhn", "--for", "20m", "--seed", "7", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    cases, laws = said.pop("cases"), said.pop("tried")
    assert said == {"game": "kuhn", "seed": 7, "law": None, "test": None}
    assert cases == sum(laws.values())
    assert laws.keys() == LAWS.keys() - {"every_option_works"}  # of which Kuhn poker has none
    assert all(laws.values())


@pytest.mark.usefixtures("counted_seconds")
def test_laws_for_which_there_was_no_time_are_named(quick: Cli) -> None:
    """Nobody takes them for laws that held: the exit status is another one, the table says 0."""
    done = quick("fuzz", "kuhn", "--for", "10s")
    assert done.returncode == 3
    assert re.search(r"every_game_ends +│ [1-5] ", done.stdout)
    assert re.search(r"secret_answers_have_alternatives +│ 0 ", done.stdout)
    assert re.search(r"kuhn: \d+ of \d\d laws held in \d+ cases \(seed \d+\)", done.stdout)
    assert re.fullmatch(
        r"arena: 10 seconds were too few to try \w+, \w+, \w+ and \d+ more; allow more with"
        r" --for\n",
        done.stderr,
    )


def test_what_is_found_is_a_test_that_fails(cli: Cli, site: str, tmp_path: Path) -> None:
    """Put into a file, the test fails for the reason that the fuzzer gave.

    Only what it takes is left in it: here the option that fails.
    """
    words = "--for", "120s", "--seed", "1"
    refusing = cli("fuzz", "refusing", *words, PYTHONPATH=site)
    failing = cli("fuzz", "failing-low", *words, "--json", PYTHONPATH=site)
    assert refusing.returncode == failing.returncode == 1
    first, *_ = refusing.stderr.splitlines()
    assert first.startswith("arena: refusing breaks a law")
    said = json.loads(failing.stdout)
    assert said["law"] == "every_game_ends"
    assert "Case({'lowest': True}, 2, '0', ())" in said["test"]
    (tmp_path / "test_found.py").write_text(refusing.stdout)
    (tmp_path / "test_low.py").write_text(said["test"])
    again = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_found.py",
         "test_low.py"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": site},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert again.returncode == 1
    assert "2 failed" in again.stdout
    assert first.partition(": ")[2].partition(": ")[2] in again.stdout
    assert said["test"].partition("Found by fuzzing: ")[2].splitlines()[0] in again.stdout


def test_options_are_those_of_all_cases(cli: Cli, site: str) -> None:
    """With the option that does not fail there is nothing to be found."""
    done = cli("fuzz", "failing-low", "-o", "lowest=false", "--for", "0.2s", PYTHONPATH=site)
    assert "breaks a law" not in done.stderr
    assert done.returncode == 3  # not all laws had a turn


WRONG = {
    "no time": (("kuhn", "--for", "soon"), "'soon' is not a time; write 90, 60s, 5m or 1h"),
    "a negative time": (("kuhn", "--for", "-3s"), "'-3s' is not a time"),
    "an unknown option": (("gops", "-o", "card=3"), "unknown option 'card'; did you mean"),
    "a value that cannot be": (
        ("gops", "-o", "cards=0"),
        "gops: cards: 0 is not a whole number from 1 to 1000",
    ),
    "no number": (("kuhn", "--seed", "x"), "--seed: 'x' is not a whole number"),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_asked_for_is_one_line(quick: Cli, words: str) -> None:
    """The line says what can."""
    arguments, expected = WRONG[words]
    done = quick("fuzz", *arguments)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("arena: ")
    assert expected in line


def test_the_same_seed_finds_the_same() -> None:
    """The cases follow from it."""
    assert found(faulty.ASSERTING) == found(faulty.ASSERTING)


@pytest.mark.parametrize("name", ["WITHOUT_QUESTIONS", "WITH_A_TIGHT_LOOP", "FOR_EVER"])
def test_an_endless_game_does_not_keep_the_fuzzer(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found, and what is found says so."""
    monkeypatch.setattr("arena.testing.fuzz.CPU_LIMIT_SECONDS", 0.2)
    ends = found(getattr(chancy, name))
    assert ends.law == "every_game_ends"
    assert "end" in ends.reason


def test_a_game_that_is_not_determined_is_said_to_be_so() -> None:
    """No word of what hypothesis thinks of it."""
    again = found(chancy.BY_COUNT)
    assert again.law == "seed_and_answers_determine_the_game"
    assert again.reason.startswith("a second run went differently")


def test_chance_that_shows_seldom_is_said_to_be_chance() -> None:
    """Also where the case that failed does not fail again."""
    assert found(chancy.SELDOM).reason.startswith(("a second", "the same case does not"))


@pytest.mark.parametrize("game", [openly.RACE, styles.CLAIMS])
def test_sound_games_of_all_styles_are_sound(game: Game) -> None:
    """Also those that hide nothing, whose deals may tell."""
    done = tried(game, seconds=0.2)
    assert done.broken_law is None
    assert done.case_count > 0


ODD_REASONS = ['it ends with a quote"', 'three: """', "back\\slash \\x", "two\nlines", "\x0c"]


@pytest.mark.parametrize("reason", ODD_REASONS)
@pytest.mark.parametrize("game", ["two-up", "6 nimmt!"])
def test_whatever_is_found_is_python(game: str, reason: str) -> None:
    """Whatever the game is called, and whatever the rules said when they failed."""
    case = Case({"name": 'a "b"', "prizes": [1, 2]}, 3, "17", (1, 2))
    text = BrokenLaw(game=game, law="every_game_ends", case=case, reason=reason).test_source
    (_, test) = ast.parse(text).body
    assert isinstance(test, ast.FunctionDef)
    assert test.name.startswith("test_")
    assert test.name.endswith("every_game_ends")
    compile(text, "test_found.py", "exec")


def test_each_law_has_a_turn_before_any_has_two() -> None:
    """Then laws that need many cases are alone for a while, and all come in turn from then on."""
    seldom = [name for name, law in LAWS.items() if law.seldom]
    cases = draw_cases(styles.CLAIMS, {})
    early, late = (
        _Fuzzer(styles.CLAIMS, LAWS, cases, {}, 7, alone_until, until=inf).list_turns()
        for alone_until in (inf, -inf)
    )
    first = [*islice(early, len(LAWS))]
    assert first == [*islice(late, len(LAWS))]
    assert first[0] == (7, "every_game_ends", FIRST_CASES)
    assert sorted(name for _, name, _ in first) == sorted(LAWS)
    some = [(number, name) for number, name, _ in islice(early, 2 * len(seldom))]
    assert some == [(number, name) for number in (8, 9) for name in seldom]
    assert [name for _, name, _ in islice(late, len(LAWS))] == [*LAWS]
    assert {"the_order_of_sets_does_not_matter", "what_wires_say_again_is_up_to_date"} <= {*seldom}


def test_a_law_that_lists_its_cases_is_tried_too() -> None:
    """A bot that answers what is illegal is found, which no drawn game shows."""
    assert found(offering.WITH_A_CHEAT).law == "bots_play_without_fault"


def test_other_interpreters_are_asked_too() -> None:
    """The order of a set that decides is found by fuzzing; a game without a name is tried alone."""
    order = found(chancy.BY_SET)
    assert order.law == "the_order_of_sets_does_not_matter"
    assert "another interpreter" in order.reason
    assert tried(evolve(styles.CLAIMS), seconds=0.2).broken_law is None
