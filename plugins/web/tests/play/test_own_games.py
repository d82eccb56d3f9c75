"""The games of a visitor: in a browser, and what strangers see and take of them."""

from __future__ import annotations

import io
import json
import re
from datetime import datetime, timedelta, timezone
from secrets import token_hex
from typing import Any
from zipfile import ZipFile

import pytest
from attrs import evolve
from playwright.sync_api import Locator, Page, expect
from starlette.testclient import TestClient

from arena.host import play_match
from arena.records import parse_text
from arena_web.app import build_application
from arena_web.explorers import ExplorerPages
from arena_web.play.match.table import PlayTable
from arena_web.play.routes import PlayPages
from arena_web.play.seat_secrets import Secret
from arena_web.play.sitting import Sitting
from arena_web.play.store.stored_tables import PersonResult, StoredResult
from arena_web.play.store.table_records import MAX_TRANSCRIPT_BYTES
from arena_web.play.table_terms import PERSON
from arena_web.play.tables import PlayTables
from arena_web.play.visitors.games import GameRow, SittingRows, group_sittings, list_rows
from arena_web.play.visitors.results import OpponentRecord, collect_records, describe_results
from arena_web.play.visitors.tickets import COOKIE
from arena_web.player_names import join_players, present_players
from arena_web.protocol.json_format import to_json
from arena_web.protocol.messages import SeatOutcome
from arena_web.review.reviewer import NO_REVIEW
from tests.support.tournaments.served import open_test_client
from tests.support.web.browser import Pages, check_page_in_all_themes
from tests.support.web.event_streams import run
from tests.support.web.seat_pages import (
    check_end,
    open_table,
    play_on,
    serve_tables,
    sit_down,
    wait_for_question,
)
from tests.support.web.seat_players import build_setup, choose_first, play_alone

OWN = {"Sec-Fetch-Site": "same-origin"}


def open_games(page: Page) -> None:
    """Go to the page of one's own games."""
    page.get_by_role("link", name="My games").click()


def play_gops(page: Page) -> int:
    """Play the match to its end, and return one's own score."""
    play_on(page)
    check_end(page)
    return int(page.locator("#ended tr.you td").nth(1).inner_text().split()[0])


def check_local_times(page: Page) -> None:
    """See that times are those of the reader's clock, with UTC in their titles."""
    browser = page.context.new_cdp_session(page)
    browser.send("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Tokyo"})
    page.reload()
    time = page.locator("time").first
    at = datetime.fromisoformat(time.get_attribute("datetime") or "")
    local = at.astimezone(timezone(timedelta(hours=9)))
    expect(time).to_have_text(f"{local.day} {local:%b %Y, %H:%M}")
    expect(time).to_have_attribute("title", f"{at.day} {at:%b %Y, %H:%M} UTC")
    browser.send("Emulation.setTimezoneOverride", {"timezoneId": ""})
    browser.detach()


def play_again(page: Page) -> None:
    """Go from a match that is over to the next one."""
    with page.expect_navigation():
        page.get_by_role("button", name="Play again").click()


def check_replay(pages: Pages, page: Page, game: Locator) -> Page:
    """Open a game's replay, which is its player's own; return a stranger's page with it."""
    said = game.locator("td").first.inner_text()
    expect(game.locator("td b:is(.won, .tied, .lost)")).to_contain_text("You ")
    game.get_by_role("link").click()
    expect(page.locator(".where")).to_contain_text("step 1 of")  # as one saw it oneself
    expect(page.get_by_role("group", name="You", exact=True)).to_be_visible()
    assert page.locator("h1").inner_text() in said
    expect(page.locator("#review")).not_to_be_empty()
    stranger = pages.open(page.url.partition("#")[0])
    expect(stranger.get_by_label("view", exact=True)).to_have_value("all")
    expect(stranger.locator("#review")).to_have_count(0)
    return stranger


def check_last_round(pages: Pages, page: Page) -> None:
    """The last round of one's game leads to the explorer, as one's own seat saw it."""
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")  # the end itself is a step of its own
    link = page.locator(".noted-here").get_by_role("link", name="Explore this round")
    position = pages.open(link.evaluate("link => link.href"))
    for row, title in enumerate(("Prizes", "Your hand", "Their hand")):
        section = position.locator(".choices").nth(row)
        expect(section.locator("h2")).to_contain_text(title)
        expect(section.locator("li")).to_have_count(1)


def delete_both(page: Page, over: Locator) -> None:
    """Delete one of two finished games, and then all; each is said before it is done."""
    over.first.locator("summary").click()
    over.first.get_by_role("button", name="Delete for good").click()
    expect(over).to_have_count(1)
    page.get_by_text("Delete all finished games").click()
    expect(page.locator("form > .sure")).to_contain_text("1 finished game with replays")
    check_page_in_all_themes(page)
    page.get_by_role("button", name="Delete 1 game for good").click()
    expect(over).to_have_count(0)


def test_games_are_gone_on_with_looked_at_taken_along_and_deleted(pages: Pages) -> None:
    """A running game leads to its seat; a finished one has a result and a replay."""
    with serve_tables(lambda _: ExplorerPages().routes) as at:
        page = pages.open(f"{at.address}games")
        expect(page.locator("main")).to_contain_text("You have no games in this browser.")
        page.goto(f"{at.address}daily")
        check_page_in_all_themes(page)
        open_table(page, at.address, "gops", option_cards="3")
        score = play_gops(page)
        play_again(page)
        score += play_gops(page)
        expect(page.get_by_role("columnheader", name="over 2 matches")).to_be_visible()
        expect(page.locator("#ended tr.you td").nth(2)).to_have_text(f"{score} points")
        expect(page.locator("#ended")).to_contain_text("Points are the sum of the prizes")
        play_again(page)
        assert wait_for_question(page)
        seat = page.url
        open_games(page)
        expect(page.locator("ul.cards")).to_contain_text(
            re.compile(r"GOPS against Easy bot your turn")
        )
        page.set_viewport_size({"width": 360, "height": 740})
        page.locator("ul.cards a").click()
        assert page.url == seat
        assert wait_for_question(page)
        open_games(page)
        over = page.locator("table", has_text="Finished games").locator("tbody tr:not(.day)")
        expect(over).to_have_count(2)
        for table in page.locator(".scroller").all():
            assert table.evaluate("table => table.scrollWidth <= table.clientWidth")
        expect(over.first.get_by_role("link")).to_have_text("GOPS against Easy bot")
        expect(over.first).to_contain_text(re.compile("You (won|lost|tied), "))
        check_local_times(page)
        results = page.locator("table", has_text="how often you finished").locator("tbody td")
        counted = [int(text) for text in results.all_inner_texts()[:3]]
        assert sum(counted) == 2
        with page.expect_download() as download:
            page.get_by_role("link", name="Export").click()
        with ZipFile(download.value.path()) as archive:
            listed = json.loads(archive.read("games.json"))
            assert len(listed) == 2
            for game in listed:
                transcript = parse_text(archive.read(f"{game['key']}.jsonl").decode())
                assert list(transcript.header.names) == game["players"]
        stranger = check_replay(pages, page, over.first)
        check_last_round(pages, page)
        page.go_back()
        stranger.goto(f"{at.address}games")
        expect(stranger.locator("main")).to_contain_text("You have no games in this browser.")
        delete_both(page, over)
        expect(page.locator("ul.cards li")).to_have_count(1)
        assert len(at.tables.store.connection.read_rows("SELECT key FROM tables")) == 1


def test_a_visitor_without_a_ticket_has_no_games() -> None:
    """Nor has one with a made-up cookie; nothing can be deleted or exported then."""
    tables = PlayTables()
    with open_test_client(build_application(PlayPages(tables).routes, limits={})) as client:
        for page in ("/games", "/play", "/play?game=gops"):
            assert '<a class="home" href="./">' in client.get(page).text  # leads to another page
        for ticket in ("", "x", "' OR 1=1 --", "a" * 32):
            client.cookies.set(COOKIE, ticket)
            assert "You have no games" in client.get("/games").text
            assert client.post("/games", data={"delete": "all"}, headers=OWN).status_code == 200
            with ZipFile(io.BytesIO(client.get("/games/export").content)) as archive:
                assert archive.namelist() == ["games.json"]


@pytest.mark.parametrize(
    ("site", "name"), [("http://localhost", COOKIE), ("https://localhost", f"__Host-{COOKIE}")]
)
def test_a_browser_has_only_tickets_that_the_server_gave(site: str, name: str) -> None:
    """Who plants a value in a browser knows what it will not keep; by https nobody can plant any."""
    tables = PlayTables()
    app = build_application(PlayPages(tables).routes, limits={})
    with TestClient(app, base_url=site) as client:
        opened = client.post(
            "/play", data={"game": "gops", "bot": "easy"}, headers=OWN, follow_redirects=False
        )
        seat = f"/{opened.headers['location']}"
        given = client.get(seat).headers["set-cookie"]
        ticket = client.cookies[name]
        assert ("Secure" in given) == ("__Host-" in given) == site.startswith("https")
        assert "Path=/;" in given
        assert "Domain" not in given
        tables.store.browsers.add(Secret(seat.rpartition("/")[2]), ticket)
        assert "You have no games" not in client.get("/games").text
        assert client.get(seat).headers["set-cookie"].startswith(f"{name}={ticket};")
        for planted in ("a" * 32, f"x{ticket}", f"{ticket[:-1]}é", ticket[:-65], "x" * 5000, "."):
            client.cookies.clear()
            headers = {b"Cookie": f"{name}={planted}".encode()}
            assert "You have no games" in client.get("/games", headers=headers).text, planted
            new = client.get(seat, headers=headers).headers["set-cookie"]
            assert f"={planted};" not in new
            assert ticket not in new
        client.cookies.clear()
        for other in {COOKIE, f"__Host-{COOKIE}"} - {name}:
            cookie = {"Cookie": f"{other}={ticket}"}
            assert "You have no games" in client.get("/games", headers=cookie).text
        assert client.portal
        client.portal.call(next(iter(tables.places.values())).close)


@pytest.mark.parametrize("places", [(1, 2), None])
def test_a_void_game_is_not_reviewed(places: tuple[int, ...] | None) -> None:
    """Its replay shows what happened, and not what answers cost where nothing was decided."""
    tables = PlayTables()
    transcript = play_match("gops", ["easy", "easy"], seed="1", options={"cards": 3}).transcript
    with open_test_client(build_application(PlayPages(tables).routes, limits={})) as client:
        form = {"game": "gops", "bot": "easy"}
        opened = client.post("/play", data=form, headers=OWN, follow_redirects=False)
        client.get(f"/{opened.headers['location']}")
        keep_game(tables, client.cookies[COOKIE], places, transcript.text)
        replay = client.get("/table/kept/replay").text
        assert ('id="review"' in replay) == ("hints.css" in replay) == bool(places)
        assert client.portal
        client.portal.call(tables.close)


def test_a_match_whose_transcript_is_too_long_to_be_kept_has_nothing_to_review() -> None:
    """To load the page again, as where the server is busy, would not help."""
    tables = PlayTables()
    with open_test_client(build_application(PlayPages(tables).routes, limits={})) as client:
        keep_game(tables, "ticket", (1, 2), token_hex(MAX_TRANSCRIPT_BYTES))
        assert client.get("/table/kept/moments?seat=0").json() == to_json(NO_REVIEW.reply)
        assert client.get("/table/none/moments?seat=0").status_code == 404


def keep_game(
    tables: PlayTables, ticket: str, places: tuple[int, ...] | None, transcript: str
) -> None:
    """Keep a finished game of a browser, which is void without places."""
    setup = build_setup("gops", "easy", cards=3).to_stored(
        ["ann", "easy"], [PERSON, "easy"], [0, 1], "1"
    )
    person = PersonResult.of("You won.", SeatOutcome.WON if places else None, {})
    result = StoredResult(places, places and (3, 0), {}, (person,))
    tables.store.tables.add("kept", "", setup, [Secret("own")])
    tables.store.browsers.add(Secret("own"), ticket)
    tables.store.tables.finish("kept", result, transcript)


def test_a_match_with_the_usual_options_counts_for_the_rating() -> None:
    """The end of the match says so, and the page of the visitor's games lists it."""

    async def test() -> None:
        tables = PlayTables()
        table, _ = await play_alone(build_setup("kuhn", "random"), choose_first, tables)
        (chair,) = table.chairs.values()
        tables.store.browsers.add(chair.secret, "ticket")
        told = describe_results(tables.store, chair.secret)
        assert re.search(r"Your rating at Kuhn poker needs about \d+ more games against bots", told)

    run(test)


def test_streaks_end_with_another_result() -> None:
    """A tie ends a streak, and a second win after losses begins one."""
    record = OpponentRecord("gops", "easy")
    for won in (1, 1, 0, -1, -1, -1, 1):
        record.count(won)
    assert record.words == "3 won, 3 lost, 1 tied"
    record.count(1)
    assert record.words == "4 won, 3 lost, 1 tied; 2 wins in a row"


def test_what_is_won_from_an_opponent_is_summed() -> None:
    """Where one player wins what the other loses; points of a game that both score are not."""

    async def test() -> None:
        _, hand = await play_own("kuhn", "random")
        result = hand.stored.result
        assert result
        assert result.scores
        record = collect_records([hand, hand])["kuhn", "random"]
        score = result.scores[hand.seat]
        assert score is not None
        assert record.gain == 2 * score
        assert f"{record.gain:+g} chips in all, " in f"{record.words}"
        _, match = await play_own("gops", "random", cards=3)
        assert match.gain is None
        assert collect_records([match])["gops", "random"].gain_words == ""

    run(test)


def test_wins_and_what_was_won_are_counted_over_the_same_matches() -> None:
    """Those with hints, too: only a streak is without them."""

    async def test() -> None:
        _, hand = await play_own("kuhn", "random")
        aided = GameRow(evolve(hand.stored, hints=1))
        record = collect_records([aided, hand])["kuhn", "random"]
        assert record.matches == record.won + record.lost == 2
        assert hand.gain
        assert record.gain == 2 * hand.gain
        assert record.streak == (1 if hand.gain > 0 else -1)
        word = "won" if hand.gain > 0 else "lost"
        assert SittingRows([aided, hand]).said.startswith(f"2 {word}, ")

    run(test)


async def play_own(
    game: str, *bots: str, seed: str = "7", **options: Any
) -> tuple[PlayTable, GameRow]:
    """Play a match alone; return its table, and the game as its visitor has it."""
    tables, setup = PlayTables(), evolve(build_setup(game, *bots, **options), seed=seed)
    table, _ = await play_alone(setup, choose_first, tables)
    (chair,) = table.chairs.values()
    tables.store.browsers.add(chair.secret, "ticket")
    (row,) = list_rows(tables.store, "ticket")
    return table, row


def test_matches_of_one_sitting_are_one_entry() -> None:
    """Two sittings with the same players stay apart, also if another game lies between."""

    async def test() -> None:
        _, row = await play_own("kuhn", "random")
        _, other = await play_own("gops", "random", cards=3)
        assert row.stored.result
        names = present_players(row.game, row.stored.setup.names, row.bots)
        own, bot = names[row.seat], names[1 - row.seat]

        def build(before: int) -> GameRow:
            sitting = Sitting(before, {own: before, bot: -before})
            setup = evolve(row.stored.setup, terms=evolve(row.stored.setup.terms, sitting=sitting))
            return GameRow(evolve(row.stored, setup=setup))

        first = [build(before) for before in (4, 3, 3, 2, 1, 0)]  # one of them was void
        second = [build(before) for before in (1, 0)]
        sittings = group_sittings([*first[:2], other, *first[2:], *second])
        assert [list(sitting.rows) for sitting in sittings] == [first, [other], second]
        assert [sitting.is_folded for sitting in sittings] == [True, False, False]
        score = (row.stored.result.scores or ())[row.seat]
        assert score
        word = "won" if score > 0 else "lost"
        chips = "chip" if abs(4 + score) == 1 else "chips"
        assert sittings[0].said == f"6 {word}, {4 + score:+g} {chips} in all"

    run(test)


def test_a_player_has_one_name_in_all_places_of_a_match() -> None:
    """The heading at the seat, the list of one's games and the lines of results agree."""

    async def test() -> None:
        table, row = await play_own("hearts", "low", "low", "counter", deals=1)
        (chair,) = table.chairs.values()
        others = [name for seat, name in enumerate(table.seating.names) if seat != row.seat]
        assert sorted(others) == ["Hard bot", "Medium 1", "Medium 2"]
        assert row.others == join_players(others)
        assert table.describe_company(chair) == f"against {row.others}"
        names = {record.label: record.bot for record in collect_records([row]).values()}
        assert names == {"Medium bot": "Low", "Hard bot": "Counter"}

    run(test)


@pytest.mark.parametrize(
    ("place", "others", "tone"),
    [(1, [2, 3, 4], "won"), (2, [1, 3, 4], "between"), (4, [1, 2, 3], "lost"), (2, [1], "lost"),
     (1, [1], "tied")],
)  # fmt: skip
def test_only_the_last_place_is_bad_news(place: int, others: list[int], tone: str) -> None:
    """Whoever is second of four has won nothing, and is not marked as a loser, either."""

    async def test() -> None:
        _, row = await play_own("kuhn", "random")
        assert row.stored.result
        places = (*others[: row.seat], place, *others[row.seat :])
        outcome = SeatOutcome.LOST if place > 1 else SeatOutcome(tone)
        persons = (PersonResult.of("", outcome, {}),)
        result = evolve(row.stored.result, places=places, persons=persons)
        assert GameRow(evolve(row.stored, result=result)).tone == tone

    run(test)


def test_finished_games_stand_under_their_days(pages: Pages) -> None:
    """By the reader's clock, with only the time in each row."""
    with serve_tables() as at:
        page = pages.blank()
        sit_down(page, at, "kuhn", "random")
        play_on(page)
        page.goto(f"{at.address}games")
        expect(page.locator("tr.day")).to_have_text("Today")
        expect(page.locator("table[data-days] time")).to_have_text(re.compile(r"\d\d:\d\d"))


def test_each_opponent_is_compared_by_places() -> None:
    """Who is second behind one bot has finished ahead of those behind, and behind that one."""

    async def test() -> None:
        _, row = await play_own("hearts", "low", "low", "random", seed="57", deals=1)
        assert row.stored.result
        assert row.stored.result.places == (2, 1, 2, 4)  # the two low ones are first and second
        records = collect_records([row])
        assert records["hearts", "low"].words == "you finished ahead of none of 2, level with 1"
        assert records["hearts", "low"].streak_words == ""
        assert records["hearts", "random"].words == "you finished ahead"

    run(test)
