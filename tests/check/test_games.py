"""What a check plays, whatever the game: wires, bundled bots, situations, toys."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from arena import Bot, Game, Question, Scenario
from arena.check import check
from arena.check.diagnosis import join_alternatives
from arena.check.report import CheckStage
from arena.check.trials import choose_table_sizes
from arena.host import Entrant, Limits, parse_entrant
from arena.plugins import get_plugins, load_game
from arena_gops.bots import Matching
from tests.support.command import Cli
from tests.support.faulty_bots import GOPS, Bots, get_only_finding
from tests.support.programs import LIMITS, MARK
from tests.support.toys import TOY, Toy, buggy, by_seat, word


@pytest.fixture
def bots(tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch) -> Bots:
    """Return a way to make programs, of which none may be left, and to check them."""
    monkeypatch.setenv(MARK, mark)
    return Bots(tmp_path)


def test_json_lines_are_shown_as_they_were(tmp_path: Path) -> None:
    """Also the greeting, which is sent first."""
    kuhn = load_game("kuhn")
    line = Bots(tmp_path).line("for line in sys.stdin: 'ask' in line and say('maybe')")
    finding = get_only_finding(check(kuhn, parse_entrant(kuhn, line), limits=LIMITS))
    assert json.loads(finding.sent[0])["tell"] == "Greeting"
    assert json.loads(finding.sent[-1])["ask"] == "Bet"
    assert finding.allowed == "false or true"
    assert finding.detail.startswith("not JSON")


class Wrong(Bot):
    """Answers nothing that is allowed."""

    def choose(self, question: Question[Any]) -> Any:
        return None


class Buggy(Bot):
    """Has a bug."""

    def choose(self, question: Question[Any]) -> Any:
        raise KeyError("a bug")


@pytest.mark.parametrize(("kind", "verdict"), [(Wrong, "illegal"), (Buggy, "crashed")])
def test_a_bot_in_this_process_can_be_checked(kind: type[Bot], verdict: str) -> None:
    """What it would have been sent as a program is shown."""
    game = evolve(GOPS, bots={"tried": kind, "match": Matching}, scenarios=())
    report = check(game, parse_entrant(game, "tried"), seed="1")
    assert (report.passed, get_only_finding(report).kind) == (False, verdict)
    assert get_only_finding(report).sent[-1].startswith("Competition card: ")
    assert report.facts.ends_by_itself is None


@pytest.mark.parametrize("game", ["bs", "gops", "kuhn"])
def test_every_bundled_bot_passes(game: str) -> None:
    """Every bundled bot passes the check in this process."""
    rules = load_game(game)
    for name in rules.bots:
        report = check(rules, parse_entrant(rules, name), sizes=rules.seats[:1], seed="1")
        assert (name, report.findings) == (name, ())


def toy(*rounds: Any, **more: Any) -> tuple[Game, Entrant, Toy]:
    """Return a toy game, a bot for it, and its variant."""
    game = evolve(TOY, **more)
    name = "any" if game.bots else "json:cat"
    return game, parse_entrant(game, name), Toy(rounds)


def test_a_game_without_bots_and_situations(bots: Bots) -> None:
    """Others draw their answers; there is no command that plays such a match again."""
    game, _, variant = toy(by_seat, by_seat)
    line = bots.line("for line in sys.stdin: 'ask' in line and say(9)")
    finding = get_only_finding(
        check(game, parse_entrant(game, f"json:{line}"), variant, limits=LIMITS)
    )
    assert (finding.kind, finding.allowed, finding.again) == ("illegal", "1, 2 or 3", "")


def test_what_is_not_listed_is_described() -> None:
    """With an example, as it stands on the wire."""
    game, _, variant = toy(word, bots={"any": Wrong})
    finding = get_only_finding(check(game, parse_entrant(game, "any"), variant, sizes=[1]))
    assert finding.allowed == 'a text that matches (?s).*; such as "word"'


def test_a_fault_of_the_rules_is_nobodys() -> None:
    """The match is void, which is said and not held against the bot."""

    class Two(Bot):
        def choose(self, question: Question[Any]) -> Any:
            return 2

    game, entered, variant = toy(buggy, bots={"any": Two})
    report = check(game, entered, variant, sizes=[2])
    assert (report.passed, get_only_finding(report).kind) == (True, "void")
    assert "a bug in the rules" in get_only_finding(report).detail


def test_a_situation_has_its_seats_options_and_seed() -> None:
    """The checked bot sits where it says, among its bots, whatever variant is checked."""
    seen: list[tuple[int, int, str, int]] = []

    class Looking(Matching):
        def greet(self, greeting: Any) -> None:
            super().greet(greeting)
            seen.append((self.seat, self.seats, self.variant.ties, self.variant.cards))

    situation = Scenario("ties wait", (Matching, Matching), 1, {"ties": "carry"})
    game = evolve(GOPS, bots={"tried": Looking}, scenarios=[situation])
    variant = game.read_variant({"cards": 5})
    parts: list[CheckStage] = []
    check(game, parse_entrant(game, "tried"), variant, sizes=[3], show=parts.append)
    assert [part.name for part in parts] == ["3 players, in every seat", "ties wait"]
    assert seen.count((1, 3, "carry", 5)) == 1


def test_the_same_match_can_be_played_again(bots: Bots, cli: Cli) -> None:
    """The command that is shown leads to the same verdict, whatever is drawn."""
    entered = parse_entrant(GOPS, f"tried={bots.line('for card in cards(): say(13)')}")
    variant = GOPS.read_variant({"ties": "split"})
    finding = get_only_finding(check(GOPS, entered, variant, sizes=[3], limits=LIMITS, quick=True))
    words = shlex.split(finding.again)
    assert "--option=ties=split" in words
    result = json.loads(cli(*words[1:], "--json").stdout)
    (verdict,) = [seat["verdict"] for seat in result["seats"] if seat["verdict"]]
    assert (verdict["kind"], verdict["line"], verdict["detail"]) == (
        finding.kind, finding.answered, finding.detail)  # fmt: skip


def test_a_bot_that_was_late_is_late_again(bots: Bots, cli: Cli) -> None:
    """The command has the limits and the options of the check, and the line says all of it."""
    game = get_plugins().find_game("hearts")
    entered = parse_entrant(game, f"tried={bots.line('import time; time.sleep(99)')}")
    variant = game.read_variant({"passing": False})
    limits = Limits(move=0.2, start=0.0, bank=60.0, increment=1.5)
    finding = get_only_finding(check(game, entered, variant, sizes=[3], limits=limits, quick=True))
    words = shlex.split(finding.again)
    assert {"--move-time=0.2", "--start-time=0", "--bank=60", "--increment=1.5"} <= {*words}
    assert "--option=passing=false" in words
    line = r"tried: timeout: no answer in time \(asked PlayCard, 0\.\d+ of 0\.2 seconds\)"
    assert re.search(line, " ".join(cli(*words[1:]).stdout.split()))


def test_tables_of_several_sizes() -> None:
    """The fewest players, some, and the most within reason."""
    assert choose_table_sizes(range(2, 53)) == [2, 4, 6]
    assert choose_table_sizes(range(2, 3)) == [2]
    assert choose_table_sizes(range(8, 11)) == [8]


def test_alternatives_are_joined_as_one_says_them() -> None:
    """Of many, some."""
    assert join_alternatives(["1"]) == "1"
    assert join_alternatives(["1", "3", "5"]) == "1, 3 or 5"
    assert join_alternatives([*map(str, range(1000))]).endswith("58, 59, ... or 999")
