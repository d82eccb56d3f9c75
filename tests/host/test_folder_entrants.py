"""Bots in folders: what their command may name, where they work, which parameters they take."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.host import parse_entrant
from arena.plugins import get_plugins
from arena.rules import UserError
from arena.tournament.store import Store
from tests.support.command import Cli
from tests.support.programs import ECHO, PYTHON
from tests.support.tournaments.folders import build_entrant_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
GOPS = get_plugins().find_game("gops")
SMALL = ("-o", "cards=3")
ONE_PAIR = ("--pairs", "1", "--workers", "1")
TOURNAMENT = 'game = "gops"\nmatches = {}\nworkers = 1\noptions = {{ cards = 3 }}\ncheck = false\n'
NOTES = "import os, sys\nopen(f'{sys.argv[1]}/{os.getpid()}', 'w').write(' '.join(sys.argv[2:]))\n"
SPOILS = """
import os, sys
print(open("data").read(), sorted(os.listdir()), file=sys.stderr)
for name in os.listdir():
    open(name, "w").write("spoilt")
open("more", "w")
"""
PARAMETERS = """
[parameters.w]
type = "int"
min = 0
max = 9
default = 3

[parameters.style]
type = "str"
choices = ["bold", "shy"]
default = "shy"
"""

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a way to write a bot's folder: its program, its command, and more of its file."""

    def write(text: str, command: object, more: str = "", name: str = "mine") -> Path:
        home = tmp_path / "bots" / name
        home.mkdir(parents=True)
        (home / "bot.py").write_text(text + ECHO)
        (home / "data").write_text("data")
        file = f"name = {json.dumps(name)}\ncommand = {json.dumps(command)}\n{more}"
        (home / "bot.toml").write_text(file)
        return home

    return write


@pytest.fixture
def noting(make: Make, tmp_path: Path) -> Path:
    """Write a bot that notes its parameters; return the folder of the notes."""
    (tmp_path / "notes").mkdir()
    make(NOTES, f"{PYTHON[0]} bot.py {tmp_path}/notes {{w}} {{style}}", PARAMETERS)
    return tmp_path / "notes"


def noted(notes: Path) -> set[str]:
    """Return what was noted, and forget it."""
    texts = {path.read_text() for path in notes.iterdir()}
    shutil.rmtree(notes)
    notes.mkdir()
    return texts


def errors(quick: Cli, *words: str) -> list[str]:
    """Play matches that go well; return what the bot called mine wrote to standard error."""
    done = quick("match", "gops", *words, "match", *SMALL, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    seats = [seat for line in done.stdout.splitlines() for seat in json.loads(line)["seats"]]
    return [seat["stderr"].strip() for seat in seats if seat["name"] == "mine"]


@pytest.mark.parametrize("whole", [True, False])
def test_a_command_names_its_folder(quick: Cli, make: Make, whole: bool) -> None:
    """In a word or as one; as a line or as a list, whose words may have blanks in them."""
    text = "import sys\nprint(open(sys.argv[2][3:]).read(), sys.argv[1], file=sys.stderr)\n"
    words = [PYTHON[0], "{folder}/bot.py", "a b", "in={folder}/data"]
    make(text, words if whole else f"{words[0]} {words[1]} 'a b' {words[3]}")
    assert errors(quick, "bots/mine") == ["data a b"]


def test_a_bot_may_work_in_a_copy_of_its_folder(quick: Cli, make: Make) -> None:
    """What it writes spoils neither its own folder nor its next match."""
    home = make(SPOILS, f"{PYTHON[0]} bot.py", 'directory = "bot"\n')
    before = {path.name: path.read_text() for path in home.iterdir()}
    assert errors(quick, "bots/mine", "--games", "2") == ["data ['bot.py', 'bot.toml', 'data']"] * 2
    assert {path.name: path.read_text() for path in home.iterdir()} == before


def test_in_its_copy_a_bot_is_its_copy(quick: Cli, make: Make) -> None:
    """The program itself, and `{folder}`, are those of the copy: it may write beside itself."""
    text = "import sys\nfor path in sys.argv:\n    open(path, 'w').write('spoilt')\n"
    home = make(text, f"{PYTHON[0]} bot.py {{folder}}/data", 'directory = "bot"\n')
    assert errors(quick, "bots/mine") == [""]
    assert (home / "data").read_text() == "data"
    assert (home / "bot.py").read_text() == text + ECHO


def test_a_copy_that_is_kept_is_made_once(quick: Cli, make: Make, tmp_path: Path) -> None:
    """A bot finds again in it what it wrote."""
    text = "import sys\nold = open('data').read()\nprint(old, file=sys.stderr)\nopen('data', 'w').write(old + '+')\n"
    make(text, f"{PYTHON[0]} bot.py", 'directory = "bot"\n')
    words = ("bots/mine", "--games", "2", "--keep-folders", "kept")
    assert errors(quick, *words) + errors(quick, *words) == ["data", "data+", "data++", "data+++"]
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["mine"]


@pytest.mark.parametrize("how", ["check", "duel", "tournament"])
def test_a_bot_works_in_its_copy_everywhere(
    quick: Cli, make: Make, tmp_path: Path, how: str
) -> None:
    """Also where its folder is itself a copy."""
    home = make("data = open('data').read()\n", f"{PYTHON[0]} bot.py", 'directory = "bot"\n')
    (tmp_path / "t.toml").write_text(
        TOURNAMENT.format(2) + build_entrant_tables("bots/mine", "match")
    )
    words = {
        "check": ("check", "gops", "bots/mine", *SMALL, "--quick"),
        "duel": ("duel", "gops", "bots/mine", "match", *SMALL, *ONE_PAIR, "--json"),
        "tournament": ("tournament", "run", "t.toml", "--json"),
    }
    done = quick(*words[how])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "crashed" not in done.stdout
    assert sorted(path.name for path in home.iterdir()) == ["bot.py", "bot.toml", "data"]


def test_parameters_are_handed_over(quick: Cli, noting: Path) -> None:
    """Those given, and the defaults of the others."""
    for text, words in (
        ("bots/mine", "3 shy"),
        ("bots/mine:w=5", "5 shy"),
        ("his=bots/mine:style=bold,w=0", "0 bold"),
        ("bots/mine/:w=9", "9 shy"),
    ):
        assert quick("match", "gops", text, "match", *SMALL).returncode == 0
        assert noted(noting) == {words}


@pytest.mark.parametrize("how", ["check", "duel", "play", "tournament"])
def test_parameters_are_handed_over_everywhere(
    cli: Cli, quick: Cli, noting: Path, tmp_path: Path, how: str
) -> None:
    """Wherever an entrant is named."""
    (tmp_path / "t.toml").write_text(
        TOURNAMENT.format(2) + build_entrant_tables("bots/mine:w=7", "match")
    )
    words = {
        "check": ("check", "gops", "bots/mine:w=7", *SMALL, "--quick"),
        "duel": ("duel", "gops", "bots/mine:w=7", "match", *SMALL, *ONE_PAIR),
        "play": ("play", "gops", "--against", "bots/mine:w=7", *SMALL),
        "tournament": ("tournament", "run", "t.toml"),
    }
    done = cli(*words[how], stdin="1\n2\n3\n") if how == "play" else quick(*words[how])
    assert done.returncode == 0, done.stdout + done.stderr
    assert noted(noting) == {"7 shy"}


@pytest.mark.each("given", "how")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("w=10", "w: 10 is not a whole number from 0 to 9"),
        ("w=-1", "w: -1 is not a whole number from 0 to 9"),
        ("w=1.0", "w: 1.0 is not a whole number from 0 to 9"),
        ("w=", "w: '' is not a whole number from 0 to 9"),
        ("w", "'w' is not of the form NAME=VALUE"),
        ("style=loud", "style: 'loud' is not one of bold, shy"),
        ("wide=3", "unknown parameter 'wide' (available: w, style)"),
    ],
)
@pytest.mark.parametrize("how", ["match", "check", "duel", "tournament"])
@pytest.mark.usefixtures("noting")
def test_a_wrong_parameter_is_said_in_a_line(
    quick: Cli, tmp_path: Path, given: str, said: str, how: str
) -> None:
    """With the file that declares it, and what is allowed."""
    bot = f"bots/mine:{given}"
    (tmp_path / "t.toml").write_text(TOURNAMENT.format(2) + build_entrant_tables(bot, "match"))
    words = {
        "match": ("match", "gops", bot, "match"),
        "check": ("check", "gops", bot),
        "duel": ("duel", "gops", bot, "match"),
        "tournament": ("tournament", "run", "t.toml"),
    }
    done = quick(*words[how])
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"bots/mine/bot.toml: {said}")


@pytest.mark.parametrize(
    ("type_", "good", "bad"),
    [
        ("float", {"0.5": "0.5", "1": "1.0", "1e3": "1000.0"}, ["x", "NaN", "Infinity", "true"]),
        ("bool", {"true": "true", "false": "false"}, ["1", "yes", "True", "[" * 99_999]),
        ("str", {"7": "7", "a b": "a b", "{folder}": "{folder}"}, []),
    ],
)
def test_types_of_parameters(make: Make, type_: str, good: dict[str, str], bad: list[str]) -> None:
    """A value is of its type or refused; a text is handed over as it is."""
    default: object = {"float": 0.0, "bool": True, "str": ""}[type_]
    allowed = {"float": "a number", "bool": "true or false", "str": "a text"}[type_]
    more = f'[parameters.w]\ntype = "{type_}"\ndefault = {json.dumps(default)}\n'
    home = make("", f"{PYTHON[0]} bot.py {{w}}", more)
    for text, word in good.items():
        factory = parse_entrant(GOPS, f"{home}:w={text}").factory
        assert factory.words[-1] == word  # type: ignore[attr-defined]
    for text in bad:
        with pytest.raises(UserError, match=f"w: .* is not {allowed}"):
            parse_entrant(GOPS, f"{home}:w={text}")


def test_parameters_are_part_of_a_version(quick: Cli, noting: Path, tmp_path: Path) -> None:
    """Who differs by them alone shares a copy, built once; a default that is given is none."""
    file = tmp_path / "bots/mine/bot.toml"
    build = "build = \"sh -c 'echo once >> log'\"\n"
    file.write_text(file.read_text().replace("[parameters.w]", f"{build}[parameters.w]"))
    several = {"a": "bots/mine", "b": "bots/mine:w=3", "c": "bots/mine:w=4", "d": "bots/mine:w=5"}
    (tmp_path / "t.toml").write_text(TOURNAMENT.format(6) + build_entrant_tables(**several))
    assert quick("tournament", "run", "t.toml").returncode == 0
    assert noted(noting) == {"3 shy", "4 shy", "5 shy"}
    with Store.open(tmp_path / "t.db", write=False) as store:
        versions = {entry.name: entry.version for entry in store.entries.list_all()}
    assert versions["a"] == versions["b"]
    assert len(set(versions.values())) == 3
    (copy,) = (path for path in (tmp_path / "t.arena/bots").iterdir() if path.is_dir())
    assert all(version.startswith(copy.name) for version in versions.values())
    assert (copy / "log").read_text() == "once\n"


def test_another_parameter_is_a_new_version(quick: Cli, noting: Path, tmp_path: Path) -> None:
    """A late one enters, one is replaced by itself with another, and its folder may go."""
    file = tmp_path / "held/t.toml"
    file.parent.mkdir()
    file.write_text(TOURNAMENT.format(2) + build_entrant_tables("mine=../bots/mine:w=1", "match"))
    assert quick("tournament", "run", file).returncode == 0
    assert noted(noting) == {"1 shy"}
    assert quick("tournament", "add", file, "late=bots/mine:w=2").returncode == 0
    done = quick("tournament", "replace", file, "mine", "bots/mine:w=4")
    assert done.stdout.startswith("mine replaced: version ")
    shutil.rmtree(tmp_path / "bots")
    done = quick("tournament", "run", file)
    assert done.returncode == 0, done.stderr
    assert noted(noting) == {"2 shy", "4 shy"}


SAYS_GOODBYE = """
import atexit, sys
note = open(sys.argv[1], "w")
note.write("written")
atexit.register(lambda: open(sys.argv[1] + "-at-exit", "w").write("written"))
"""


@pytest.mark.parametrize(("more", "said"), [("", ["written"] * 2), ('end = "now"\n', [""])])
def test_a_bot_may_give_up_its_end(
    quick: Cli, make: Make, tmp_path: Path, more: str, said: list[str]
) -> None:
    """With `end = "now"` nothing runs after its last answer, plainly started or warm."""
    make(SAYS_GOODBYE, f"{PYTHON[0]} bot.py {tmp_path}/note", more)
    for games in ("1", "3"):
        assert errors(quick, "bots/mine", "--games", games) == [""] * int(games)
        notes = [*tmp_path.glob("note*")]
        assert [path.read_text() for path in notes] == said
        for path in notes:
            path.unlink()


@pytest.mark.parametrize("more", ["", 'end = "now"\n'])
def test_a_bot_that_fails_says_why_however_it_ends(quick: Cli, make: Make, more: str) -> None:
    """Its exit status is known also where it could have been killed."""
    make("raise SystemExit(3)\n", f"{PYTHON[0]} bot.py", more)
    done = quick("match", "gops", "bots/mine", "match", *SMALL, "--json")
    (verdict,) = [seat["verdict"] for seat in json.loads(done.stdout)["seats"] if seat["verdict"]]
    assert verdict["kind"] == "crashed"
    assert "exit status 3" in verdict["detail"]
