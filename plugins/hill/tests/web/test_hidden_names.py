"""A bot whose name the host has hidden is a number everywhere: pages, files, streams, replays."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx2
import pytest

from arena.tournament.commands import AliasCommand
from arena.tournament.store import Store
from arena_web.app import build_application
from arena_web.routes import SourcePages
from arena_web.server import run_in_thread
from arena_web.site import write_site
from arena_web.sources import TournamentSource, open_sources
from tests.support.programs import TIMEOUT
from tests.support.tournaments.served import edit_database, play_tournament, serve_sources
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


HILL = """
game = "gops"
seed = "1"
matches = 12
workers = 1
check = false
options = {cards = 5}
"""
T = "/t/tournament/"


def hide(file: Path) -> None:
    """Have the coordinator hide the name."""
    with Store.open(file.with_suffix(".db")) as store:
        store.claim()
        store.carry_out(AliasCommand(1, NAME, ALIAS))


def test_no_answer_has_a_name_that_was_hidden_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was computed, and kept, before the name of the leader was hidden.

    It is computed anew one after the other, so that a page has parts from before and after.
    """
    monkeypatch.setattr("arena_web.http.caches.MAX_WAIT_SECONDS", TIMEOUT)
    file = play_tournament(tmp_path, "random", text=HILL, **{NAME: "hard", "other": "random"})
    edit_database(
        file,
        "UPDATE facts SET value = 'false' WHERE name = 'over'",
        """UPDATE facts SET value = replace(value, '"seed":"1"', '"seed":null')""",
    )
    sources = open_sources([str(file)])
    source = sources["tournament"]
    assert isinstance(source, TournamentSource)
    pages = SourcePages(sources)
    app = build_application(pages.routes, limits={}, closing=[pages.close])
    with (
        run_in_thread(app) as base,
        httpx2.Client(base_url=base, verify=False, follow_redirects=True) as client,
    ):
        assert client.get(f"{T}feed.atom").status_code == 200
        crawler = Crawler(base)
        crawler.crawl()
        assert f"{NAME}</a> leads since" in crawler.taken[T].decode()
        parts = (source.snapshot, source.rating_history, source.highlights)
        for part in parts:
            part.now = lambda: 0.0  # it is never due
        hide(file)
        asked = [path for path in crawler.taken if path.startswith(T) and "/events" not in path]
        for due in range(len(parts) + 1):
            for part in parts[:due]:
                part.now = lambda: sys.float_info.max  # it is always due
            for path in asked:
                answer = client.get(path)
                assert answer.status_code in ({200, 404} if NAME in path else {200}), path
                assert NAME not in f"{answer.headers}{answer.text}", path
        assert f"{ALIAS}</a> leads since" in client.get(T).text
        feed = client.get(f"{T}feed.atom").text
        assert f"{ALIAS} took the lead." in feed
        assert ALIAS in client.get(f"{T}curves").text
        assert "Best rank" in client.get(f"{T}bots/{ALIAS}").text


def test_a_hidden_name_is_nowhere(tmp_path: Path) -> None:
    """What the bot did stays, under its number; its name leads nowhere.

    It is in no file of a site, even if the site was first written when it was shown.
    """
    file = play_tournament(tmp_path, "honest", "caller", text=FEW, **{NAME: "liar"})
    out = tmp_path / "site"
    write_site(str(file), out, replays="all", transcripts=True)
    hide(file)
    with serve_sources(file) as base:
        crawler = Crawler(base)
        crawler.crawl(f"/t/tournament/bots/{NAME}", f"/t/tournament/matches?bot={NAME}")
    asked = {f"/t/tournament/bots/{NAME}", f"/t/tournament/matches?bot={NAME}"}
    assert {path for what, path in crawler.find({"name": NAME})} <= asked
    assert ALIAS in crawler.taken["/t/tournament/"].decode()
    replay = next(path for path in crawler.taken if path.endswith("/steps?eye=all"))
    assert ALIAS in crawler.taken[replay].decode()
    write_site(str(file), out, replays="all", transcripts=True)
    pages = [path for path in out.rglob("*") if path.is_file()]
    assert any(ALIAS in path.read_text() for path in pages if path.suffix == ".html")
    assert not any(NAME.encode() in path.read_bytes() or NAME in path.name for path in pages)
    with Store.open(file.with_suffix(".db"), write=False) as store:
        assert json.dumps(store.facts.aliases) == json.dumps({NAME: ALIAS})
        assert NAME in {entry.name for entry in store.list_entries()}, "the host knows it"
