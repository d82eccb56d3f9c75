"""The commands about tournaments: their help, what they print, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.plugins import get_plugins
from arena.tournament.deals import Deal
from arena.tournament.entries import Entry
from tests.support.command import OWN_MARK, Cli, run_arena
from tests.support.programs import PYTHON, environment
from tests.support.tournaments import stored_matches as stored
from tests.support.tournaments.folders import build_entrant_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]

EVIL = r"""
import sys
sys.stderr.write("\x1b[31m[/b]\u202e[red]")
sys.stderr.flush()
for line in sys.stdin:
    if line.startswith("Competition"):
        print("\x1b]0;mine\x07[/b] \u202e", flush=True)
        sys.exit(3)
"""
HELD = 'game = "gops"\nmatches = 4\nworkers = 1\ncheck = false\nseed = "1"\noptions = {cards = 5}\n'
COMMANDS = {
    "tournament": ["new", "run", "add", "replace", "withdraw", "Examples:"],
    "tournament new": ["FILE", "GAME", "arena tournament new bs hill.toml"],
    "tournament run": ["--json", "Ctrl-C lets", "Exit status: 0"],
    "tournament rerun": ["KEY", "Only the new results count"],
    "tournament add": ["--keeps", 'arena tournament add hill.toml "late=ruby late.rb"'],
    "tournament replace": ["The old version keeps"],
    "tournament withdraw": ["Withdraw NAMEs"],
    "standings": ["--head-to-head", "--nash", "--json", "its database"],
    "matches": ["--bot", "--verdict", "--outcome", "--stage", "--limit", "[default: 50;"],
    "transcript": ["KEY", "arena transcript hill.toml 17.0 > match.jsonl"],
    "export": ["[csv|jsonl|parquet]", "[default: csv]", "--out"],
    "duel": ["--sprt", "--pairs", "elo0=0 elo1=20", "Exit status: 0"],
}


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was held in a folder of a long name; one bot is evil."""
    folder = tmp_path_factory.mktemp("a folder") / "with spaces"
    folder.mkdir()
    (folder / "evil.py").write_text(EVIL)
    file = folder / "the tournament.toml"
    file.write_text(HELD + build_entrant_tables("random", "match", evil=f"{PYTHON[0]} evil.py"))
    done = run_arena(["tournament", "run", str(file)], Path("/"), environment(OWN_MARK))
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert "\u202e" not in done.stdout + done.stderr
    assert "evil: malformed in match" in done.stderr
    assert "evil" in done.stdout
    return file


@pytest.mark.parametrize("command", COMMANDS)
def test_help(quick: Cli, command: str) -> None:
    """It says what can be said, with examples that could be typed."""
    done = quick(*command.split(), "--help")
    assert done.returncode == 0
    for words in COMMANDS[command]:
        assert words in done.stdout


@pytest.mark.parametrize("game", sorted(get_plugins().games))
def test_a_new_tournament_can_be_run_as_it_is(quick: Cli, tmp_path: Path, game: str) -> None:
    """Whatever the game, once the number of its matches is made small, and Hearts ends early."""
    assert quick("tournament", "new", game, "hill.toml").stdout == (
        "Wrote hill.toml. Edit it, then run: arena tournament run hill.toml\n"
    )
    file = tmp_path / "hill.toml"
    text = file.read_text().replace("matches = 1000", "matches = 2")
    text = re.sub(r"# workers = \d+", "workers = 1", text)
    file.write_text(text.replace("# deals = 100", "deals = 1"))
    done = quick("tournament", "run", "hill.toml")
    assert done.returncode == 0
    for line in done.stderr.splitlines():  # a slow machine says more than once how far it is
        assert re.fullmatch(r"\d+ (of 2 matches|matches are over).*", line)
    assert "entrant" in done.stdout


def test_the_next_command_can_be_copied(quick: Cli) -> None:
    """Whatever the file is called."""
    said = quick("tournament", "new", "kuhn", "our cup.toml").stdout
    assert said.endswith("then run: arena tournament run 'our cup.toml'\n")


def test_a_new_file_overwrites_nothing(quick: Cli, tmp_path: Path) -> None:
    """Nor is it written where no tournament would be looked for."""
    (tmp_path / "hill.toml").write_text("mine")
    for words, said in {
        ("kuhn", "hill.toml"): "arena: hill.toml already exists, and was not changed\n",
        ("kuhn", "hill"): "arena: hill: the name of a tournament's file must end in .toml\n",
        ("kuhn", "no/hill.toml"): "arena: no/hill.toml cannot be written: No such file or dir",
        ("kunh", "new.toml"): "arena: unknown game 'kunh'; did you mean kuhn?",
    }.items():
        done = quick("tournament", "new", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(said)
    assert [path.name for path in tmp_path.iterdir()] == ["hill.toml"]
    assert (tmp_path / "hill.toml").read_text() == "mine"


def lines(done: subprocess.CompletedProcess[str]) -> list[Any]:
    """Read a command's JSON lines."""
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_run_prints_an_object_for_each_match(quick: Cli, tmp_path: Path) -> None:
    """With --json a run prints one object for each match and nothing else."""
    (tmp_path / "tournament.toml").write_text(HELD + build_entrant_tables("random", "match"))
    found = lines(quick("tournament", "run", "tournament.toml", "--json"))
    assert {match["match"] for match in found} == {"0.0", "1.0", "2.0", "3.0"}
    assert {seat["name"] for match in found for seat in match["seats"]} == {"random", "match"}
    assert lines(quick("tournament", "run", "tournament.toml", "--json")) == []


def test_changes_are_said(quick: Cli, tmp_path: Path) -> None:
    """Who has entered, who is replaced by what, who is gone; the rest is refused."""
    (tmp_path / "tournament.toml").write_text(HELD + build_entrant_tables("random", "match"))
    assert "does not exist yet" in quick("tournament", "add", "tournament.toml", "easy").stderr
    quick("tournament", "run", "tournament.toml")
    added = quick("tournament", "add", "tournament.toml", "easy", "late=ordered")
    assert [line.partition(", ")[0] for line in added.stdout.splitlines()] == [
        "easy entered", "late entered",
    ]  # fmt: skip
    replaced = quick("tournament", "replace", "tournament.toml", "late", "ordered:start=3")
    assert replaced.stdout.startswith("late replaced: version ")
    gone = quick("tournament", "withdraw", "tournament.toml", "late", "easy")
    assert gone.stdout.count("withdrawn, version") == 2
    again = quick("tournament", "replace", "tournament.toml", "easy")
    assert again.stdout.startswith("easy takes part again, version ")
    refused = quick("tournament", "withdraw", "tournament.toml", "esay")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "unknown entrant 'esay'; did you mean easy?" in refused.stderr


@pytest.mark.parametrize("ending", [".toml", ".db"])
def test_a_tournament_is_named_by_its_file_or_its_database(
    quick: Cli, held: Path, ending: str
) -> None:
    """A tournament is found by its file or its database, from any folder."""
    found = lines(quick("standings", held.with_suffix(ending), "--json"))
    assert sorted(row["name"] for row in found) == ["evil", "match", "random"]
    (evil,) = [row for row in found if row["name"] == "evil"]
    assert evil["verdicts"] == {"malformed": evil["matches"]}


def test_a_wrong_entrant_is_reported_with_its_file(quick: Cli, tmp_path: Path) -> None:
    """The line names the tournament file and the entrant's number."""
    (tmp_path / "small.toml").write_text(
        'game = "kuhn"\n[[entrant]]\nbot = "random"\n[[entrant]]\nbot = "rando"\n'
    )
    done = quick("tournament", "run", "small.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("arena: small.toml: entrant[1]: unknown bot 'rando'")


def test_matches_of_strangers_are_harmless_to_look_at(quick: Cli, held: Path) -> None:
    """What a bot says moves no cursor, turns no text, and is no markup."""
    done = quick("matches", held)
    assert done.returncode == 0
    assert "evil: malformed: " in done.stdout
    assert r"it said '\x1b]0;mine\x07[/b] \u202e'" in done.stdout
    assert "stderr: ?[31m[/b]?[red]" in done.stdout
    for command in (["matches", held], ["matches", held, "--json"], ["export", held]):
        said = quick(*command).stdout
        assert "\x1b" not in said
        assert "\u202e" not in said


def test_a_detail_is_no_markup(quick: Cli, tmp_path: Path) -> None:
    """Square brackets are shown as they are."""
    with stored.create_tournament(tmp_path / "tournament.db") as store:
        store.claim()
        store.deals.plan(stored.build_deals(2))
        store.matches.record(stored.build_void_result(0, why="ValueError: [/b] \x1b[31m [red]"))
        store.matches.record(
            stored.build_result(1, verdicts={0: {**stored.TIMEOUT, "detail": "late [/x] [bold]"}})
        )
    done = quick("matches", "tournament.db")
    assert "ValueError: [/b] ?[31m [red]" in done.stdout
    assert "timeout: late [/x] [bold]" in done.stdout


def test_matches_can_be_chosen(quick: Cli, held: Path) -> None:
    """By who played, what went wrong, how it ended, and how many; the newest first."""
    every = lines(quick("matches", held, "--json"))
    assert [match["match"] for match in every] == sorted(
        (match["match"] for match in every), reverse=True
    )
    evil = lines(quick("matches", held, "--json", "--bot", "evil"))
    assert evil == [match for match in every if "evil" in str(match["seats"])]
    assert lines(quick("matches", held, "--json", "--bot", "match", "--verdict", "malformed")) == []
    both = lines(quick("matches", held, "--json", "--bot", "match", "--bot", "evil"))
    assert both == [match for match in evil if "match" in {s["name"] for s in match["seats"]}] != []
    assert "--bot was given 3 times" in quick("matches", held, *("--bot", "match") * 3).stderr
    assert lines(quick("matches", held, "--json", "--verdict", "malformed")) == evil
    assert lines(quick("matches", held, "--json", "--limit", "1")) == every[:1]
    assert lines(quick("matches", held, "--json", "--outcome", "void")) == []


def test_a_transcript_can_be_verified(cli: Cli, quick: Cli, held: Path, tmp_path: Path) -> None:
    """The transcript that the command prints can be verified as it is."""
    done = quick("transcript", held, "0.0")
    (tmp_path / "match.jsonl").write_text(done.stdout)
    assert quick("verify", "match.jsonl").returncode == 0
    assert cli("verify", "/dev/stdin", stdin=done.stdout).returncode == 0


def test_results_as_csv(quick: Cli, held: Path, tmp_path: Path) -> None:
    """A row for each seat, with a heading; written to a file, it is the same."""
    said = quick("export", held).stdout
    rows = [*csv.DictReader(io.StringIO(said))]
    assert [row["seat"] for row in rows] == ["0", "1"] * (len(rows) // 2)
    assert {row["verdict"] for row in rows if row["name"] == "evil"} == {"malformed"}
    assert quick("export", held, "--out", "tournament.csv").stdout == ""
    assert (tmp_path / "tournament.csv").read_text() == said
    assert [row["name"] for row in lines(quick("export", held, "--format", "jsonl"))] == [
        row["name"] for row in rows
    ]


def test_no_cell_is_a_formula(quick: Cli, tmp_path: Path) -> None:
    """Whatever a name or a stage may be."""
    some = [Entry('=HYPERLINK("x")', "v", "a"), Entry("@b", "v", "b")]
    ids = tuple(match.id for match in some)
    with stored.create_store(tmp_path / "tournament.db", some) as store:
        store.deals.plan([Deal(0, ids, 1, "+1")])
        store.matches.record(stored.build_result(0, seats=ids))
    cells = [cell for row in csv.reader(quick("export", "tournament.db").stdout.splitlines())
             for cell in row]  # fmt: skip
    assert '\'=HYPERLINK("x")' in cells
    assert "'+1" in cells
    assert [cell for cell in cells if cell.startswith(("=", "+", "@"))] == []


def test_results_as_parquet(quick: Cli, held: Path, tmp_path: Path) -> None:
    """Columns of a Parquet file have the types of the results."""
    parquet = pytest.importorskip("pyarrow.parquet")
    assert (
        "parquet is a binary format: use --out FILE"
        in quick("export", held, "--format", "parquet").stderr
    )
    assert (
        quick("export", held, "--format", "parquet", "--out", "tournament.parquet").returncode == 0
    )
    table = parquet.read_table(tmp_path / "tournament.parquet")
    expected = lines(quick("export", held, "--format", "jsonl"))
    assert table.to_pylist() == expected
    assert str(table.schema.field("deal").type) == "int64"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("matches {} --bot nobody", "unknown entrant 'nobody' (available: evil, match, random)"),
        ("matches {} --verdict late", "'late' is not one of timeout, illegal"),
        ("matches {} --limit -1", "--limit"),
        ("matches {} --limit 99999999999999999999", "--limit"),
        ("transcript {}", "missing argument KEY"),
        ("transcript {} x", "'x' is not the key of a match, such as 17.0"),
        ("transcript {} 1.x", "'1.x' is not the key of a match"),
        ("transcript {} 99999999999999999999.0", "is not the key of a match"),
        ("transcript {} 99", "match 99.0 has not been played or does not exist"),
        ("export {} --format xml", "'xml' is not one of csv, jsonl, parquet"),
        ("export {} --out no/file", "no/file cannot be written: No such file or directory"),
        ("export {} --out .", ". cannot be written: Is a directory"),
        ("export {} --format parquet --out no/file", "no/file cannot be written: "),
        ("standings no.toml", "no.toml: No such file or directory"),
        ("standings no.db", "no.db: no such file; the tournament's first run creates it"),
        ("standings other.txt", "other.txt: file is not a database"),
        (
            "standings mysql://host/db",
            "mysql:// is not supported (a database is the path of a file",
        ),
        (
            "matches postgresql://me:geheim@127.0.0.1:1/db",
            "postgresql://me:***@127.0.0.1:1/db: con",
        ),
        ("tournament run other.txt", "other.txt: not TOML: "),
        ("tournament run", "missing argument FILE"),
        ("tournament rnu", "unknown command 'rnu'; did you mean run?"),
    ],
)
def test_what_cannot_be(quick: Cli, held: Path, tmp_path: Path, words: str, said: str) -> None:
    """It is said in one line, with exit status 2."""
    (tmp_path / "other.txt").write_text("something else " * 100)
    done = quick(*[held if word == "{}" else word for word in words.split()])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("arena: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert "geheim" not in done.stderr
