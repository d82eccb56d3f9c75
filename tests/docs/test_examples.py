"""The bots of `examples/bots`, for real: each builds, starts, and plays its protocol to the end.

That they pass a check, and so play in every seat and situation, is in test_check.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.command import Cli
from tests.support.example_bots import BOTS, GAMES, LANGUAGES, bot, play
from tests.support.sandboxes.tiers import tier

pytestmark = pytest.mark.slow  # starts bots in all languages

__all__ = ["tier"]


@pytest.mark.release  # they are played in a sandbox in every run
@pytest.mark.parametrize("game", GAMES)
def test_all_examples_at_one_table(cli: Cli, tmp_path: Path, game: str) -> None:
    """Real bots in all the languages that are on this machine play one game together."""
    there = [language for language in LANGUAGES if shutil.which(LANGUAGES[language])]
    results = play(cli, game, *[bot(game, language, tmp_path) for language in there])
    assert len(results) == 1


@pytest.mark.each("game", "tier")
@pytest.mark.parametrize("game", GAMES)
def test_all_examples_at_one_table_in_sandboxes(
    cli: Cli, tmp_path: Path, game: str, tier: str
) -> None:
    """Each is built and played in a sandbox of its own, and says nothing against it."""
    there = [language for language in LANGUAGES if shutil.which(LANGUAGES[language])]
    bots = [bot(game, language, tmp_path) for language in there]
    (result,) = play(cli, game, *bots, "--sandbox", tier)
    assert [seat["sandbox"] for seat in result["seats"]] == [tier] * len(there)


def test_every_example_is_played_here() -> None:
    """A bot that is added is tested."""
    assert {path.parent.name for path in BOTS.glob("*/bot.toml")} == {
        f"{game}-{language}" for game in GAMES for language in LANGUAGES
    }


def test_two_examples_play_gops(cli: Cli, tmp_path: Path) -> None:
    """As in the published duel: two programs, built once, one deal, both seats."""
    example = bot("gops", "c", tmp_path)
    assert len(play(cli, "gops", example, f"other={example}", "--games", "2")) == 2
