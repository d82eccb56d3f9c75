"""Bots that are classes of a file: seated in this process, without packaging."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arena import Bot, UserError
from arena.host import format_class_path, parse_entrant
from arena.plugins import get_plugins
from tests.support.command import Cli
from tests.support.tournaments.folders import (
    list_matches,
    open_results,
    run_tournament,
    write_tournament,
)

pytestmark = pytest.mark.slow  # workers that import classes
GOPS = get_plugins().find_game("gops")
MINE = """
from arena import Bot

class High(Bot):
    def __init__(self, least=1):
        self.least = least
    def choose(self, question):
        return max(card for card in question.options if card >= self.least)

class Other:
    pass
"""
HELD = 'game = "gops"\nseed = "1"\nmatches = 4\nworkers = 1\ncheck = false\noptions.cards = 4\n'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with a file of bots."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def test_a_class_of_a_file_plays_with_its_parameters() -> None:
    """It is called after its class, made anew for each match, and read like a bundled bot."""
    named = parse_entrant(GOPS, "mine.py:High:least=3")
    assert (named.name, named.bot) == ("High", "mine.py:High:least=3")
    assert named.make_bot
    made = named.make_bot()
    assert vars(made) == {"least": 3}
    assert made is not named.make_bot()
    assert parse_entrant(GOPS, "x=mine.py:High").name == "x"


def test_the_command_line_seats_a_class(quick: Cli) -> None:
    """In a match, a duel and a check."""
    for line in (
        ["match", "gops", "mine.py:High", "easy", "--seed", "1"],
        ["duel", "gops", "mine.py:High", "easy", "--pairs", "1", "--seed", "1", "--workers", "1"],
        ["check", "gops", "mine.py:High", "--quick", "-o", "cards=5"],
    ):
        done = quick(*line)
        assert done.returncode == 0, done.stderr
        assert "High" in done.stdout or "passes" in done.stdout


@pytest.mark.parametrize(
    ("text", "source", "said"),
    [
        ("none.py:High", MINE, "none.py: there is no such file"),
        ("mine.py:Higher", MINE, "mine.py: unknown bot 'Higher'; did you mean High?"),
        ("mine.py:Other", MINE, "mine.py: Other is not a subclass of arena.Bot"),
        ("mine.py:High:most=1", MINE, "mine.py: unknown parameter 'most' (available: least)"),
        ("mine.py:High", "import nowhere_at_all", "ModuleNotFoundError: No module named"),
        ("mine.py:High", "\n1 / 0", "ZeroDivisionError: division by zero (line 2)"),
        ("mine.py:High", "\n\nclass High(", "SyntaxError: '(' was never closed (line 3)"),
        ("mine.py:High", "raise SystemExit(3)", "SystemExit: 3 (line 1)"),
        ("mine.py:High", f"{MINE}\ndef __init__(self): self.x\nHigh.__init__ = __init__",
         "High cannot be created: AttributeError"),
    ],
)  # fmt: skip
def test_what_cannot_be_seated_is_told_in_one_line(
    home: Path, text: str, source: str, said: str
) -> None:
    """What was wrong, in which file, and in which line of it."""
    (home / "mine.py").write_text(source)
    with pytest.raises(UserError) as caught:
        parse_entrant(GOPS, text)
    told = str(caught.value)
    assert said in told
    assert told.startswith(text.partition(":")[0])
    assert told.count("\n") == 0


def test_a_file_that_changes_is_read_again(home: Path) -> None:
    """A class is imported once for what its file holds, with what lies beside it."""
    (home / "beside_it.py").write_text("LEAST = 7")
    (home / "mine.py").write_text(MINE.replace("least=1", "least=LEAST"))
    with pytest.raises(UserError, match="NameError"):
        parse_entrant(GOPS, "mine.py:High")
    (home / "mine.py").write_text("from beside_it import LEAST\n" + MINE.replace("=1", "=LEAST"))
    first, again = parse_entrant(GOPS, "mine.py:High"), parse_entrant(GOPS, "mine.py:High")
    assert first.make_bot
    assert again.make_bot
    assert vars(first.make_bot()) == {"least": 7}
    assert type(first.make_bot()) is type(again.make_bot())


def test_a_tournament_knows_a_class_by_its_file(home: Path) -> None:
    """Its workers import it themselves; its version is that of the text and the file."""
    program = write_tournament(home, HELD, "mine.py:High", "easy", "match")
    assert run_tournament(program).lines == []
    assert {match["outcome"] for match in list_matches(program)} == {"finished"}
    with open_results(program) as store:
        (version,) = {entry.version for entry in store.entries.list_all() if entry.name == "High"}
    (home / "mine.py").write_text(MINE + "\n# changed")
    (line,) = run_tournament(
        write_tournament(home, HELD.replace("4\nw", "6\nw"), "mine.py:High", "easy", "match")
    ).lines
    assert f"High has changed since it entered (version {version}, now " in line


def test_only_what_stands_in_a_file_travels_to_other_processes(home: Path) -> None:
    """What is defined in a notebook does not."""
    kind = type(parse_entrant(GOPS, "mine.py:High").make_bot())  # type: ignore[misc]
    assert format_class_path(kind) == f"{home / 'mine.py'}:High"

    def factory_of_one() -> Bot:
        return kind()

    factories: list[Callable[..., Bot]] = [type("Nowhere", (Bot,), {}), factory_of_one]
    for factory in factories:
        with pytest.raises(UserError, match=r"PATH\.py:CLASS"):
            format_class_path(factory)
