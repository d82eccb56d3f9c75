"""The deal of the day: the same for all, once, compared with people and bots."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import define, evolve
from starlette.testclient import TestClient

from arena.host import HostConfig, Result, host, parse_entrant
from arena.plugins import get_plugins
from arena.records import parse_text
from arena_web.app import build_application
from arena_web.play import daily
from arena_web.play.daily import DailyDeal, DailyDeals, DailyResult
from arena_web.play.match.table import PlayTable
from arena_web.play.offers import OfferedGame, load_pools, offer
from arena_web.play.routes import PlayPages
from arena_web.play.seating import Seating
from arena_web.play.store.table_store import TableStore
from arena_web.play.table_setup import TableSetup
from arena_web.play.table_terms import PERSON
from arena_web.play.tables import PlayTables
from tests.support.programs import TIMEOUT
from tests.support.tournaments.served import open_test_client
from tests.support.web.seat_players import choose_first, find_chair, get_ending, play_seat

OWN = {"Sec-Fetch-Site": "same-origin"}
FIRST = date(2026, 3, 1)
DAY = FIRST.isoformat()


@define
class Clock:
    """A date that a test sets."""

    today: date = FIRST

    def __call__(self) -> date:
        """Return the date."""
        return self.today


@define
class Server:
    """A server of tables, and the browsers of its visitors."""

    tables: PlayTables
    client: TestClient

    def enter(self, ticket: str) -> str:
        """Become the visitor with this ticket, or a new one; return the ticket."""
        self.client.cookies.clear()
        if ticket:
            self.client.cookies.set("arena-games", ticket)
            return ticket
        self.client.get("/daily")
        return str(self.client.cookies["arena-games"])

    def open(self, game: str, name: str = "") -> str:
        """Ask for today's deal; return the secret of the seat."""
        form = {"game": game, "name": name}
        answer = self.client.post("/daily", data=form, headers=OWN, follow_redirects=False)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"].rpartition("/")[2]

    def play(self, game: str, name: str = "") -> str:
        """Play today's deal to its end by the first answers; return the key of the table."""
        portal = self.client.portal
        assert portal
        table, chair = portal.call(find_chair, self.tables, self.open(game, name))
        portal.call(play_seat, table, chair, choose_first)
        return table.key

    def read(self, game: str, day: str = "") -> str:
        """Return the part of the page of a day, or of today, that shows a game."""
        page = self.client.get("/daily", params={"day": day} if day else {}).text
        return page.partition(f'id="daily-{game}"')[2].partition("</section>")[0]


@contextmanager
def serve(path: Path, clock: Clock) -> Iterator[Server]:
    tables = PlayTables(store=TableStore(path))
    views = PlayPages(tables, get_today=clock)
    try:
        with open_test_client(build_application(views.routes, limits={})) as client:
            yield Server(tables, client)
    finally:
        tables.store.close()


def list_players(part: str) -> list[str]:
    return re.findall(r'<th scope="row">(?:<a [^>]*>)?([^<]+)', part)


def test_two_visitors_and_the_bots_over_three_days(tmp_path: Path) -> None:
    """All play the same cards, each day others; a visitor plays once, also after a restart."""
    clock, path = Clock(), tmp_path / "tables.db"
    deals = set()
    with serve(path, clock) as server:
        ada, bob = server.enter(""), server.enter("")
        bots = list_players(server.read("gops"))
        assert len(bots) == 5
        server.enter(ada)
        first = server.play("gops", "Ada")
        server.enter(bob)
        assert "Ada" in list_players(server.read("gops"))
        assert first not in server.read("gops")  # the replay, until one has played oneself
        second = server.play("gops", "Bob")
        assert f"table/{first}/replay" in server.read("gops")
        assert sorted(list_players(server.read("gops"))) == sorted([*bots, "Ada", "Bob"])
        texts = [server.tables.store.tables.read_transcript(key) for key in (first, second)]
        deals.add(texts[0].partition('"seed"')[2][:80])
        assert texts[0].count("\n") == texts[1].count("\n")
        events = [
            [line.value for line in parse_text(text).lines if "event" in line.value]
            for text in texts
        ]
        assert events[0] == events[1]  # the cards and, as both answer alike, what bots answer
        assert "Go on" not in server.read("gops")
    for day in (2, 3):
        clock.today = date(2026, 3, day)
        with serve(path, clock) as server:  # a restart in between
            server.enter(bob)
            assert list_players(server.read("gops")) != []
            assert not {"Ada", "Bob"} & {*list_players(server.read("gops"))}
            secret = server.open("gops", "Bob")
            assert server.open("gops", "Robert") == secret  # once a day
            assert "Go on" in server.read("gops")
            key = server.play("gops")
            deals.add(server.tables.store.tables.read_transcript(key).partition('"seed"')[2][:80])
    assert len(deals) == 3


def test_bots_play_alike_whatever_a_person_is_called(tmp_path: Path) -> None:
    """What a bot draws by lot is the same for all, so that results can be compared."""
    with serve(tmp_path / "tables.db", Clock()) as server:
        deals = DailyDeals(server.tables.store, load_pools(()), b"key", Clock())
        scores = set()
        for name in ("Ada", "Bob", PERSON):
            seating = Seating.draw(deals.build_setup(offer(deals.pools["gops"]), name, DAY))
            players = seating.replace_people(parse_entrant(seating.game, "random").factory)
            scores.add(host(seating.spec, players, HostConfig()).outcome.scores)
    assert len(scores) == 1


def test_bots_play_a_deal_once_for_all_who_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Visitors who come at once before any bot has played wait for the same matches."""
    played, together = list[str](), Barrier(4)

    def play(*args: Any) -> Result:
        played.append(args[0].game.name)
        return host(*args)

    monkeypatch.setattr(daily, "host", play)
    with serve(tmp_path / "tables.db", Clock()) as server:
        deals = DailyDeals(server.tables.store, load_pools(()), b"key", Clock())
        gops = offer(deals.pools["gops"])
        assert not deals.has_bots_results(gops, DAY)

        def find(_: int) -> int:
            together.wait(TIMEOUT)
            return len(deals.find_deal(gops, [], DAY).results)

        with ThreadPoolExecutor(4) as threads:
            found = [*threads.map(find, range(4))]
        assert deals.has_bots_results(gops, DAY)
    assert found == [len(gops.ladder)] * 4
    assert len(played) == len(gops.ladder)


def test_results_with_hints_have_no_rank_and_stand_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are listed below, under a heading that says so, however good they are."""
    aided = DailyResult("Ada", 1, 2, 99.0, False, "key", hints=1)
    find_deal = DailyDeals.find_deal
    with serve(tmp_path / "tables.db", Clock()) as server:
        assert "With hints" not in server.read("gops")
        monkeypatch.setattr(
            DailyDeals,
            "find_deal",
            lambda *args: evolve(deal := find_deal(*args), results=[aided, *deal.results]),
        )
        ranked, below = server.read("gops").split("With hints, without a rank")
        assert "Ada" not in list_players(ranked)
        assert "<td>1</td>" in ranked
        assert list_players(below) == ["Ada"]
        assert '<td></td><th scope="row">' in below


def test_the_next_match_at_the_table_is_another_deal(tmp_path: Path) -> None:
    """Who plays again gets other cards, which are no deal of the day."""
    with serve(tmp_path / "tables.db", Clock()) as server:
        server.enter("")
        key = server.play("kuhn")
        table = server.tables.places[key]
        assert isinstance(table, PlayTable)
        assert table.setup.terms.daily == "2026-03-01"
        following = table.setup.deal_anew(get_ending(table).sitting)
        assert (following.terms.daily, following.seed) == ("", None)


def test_two_clicks_at_once_find_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request looks for the visitor's table after the last moment at which it waits."""
    both, build_setup = Barrier(2), DailyDeals.build_setup

    def wait_for_the_other(
        deals: DailyDeals, offer: OfferedGame, name: str, day: str
    ) -> TableSetup:
        both.wait(TIMEOUT)
        return build_setup(deals, offer, name, day)

    with serve(tmp_path / "tables.db", Clock()) as server, ThreadPoolExecutor(2) as threads:
        server.enter("")
        monkeypatch.setattr(DailyDeals, "build_setup", wait_for_the_other)
        assert len({*threads.map(server.open, ["gops", "gops"])}) == 1


def test_every_game_with_bots_has_a_deal(tmp_path: Path) -> None:
    """The measured bots of each have played it already; they are ranked by place, then by count."""
    with serve(tmp_path / "tables.db", Clock()) as server:
        server.enter("")
        for game in ("gops", "bs", "hearts", "briscola", "coup", "kuhn"):
            part = server.read(game)
            assert list_players(part), game
            rows = re.findall(
                r"<td>(\d+)</td>.*<td.*>((?:tied, )?\w+ of \d)</td><td>(\S+)</td>", part
            )
            assert len(rows) == len(list_players(part)), game
            results = [(finished, count) for _, finished, count in rows]
            assert [int(rank) for rank, *_ in rows] == [results.index(row) + 1 for row in results]
            if get_plugins().games[game].presentation.count.fewest:
                assert not any(count.startswith("-") for *_, count in rows)


def test_the_matches_of_bots_open_once_one_has_played(tmp_path: Path) -> None:
    """Each plays in the visitor's place, with the result that the page says; there is a text to send."""
    with serve(tmp_path / "tables.db", Clock()) as server:
        server.enter("")
        client, replay = server.client, f"/daily/{DAY}/gops/outbid/replay"
        assert (client.get(replay).status_code, "replay" in server.read("gops")) == (404, False)
        server.play("gops", "Ada")
        part = server.read("gops")
        assert f'href=".{replay}">Expert bot' in part
        score = part.partition("Expert bot")[2].partition("</tr>")[0].rpartition("<td>")[2]
        page = client.get(replay).text
        assert "Expert in your place" in page
        assert re.search(rf"\b{score.partition('<')[0]}\b", page.partition("<h1>")[2])
        steps = client.get(f"{replay}/steps").json()["steps"]
        assert steps[-1]["t"]
        assert client.get(f"{replay}/steps", params={"eye": "9"}).status_code == 404
        assert client.get(f"/daily/{DAY}/gops/outbid/notes").status_code == 200
        assert client.get(f"/daily/{DAY}/gops/outbid/transcript").text.startswith("{")
        assert client.get(f"/daily/{DAY}/gops/match/replay").status_code == 404  # it does not play
        shared = client.get("/daily").text.partition('<pre id="shared">')[2].partition("</pre>")[0]
        title, line, address = shared.split("\n")
        assert title == "The deal of the day, Sunday, 1 March 2026"
        assert re.fullmatch(r"([🟩🟨🟥]{5}) GOPS: (shared )?\d\w\w of 6, \d+ points?", line)
        assert address.endswith(f"/daily?day={DAY}")


def test_earlier_days_on_which_somebody_played_are_open_to_all(tmp_path: Path) -> None:
    """All see the results and the replays of such a day; nobody plays its deals any more."""
    clock = Clock()
    with serve(tmp_path / "tables.db", clock) as server:
        ada, client = server.enter(""), server.client
        key = server.play("gops", "Ada")
        assert "Earlier days" not in client.get("/daily").text
        clock.today = date(2026, 3, 2)
        server.enter("")
        assert f'href="./daily?day={DAY}"' in client.get("/daily").text
        part = server.read("gops", DAY)
        assert f"table/{key}/replay" in part
        assert "You did not play it." in part
        assert "<button" not in part
        assert len(list_players(part)) == 6
        assert client.get(f"/daily/{DAY}/gops/outbid/replay").status_code == 200
        assert client.get("/daily/2026-03-02/gops/outbid/replay").status_code == 404
        for day in ("2026-02-28", "2026-03-03", "x"):
            assert client.get("/daily", params={"day": day}).status_code == 404
        server.enter(ada)
        assert 'class="own"' in server.read("gops", DAY).partition("Your replay")[2]


def test_signs_say_which_bots_did_worse() -> None:
    """The best bot comes first, and people have none."""
    scores = {"match": 9.0, "outbid": 7.0, "": 7.0, "easy": 3.0}
    results = [
        DailyResult(bot or "Ada", 1, 2, score, is_shared=False, key="" if bot else "own", bot=bot)
        for bot, score in scores.items()
    ]
    own: Any = SimpleNamespace(key="own", is_over=True)
    offered: Any = None
    deal = DailyDeal(offered, DAY, False, own, results)
    assert deal.bot_signs == "🟥🟨🟩"
    assert evolve(deal, own=None).bot_signs == ""


def test_what_is_no_name_or_game_is_refused(tmp_path: Path) -> None:
    """The page says what a name may be; an unknown game has no page."""
    with serve(tmp_path / "tables.db", Clock()) as server:
        server.enter("")
        form = {"game": "gops", "name": "x" * 99}
        answer = server.client.post("/daily", data=form, headers=OWN)
        assert answer.status_code == 422
        assert "this name has 99 characters; 32 are allowed" in answer.text
        assert server.client.post("/daily", data={"game": "x"}, headers=OWN).status_code == 404


def test_a_seed_makes_no_ticket(tmp_path: Path) -> None:
    """What transcripts tell of the deal of a day is no signature by which a browser is known."""
    with serve(tmp_path / "tables.db", Clock()) as server:
        server.enter("")
        key = server.play("gops")
        seed = re.search("[0-9a-f]{64}", server.tables.store.tables.read_transcript(key))
        assert seed
        forged = f"daily {DAY} gops.{seed[0]}"
        server.client.cookies.clear()
        answer = server.client.get("/daily", headers={"Cookie": f"arena-games={forged}"})
        assert answer.cookies["arena-games"] != forged
        assert " " not in answer.cookies["arena-games"]
