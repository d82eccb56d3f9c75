"""The strengths of bundled bots: measured for each game, and in a format that can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.plugins import get_plugins
from arena.testing import bot_strengths
from arena.testing.bot_strengths import find_own_game
from arena.tournament import (
    BotStrength,
    BotStrengths,
    WorstResult,
    choose_first_opponent,
    list_opponents,
    load_bot_strengths,
)
from arena.tournament.results.bot_strengths import LEVELS
from tests.support.toys import change

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
COMMAND = "python -m arena.testing.bot_strengths"
SHIPPED = sorted(name for name, game in get_plugins().games.items() if game.presentation.strengths)


def test_the_games_of_this_repository_ship_strengths() -> None:
    """Every game in the folder of games names a file of strengths."""
    root = Path(__file__).parents[2] / "games"
    assert {path.parent.name for path in root.glob("*/pyproject.toml")} <= {*SHIPPED}


@pytest.mark.parametrize("name", SHIPPED)
def test_every_bot_of_a_game_is_measured(name: str) -> None:
    """A game's file lists its own bots, perhaps `search`, and whom each did worst against."""
    game = find_own_game(name)
    strengths = load_bot_strengths(game)
    assert strengths, f"run `{COMMAND} {name} --matches ...`"
    assert {*strengths.bots} - {"search"} == {*game.bots}, f"run `{COMMAND} {name}`"
    assert strengths.table in game.seats
    for bot, strength in strengths.bots.items():
        assert strength.low < strength.rating < strength.high
        assert strength.worst.opponent in {*game.bots} - {bot}
        assert 0 <= strength.worst.share <= 1


def test_opponents_are_listed_by_what_was_measured_and_not_by_name() -> None:
    """The weakest comes first; a bot that a plugin adds has no level, and comes last."""
    gops = get_plugins().find_game("gops")
    bots = [bot for bot in list_opponents(gops) if bot.strength]
    ratings = [bot.strength.rating for bot in bots if bot.strength]
    assert ratings == sorted(ratings)
    assert [bot.level for bot in bots] == sorted([bot.level for bot in bots], key=[*LEVELS].index)
    assert {bot.name for bot in bots if bot.level == "expert"} == {"outbid", "search"}
    others = list_opponents(gops)[len(bots) :]
    assert [bot.level for bot in others] == [""] * len(others)
    first = choose_first_opponent([*bots, *others])
    assert first
    assert (first.name, first.level) == ("planner", "easy")


def test_measuring_again_writes_the_same_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each measurement with the same options writes the same file, which can be read."""
    game = change(find_own_game("kuhn"), strengths=tmp_path / "strengths.json")
    monkeypatch.setattr(bot_strengths, "find_own_game", lambda _: game)
    texts = []
    for options in (["--matches", "12"], []):  # the second time as stored
        done = CliRunner().invoke(bot_strengths.main, ["kuhn", *options])
        assert done.exit_code == 0, done.output
        texts.append((tmp_path / "strengths.json").read_text("utf-8"))
    assert texts[0] == texts[1]
    strengths = load_bot_strengths(game)
    assert strengths
    assert {*strengths.bots} == {*game.bots}
    assert strengths.measurement == '12 matches at tables of 2, seed "strengths"'


def test_search_is_measured_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rating stands among the stored ones, which stay; measuring those again keeps it."""
    game = change(find_own_game("kuhn"), strengths=tmp_path / "strengths.json")
    monkeypatch.setattr(bot_strengths, "find_own_game", lambda _: game)
    stored = []
    for options in (["--matches", "12"], ["--search", "3"], ["--search", "3"], []):
        done = CliRunner().invoke(bot_strengths.main, ["kuhn", *options])
        assert done.exit_code == 0, done.output
        stored.append(load_bot_strengths(game))
    before, *after = stored
    assert before
    for strengths in after:
        assert strengths
        own = {bot: had for bot, had in strengths.bots.items() if bot != "search"}
        assert own == before.bots
        search = strengths.bots["search"]
        assert search.low < search.rating < search.high
        assert search.worst.opponent in own
    assert after[0] == after[1] == after[2]


def test_a_search_that_plays_something_else_is_not_rated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With other playouts, seats or options its row is printed, and the file stays as it is."""
    file = tmp_path / "strengths.json"
    game = change(find_own_game("hearts"), strengths=file)
    monkeypatch.setattr(bot_strengths, "find_own_game", lambda _: game)
    bots = {
        "low": BotStrength(10.0, 0.0, 20.0, WorstResult("random", 0.4)),
        "random": BotStrength(-10.0, -20.0, 0.0, WorstResult("low", 0.6)),
    }
    bot_strengths.write_bot_strengths(BotStrengths(10, 4, "strengths", bots), file)
    before = file.read_bytes()
    options = ["--table", "3", "--playouts", "1", "--option", "deals=1"]
    done = CliRunner().invoke(bot_strengths.main, ["hearts", "--search", "2", *options])
    assert done.exit_code == 0, done.output
    share = r"[01]\.\d\d \([01]\.\d\d to [01]\.\d\d\)"
    row = rf"\| hearts/3 \(2, playouts=1, deals=1\) \|  \| `low` {share}, `random` {share} \|\n"
    assert re.fullmatch(row, done.output)
    assert file.read_bytes() == before
    refused = CliRunner().invoke(bot_strengths.main, ["hearts", "--playouts", "1"])
    assert "--playouts and --option are for --search" in refused.output


def test_an_interrupted_measurement_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What half of the matches say does not replace what all of them said."""
    game, measure = find_own_game("kuhn"), bot_strengths.measure_bot_strengths
    game = change(game, strengths=tmp_path / "strengths.json")
    monkeypatch.setattr(bot_strengths, "find_own_game", lambda _: game)
    monkeypatch.setattr(
        bot_strengths,
        "measure_bot_strengths",
        lambda game, matches, *more: measure(game, matches // 2, *more),  # as an interrupt leaves
    )
    done = CliRunner().invoke(bot_strengths.main, ["kuhn", "--matches", "12"])
    assert done.exit_code == 1
    assert "interrupted after 6 of 12 matches" in done.output
    assert not (tmp_path / "strengths.json").exists()


def test_a_strength_is_said_with_the_worst_result() -> None:
    """The words are the rating, its interval, and the opponent that a bot did worst against."""
    strength = BotStrength(56.2, 44.2, 68.2, WorstResult("hard", 0.412))
    assert str(strength) == "rating 56 ±12 · worst: 41 % against hard"
