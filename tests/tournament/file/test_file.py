"""The file of a tournament: every mistake is said at once."""

from __future__ import annotations

import inspect
import json
import os
import re
import tomllib
from pathlib import Path

import pytest
from attrs import evolve, fields, fields_dict

from arena.plugins import get_plugins
from arena.tournament import Tournament
from arena.tournament.file.contents import TournamentFile
from arena.tournament.file.reader import TournamentFileError, load
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.file.template import render_template
from arena.tournament.store import StoredSettings
from arena.wires import dump
from tests.support.tournaments.folders import SHORT, build_entrant_tables, write_tournament

TWO = build_entrant_tables("random", "careful")
MANY_MISTAKES = """
gmae = "kuhn"
format = "swis"
table = "two"
matches = 0
stop = "never"
level = nan
anchor = "random"
duplicate = 1
rating = "elo"
seed = 4.2
executor = "loca"
workers = -1
transcripts = "some"
unfit = "leave"
database = 5
[options]
card = 5
[time]
move = nan
start = -1
bank = 0
foo = 3
[[entrant]]
bot = "random"
folder = "bots"
[[entrant]]
[[entrant]]
bt = "random"
bot = 3
[[entrant]]
name = "no name"
bot = "random"
"""
SAID = [
    "unknown key 'gmae'; did you mean game? (available: game, format,",
    "table: 'two' is not a whole number of at least 1",
    "matches: 0 is not a whole number of at least 1",
    "stop: 'never' is not one of matches, resolved",
    "level: nan is not a number between 0.5 and 1",
    "anchor: 'random' is not NAME = RATING, such as 'random = 0'",
    "duplicate: 1 is not true or false",
    "seed: 4.2 is not a text or a whole number",
    "workers: -1 is not a whole number from 1 to 1000",
    "transcripts: 'some' is not one of all, verdicts, sample, none",
    "unfit: 'leave' is not one of leave-out, stop",
    "database: 5 is not a string",
    "entrant[0]: set exactly one of `bot`, `bots` and `folder`",
    "entrant[1]: set exactly one of `bot`, `bots` and `folder`",
    "entrant[2].bot: 3 is not a string",
    "entrant[2]: unknown key 'bt'; did you mean bot?",
    "entrant[3]: 'no name' is not a valid name: use 1 to 32 letters, digits and underscores",
    "time.move: nan is not a number above 0",
    "time.start: -1.0 is not a number of at least 0",
    "time.bank: 0.0 is not a number above 0",
    "time: unknown key 'foo' (available: move, start,",
    "game: is missing (available: ",
]


def list_mistakes(folder: Path, text: str) -> list[str]:
    """Return the mistakes in a file, one per line, without the path before each."""
    path = folder / "tournament.toml"
    path.write_text(text)
    with pytest.raises(TournamentFileError) as problem:
        load(path)
    lines = str(problem.value).splitlines()
    assert all(line.startswith(f"{path}: ") for line in lines)
    return [line.removeprefix(f"{path}: ") for line in lines]


def test_every_mistake_is_said_at_once(tmp_path: Path) -> None:
    """Each mistake has a line with its place, the value there, and what is allowed."""
    lines = list_mistakes(tmp_path, MANY_MISTAKES)
    assert len(lines) == len(SAID)
    for message in SAID:
        assert [line for line in lines if line.startswith(message)], message


NAMES = """
game = "{game}"
format = "{format}"
rating = "{rating}"
executor = "{executor}"
"""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"game": "gosp"}, "game: unknown game 'gosp'; did you mean gops?"),
        ({"format": "swis"}, "format: unknown format 'swis'; did you mean swiss?"),
        ({"format": "swiss:rounds=0"}, "format: rounds: 0 is not a whole number of at least 1"),
        ({"format": "swiss:rounds=x"}, "format: rounds: 'x' is not a whole number"),
        ({"format": "swiss:round=7"}, "unknown parameter 'round'; did you mean rounds?"),
        ({"format": "swiss:7"}, "format: '7' is not of the form NAME=VALUE"),
        ({"rating": "elo"}, "rating: unknown rating 'elo' (available: bradley-terry, games-won)"),
        ({"executor": "loca"}, "executor: unknown executor 'loca'; did you mean local?"),
    ],
)
def test_words_that_are_not_known(tmp_path: Path, given: dict[str, str], message: str) -> None:
    """The error for an unknown name lists the known ones and suggests the closest."""
    usual = {"game": "kuhn", "format": "swiss", "rating": "bradley-terry", "executor": "local"}
    (line,) = list_mistakes(tmp_path, NAMES.format(**{**usual, **given}) + TWO)
    assert message in line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("table = 11", ["table: gops has 2 to 10 seats, not 11"]),
        ("table = 1", ["table: gops has 2 to 10 seats, not 1"]),
        ('stop = "resolved"', ["stop: 'resolved' needs `matches` as well"]),
        ("time = 5", ["time: 5 is not a table (write [time] above it)"]),
        ("options = [1]", ["options: [1] is not a table (write [options] above it)"]),
        ("options = {card = 5}", ["options: unknown option 'card'; did you mean cards?"]),
        ("options = {cards = 13.0}", ["options: cards: 13.0 is not a whole number from 1 to 1000"]),
        (
            "options = {no = 1, cards = 0}",
            ["unknown option 'no'", "options: cards: 0 is not a whole number from 1 to 1000"],
        ),
        ('rating = "games-won"', ["rating: 'games-won' is for cooperative games"]),
        ('options = {ties = "a; b"}', ["options: ties: 'a; b' is not one of"]),
        ('[time]\nmove = "5"', ["time.move: '5' is not a number above 0"]),
        ("[time]\nincrement = -0.1", ["time.increment: -0.1 is not a number of at least 0"]),
    ],
)
def test_what_a_game_does_not_have(tmp_path: Path, text: str, message: list[str]) -> None:
    """Numbers of seats and options that the game lacks, and impossible times, are refused."""
    lines = list_mistakes(tmp_path, f'game = "gops"\n{text}\n' + TWO)
    assert len(lines) == len(message)
    for line, expected in zip(lines, message, strict=True):
        assert expected in line


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "entrant: there are no entrants; add [[entrant]]"),
        ('entrant = "random"', "entrant: 'random' is not a table (write [[entrant]] above it)"),
        ('entrant = ["random"]', "entrant: ['random'] is not a table (write [[entrant]] above it)"),
        (
            '[entrant]\nbot = "a"',
            "entrant: {'bot': 'a'} is not a table (write [[entrant]] above it)",
        ),
        ('[[entrant]]\nbot = "x"\nresources = 5', "entrant[0].resources: is not a table"),
        ('[[entrant]]\nfolder = "x"\nname = "y"', "`name` cannot be set with `folder`"),
        ('[[entrant]]\nbot = "x"\nname = "\\u001b[31m"', r"'\x1b[31m' is not a valid name"),
        ('[[entrant]]\nbot = "x"\nkeeps = 1', "entrant[0].keeps: 1 is not true or false"),
    ],
)
def test_entrants_that_are_none(tmp_path: Path, given: str, message: str) -> None:
    """An entrant is a bot or a folder, in a table of its own, with a plain name."""
    (line,) = list_mistakes(tmp_path, f'game = "kuhn"\n{given}')
    assert message in line


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'game = "kuhn', "not TOML: "),
        (b'game = "kuhn"\ngame = "bs"', "not TOML: this name is there twice (at the end)"),
        (b"game = \xff", "not UTF-8: byte 8 is not valid"),
        (b"", "game: is missing (available: "),
    ],
)
def test_what_is_no_tournament_at_all(tmp_path: Path, content: bytes, message: str) -> None:
    """The error for a file that cannot be read names the file, and shows no traceback."""
    path = tmp_path / "tournament.toml"
    path.write_bytes(content)
    with pytest.raises(TournamentFileError) as problem:
        load(path)
    assert message in str(problem.value)


def test_a_seed_that_is_a_number_means_its_digits(tmp_path: Path) -> None:
    """A seed may be given as a number or as its digits; a hill has none."""
    path = tmp_path / "tournament.toml"
    settings = []
    for seed in ("42", '"42"', "0x2A"):
        path.write_text(f'game = "kuhn"\nseed = {seed}\n{TWO}')
        settings.append(StoredSettings.of(load(path)))
    assert settings[0] == settings[1] == settings[2]
    assert settings[0].seed == "42"
    (line,) = list_mistakes(tmp_path, 'game = "kuhn"\nseed = 42\n[hill]')
    assert line.startswith("seed: not allowed on a hill")


def test_a_mark_before_the_first_key_is_passed_over(tmp_path: Path) -> None:
    """A byte order mark, which some editors write, is skipped."""
    path = tmp_path / "tournament.toml"
    path.write_text(f'game = "kuhn"\n{TWO}', encoding="utf-8-sig")
    assert load(path).game.name == "kuhn"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A missing file and a folder are refused."""
    with pytest.raises(TournamentFileError, match=r"no\.toml: No such file or directory"):
        load(tmp_path / "no.toml")
    with pytest.raises(TournamentFileError, match="Is a directory"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "tournament.db"),
        ('database = "sub folder/my.db"', "sub folder/my.db"),
        ('database = "/other/my.db"', "/other/my.db"),
    ],
)
def test_paths_are_read_from_the_folder_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: str
) -> None:
    """Paths are relative to the file, wherever the command is run."""
    (tmp_path / "tournaments").mkdir()
    (tmp_path / "tournaments/tournament.toml").write_text(SHORT + text + "\n" + TWO)
    monkeypatch.chdir(tmp_path)
    program = load(Path("tournaments/tournament.toml"))
    assert program.home == tmp_path / "tournaments"
    assert program.database == os.path.join(program.home, expected)  # noqa: PTH118


def test_an_address_is_no_path(tmp_path: Path) -> None:
    """A server's address is left as it is."""
    program = write_tournament(tmp_path, SHORT + 'database = "postgresql://me@host/db"\n', "random")
    assert program.database == "postgresql://me@host/db"


def test_what_is_usual(tmp_path: Path) -> None:
    """By default the table is the smallest, and deals are rotated where chance deals hands."""
    program: TournamentSpec = write_tournament(tmp_path, 'game = "bs"\n', "honest", "liar")
    assert (program.seats_per_match, program.duplicate) == (2, True)
    assert write_tournament(tmp_path, 'game = "gops"\nduplicate = true\n', "random").duplicate
    assert not write_tournament(tmp_path, 'game = "gops"\n', "random").duplicate


def test_what_is_usual_may_be_said(tmp_path: Path) -> None:
    """Writing a default into a file does not change the tournament."""
    before = StoredSettings.of(write_tournament(tmp_path, 'game = "bs"\n', "honest"))
    text = 'game = "bs"\ntable = 2\nduplicate = true\n[options]\norder = "arrival"\n'
    assert StoredSettings.of(write_tournament(tmp_path, text, "honest")) == before


def test_what_is_kept_of_a_file_is_what_older_databases_keep(tmp_path: Path) -> None:
    """A tournament that began before there were titles, pairs and drawn partners goes on."""
    settings = StoredSettings.of(write_tournament(tmp_path, SHORT, "random", "careful")).pack()
    known = {"bot", "name", "folder", "keeps", "untrusted", "sandbox", "resources"}
    assert [entrant.keys() for entrant in settings["entrant"]] == [known, known]
    assert settings.keys() == {
        "game", "format", "table", "duplicate", "rating", "seed", "transcripts", "options", "time",
        "resources", "entrant",
    }  # fmt: skip


def test_each_key_of_a_file_is_stored_or_may_change() -> None:
    """A tournament that has begun is resumed with all keys as they were, these aside."""
    changeable = {
        "database", "workers", "executor", "matches", "stop", "level", "anchor", "live", "unfit",
        "check", "sandbox", "hill",
    }  # fmt: skip
    stored = {*StoredSettings(partners=((0, 2), (1, 3))).pack()}
    assert {*fields_dict(TournamentFile)} == stored | changeable


@pytest.mark.parametrize(
    "text",
    [
        'game = "kuhn"\nseed = 7\nrating = "bradley-terry"\ntime = {bank = 9}\nresources = {memory_mb = 9}\n',
        'game = "briscola"\ntable = 4\n',
        'game = "briscola"\ntable = 4\npartners = "drawn"\n',
    ],
)
def test_settings_are_read_as_they_were_written(tmp_path: Path, text: str) -> None:
    """What a database has of a file has one form, and has not changed if the file has not."""
    spec = write_tournament(tmp_path, text, "random", "x=random", "y=random", "z=random")
    for settings in (
        StoredSettings.of(spec),
        evolve(StoredSettings.of(spec), is_duel=True, sprt={"elo0": 0.0, "elo1": 20.0}),
    ):
        assert StoredSettings.parse(json.loads(dump(settings.pack()))) == settings
        assert settings.list_changes(settings, spec.game) == []
    assert StoredSettings.parse({}) == StoredSettings()


def test_a_new_file_and_python_name_each_setting() -> None:
    """The template of a file has all keys, with their defaults, and so have the arguments of Python, whose None stands for them."""
    keys = {key.name: key.default for key in fields(TournamentFile)}
    text = render_template(get_plugins().find_game("bs"), Path("cup.toml"))
    tables = {"hill"}  # which `arena hill new` writes
    shown = {*re.findall(r"^(?:# )?\[*(\w+)(?: = |\])", text, re.MULTILINE)}
    assert keys.keys() - tables <= shown
    arguments = inspect.signature(Tournament).parameters
    renamed = {"entrant": "bots", "time": "limits"}
    assert keys.keys() - tables <= {*arguments, *renamed}
    for name in keys.keys() & arguments.keys() - {"game", "options", "resources"}:
        assert arguments[name].default is None
    settings = re.findall(r"^# (\w+) = (\S+)", text.partition("[options]")[0], re.MULTILINE)
    defaults = {name: tomllib.loads(f"value = {value}")["value"] for name, value in settings
                if keys[name] is not None}  # fmt: skip
    assert defaults == {name: keys[name] for name in defaults}
    assert {"stop", "level", "transcripts"} <= defaults.keys()
