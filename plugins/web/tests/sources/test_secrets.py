"""Nothing secret is anywhere on the pages: a crawler takes every address, and looks for canaries.

The tournament is one of BS, whose deals are played in every rotation. One rotation of its last
deal is not over, so that nobody may see the hands of the others.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.file.reader import load
from arena.tournament.match_record import MatchRecord
from arena.tournament.run.tournament_run import run
from arena.tournament.store import Store
from arena_web.site import write_site
from tests.support.programs import command_line
from tests.support.tournaments.folders import RecordingMonitor
from tests.support.tournaments.served import (
    build_server_app,
    edit_database,
    open_test_client,
    play_tournament,
    serve_sources,
)
from tests.support.web.crawler import Crawler

pytestmark = pytest.mark.slow

BS = """
game = "bs"
table = 3
matches = 6
workers = 1
duplicate = true
seed = "canary-seed"
check = false
"""
OPEN = 1  # the deal that is not over
LEAKS = """
import sys
print("canary-stderr", file=sys.stderr, flush=True)
print("leaky", flush=True)
for line in sys.stdin:
    print(line.strip(), flush=True)
"""
"""Gives its name, and then answers with all that it is told."""


@pytest.fixture(autouse=True)
def _streams_say_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have streams, of which a crawler reads some lines, say sooner that they are alive."""
    monkeypatch.setattr("arena_web.http.sse.KEEPALIVE_SECONDS", 0.2)


@pytest.fixture(scope="module")
def hill(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Return the file of such a tournament, and what nobody may see by what it is."""
    folder = tmp_path_factory.mktemp("canary-path")
    (folder / "leaks.py").write_text(LEAKS)
    leaky = command_line(folder / "leaks.py")
    file = play_tournament(folder, "honest", "liar", text=BS, leaky=leaky)
    with closing(sqlite3.connect(file.with_suffix(".db"))) as database:
        some = dict(database.execute("SELECT name, value FROM facts"))
        (blob,) = database.execute(
            "SELECT blob FROM transcripts WHERE deal = ? AND rotation = 0", [OPEN]
        ).fetchone()
        quoted = database.execute("SELECT count(*) FROM seats WHERE kind IS NOT NULL").fetchone()
    assert quoted[0], "somebody should have failed"
    edit_database(
        file,
        "DELETE FROM transcripts WHERE deal = 1 AND rotation = 2",
        "DELETE FROM seats WHERE deal = 1 AND rotation = 2",
        "DELETE FROM matches WHERE deal = 1 AND rotation = 2",
    )
    lines = [json.loads(line) for line in zlib.decompress(blob).decode().splitlines()]
    canaries = {
        "the secret": json.loads(some["secret"]),
        "the seed": "canary-seed",
        "a path": str(folder),
        "stderr": "canary-stderr",
        "the seed of an open deal": lines[0]["seed"],
        **{f"the hand of seat {seat}": hand for seat, hand in hands(lines)},
    }
    return file, canaries


def hands(lines: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Return each seat's hand as it was told first."""
    seen = set()
    for line in lines:
        cards = "cards" in str(line.get("event")) and find_cards(line["event"])
        if isinstance(line.get("to"), int) and cards and line["to"] not in seen:
            seen.add(line["to"])
            yield line["to"], ",".join(cards)
    assert len(seen) == 3


def find_cards(packed: Any) -> list[str]:
    """Return the cards of an event."""
    inner = packed if isinstance(packed, dict) else {}
    for value in inner.values():
        if isinstance(value, dict) and (found := find_cards(value)):
            return found
    return [str(card) for card in inner.get("cards", [])]


MORE = [f"/t/tournament/m/{OPEN}.{rotation}/{what}" for rotation in range(3) for what in
        ("transcript", "steps?eye=all", "steps?eye=public", "steps?eye=0", "steps")]  # fmt: skip
MORE += [f"/t/tournament/{path}" for path in
         ("feed.atom", "live/next", "live/next?seen=0.0,0.1", "matches?bot=liar&result=lost",
          "compare?bot=leaky&against=liar", f"events?table={OPEN}.0")]  # fmt: skip


ELSEWHERE = tuple(f"/t/tournament/{path}" for path in ("bots", "compare", "curves", "matches"))


def test_no_secret_is_anywhere(hill: tuple[Path, dict[str, str]]) -> None:
    """Neither in a page nor in JSON, a file, a stream, a header."""
    file, canaries = hill
    with serve_sources(file) as base:
        crawler = Crawler(base)
        crawler.crawl(*MORE)
    assert any("/transcript" in path for path in crawler.taken)
    assert any("eye=2" in path for path in crawler.taken)
    assert any("events" in path for path in crawler.taken)
    assert {"/t/tournament/feed.atom", "/t/tournament/live/next"} <= {*crawler.taken}
    assert sum("/compare?" in path for path in crawler.taken) >= 3
    assert b"event: gone" in crawler.taken[f"/t/tournament/events?table={OPEN}.0"]
    assert len(crawler.taken) > 60
    assert [*crawler.find(canaries)] == []


def test_a_seed_that_was_given_holds_all_hands_back(tmp_path: Path) -> None:
    """Until the whole is over: it could be searched, and so could all deals that are to come."""
    file = play_tournament(tmp_path, "match", "easy")
    seen, page = "/t/tournament/m/1.0/transcript", "/t/tournament/m/1.0"
    with open_test_client(build_server_app(file)) as client:
        assert client.get(seen).status_code == 200
        edit_database(file, "UPDATE facts SET value = 'false' WHERE name = 'over'")
        for path in (seen, page + "/steps", page + "/notes"):
            assert client.get(path).status_code == 404
        assert "its seed was set by hand" in client.get(page).text
        count = write_site(str(file), tmp_path / "site", replays="all")
        assert count == 0
        edit_database(
            file, 'UPDATE facts SET value = replace(value, \'"seed":"1"\', \'"seed":null\')'
        )
        assert client.get(seen).status_code == 200


def test_a_run_that_is_cut_off_is_not_over(tmp_path: Path) -> None:
    """What was over goes on when more matches are wanted, and is over when they are played."""
    file = play_tournament(tmp_path, "match", "easy")
    file.write_text(file.read_text().replace("matches = 24", "matches = 26"))

    class Cut(RecordingMonitor):
        def on_match(self, done: MatchRecord) -> None:
            raise KeyboardInterrupt

    def over() -> object:
        with Store.open(str(file.with_suffix(".db")), write=False) as store:
            return store.facts.is_over

    assert over() is True
    with pytest.raises(KeyboardInterrupt):
        run(load(file), Cut())
    assert over() is False
    run(load(file), RecordingMonitor())
    assert over() is True


def test_the_crawler_would_find_them(
    hill: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the embargo broken on purpose, it finds the hands and the seed of the open deal.

    It need not look for them where no match is shown.
    """
    file, canaries = hill
    monkeypatch.setattr("arena_web.matches.visibility.is_public", lambda *_: True)
    with serve_sources(file) as base:
        crawler = Crawler(base, leaves=ELSEWHERE)
        crawler.crawl(*MORE)
    found = {what for what, _ in crawler.find(canaries)}
    assert found == {what for what in canaries if "open" in what or "hand" in what}
