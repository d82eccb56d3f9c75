"""What is wrong is said in one line, with what is possible, exit status 2, and no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from arena.cli.support.commands import describe_usage_error
from arena.plugins import format_pairs
from tests.support.command import Cli
from tests.support.transcripts import load_recorded_match

BAD = {
    "nonsense": "nonsense",
    "mtach gops": "unknown command 'mtach'; did you mean match?",
    "--nonsense": "--nonsense",
    "match": "missing argument GAME (see arena match --help)",
    "match gosp random match": "unknown game 'gosp'; did you mean gops?",
    "match gops": "BOT",
    "match gops random": "gops is for 2 to 10 players, not 1",
    "match kuhn random careful random": "kuhn is for 2 players, not 3",
    "match gops random matc": "unknown bot 'matc'; did you mean match?",
    "match gops random nonsense": "unknown bot 'nonsense'",
    "match gops random ./nothing": "./nothing: no such file",
    "match gops random .": "this folder has no bot.toml",
    "match gops random ordered:start=x": "start: 'x' is not a whole number",
    "match gops random match --option cards=0": "cards",
    "match gops random match --option cards=x": "gops: cards: 'x' is not a whole number",
    "match gops random match --option card=5": "unknown option 'card'; did you mean cards?",
    "match gops random ordered:srat=7": "unknown parameter 'srat' (available: start)",
    "match gops random match --option cards": "NAME=VALUE",
    "match gops random match --games 0": "--games: 0 is not a whole number of at least 1",
    "match gops random match --games x": "--games: 'x' is not a whole number of at least 1",
    "match gops random match --games": "--games takes a value",
    "match gops random match --json=3": "--json takes no value",
    "play gops --web=3": "--web takes no value",
    "duel gops random match --sprt elo0=1": "--sprt takes 2 values",
    "doctor x y": "unexpected arguments x y",
    "match gops random match --log-format x": "--log-format: 'x' is not one of console, json",
    "tournament rnu": "unknown command 'rnu'; did you mean run? (available: add, new, replace,",
    "match gops random match --game 3": "unknown flag --game; did you mean --games?",
    "match gops random match --games 2 --transcript new.jsonl": "such as new",
    "play gops --against match --transcripts new.jsonl": "such as new",
    "duel gops random match --transcripts new.jsonl": "such as new",
    "duel gops random match --alpha 1": "--alpha: 1.0 is not a number between 0 and 0.5",
    "match gops random match --move-time 0": "0.0 is not a number of seconds above 0",
    "match gops random match --move-time -1": "--move-time",
    "match gops random match --move-time nan": "--move-time",
    "match gops random match --start-time nan": "--start-time",
    "match gops random match --increment nan": "--increment",
    "match gops random match --bank nan": "--bank",
    "match gops random match --bank 0": "--bank",
    "match gops random match --increment -1": "--increment",
    "match gops random match --start-time -1": "--start-time",
    "match gops random match --log-format xml": "--log-format",
    "match gops random match --sede 5": "unknown flag --sede; did you mean --seed?",
    "bots": "GAME",
    "bots gosp": "did you mean gops?",
    "play gops": "--against",
    "play gops --against nonsense": "unknown bot 'nonsense'",
    "play kuhn --against random,careful": "kuhn is for 2 players, not 3",
    "play kuhn --against random --against careful": "kuhn is for 2 players, not 3",
    "play gosp --against random": "did you mean gops?",
    "replay": "FILE",
    "replay nothing.jsonl": "nothing.jsonl: No such file or directory",
    "replay .": "directory",
    "replay broken.jsonl": "broken.jsonl: line 1: not JSON",
    "replay other.jsonl": "unknown game 'other'",
    "verify": "FILE",
    "demo --seed": "--seed",
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write some files that are no transcripts."""
    (tmp_path / "broken.jsonl").write_text("broken")
    (tmp_path / "other.jsonl").write_text(
        '{"format":1,"match":"k","game":"other","variant":{},"seed":"s","seats":[{"name":"a"}]}'
    )
    return tmp_path


@pytest.mark.parametrize(("call", "words"), BAD.items(), ids=BAD)
@pytest.mark.usefixtures("files")
def test_bad_calls(quick: Cli, call: str, words: str) -> None:
    """One line on standard error, nothing on standard output."""
    done = quick(*call.split())
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("arena: ")
    assert words in line


def test_several_transcripts_need_a_folder(quick: Cli, tmp_path: Path) -> None:
    """A name that ends like a transcript's is refused where a folder is needed, unless it is one."""
    call = ("match", "kuhn", "random", "careful", "--games", "2", "--transcript", "x.jsonl")
    assert quick(*call).returncode == 2
    assert not (tmp_path / "x.jsonl").exists()
    (tmp_path / "x.jsonl").mkdir()
    assert quick(*call).returncode == 0
    assert len([*(tmp_path / "x.jsonl").iterdir()]) == 2


def test_a_group_without_a_command_shows_its_help(quick: Cli) -> None:
    """The help is printed as it is, without a prefix or a hint."""
    done = quick("tournament")
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: arena tournament")
    assert "see arena tournament" not in done.stderr


def test_every_command_that_shows_pages_has_the_same_flag_to_open_them(quick: Cli) -> None:
    """Each such command has the flags `--open` and `--no-open`."""
    for command in ("web", "play"):
        assert "--open / --no-open" in quick(command, "--help").stdout


def test_the_table_of_games_fits_80_columns(quick: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 columns, no name, protocol or option is broken."""
    monkeypatch.setenv("COLUMNS", "80")
    shown = quick("games").stdout
    assert max(map(len, shown.splitlines())) <= 80
    for game in json.loads(f"[{','.join(quick('games', '--json').stdout.splitlines())}]"):
        options = format_pairs(game["options"])
        for word in (game["name"], ", ".join(game["protocols"]), *options):
            assert word in shown


def test_a_terminal_of_no_width_is_one_of_unknown_width(cli: Cli) -> None:
    """Some shells set COLUMNS to 0 where there is no terminal."""
    assert "gops" in cli("games", COLUMNS="0").stdout
    assert "careful" in cli("match", "kuhn", "careful", "careful", COLUMNS="0", LINES="0").stdout


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Got unexpected extra argument (x).", "unexpected argument x"),
        ("QuorumVariant.teams returns [[0]] for 4 seats", None),
        ("Kuhn.teams returns [[0]] for 4 seats", None),
        ("GOPS is for 2 to 4 players", None),
    ],
)
def test_names_keep_their_capitals(message: str, shown: str | None) -> None:
    """A sentence of click's becomes a part of a line; the name of a class stays as it is."""
    assert describe_usage_error(click.UsageError(message)) == (shown or message)


def test_nothing_at_all_shows_the_help(cli: Cli) -> None:
    """Who types the name alone wants to know what there is."""
    done = cli()
    assert "Usage: arena" in done.stdout + done.stderr
    assert "match" in done.stdout + done.stderr
    assert "arena: Usage" not in done.stderr


@pytest.mark.parametrize("value", ["1e300", "inf"])
def test_as_much_time_as_one_likes(cli: Cli, value: str) -> None:
    """A limit beyond what the machine can wait for is no limit, and breaks nothing."""
    done = cli("match", "kuhn", "program:random", "careful", "--move-time", value, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"finished"' in done.stdout


@pytest.mark.parametrize(
    "call", ["verify nothing.jsonl", "verify broken.jsonl", "verify other.jsonl"]
)
@pytest.mark.usefixtures("files")
def test_what_cannot_be_verified_does_not_hold(quick: Cli, call: str) -> None:
    """The status says so, and a line of each."""
    done = quick(*call.split())
    assert done.returncode == 1
    assert done.stdout == "0 of 1 transcripts verified\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"arena: {call.split()[1]}: ")


def test_an_empty_folder_holds_nothing(quick: Cli, tmp_path: Path) -> None:
    """Who verifies nothing should not be told that all is well."""
    (tmp_path / "empty").mkdir()
    done = quick("verify", "empty")
    assert done.returncode != 0
    assert "empty" in done.stderr


def test_a_seat_that_is_not_there(quick: Cli, tmp_path: Path) -> None:
    """Seats are counted from 0."""
    (tmp_path / "match.jsonl").write_text("\n".join(load_recorded_match("kuhn")[1]))
    for seat in ("2", "-1", "x"):
        done = quick("replay", "match.jsonl", "--as", seat)
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert "--as" in line
    assert "the seats are 0 to 1" in quick("replay", "match.jsonl", "--as", "2").stderr
