"""Every form in which a bot can be named, and every refusal, in one line."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from arena.host import (
    BotClassFactory,
    BotError,
    Entrant,
    make_names_unique,
    parse_entrant,
    parse_entrants,
    parse_opponents,
)
from arena.host.player_factories import ProgramFactory
from arena.plugins import get_plugins
from arena.rules import UserError

GOPS = get_plugins().find_game("gops")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(path: Path, text: str = "", mode: int = 0o644) -> Path:
    """Write a file, with the folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def command(text: str) -> ProgramFactory:
    """Read a bot that is a program."""
    factory = parse_entrant(GOPS, text).factory
    assert isinstance(factory, ProgramFactory)
    return factory


def test_a_bundled_bot_with_and_without_parameters() -> None:
    """It plays in this process, and is called after what it is."""
    plain, given = parse_entrant(GOPS, "ordered"), parse_entrant(GOPS, "ordered:start=7")
    assert plain.name == given.name == "ordered"
    assert (plain.bot, given.bot) == ("ordered", "ordered:start=7")
    assert isinstance(given.factory, BotClassFactory)
    assert given.factory.parameters == {"start": 7}
    assert not given.factory.is_program
    assert parse_entrant(GOPS, "hard-patterned").name == "hard_patterned"


def test_a_name_stands_before_the_first_equals_sign() -> None:
    """Letters, digits and underscores, up to 32; the rest is the bot."""
    assert parse_entrant(GOPS, "Ann_1=ordered:start=7").name == "Ann_1"
    assert parse_entrant(GOPS, f"{'x' * 32}=match").name == "x" * 32
    for text in (f"{'x' * 33}=match", "a-b=match", "=match", "ä=match"):
        with pytest.raises(UserError):
            parse_entrant(GOPS, text)


def test_a_command_line(home: Path) -> None:
    """Its words are split as a shell does; those that name a file become absolute."""
    script = written(home / "bots" / "mine.py")
    made = command("python3 -u bots/mine.py 'a b' --x=1")
    assert Path(made.words[0]).name == "python3"
    assert made.words[1:] == ("-u", str(script), "a b", "--x=1")
    assert made.protocol is None
    assert made.is_program
    assert parse_entrant(GOPS, "python3 -u bots/mine.py 'a b'").name == "mine"
    assert parse_entrant(GOPS, "Bob=python3 bots/mine.py").name == "Bob"
    assert parse_entrant(GOPS, "sh -c true").name == "sh"


def test_a_program_on_the_path_comes_before_a_file_of_its_name(home: Path) -> None:
    """A command line means the file in the current folder where it says so, or nothing else does."""
    for name in ("sh", "mine"):
        written(home / name, "#!/bin/sh\n", 0o755)
    assert command("sh -c true").words[0] == shutil.which("sh")
    assert command("./sh -c true").words[0] == str(home / "sh")
    assert command("mine 3").words[0] == str(home / "mine")


def test_a_path_runs_itself_or_by_its_ending(home: Path) -> None:
    """What is executable is run; what is not, by its extension's interpreter."""
    runs = written(home / "a b" / "runs", "#!/bin/sh\n", 0o755)
    assert command("a b/runs").words == (str(runs),)
    for name, words in {"x.py": (sys.executable,), "x.sh": ("bash",)}.items():
        file = written(home / name)
        assert command(name).words == command(f"./{name}").words == (*words, str(file))
    assert parse_entrant(GOPS, "x.py").name == "x"
    assert parse_entrant(GOPS, str(written(home / "deep" / "bot.py"))).name == "deep"


def test_a_file_that_nobody_can_run(home: Path) -> None:
    """It says which endings can be run."""
    written(home / "notes.txt")
    with pytest.raises(BotError, match=r"notes.txt is not executable.*\.py"):
        parse_entrant(GOPS, "notes.txt")


def test_an_interpreter_that_is_not_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says which language is missing, before anything is played."""
    written(home / "x.rb")
    monkeypatch.setenv("PATH", str(home))
    with pytest.raises(BotError, match=r"x\.rb needs ruby"):
        parse_entrant(GOPS, "x.rb")


def test_a_folder_with_a_bot_toml(home: Path) -> None:
    """Its name, its command from within it, its build and its protocol are used."""
    folder = home / "mine"
    script = written(folder / "go.py")
    text = 'name = "Mine"\ncommand = "python3 go.py 9"\nbuild = "touch built"\nprotocol = "json"\n'
    written(folder / "bot.toml", text)
    made = parse_entrant(GOPS, "mine")
    assert made.name == "Mine"
    assert isinstance(made.factory, ProgramFactory)
    assert made.factory.words[1:] == (str(script), "9")
    assert made.factory.protocol == "json"
    assert (folder / "built").exists()
    assert parse_entrant(GOPS, "Other=mine").name == "Other"


def test_json_and_program() -> None:
    """One says which wire a command speaks; the other runs a bundled bot as a program."""
    assert command("json:python3 x.py").protocol == "json"
    assert parse_entrant(GOPS, "J=json:python3 x.py").name == "J"
    made = parse_entrant(GOPS, "program:ordered:start=7")
    assert made.name == "ordered"
    assert isinstance(made.factory, ProgramFactory)
    assert made.factory.protocol == "json"
    assert made.factory.words[-2:] == ("gops", "ordered:start=7")


def test_a_long_command_line_is_one() -> None:
    """It need not be short enough for a file's name."""
    assert len(command(f"python3 -c '{'pass;' * 100}'").words) == 3
    assert len(command(f"python3 -c '{'pass;' * 2000}'").words) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("plannr", "unknown bot 'plannr'; did you mean planner?"),
        ("nonsense", "random, match, ordered"),
        ("ordered:start=x", "bot ordered:start=x: start: 'x' is not a whole number"),
        ("ordered:start", "NAME=VALUE"),
        ("ordered:begin=7", "unknown parameter 'begin'"),
        ("match:start=7", "unknown parameter 'start'"),
        ("program:plannr", "unknown bot 'plannr'; did you mean planner?"),
        ("program:", "unknown bot ''"),
        ("json:", "the command line is empty"),
        ("", "the command line is empty"),
        ("  ", "the command line is empty"),
        ("'unclosed", "is not a command line"),
        ("/no/such/bot", "/no/such/bot: no such file"),
        ("./no-such-bot 1 2", "program './no-such-bot' not found"),
        ("no-such-bot-at-all 1 2", "program 'no-such-bot-at-all' not found"),
        ("empty", "this folder has no bot.toml"),
        ("A=B=C=nonsense", "unknown bot"),
        ("a\0b", "unknown bot"),
    ],
)
def test_refusals(home: Path, text: str, words: str) -> None:
    """What is wrong is said in one line, with what is possible."""
    (home / "empty").mkdir()
    with pytest.raises(UserError) as problem:
        parse_entrant(GOPS, text)
    assert words in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("text", ["./mine.py 9", "json:mine.py 9"])
def test_a_program_that_is_there_but_not_executable_is_not_called_missing(
    home: Path, text: str
) -> None:
    """With further words its interpreter is not guessed, but the line says what is wrong."""
    written(home / "mine.py")
    try:
        assert command(text).words == (sys.executable, str(home / "mine.py"), "9")
    except BotError as problem:
        assert "executable" in str(problem)  # noqa: PT017  # either will do


def test_a_bot_that_is_no_command_is_not_guessed_to_be_itself() -> None:
    """`json:random` names no program: to offer `random` again would help nobody."""
    with pytest.raises(UserError) as problem:
        parse_entrant(GOPS, "json:random")
    assert "did you mean random" not in str(problem.value)


def test_entrants_of_one_name_are_told_apart() -> None:
    """The second gets a number, which clashes with no other, within 32 characters."""
    some = parse_entrants(
        GOPS, ["match", "match", "match_2=match", "match", f"{'x' * 32}=match"] * 2
    )
    names = [entrant.name for entrant in some]
    assert len(set(names)) == 10
    assert names[:4] == ["match", "match_2", "match_2_2", "match_3"]
    assert all(len(name) <= 32 for name in names)


def test_a_name_made_from_a_file_is_a_name(home: Path) -> None:
    """Whatever the file is called, letters, digits and underscores are left, up to 32."""
    for stem in ("a b-c", "ü", "x" * 60, "-", "."):
        made = parse_entrant(GOPS, f"./{written(home / f'{stem}.py').name}")
        assert made.name.replace("_", "a").isalnum()
        assert made.name.isascii()
        assert 0 < len(made.name) <= 32


def test_the_bots_of_every_game_can_enter(tmp_path: Path) -> None:
    """Each by its name, in this process and, unless it searches, as a program."""
    for game in get_plugins().games.values():
        programs = [bot for bot, kind in game.bots.items() if not kind.searches]
        for names in ([*game.bots], [f"program:{bot}" for bot in programs]):
            some: list[Entrant] = [parse_entrant(game, name) for name in names]
            assert len(make_names_unique(some)) == len(names) > 0
    assert [*tmp_path.iterdir()] == []


def test_names_that_differ_in_case_only_count_as_the_same() -> None:
    """Who comes second has a number: a reader would take the two for one."""
    entrants = parse_entrants(GOPS, ["Ann=match", "ann=random", "ANN_2=match"])
    assert [entrant.name for entrant in entrants] == ["Ann", "ann_2", "ANN_2_2"]


def test_opponents_may_be_separated_by_commas() -> None:
    """Several are seated as listed."""
    assert [entrant.bot for entrant in parse_opponents(GOPS, ["match, random"])] == [
        "match",
        "random",
    ]
    assert parse_opponents(GOPS, [" "]) == ()
