"""The page of a bot: who it is, how well it does, and how it plays."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.tournament import Tournament
from arena.tournament.entries import Entry
from arena.tournament.store import Facts, Store
from arena_web.app import build_application
from arena_web.bot_languages import find_language
from arena_web.routes import SourcePages
from arena_web.sources import open_sources
from arena_web.tournaments.sources import TournamentSource
from tests.support.programs import TIMEOUT
from tests.support.tournaments.served import (
    FOUR,
    build_server_app,
    edit_database,
    open_test_client,
    play_tournament,
)

pytestmark = pytest.mark.slow

T = "/t/tournament/"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was played."""
    return play_tournament(tmp_path_factory.mktemp("bots"), *FOUR)


def read(file: Path, path: str) -> str:
    """Return the text of a page after everything was counted."""
    Tournament.load(file).insights()
    with open_test_client(build_server_app(file)) as client:
        answer = client.get(T + path)
        assert answer.status_code == 200
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.text)))


def test_a_profile_says_who_it_is_and_how_it_plays(file: Path) -> None:
    """With its language, its place, its results by opponent, its style and its latest matches."""
    text = read(file, "bots/match")
    assert "Python (bundled)" in text
    assert re.search(r"Rank \d of 4", text)
    assert re.search(r"Best rank \d \(after \d+ deals\)", text)
    assert re.search(r"Time for an answer (under )?0\.\d+ s of 30 s", text)
    assert "Observed in 12 matches" in text
    assert "Bids for each prize" in text
    assert re.search(r"won \d+ : \d+ 1 of 2", text)
    shares = re.findall(r"(?:easy|medium|random) (\d+) (\d+) to (\d+) ", text)
    assert len(shares) == 3
    assert [int(share) for share, *_ in shares] == sorted(int(share) for share, *_ in shares)
    assert all(int(low) < int(high) for _, low, high in shares)


def test_matches_of_a_bot_are_shown_from_its_side(file: Path) -> None:
    """Those it won or lost alone, with its own score first."""
    won, lost = (read(file, f"matches?bot=match&result={result}") for result in ("won", "lost"))
    own = re.findall(r"\d+\.0 (?:won|tied) ([\d.]+) : ([\d.]+)", won)
    assert own
    assert all(float(mine) >= float(other) for mine, other in own)
    assert re.findall(r"\d+\.0 lost", lost)
    assert not re.search(r"\d+\.0 (won|tied)", lost)
    with open_test_client(build_server_app(file)) as client:
        assert client.get(T + "matches?bot=match&result=drawn").status_code == 404


def test_a_style_tells_nothing_of_what_is_not_public(tmp_path: Path) -> None:
    """Neither of a deal of which a rotation is open, nor of a tournament that holds all back."""
    file = play_tournament(tmp_path, *FOUR)
    for table in ("transcripts", "seats", "matches"):
        edit_database(file, f"DELETE FROM {table} WHERE deal = 3")
    edit_database(file, "UPDATE deals SET rotations = 2 WHERE number = 4")
    counted = re.compile(r"Observed in (\d+) matches")
    seen = [counted.search(read(file, f"bots/{bot}")) for bot in FOUR]
    assert sum(int(found[1]) for found in seen if found) == 2 * (24 - 2)
    edit_database(file, "UPDATE facts SET value = 'false' WHERE name = 'over'")
    text = read(file, "bots/match")
    assert "Playing style Not known yet" in text
    assert "Time for an answer" not in text


def test_a_language_is_one_of_a_list(tmp_path: Path) -> None:
    """From the command or the build of a bot; what it was named by is never repeated."""
    home = tmp_path / "mine"
    home.mkdir()
    (home / "bot.toml").write_text('name = "mine"\ncommand = "./mine"\nbuild = "cargo build"\n')
    found = [find_language(bot, "gops") for bot in (
        "hard", "x=hard", "program:hard", "ruby secret.rb", "a=python3 -u x", str(home), "./secret",
        "bot.py:Bot", "'",
    )]  # fmt: skip
    bundled = "Python (bundled)"
    assert found == [bundled, bundled, bundled, "Ruby", "Python", "Rust", "", "Python", ""]


@pytest.fixture
def moving(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[TestClient, TournamentSource]]:
    """Visit a tournament that goes on after all of its pages were computed, but for the history.

    A page waits for what is computed anew, however long that takes.
    """
    monkeypatch.setattr("arena_web.http.refreshed_values.MAX_WAIT_SECONDS", TIMEOUT)
    for path in (file, file.with_suffix(".db")):
        shutil.copy(path, tmp_path)
    sources = open_sources([str(tmp_path / file.name)])
    source = sources["tournament"]
    assert isinstance(source, TournamentSource)
    pages = SourcePages(sources)
    app = build_application(pages.routes, limits={}, on_shutdown=[pages.close])
    with open_test_client(app) as client:
        assert client.get(f"{T}bots/match").status_code == 200
        source.rating_history.now = lambda: 0.0  # it is not due again
        source.snapshot.now = lambda: sys.float_info.max  # it is always due
        yield client, source


def test_a_bot_that_has_just_entered_has_a_page(
    moving: tuple[TestClient, TournamentSource],
) -> None:
    """Its figures are of the newest snapshot; a history that is older has its own columns."""
    client, source = moving
    with Store.open(source.address) as store:
        store.claim()
        store.entries.enter(Entry("late", "ab12", "match"))
        store.entries.enter(Entry("match", "ab13", "match"))
    for bot in ("late", "late@ab12", "match@ab13", "match"):
        answer = client.get(f"{T}bots/{bot}")
        assert answer.status_code == 200, bot
        assert ("Best rank" in answer.text) == (bot == "match"), bot
    assert client.get(f"{T}compare?bot=match&against=easy").status_code == 200
    late = client.get(f"{T}compare?bot=late&against=match")
    assert late.status_code == 200


def test_a_bot_whose_name_was_just_hidden_has_no_page(
    moving: tuple[TestClient, TournamentSource],
) -> None:
    """Not even by a snapshot in which it still had its name."""
    client, source = moving
    with Store.open(source.address) as store:
        store.claim()
        store.facts.set(Facts.aliases, {"match": "bot_1"})
    for path in ("bots/match", "compare?bot=match&against=easy"):
        assert client.get(T + path).status_code == 404, path
    assert client.get(f"{T}bots/bot_1").status_code == 200


def test_a_question_reads_one_state_of_the_tournament(
    moving: tuple[TestClient, TournamentSource],
) -> None:
    """Whatever is written between two of its queries."""
    _, source = moving

    def ask_and_enter(store: Store) -> tuple[int, int]:
        before = len(store.entries.list_all())
        with Store.open(source.address) as writing:
            writing.claim()
            writing.entries.enter(Entry("late", "ab12", "match"))
        return before, len(store.entries.list_all())

    with ThreadPoolExecutor(1) as thread:  # the browser of other tests has a loop in this one
        assert thread.submit(asyncio.run, source.ask(ask_and_enter)).result() == (4, 4)
        entries = thread.submit(
            asyncio.run, source.ask(lambda store: store.entries.list_all())
        ).result()
    assert entries[-1].name == "late"
