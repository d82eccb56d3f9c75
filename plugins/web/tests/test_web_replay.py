"""Replays: steps as JSON say what the terminal says, and the page shows them to their end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from arena.host import play_match
from arena.plugins import load_game
from arena.records import Transcript, read, through, watch
from arena.rules import UserError
from arena_web.app import application
from arena_web.replay import eyes_of, replay_json, replay_values, routes, sight_of
from tests.browser import PATIENCE, Pages, in_every_light

MATCHES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "gops": (["match", "random"], {"cards": 5}),
    "bs": (["liar", "counter"], {}),
    "hearts": (["low", "careful", "low"], {"limit": 10}),
}
HOSTILE = "<img src=x onerror=alert(1)>"


def recorded(game: str, folder: Path) -> Transcript:
    """Play a match and return what was written of it."""
    bots, options = MATCHES[game]
    path = folder / f"{game}.jsonl"
    result = play_match(game, bots, seed="5", options=options)
    result.transcript.save(path)
    return read(path)


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Transcript]:
    """Return a match of each game."""
    folder = tmp_path_factory.mktemp("matches")
    return {game: recorded(game, folder) for game in MATCHES}
