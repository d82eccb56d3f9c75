"""The command line as people and programs use it: what it prints, and its exit status."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.plugins import (
    build_variant,
    format_pairs,
    get_plugins,
    parse_pairs,
)
from arena.wires import describe_values
from tests.support.command import ARENA, Cli
from tests.support.command_forks import start_forks
from tests.support.programs import ECHO, HOST_NUMBER, TIMEOUT, environment

RESULT = ["format", "match", "game", "seed", "variant", "transcript", "outcome", "rounds", "seats"]
SEAT = ["seat", "name", "bot", "sandbox", "earlier_matches", "score", "place", "verdict",
        "seconds", "stderr"]  # fmt: skip
SECONDS = re.compile(r'"(seconds|latency)": ?[^,}\]]+')
DEAF = f"""
import os, signal
stat = open(f"/proc/{{{HOST_NUMBER}}}/stat").read()
os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGINT)
signal.pause()
"""
"""Interrupts the process above its worker, and never answers."""
LAST_WORDS = """
import atexit, gc
from arena import Bot
atexit.register(lambda: print("modules are kept:", gc.get_freeze_count() > 0))
class Mine(Bot): pass
"""
LEAVING = "file = open('mine.log', 'w')\nfile.write('written')\n"
FAILING = """
import signal, sys
import click
from arena import UserError
from arena.cli.command_group import arena, run

def fail():
    try:
        raise UserError("hill.db: replaced; what was stored is saved in hill.db.saved")
    finally:
        signal.raise_signal(signal.SIGTERM)

arena.add_command(click.Command("fail", callback=fail))
sys.exit(run(["fail"]))
"""
"""A command that a signal interrupts while it fails."""
VERDICT = ["kind", "question", "line", "limit", "seconds", "detail"]
COMMANDS = ("bots", "check", "demo", "games", "match", "play", "replay", "verify")


def test_one_object_a_match_and_nothing_else(cli: Cli, tmp_path: Path) -> None:
    """With exactly the keys that were promised, in their order."""
    (tmp_path / "echo.py").write_text("import sys\nprint('hello', file=sys.stderr)\n" + ECHO)
    words = "match gops A=echo.py ordered:start=7 planner --games 3 --option cards=5 --json"
    done = cli(*words.split(), "--seed", "x y", "--transcript", "kept")
    assert (done.returncode, done.stderr) == (0, "")
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == 3
    for number, result in enumerate(results):
        assert list(result) == RESULT
        assert [list(seat) for seat in result["seats"]] == [SEAT] * 3
        assert result["format"] == 1
        assert (result["game"], result["seed"], result["outcome"]) == ("gops", "x y", "finished")
        assert (result["rounds"], result["variant"]["cards"]) == (5, 5)
        assert (tmp_path / result["transcript"]).is_file()
        names = ["A", "ordered", "planner"]
        assert [seat["name"] for seat in result["seats"]] == names[number:] + names[:number]
        assert {seat["name"]: seat["stderr"] for seat in result["seats"]}["A"] == "hello\n"
        assert all(seat["verdict"] is None for seat in result["seats"])
    assert results[0]["seats"][0]["bot"].endswith("echo.py")
    assert results[0]["seats"][1]["bot"] == "ordered:start=7"


def test_workers_change_no_result(quick: Cli, tmp_path: Path) -> None:
    """Several print the same results in the same order, and write the same transcripts."""
    words = ["match", "gops", "random", "match", "hard", "--games", "7", "--seed", "1", "--json"]
    one, three = (
        quick(*words, "--transcript", count, "--workers", count).stdout.replace(f"{count}/", "")
        for count in "13"
    )
    assert SECONDS.sub("", three) == SECONDS.sub("", one)
    assert len(one.splitlines()) == 7
    kept = sorted((tmp_path / "1").iterdir())
    assert [path.name for path in kept] == [
        json.loads(line)["transcript"] for line in one.splitlines()
    ]
    for path in kept:
        other = tmp_path / "3" / path.name
        assert SECONDS.sub("", other.read_text()) == SECONDS.sub("", path.read_text())


@pytest.mark.parametrize("is_open", [False, True])
def test_a_command_ends_quickly_where_nothing_is_left_to_write(
    tmp_path: Path, mark: str, is_open: bool
) -> None:
    """What a bot's module has left open is written, and exit handlers run."""
    (tmp_path / "mine.py").write_text(LAST_WORDS + LEAVING * is_open)
    done = subprocess.run(
        [ARENA, *shlex.split("match kuhn mine.py:Mine random --json")], cwd=tmp_path,
        env=environment(mark), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[1:] == [f"modules are kept: {not is_open}"]
    assert [path.read_text() for path in tmp_path.glob("*.log")] == ["written"] * is_open


def test_an_interrupt_ends_all_workers(cli: Cli, tmp_path: Path) -> None:
    """With their programs, in one line; games in parallel cannot share folders that stay."""
    (tmp_path / "deaf.py").write_text(DEAF)
    words = ("match", "gops", "deaf.py", "match", "--games", "4", "--workers", "2")
    done = cli(*words)
    assert (done.returncode, done.stderr) == (
        130,
        "arena: interrupted; all programs have been ended\n",
    )
    done = cli(*words, "--keep-folders", "kept")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "--keep-folders needs --workers 1" in done.stderr


def test_an_interrupt_hides_no_error() -> None:
    """What a command was about to say when a signal came is said: it may be where data is."""
    done = subprocess.run(
        [sys.executable, "-c", FAILING], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()) == (
        143,
        [
            "arena: hill.db: replaced; what was stored is saved in hill.db.saved",
            "arena: interrupted; all programs have been ended",
        ],
    )


def test_a_verdict_in_the_result(cli: Cli, tmp_path: Path) -> None:
    """It has all that it takes to act upon it; a match with verdicts was played."""
    (tmp_path / "bad.py").write_text("input(); print('ten', flush=True); input()")
    words = "match gops bad.py match --seed 1 --json --move-time 5 --start-time 7"
    done = cli(*words.split())
    assert done.returncode == 0
    result = json.loads(done.stdout)
    verdict = result["seats"][0]["verdict"]
    assert list(verdict) == VERDICT
    assert (verdict["kind"], verdict["line"], verdict["limit"]) == ("malformed", "ten", 12.0)
    assert verdict["question"]["ask"] == "Bid"
    assert result["outcome"] == "forfeited"
    assert [seat["place"] for seat in result["seats"]] == [2, 1]
    assert "malformed" in done.stderr


def test_without_a_seed_it_is_drawn_and_can_be_played_again(quick: Cli) -> None:
    """128 random bits, and the seating listed as played."""
    one, other = (
        json.loads(quick("match", "gops", "hard", "random", "--json").stdout) for _ in range(2)
    )
    assert one["seed"] != other["seed"]
    assert len(bytes.fromhex(one["seed"])) == 16
    bots = [seat["bot"] for seat in one["seats"]]
    again = json.loads(quick("match", "gops", *bots, "--seed", one["seed"], "--json").stdout)
    for result in (one, again):
        for seat in result["seats"]:
            del seat["seconds"]
    assert again == one


def test_the_log_is_on_stderr(cli: Cli) -> None:
    """Matches with -v, every turn with -vv; as JSON each line is an object."""
    words = ("match", "kuhn", "random", "careful", "--seed", "1", "--json", "--log-format")
    some, all_ = (cli(*words, *more) for more in (("console", "-v"), ("json", "-vv")))
    for done in (some, all_):
        assert json.loads(done.stdout)["outcome"] == "finished"
    assert len(some.stderr.splitlines()) == 2
    events = [json.loads(line)["event"] for line in all_.stderr.splitlines()]
    assert (events[0], events[-1]) == ("begin", "end")
    assert {"told", "asked", "answered"} <= {*events[1:-1]}


def test_the_table_of_a_series(quick: Cli) -> None:
    """For people: everybody with places, scores and verdicts."""
    done = quick("match", "gops", "random", "match", "--games", "4", "--seed", "1")
    assert done.returncode == 0
    assert "4 games" in done.stdout
    assert all(word in done.stdout for word in ("random", "match", "mean place", "mean score"))


def test_games_and_bots(quick: Cli) -> None:
    """For people a table, for programs JSON lines."""
    games = {
        game["name"]: game for game in map(json.loads, quick("games", "--json").stdout.splitlines())
    }
    assert games["kuhn"]["seats"] == [2]
    assert games["coup"]["seats"] == [2, 3, 4, 5, 6]
    assert games["kuhn"]["protocols"] == ["json"]
    assert games["gops"]["options"]["cards"] == 13
    bots = [json.loads(line) for line in quick("bots", "gops", "--json").stdout.splitlines()]
    assert {"name": "ordered", "parameters": {"start": 1}}.items() <= bots[2].items()
    assert [bot["name"] for bot in bots] == games["gops"]["bots"]
    assert all(bot["summary"] for bot in bots)
    table = quick("games").stdout
    assert "Kuhn poker" in table
    assert "queen_breaks=false" in table
    assert "ordered" in quick("bots", "gops").stdout
    assert json.loads(quick("games", "kuhn", "--json").stdout) == games["kuhn"]
    shown = quick("games", "gops").stdout
    assert all(
        text in shown for text in ("summary: GOPS", "a whole number from 1", "one of discard")
    )
    assert "unknown game 'gosp'; did you mean gops?" in quick("games", "gosp").stderr


def test_a_default_that_is_listed_can_be_typed(quick: Cli) -> None:
    """Each option of each game is read as it is written, also in a command that is printed."""
    for game in get_plugins().require_games().values():
        options = game.write_variant(game.read_variant({}))
        words = format_pairs(options)
        assert build_variant(game, parse_pairs(words)) == game.read_variant({})
        assert {*describe_values(game.variant)} == {*options}
        for word in words:
            assert word in quick("games").stdout


def test_replay_and_verify(quick: Cli, tmp_path: Path) -> None:
    """What was recorded is shown and holds; what was changed does not."""
    quick("match", "gops", "random", "match", "--games", "3", "--seed", "1", "--transcript", "kept")
    paths = sorted(str(path) for path in (tmp_path / "kept").iterdir())
    assert len(paths) == 3
    assert "Finished after 13 rounds." in quick("replay", paths[0]).stdout
    through = quick("replay", paths[0], "--as", "1").stdout
    assert "> " in through
    assert "random" not in through.replace("random order", "")  # it is seat 0 there
    done = quick("verify", "kept")
    assert (done.returncode, done.stdout) == (0, "3 of 3 transcripts verified\n")
    path = Path(paths[1])
    path.write_text(path.read_text().replace('"answer":', '"answer":99', 1))
    done = quick("verify", *paths)
    assert (done.returncode, done.stdout) == (1, "2 of 3 transcripts verified\n")
    assert done.stderr.startswith(f"arena: {path}: line 5: ")
    assert len(done.stderr.splitlines()) == 1


def test_demo(quick: Cli) -> None:
    """Every game that brings a demonstration is shown, briefly; the same seed shows the same."""
    one, again = (quick("demo") for _ in range(2))
    assert one.returncode == 0
    assert one.stdout == again.stdout
    assert all(words in one.stdout for words in ("GOPS", "BS", "after 13 rounds", "turning point"))
    assert len(one.stdout.splitlines()) <= 12
    assert one.stdout != quick("demo", "--seed", "7").stdout


def test_the_last_line_of_the_demonstration_shows_it_in_a_browser(
    cli: Cli, quick: Cli, mark: str, tmp_path: Path
) -> None:
    """Its matches are recorded, and the command that it names serves them, and opens them."""
    last = cli("demo").stdout.splitlines()[-1]
    assert quick("verify", "demo").returncode == 0
    words = [*shlex.split(last)[1:], "--port", "0"]
    assert words[:3] == ["web", "demo", "--open"]
    surroundings = environment(mark, BROWSER="echo opened %s")
    read, write = os.pipe()
    with os.fdopen(read) as output, Path(os.devnull).open() as nothing:
        streams = [nothing.fileno(), write, write]
        web = start_forks().start(words, tmp_path, surroundings, streams)
        os.close(write)
        said = [output.readline() for _ in range(2)]
        os.kill(web.pid, signal.SIGINT)
        assert web.wait(TIMEOUT) == 0
    address = re.search(r"http://localhost:\d+/", said[0])
    assert address
    assert said[1] == f"opened {address[0]}\n"


@pytest.mark.parametrize(
    "words", [[], *[[command] for command in COMMANDS]], ids=["arena", *COMMANDS]
)
def test_help(quick: Cli, words: list[str]) -> None:
    """Every command has help, with an example."""
    done = quick(*words, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: arena" in done.stdout
    assert "Examples:" in done.stdout
    assert quick(*words, "-h").stdout == done.stdout
    if not words:
        assert all(f"  {command} " in done.stdout for command in COMMANDS)


def test_version(cli: Cli) -> None:
    """The name and the number."""
    assert cli("--version").stdout.startswith("arena 0.")
