"""Golden playthroughs: written, read back, compared; what is wrong with them is said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from attrs import evolve, frozen

from arena import Table
from arena.rules import UserError
from arena.testing import Case, golden
from arena.testing.golden import (
    describe_variant,
    plan_files,
    read_case,
    render_playthrough,
    write_playthroughs,
)
from arena_gops import GAME as GOPS
from arena_kuhn import GAME as KUHN
from arena_kuhn import Acted, Bet, Card, Kuhn, KuhnPosition, Showdown, ask_bet
from tests.support.command import Cli, Install
from tests.testing.games import chancy
from tests.testing.games.higher import HIGHER, Higher, HigherNarrator, Lines, higher
from tests.testing.games.holding import contract, refuses, run
from tests.testing.games.styles import PATIENCE

pytestmark = pytest.mark.slow  # playthroughs of games, again and again
TEST = "golden_playthroughs"


def test_a_playthrough_is_written_for_each_number_of_seats(tmp_path: Path) -> None:
    """And one with other options than the usual ones, except for those that are asked for."""
    files = write_playthroughs(HIGHER, tmp_path, {"cards": 3})
    assert [file.name for file in files] == ["higher-2.txt", "higher-3.txt", "higher-2-options.txt"]
    cases = [Case({"cards": 3}, 2, "golden"), Case({"cards": 3}, 3, "golden"),
             Case({"cards": 3, "lowest": True}, 2, "golden")]  # fmt: skip
    for file, case in zip(files, cases, strict=True):
        assert read_case(file) == case
        assert file.read_text("utf-8") == render_playthrough(HIGHER, case)
    run(contract(HIGHER, golden=tmp_path), TEST)


TEXT = r"""format: 1
game: patience
seats: 1
options: {"cards": 1}
seed: golden

all     Greeting: seats 1, variant Patience\(cards=1\)
to 0    \| {"tell":"Greeting",.*}
all     Card: rank (\d+)
        \| {"tell":"Card","rank":\1}
ask 0   Do \(no \| yes\)
        \| {"ask":"Do","options":{"one_of":\[false,true\]},"default":true}
from 0  > (true|false)
all     Done: seat 0, what \d+
        \| {"tell":"Done","seat":0,"what":\d+}

seat 0: place 1, score [01]

--- the person at seat 0 sees

(?P<card>.*)
Do
  \(no \| yes\)
> (?P<typed>yes|no)
Done: you, what (?P<what>\d+)

--- who watches sees

(?P=card)
player_0 answers: (?P=typed)
Done: player_0, what (?P=what)
"""


def test_a_person_can_read_it(tmp_path: Path) -> None:
    """What all are told, in words and as it stands on the wire; who is asked; what is said."""
    (file,) = write_playthroughs(PATIENCE, tmp_path, {"cards": 1})
    assert re.fullmatch(TEXT, file.read_text("utf-8"))


def test_a_missing_playthrough_is_named(tmp_path: Path) -> None:
    """And how to write it, with the options that the contract plays with."""
    write_playthroughs(HIGHER, tmp_path, {})
    (tmp_path / "higher-3.txt").unlink()
    words = rf"missing playthrough higher-3\.txt;.*arena golden higher.*--into {tmp_path}"
    refuses(HIGHER, TEST, words, golden=tmp_path)
    refuses(HIGHER, TEST, "-o cards=1.*-o lowest=true", golden=tmp_path,
            fixed_options={"cards": 1, "lowest": True})  # fmt: skip


def test_playthroughs_of_seats_that_are_gone_are_deleted(tmp_path: Path) -> None:
    """Whoever writes all anew finds no old ones among them, and loses no other file."""
    (tmp_path / "higher-notes.txt").write_text("mine")
    write_playthroughs(HIGHER, tmp_path, {})
    fewer = evolve(HIGHER, seats=range(2, 3))
    write_playthroughs(fewer, tmp_path, {})
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {"higher-2.txt", "higher-2-options.txt", "higher-notes.txt"}


def test_a_playthrough_shows_what_people_see(tmp_path: Path) -> None:
    """A narrator that says something else is found, at a seat and for who watches."""
    write_playthroughs(HIGHER, tmp_path, {})

    class Louder(HigherNarrator):
        def describe(self, message: Any) -> Iterable[str]:
            return [line.upper() for line in super().describe(message)]

    refuses(higher(narrator=Louder), TEST, r"higher-2\.txt, line \d+: ", golden=tmp_path)


def test_an_outdated_playthrough_is_named(tmp_path: Path) -> None:
    """With the first line that is another now, as it was and as it is."""

    class Louder(Lines):
        """Says what is laid in another word."""

        def tell(self, event: object) -> list[str]:
            return [line.replace("laid", "LAID") for line in super().tell(event)]

    write_playthroughs(HIGHER, tmp_path, {})
    words = (
        r"higher-2\.txt, line \d+: '.*laid \d+ \d.*' is now '.*LAID \d+ \d.*arena golden higher "
    )
    words += rf"--into {tmp_path}\n"
    refuses(higher(wires={"text": Louder}), TEST, words, golden=tmp_path)


def test_an_option_that_a_game_gains_changes_no_playthrough() -> None:
    """Options at their defaults are not written, so that a change of the rules stands out."""
    assert describe_variant(HIGHER, Higher()) == "Higher()"
    assert describe_variant(HIGHER, Higher(lowest=True)) == "Higher(lowest=True)"


def test_a_playthrough_that_ends_early_is_outdated(tmp_path: Path) -> None:
    """Nothing may be missing at its end."""
    file, *_ = write_playthroughs(HIGHER, tmp_path, {})
    file.write_text("\n".join(file.read_text("utf-8").splitlines()[:-2]))
    refuses(HIGHER, TEST, r"higher-2\.txt, line \d+: .* is now", golden=tmp_path)


def test_a_contract_without_a_folder_says_what_to_write() -> None:
    """Who has not said where they are is told."""
    refuses(HIGHER, TEST, r"golden = Path\(__file__\)", golden=None)


@frozen
class NobodyBet:
    """Both seats have passed."""


@frozen
class Unreachable:
    """Something that no game announces."""


@frozen
class ShortKuhn(Kuhn):
    """Kuhn poker that ends after two answers."""

    async def deal(self, table: Table) -> ShortKuhnPosition:
        return ShortKuhnPosition(self, tuple(table.random.sample((1, 2, 3), 2)))


@frozen
class ShortKuhnPosition(KuhnPosition):
    """A position that announces when nobody has bet."""

    async def round(self, table: Table) -> KuhnPosition:
        bets = [await ask_bet(table, seat) for seat in table.seats]
        table.announce(Showdown(self.ranks) if any(bets) else NobodyBet())
        return evolve(self, over=True)


SHORT_KUHN = evolve(
    KUHN, variant=ShortKuhn, messages=(Card, Acted, Showdown, Bet, NobodyBet, Unreachable),
)  # fmt: skip


def test_what_seldom_occurs_has_a_playthrough_of_its_own(tmp_path: Path) -> None:
    """It is named where it lacks; what occurs in no game that is tried has none."""
    files = write_playthroughs(SHORT_KUHN, tmp_path, {})
    assert [file.name for file in files] == ["kuhn-2.txt", "kuhn-2-NobodyBet.txt"]
    usual, further = (file.read_text("utf-8") for file in files)
    assert "NobodyBet" not in usual
    assert re.search("^all +NobodyBet", further, re.MULTILINE)
    assert read_case(files[1]) == plan_files(SHORT_KUHN, tmp_path, {})[files[1]]
    made = contract(SHORT_KUHN, golden=tmp_path)
    run(made, TEST)
    files[1].unlink()
    words = r"^no playthrough has NobodyBet; write it with: arena golden kuhn .*--into "
    with pytest.raises(AssertionError, match=words):
        run(made, TEST)


def test_the_search_for_what_seldom_occurs_ends(tmp_path: Path) -> None:
    """Also where games are long, and some message never occurs."""
    long = evolve(HIGHER, messages=(*HIGHER.messages, Unreachable))
    with patch.object(golden, "MAX_SEARCHED_MESSAGES", 10):
        assert [*plan_files(long, tmp_path, {})] == [*plan_files(HIGHER, tmp_path, {})]


@pytest.mark.parametrize("text", ["", "game: higher\n", "seats: x\nseed: 1\noptions: {}\n\n", "\0"])
def test_what_is_no_playthrough_is_refused(tmp_path: Path, text: str) -> None:
    """A file that is not a playthrough is refused in one line that names it."""
    file = tmp_path / "higher-2.txt"
    file.write_text(text)
    with pytest.raises(UserError, match=r"higher-2\.txt: not a playthrough"):
        read_case(file)


def test_the_command_writes_them(quick: Cli, tmp_path: Path) -> None:
    """Into the folder that is named, which is made; with options, which the files keep."""
    done = quick("golden", "gops", "--into", "made/golden", "-o", "cards=3")
    assert (done.returncode, done.stderr) == (0, "")
    folder = tmp_path / "made" / "golden"
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        str(file) for file in plan_files(GOPS, Path("made/golden"), {})
    ]
    assert read_case(folder / "gops-2.txt") == Case({"cards": 3}, 2, "golden")
    run(contract(GOPS, golden=folder), TEST)


def test_programs_are_told_in_json(quick: Cli, tmp_path: Path) -> None:
    """The file and its length."""
    done = quick("golden", "kuhn", "--json")
    row = json.loads(done.stdout)
    text = (tmp_path / row["file"]).read_text("utf-8")
    assert row == {"file": "tests/golden/kuhn-2.txt", "lines": len(text.splitlines())}


WRONG = {
    "a value that cannot be": (
        ("gops", "-o", "cards=0"),
        "cards: 0 is not a whole number from 1 to 1000",
    ),
    "a file in its place": (("kuhn", "--into", "file"), "'file' is a file"),
    "a folder below a file": (("kuhn", "--into", "file/golden"), "Not a directory"),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_written_is_one_line(quick: Cli, tmp_path: Path, words: str) -> None:
    """The line says why."""
    (tmp_path / "file").touch()
    arguments, expected = WRONG[words]
    done = quick("golden", *arguments)
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert expected in line


PLUGIN = """
from attrs import evolve
from arena import hookimpl
from tests.testing.games import chancy
from tests.testing.games import faulty

@hookimpl
def arena_games():
    return [
        evolve(faulty.FAILING_FOR_THREE, name="failing"),
        evolve(chancy.FOR_EVER, name="forever"),
    ]
"""


@pytest.mark.parametrize(
    ("game", "words"), [("failing", "ZeroDivisionError: three cards"), ("forever", "end")]
)
def test_a_game_that_fails_is_one_line(
    cli: Cli, install: Install, root: Path, game: str, words: str
) -> None:
    """No traceback, but the game, and what is wrong with it."""
    site = f"{install('arena_test_golden', PLUGIN)}:{root}"
    done = cli("golden", game, PYTHONPATH=site)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert game in line
    assert words in line


def test_chance_from_elsewhere_is_seen_in_a_playthrough(tmp_path: Path) -> None:
    """A game that is another one each time goes otherwise than its file."""
    write_playthroughs(chancy.BY_COUNT, tmp_path, {})
    refuses(chancy.BY_COUNT, TEST, r"higher-2\.txt, line \d+: .* is now", golden=tmp_path)
