"""The hill's own bots play the deal of the day: once, in the judge, and stand in its table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve, field
from starlette.testclient import TestClient

from arena.plugins import get_plugins
from arena.rules import Play, StorageError
from arena.tournament.commands import AliasCommand
from arena.tournament.entries import Entry
from arena.tournament.run.entrant_gate import EntrantGate
from arena.tournament.store import Store
from arena_hill.daily_deal import DailyFolder
from arena_hill.daily_player import DailyPlayer
from arena_hill.hill import Hill
from arena_hill.hill_access import HillAccess
from arena_hill.judge import JudgeDaemon
from arena_hill.shared_copies import SharedCopies
from arena_hill.web.daily_bots import HillDailyBots
from arena_web.app import build_application
from arena_web.play.routes import PlayPages
from arena_web.play.tables import PlayTables
from tests.support.hill.hill_access import enter_bots, open_hill_access
from tests.support.hill.hill_folders import MATCH, PLAIN, bot, drive, step_until
from tests.support.tournaments.served import open_test_client

pytestmark = pytest.mark.slow
FIRST, SECOND = date(2026, 3, 1), date(2026, 3, 2)
CRASHES = "import sys\nsys.exit(1)\n"
STAYS = "import pathlib, sys\npathlib.Path({began!r}).touch()\nsys.stdin.read()\n"


@define
class Place:
    """A hill with its pages, on a day that a test sets."""

    access: HillAccess
    client: TestClient
    days: list[date] = field(factory=lambda: [FIRST])

    @property
    def folder(self) -> DailyFolder:
        """The folder with the deal and how bots did."""
        return DailyFolder(self.access.hill.spec.data_folder)

    def create_player(self) -> DailyPlayer:
        """Return the player of the hill's bots."""
        return DailyPlayer.of(SharedCopies(self.access.hill, self.access.store))

    def enter(self, folder: Path, name: str, code: str, **more: str) -> Entry:
        """Let a bot with this code take part; `more` stands in its bot.toml."""
        home = bot(folder, name, code, command=f"{PLAIN}bot.py", **more)
        entry = EntrantGate(self.access.hill.spec).versions.read_entry(str(home))
        enter_bots(self.access, entry)
        return entry

    def list_results(self) -> dict[str, str]:
        """Return where the page leads for each player in the table, if it leads anywhere."""
        page = self.client.get("/daily").text
        part = page.partition('id="daily-gops"')[2].partition("</section>")[0]
        rows = re.findall(r'<th scope="row">(?:<a href="([^"]*)">)?([^<]+)', part)
        return {name: address for address, name in rows}


@contextmanager
def open_place(folder: Path) -> Iterator[Place]:
    access = open_hill_access(folder / "hill")
    days = [FIRST]
    views = PlayPages(
        PlayTables(), get_today=lambda: days[-1], daily_guests=HillDailyBots(access.hill)
    )
    with open_test_client(build_application(views.routes, limits={})) as client:
        yield Place(access, client, days)


def test_bots_play_once_a_day_and_stand_in_the_table(tmp_path: Path) -> None:
    """A bot that has failed is not in the table, and one whose name is hidden is there by its alias."""
    with open_place(tmp_path) as place:
        own = place.enter(tmp_path, "mine", MATCH)
        broken = place.enter(tmp_path, "broken", CRASHES)
        assert "Mine" not in place.list_results()
        player = place.create_player()
        assert [player.play_next() for _ in range(3)] == [True, True, False]
        results = place.list_results()
        assert results["Mine"] == "./t/gops/bots/mine"
        assert "Broken" not in results
        scores = place.folder.read_scores(FIRST.isoformat())
        assert scores[broken.version] is None
        score = scores[own.version]
        assert score
        assert score.players == 2
        assert score.place in {1, 2}
        with Store.open(place.access.hill.spec.database) as store:
            store.claim()
            store.entries.carry_out(AliasCommand(1, "mine", "bot_17"))
        assert "Mine" not in place.list_results()
        assert place.list_results()["Bot 17"] == "./t/gops/bots/bot_17"
        place.days.append(SECOND)
        assert "Bot 17" not in place.list_results()
        assert player.play_next()
        assert "Bot 17" in place.list_results()


def test_bots_play_the_deal_of_the_day_while_the_judge_is_idle(tmp_path: Path) -> None:
    """A match ends with the judge, and one that was cut short does not count."""
    with open_place(tmp_path) as place:
        hill, database = place.access.hill, place.access.store
        own = place.enter(tmp_path, "mine", MATCH)
        place.list_results()
        day = FIRST.isoformat()
        judge = JudgeDaemon.of(hill, database, trust_everybody=True)
        drive(judge, step_until(lambda: own.version in place.folder.read_scores(day)))
        assert "Mine" in place.list_results()
        began = tmp_path / "began"
        waiting = place.enter(tmp_path, "waiting", STAYS.format(began=str(began)))
        time = evolve(hill.spec.file.time, move=1000.0)
        patient = evolve(hill.spec, file=evolve(hill.spec.file, time=time))
        judge = JudgeDaemon.of(Hill.of(patient), database, trust_everybody=True)
        drive(judge, step_until(began.exists))
        assert waiting.version not in place.folder.read_scores(day)


@pytest.mark.parametrize("problem", [MemoryError(), StorageError("the disk is away")])
def test_a_failure_of_the_host_costs_no_bot_its_deal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    """Other bots play while the host fails at one, and that one plays once the host is well."""
    deal_out = Play.deal
    with open_place(tmp_path) as place:
        entries = [place.enter(tmp_path, name, MATCH) for name in ("mine", "other")]
        place.list_results()
        player = place.create_player()

        def fail_once(*_: Any) -> Play:
            monkeypatch.setattr(Play, "deal", deal_out)
            raise problem

        monkeypatch.setattr(Play, "deal", fail_once)
        with pytest.raises(type(problem)):
            player.play_next()
        assert place.folder.read_scores(FIRST.isoformat()) == {}
        assert player.play_next()
        assert [*place.folder.read_scores(FIRST.isoformat())] == [entries[1].version]
        assert player.play_next()
        assert {*place.list_results()} >= {"Mine", "Other"}


def test_a_bot_plays_once_the_coordinator_has_built_it(tmp_path: Path) -> None:
    """Nobody else builds the bots of the host, whatever their builds take."""
    with open_place(tmp_path) as place:
        entry = place.enter(tmp_path, "mine", MATCH, build="touch built")
        place.list_results()
        player = place.create_player()
        assert not player.play_next()
        EntrantGate(place.access.hill.spec).prepare(entry)
        assert player.play_next()
        assert "Mine" in place.list_results()


def test_bots_stand_only_in_the_table_of_their_game(tmp_path: Path) -> None:
    """The bots of a hill play only its game, and the tables of other games are as anywhere."""
    with open_place(tmp_path) as place:
        place.enter(tmp_path, "mine", MATCH)
        place.list_results()
        deal = place.folder.read_deal()
        assert deal
        assert deal.game == "gops"
        page = place.client.get("/daily").text
        for game in get_plugins().games:
            assert f'id="daily-{game}"' in page


@pytest.mark.parametrize("text", ["", "{", "[]", '{"day": 1}', '{"day": "2026-03-01"}', "\xff"])
def test_an_unreadable_file_of_the_daily_deal_counts_as_missing(tmp_path: Path, text: str) -> None:
    """Whatever is in such a file, there is no deal, and nobody has played."""
    for name in ("daily-deal.json", "daily-scores.json"):
        (tmp_path / name).write_text(text, encoding="latin-1")
    folder = DailyFolder(tmp_path)
    assert folder.read_deal() is None
    assert folder.read_scores("2026-03-01") == {}
