"""A folder's `bot.toml`: every mistake in it is one line that names the file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.host import BotError, BotFile, build_bot, load_bot_file, parse_entrant
from arena.host.bot_build import BuildError
from arena.plugins import get_plugins
from arena.rules import UserError
from arena.sandbox import LANDLOCK, Sandbox
from tests.support.programs import MARK, list_command_lines

GOPS = get_plugins().find_game("gops")
GOOD = 'name = "mine"\ncommand = "true"\n'
W = 'name = "mine"\ncommand = "true {w}"\n[parameters.w]\ntype = "int"\nmin = 0\nmax = 9\n'
C = 'name = "mine"\ncommand = "true {w}"\n[parameters.w]\ntype = "str"\ndefault = "a"\n'


def folder(tmp_path: Path, text: str | bytes) -> Path:
    """Make a folder with this file."""
    home = tmp_path / "mine"
    home.mkdir()
    (home / "bot.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    return home


def test_a_file_is_read(tmp_path: Path) -> None:
    """What is optional may be left out."""
    assert load_bot_file(folder(tmp_path, GOOD)) == BotFile("mine", "true")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "name: is missing"),
        ('name = "mine"', "command: is missing"),
        ('command = "true"', "name: is missing"),
        (GOOD + "more = 1", "unknown key 'more' (available: name, command, build, protocol,"),
        (GOOD + "build = 5", "build: 5 is not"),
        (GOOD + "protocol = []", "protocol"),
        ('name = 5\ncommand = "true"', "name: 5 is not a string"),
        ('name = "a b"\ncommand = "true"', "name"),
        ('name = ""\ncommand = "true"', "name"),
        (f'name = "{"x" * 33}"\ncommand = "true"', "name"),
        ('name = "mine"\ncommand = ["true", 5]', "command"),
        ('name = "mine"\ncommand = 5', "command: 5 is not a string or a list"),
        ('name = "mine"\ncommand = []', "command line is empty"),
        (GOOD + 'directory = "home"', "directory: 'home' is not one of empty, bot"),
        (GOOD + 'end = "later"', "end: 'later' is not one of grace, now"),
        (GOOD + "parameters = 5", "parameters: is not a table"),
        (GOOD + "[parameters]\nw = 5", "parameters.w: is not a table"),
        (GOOD + "[parameters.w]\ntype = 'int'", "parameters.w.default: is missing"),
        (W + "default = 3.5", "3.5 is not a whole number from 0 to 9"),
        (W + "default = 10", "10 is not a whole number from 0 to 9"),
        (W + "default = true", "True is not a whole number from 0 to 9"),
        (W + "default = 3\nstep = 1", "unknown key 'step'"),
        (W + "default = 3\nchoices = ['a']", "choices are for str, not for int"),
        (
            W.replace("int", "str") + "default = 'a'",
            "min and max are for int and float, not for str",
        ),
        (
            W.replace("int", "whole") + "default = 3",
            "type: 'whole' is not one of int, float, bool, str",
        ),
        (W.replace("0", "'a'") + "default = 3", "'a' is not a whole number"),
        (W.replace(".w", ".W") + "default = 3", "parameters.W: not a valid name"),
        (W.replace(".w", ".folder") + "default = 3", "parameters.folder: not a valid name"),
        (W.replace(".w", ".v") + "default = 3", "parameters.v: not used by the command; write {v}"),
        (C + "choices = 'ab'", "choices: 'ab' is not a list"),
        (C + "choices = []", "'a' is not one of"),
        (C + "choices = ['b', 'c']", "'a' is not one of b, c"),
        (C + "choices = ['a', 5]", "5 is not a string"),
        ("name = ", "bot.toml: not TOML: the value is missing"),
        ("name = 1\nname = 2\n", "this name is there twice (line 2, column 9)"),
        (b"name = '\xff'", "not UTF-8: byte 9 is not valid"),
        (GOOD + 'protocol = "txt"', "unknown protocol 'txt'"),
        ('name = "mine"\ncommand = ""', "command line is empty"),
        ('name = "mine"\ncommand = "no-such-program x"', "program 'no-such-program' not found"),
        ('name = "mine"\ncommand = "a \'b"', "is not a command line"),
        (GOOD + 'build = "no-such-builder"', "build 'no-such-builder'"),
        (GOOD + "build = \"sh -c 'echo a; echo error: b; exit 3'\"", "exit status 3: error: b"),
        (GOOD + "build = \"sh -c 'echo a; echo b >&2; exit 1'\"", "exit status 1: b"),
        (GOOD + 'build = "false"', "exit status 1"),
        (GOOD + 'build = "a \'b"', "build"),
        (GOOD + 'build = " "', "empty command"),
        ('name = "mine"\ncommand = "true \\u0000"', "command: contains a NUL byte"),
        ('name = "mine"\ncommand = ["true", "\\u0000"]', "command: contains a NUL byte"),
        (GOOD + 'build = "true \\u0000"', "build: contains a NUL byte"),
        (f'name = "mine"\ncommand = "true{15_000 * " a"}"', "longer than 4000 characters"),
        ('name = "mine"\ncommand = ["true", ' + "'', " * 2000 + "]", "longer than 4000 characters"),
        (f'{GOOD}build = "true {"a" * 4000}"', "build: longer than 4000 characters"),
        (
            C.replace("{w}", "{w}" * 900).replace('"a"', '"abcde"'),
            "expand to more than 4000 characters",
        ),
        (C.replace('"a"', '"\\u0000"'), "'\\x00' is not a string"),
        (W + f"default = 0x{'f' * 20_000}", "a number of 80000 bits is not a whole number"),
        (W.replace("9", f"0x{'f' * 20_000}") + "default = 3", "a number of 80000 bits is not"),
        (W.replace('"int"', '"float"') + f"default = 0x{'f' * 900}", "is not a number"),
    ],
)
def test_every_mistake_is_one_line(tmp_path: Path, text: str | bytes, words: str) -> None:
    """It says what is wrong, where, and of which bot."""
    home = folder(tmp_path, text)
    with pytest.raises(UserError) as problem:
        parse_entrant(GOPS, str(home))
    said = str(problem.value)
    assert words in said
    assert "mine" in said
    assert "\n" not in said


LINES = "mine\n\x1b[31marena: all is well"
ODD = [
    (None, "this folder has no bot.toml"),
    ("name", "bot.toml: "),
    (GOOD + "more = 1", "unknown key 'more'"),
    (GOOD + 'protocol = "none"', "unknown protocol 'none'"),
    (GOOD + '[parameters."a\\nb"]\ntype = "int"\ndefault = 1', "not a valid name"),
    (GOOD, "is neither a file nor a folder, and cannot be copied"),
    (GOOD + 'build = "false"', "is neither a file nor a folder, and cannot be copied"),
]


@pytest.mark.parametrize(("text", "words"), ODD)
def test_no_name_of_a_file_begins_another_line(
    tmp_path: Path, text: str | None, words: str
) -> None:
    """Whoever names a folder or what is in it writes no line of the host's, and no colours."""
    home = tmp_path / LINES
    home.mkdir()
    os.mkfifo(home / LINES)
    if text is not None:
        (home / "bot.toml").write_text(text)
    with pytest.raises(UserError) as problem:
        parse_entrant(GOPS, str(home), Sandbox(LANDLOCK))
    assert words in str(problem.value)
    assert "mine??[31marena: all is well" in str(problem.value)
    assert str(problem.value).isprintable()


def test_a_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    """It could lead to a file that the host may read, and its author may not."""
    home = folder(tmp_path, "")
    (home / "bot.toml").unlink()
    (tmp_path / "hosts.toml").write_text(GOOD + 'secret = "key"')
    (home / "bot.toml").symlink_to(tmp_path / "hosts.toml")
    with pytest.raises(
        BotError, match=r"bot\.toml: a symbolic link, which is not followed"
    ) as problem:
        load_bot_file(home)
    assert "secret" not in str(problem.value)


def test_all_mistakes_are_said_at_once(tmp_path: Path) -> None:
    """Nobody should have to mend them one by one."""
    with pytest.raises(BotError) as problem:
        load_bot_file(folder(tmp_path, "name = 5\nmore = 1"))
    assert all(word in str(problem.value) for word in ("name", "command", "more"))


def test_a_build_runs_in_the_folder_and_hears_nothing(tmp_path: Path) -> None:
    """Its input is empty, and what it says is not on our screen."""
    build_bot(tmp_path, "sh -c 'cat; pwd > where'")
    assert (tmp_path / "where").read_text().strip() == str(tmp_path.resolve())


def test_what_a_trusted_build_leaves_running_is_ended(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not waited for, though it holds the output open."""
    monkeypatch.setenv(MARK, mark)
    build_bot(tmp_path, "sh -c 'sleep 600 & setsid sleep 600 & echo built > made'")
    assert (tmp_path / "made").read_text() == "built\n"
    assert list_command_lines(mark) == []


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("no-such-program x", "exit status 127.*not found"),
        ("./bot.toml", "exit status 126.*ermission denied"),
        ("sh -c 'echo error: no compiler; exit 3'", "exit status 3: error: no compiler"),
        ("sh -c 'kill -9 $$'", "killed by SIGKILL"),
        ("make \0", "null byte"),
    ],
)
def test_a_trusted_build_that_fails_says_why(tmp_path: Path, command: str, why: str) -> None:
    """In one line, also where it cannot be started at all."""
    with pytest.raises(BuildError, match=why) as problem:
        build_bot(folder(tmp_path, GOOD), command)
    assert "\n" not in str(problem.value)


def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    """A file that is a folder is no bot."""
    (tmp_path / "bot.toml").mkdir()
    with pytest.raises(BotError, match=r"bot\.toml"):
        load_bot_file(tmp_path)
