"""`arena new-bot`: in each language a bot that plays every game, whatever its answers look like."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, fields, frozen

from arena import Between, Cue, Game, OneOf, Question, SomeOf, Table, Text, Variant
from arena.host import HostConfig, Series, host, parse_entrants
from arena.plugins import JSON, get_plugins
from arena.rules import End, UnknownNameError
from arena.scaffold import LANGUAGES, new_bot
from tests.support.command import Cli
from tests.support.example_bots import LANGUAGES as PROGRAMS
from tests.support.programs import LIMITS, MARK, RecordingObserver
from tests.support.requirements import require
from tests.support.toys import TOY, Toy

pytestmark = pytest.mark.slow
SHORT = {"max_turns": 20, "deals": 1}  # where a variant knows it: any answer may lead nowhere
TRICKY = (
    'a"b', "]", "[", ",", "\\", '\\"', "}", '"options":{"one_of":[1]}', ',"sample":"x"',
    " ", "é\U0001f0a1", "\n", "", "[1,2]", "null",
)  # fmt: skip
"""Texts that a program which does not read JSON properly would take apart."""

LISTS = ((), (1,), (1, (2, ("]",))), ("a", ",", '"'), (True, None, -1))
NUMBERS = (0, -1, 123456789012, 0.5, -2.25, True, False, None)


@frozen
class Which(Question[Any]):
    """Which of these?"""

    step: int = 5  # which is no step of the options


async def tricky(table: Table) -> None:
    """Ask everybody for all kinds of things."""
    asked: list[Any] = [OneOf((word,)) for word in (*TRICKY, *LISTS, *NUMBERS)]
    several = [
        (TRICKY, 1, 3),
        (LISTS, 2, 2),
        (NUMBERS, 0, 8),
        (TRICKY, len(TRICKY), 99),
        ((), 0, 0),
    ]
    asked += [SomeOf(cards, least, most) for cards, least, most in several]
    asked += [Text(".*", word) for word in TRICKY if word != "\n"] + [Text('a,"sample":"b"|c', "c")]
    asked += [Between(7, 7), Between(-9, -2, 7), Between(0, 10**6), Between(-(10**15), 10**15, 250)]
    asked += [OneOf(TRICKY), OneOf(LISTS), OneOf(NUMBERS)]
    for options in asked:
        await table.ask_all(dict.fromkeys(table.seats, Which(options)))


TRICKY_GAME = evolve(TOY, messages=(Which,))
WITH_CUES = [game.name for game in get_plugins().games.values() if game.wires]
PLAIN = [language for language in LANGUAGES if language != "python"]  # whose kit wants it installed


def write_new_bot(game: Game, language: str, folder: Path, protocol: str = JSON) -> str:
    """Write a bot; skip where its language is missing."""
    require(PROGRAMS[language])
    new_bot(game, "mine", language, folder, protocol)
    return str(folder / "mine")


def played(game: Game, bot: str, variant: Variant, seed: str = "1") -> list[Any]:
    """Host a match of this bot in all seats, in which nobody may fail; return its answers."""
    seats, seen = max(2, game.seats[0]), RecordingObserver()
    series = Series(game, variant, parse_entrants(game, [bot] * seats), seed)
    spec, seated = next(series.iter_matches(1))
    result = host(spec, seated, HostConfig(LIMITS), [seen])
    assert result.outcome.verdicts == {}
    assert result.outcome.end is End.FINISHED
    assert result.errors == ("",) * seats
    return [answer.answer for answer in seen.answers]


def short(game: Game) -> Variant:
    """Return a variant that ends soon."""
    known = {field.name for field in fields(game.variant)}
    return game.read_variant({name: some for name, some in SHORT.items() if name in known})


@pytest.fixture(autouse=True)
def _marked(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no program behind."""
    monkeypatch.setenv(MARK, mark)


@pytest.mark.parametrize(
    ("game", "language"), [*zip(get_plugins().games, cycle(LANGUAGES), strict=False)]
)
def test_a_new_bot_plays_every_game(language: str, game: str, tmp_path: Path) -> None:
    """A whole match in all seats, without a verdict, and without a word on stderr."""
    rules = get_plugins().games[game]
    played(rules, write_new_bot(rules, language, tmp_path), short(rules))


@pytest.mark.parametrize(
    ("game", "language"),
    [
        *zip(WITH_CUES, LANGUAGES, strict=False),
        *zip(WITH_CUES[:1], reversed(LANGUAGES), strict=False),  # the language that none had yet
    ],
)
def test_a_new_bot_speaks_the_lines_of_every_game(language: str, game: str, tmp_path: Path) -> None:
    """A whole match in all seats over the text wire, without a verdict."""
    rules = get_plugins().games[game]
    bot = write_new_bot(rules, language, tmp_path, "text")
    assert tomllib.loads((Path(bot) / "bot.toml").read_text())["protocol"] == "text"
    played(rules, bot, short(rules))


def test_every_text_wire_has_cues() -> None:
    """So that a new bot can be written for each."""
    for game in get_plugins().games.values():
        assert all(wire.cues and wire.page for wire in game.wires.values())


@pytest.mark.parametrize("text", ["it's", 'say "x"', "a\\d"])
def test_a_cue_is_written_alike_in_all_languages(text: str) -> None:
    """What some of them would read otherwise is refused."""
    with pytest.raises(ValueError, match="match"):
        Cue(text)


@pytest.mark.parametrize("language", PLAIN)
def test_a_new_bot_answers_whatever_is_asked(language: str, tmp_path: Path) -> None:
    """Texts with brackets, quotes and commas in them, lists of lists, numbers of all kinds."""
    bot = write_new_bot(TRICKY_GAME, language, tmp_path)
    answers = played(TRICKY_GAME, bot, Toy((tricky,)))
    assert {*TRICKY, *LISTS, *NUMBERS} <= {*answers}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_bot_draws_from_its_seed(language: str, tmp_path: Path) -> None:
    """From the same seed it answers alike, and from others otherwise."""
    game = get_plugins().games["gops"]
    bot = write_new_bot(game, language, tmp_path)
    one, again, other = (played(game, bot, short(game), seed) for seed in "112")
    assert one == again != other


def test_every_language_has_a_template() -> None:
    """And a program, which is what the README says."""
    templates = files("arena.scaffold") / "templates" / "bot"
    for folder in (templates, files("arena.scaffold") / "templates" / "lines"):
        assert {path.name for path in folder.iterdir()} == {*LANGUAGES, "any"}
        for language, program in LANGUAGES.items():
            assert (folder / language / f"{program}.j2").is_file()


BAD = {
    "new-bot gosp mine": "unknown game 'gosp'; did you mean gops?",
    "new-bot gops mine --lang cobol": "'cobol' is not one of python, bash, perl, node",
    "new-bot gops a-b": "'a-b' is not a valid name: use 1 to 32 letters, digits and underscores",
    "new-bot gops ../mine": "'../mine' is not a valid name",
    "new-bot gops match": "'match' is reserved in gops",
    "new-bot gops json": "'json' is reserved",
    "new-bot gops program": "'program' is reserved",
    "new-bot kuhn mine --wire text": "unknown wire 'text' (available: json)",
    "new-bot gops mine --wire tekst": "unknown wire 'tekst'; did you mean text?",
    "new-bot gops": "NAME",
    "new-bot": "GAME",
    "new-bot gops full": "full is not empty, and was not changed",
    "new-bot gops mine --into full/file": "full/file/mine cannot be written: Not a directory",
}


@pytest.mark.parametrize(("call", "words"), BAD.items(), ids=BAD)
def test_what_is_wrong_is_said_in_one_line(
    quick: Cli, tmp_path: Path, call: str, words: str
) -> None:
    """Nothing is written, and what was there stays as it was."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    done = quick(*call.split())
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert words in line
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "file"]
    assert (tmp_path / "full" / "file").read_text() == "mine"


def test_an_unknown_language_is_said_to_who_calls_it(tmp_path: Path) -> None:
    """An unknown language is refused with a suggestion, as on the command line."""
    with pytest.raises(UnknownNameError, match="unknown language 'rbuy'; did you mean ruby"):
        new_bot(get_plugins().games["gops"], "mine", "rbuy", tmp_path)


def test_what_comes_next_is_said(quick: Cli, tmp_path: Path) -> None:
    """Each file, a check, and a match against a bot of the game."""
    done = quick("new-bot", "gops", "mine", "--lang", "c", "--into", "my bots")
    assert sorted(path.name for path in (tmp_path / "my bots" / "mine").iterdir()) == [
        ".github", ".gitignore", "README.md", "bot.c", "bot.toml",
    ]  # fmt: skip
    assert done.stdout.splitlines()[-2:] == [
        "  arena check gops 'my bots/mine'",
        "  arena match gops 'my bots/mine' planner",
    ]


def test_the_match_that_is_suggested_has_enough_players(quick: Cli) -> None:
    """Hearts is for three at least, so two opponents are named."""
    done = quick("new-bot", "hearts", "mine", "--lang", "bash")
    last = done.stdout.splitlines()[-1].split()
    assert last[:4] == ["arena", "match", "hearts", "mine"]
    assert len(last) == 6


@pytest.mark.parametrize("game", get_plugins().games)
def test_the_readme_lists_all_that_comes(game: str, tmp_path: Path) -> None:
    """Each event and each question of the game has a line, and what it means."""
    rules = get_plugins().games[game]
    new_bot(rules, "mine", "bash", tmp_path)
    lines = (tmp_path / "mine" / "README.md").read_text("utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith(("| tell", "| ask"))]
    assert {row[1] for row in rows} >= {f"`{kind.__name__}`" for kind in rules.messages}
    assert all(len(row) == 4 and row[3].strip(" |") for row in rows)
