"""A bot whose name the host has hidden is a number everywhere: pages, files, streams, replays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.tournament.models import CoordinatorCommand
from arena.tournament.store import Store
from arena_web.site import write_site
from tests.support.tournaments.served import play_tournament, serve_sources
from tests.support.web.crawler import Crawler

pytestmark = pytest.mark.slow

NAME = "canaryname"
ALIAS = "bot_17"
FEW = """
game = "bs"
table = 3
matches = 1
workers = 1
check = false
"""


def test_a_hidden_name_is_nowhere(tmp_path: Path) -> None:
    """What the bot did stays, under its number; its name leads nowhere, and is in no file of a site."""
    file = play_tournament(tmp_path, "honest", "caller", text=FEW, **{NAME: "liar"})
    with Store.open(file.with_suffix(".db")) as store:
        store.claim()
        store.carry_out(CoordinatorCommand(1, NAME, alias=ALIAS))
    with serve_sources(file) as base:
        crawler = Crawler(base)
        crawler.crawl(f"/t/tournament/bots/{NAME}", f"/t/tournament/matches?bot={NAME}")
    asked = {f"/t/tournament/bots/{NAME}", f"/t/tournament/matches?bot={NAME}"}
    assert {path for what, path in crawler.find({"name": NAME})} <= asked
    assert ALIAS in crawler.taken["/t/tournament/"].decode()
    replay = next(path for path in crawler.taken if path.endswith("/steps?eye=all"))
    assert ALIAS in crawler.taken[replay].decode()
    out = tmp_path / "site"
    write_site(str(file), out, replays=None, transcripts=True)
    pages = [path for path in out.rglob("*") if path.is_file()]
    assert any(ALIAS in path.read_text() for path in pages if path.suffix == ".html")
    assert not any(NAME.encode() in path.read_bytes() or NAME in path.name for path in pages)
    with Store.open(file.with_suffix(".db"), write=False) as store:
        assert json.dumps(store.get_fact("hidden")) == json.dumps({NAME: ALIAS})
        assert NAME in {entry.name for entry in store.list_entries()}, "the host knows it"
