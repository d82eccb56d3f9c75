"""Friends at a table: the link, who is there, a rematch, and those who watch."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

from arena import UserError
from arena.host import parse_entrant
from arena_web.app import build_application
from arena_web.play import presence
from arena_web.play.chairs.chair import Chair
from arena_web.play.chairs.sent_answers import SentAnswer
from arena_web.play.lobby import WaitingRoom
from arena_web.play.pages.waiting import draw_code
from arena_web.play.routes import PlayPages
from arena_web.play.seat_secrets import Secret
from arena_web.play.tables import PlayTables
from arena_web.play.visitors.tickets import COOKIE
from tests.support.programs import TIMEOUT
from tests.support.tournaments.served import open_test_client
from tests.support.web.browser import Pages, check_page, check_page_in_all_themes
from tests.support.web.event_streams import Event, parse_events, run
from tests.support.web.seat_pages import (
    check_end,
    give_first_answer,
    open_table,
    serve_tables,
    wait_for_question,
)
from tests.support.web.seat_players import (
    build_setup,
    choose_first,
    find_match,
    play_seat,
    seat_all,
    select_events,
)


def find_link(waiting: Page) -> str:
    """Return the link that is shown to whoever waits for friends."""
    return str(waiting.locator("#invitation").evaluate("link => link.href"))


def seat_friends(pages: Pages, address: str) -> tuple[Page, Page, Page]:
    """Return the pages of ann, of bob who took a seat by her link, and of eve who has that link."""
    ann = pages.blank()
    open_table(ann, address, "gops", "Invite friends", name_0="ann", option_cards="2")
    expect(ann.locator("#present")).to_contain_text("or when you start it.")
    expect(ann.locator("#start")).to_have_text("Start with 1 bot")
    check_page_in_all_themes(ann)
    for offline in (True, False):
        ann.context.set_offline(offline)
        told = "" if offline else "The match begins when all seats are taken, or when you start it."
        expect(ann.locator("#present")).to_have_text(told)
    bob, eve = pages.open(find_link(ann)), pages.open(find_link(ann))
    bob.get_by_label("Your name").fill("bob")
    check_page_in_all_themes(bob)
    bob.get_by_role("button", name="Take a seat").click()
    return ann, bob, eve


LEAD_AGAIN = """async () => {
  const { Dock } = await import(new URL("../static/dock.js", location));
  const link = document.querySelector("#controls a");
  link.focus();
  new Dock(null, null).leadTo(link.cloneNode(true));
  return document.activeElement === link;
}"""
"""Whether the way out keeps the focus when the seat is drawn again, as the others play on."""


def leave_and_come_back(page: Page) -> None:
    """Leave the table, and find the match among the own games, to watch it."""
    page.get_by_role("button", name="menu").click()
    page.get_by_role("button", name="Leave the table").click()
    page.get_by_role("button", name="Leave and lose").click()
    expect(page.locator("#asked")).to_contain_text("You are no longer in this match")
    page.get_by_role("link", name="My games").click()
    page.get_by_role("link", name="you are out: watch").click()
    expect(page.locator("#asked")).to_contain_text("You are no longer in this match")
    expect(page.locator("#controls")).to_have_text("Play another game")
    assert page.evaluate(LEAD_AGAIN)


def test_friends_see_who_is_there_and_play_again(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One link is for all; whoever plays again is told to the other and to those who watch."""
    monkeypatch.setattr(presence, "ABSENT_SECONDS", 0)
    with serve_tables() as at:
        ann, bob, eve = seat_friends(pages, at.address)
        assert wait_for_question(ann)
        present = ann.locator("#present")
        eve.get_by_role("link", name="Watch").click()
        expect(present).to_have_text("Bob is here, 1 watching")
        expect(eve.locator("#present")).to_have_text("Ann is here, Bob is here, 1 watching")
        assert wait_for_question(bob)
        bob.set_viewport_size({"width": 360, "height": 740})
        for shown in ("#present", "#turn", "#asked", "#hand button >> nth=0"):
            expect(bob.locator(shown)).to_be_in_viewport()
        bob.context.set_offline(True)
        expect(bob.locator("#present")).to_be_hidden()
        expect(present).to_have_text("Bob is away, 1 watching")
        expect(ann.locator("#absent")).to_be_hidden()
        give_first_answer(ann)
        expect(ann.locator("#asked")).to_have_text("Bob is away")
        expect(ann.locator("#absent")).to_have_text("End the match without Bob")
        expect(ann.locator("#absent")).to_be_visible()
        bob.context.set_offline(False)
        expect(bob.locator("#present")).to_have_text("Ann is here, 1 watching")
        expect(ann.locator("#asked")).to_have_text("Bob is thinking")
        expect(present).to_have_text("Bob is here, 1 watching")
        for page in (bob, ann, bob):  # with two cards
            give_first_answer(page)
        for page in (ann, bob, eve):
            check_end(page)
        ann.get_by_role("button", name="Swap seats").click()
        for page in (bob, eve):
            expect(page.locator("#again")).to_contain_text(
                "Ann wants to play again, and all move on by one seat."
            )
        check_page(bob)
        expect(ann.locator("#players")).to_contain_text("Bob is not here yet")
        expect(ann.locator("#present")).to_have_text("The match begins when Bob is here.")
        expect(ann.locator("#start")).to_have_text("Start without Bob")
        bob.get_by_role("button", name="Play again").click()
        eve.get_by_role("link", name="Watch", exact=True).click()
        for page in (ann, bob):
            assert wait_for_question(page)
        expect(eve.locator("#turn")).to_have_text("In play")
        expect(ann.locator("#present")).to_have_text(re.compile("^Bob is here"))
        seat = bob.url
        bob.goto("about:blank")
        leave_and_come_back(ann)
        ann.get_by_role("button", name="End the match without Bob").click()
        expect(ann.locator("#present")).to_have_text("Bob was away for too long, 1 watching")
        bob.goto(seat)
        expect(bob.locator("#log")).to_contain_text("You were away, so Ann went on without you.")
        expect(bob.locator("#present")).to_have_text("Ann has left, 1 watching")
        check_end(ann)
        expect(ann.locator("#ended-why")).to_contain_text("Bob left")


def test_the_link_is_a_qr_code_too() -> None:
    """It has the whole address, by the name under which the site was asked for."""
    tables = PlayTables()
    app = build_application(PlayPages(tables).routes, limits={}, hosts=["cards.example"])
    with TestClient(app, base_url="https://cards.example") as client:
        form = {"game": "hearts", "name": "ann", "friends": "low"}
        page = client.post("/play", data=form, headers={"Sec-Fetch-Site": "same-origin"}).text
        (key,) = tables.places
        assert draw_code(f"https://cards.example/table/{key}") in page
        assert draw_code("https://cards.example/table/") not in page


def test_a_table_that_waits_for_friends_is_not_listed_as_one_against_bots() -> None:
    """Its bots only hold the seats that friends may take."""
    tables = PlayTables()
    with open_test_client(build_application(PlayPages(tables).routes, limits={})) as client:
        form = {"game": "hearts", "name": "ann", "friends": "low"}
        seat = client.post("/play", data=form, follow_redirects=False).headers["location"]
        client.get(f"/{seat}")
        ticket = client.cookies[COOKIE]
        tables.store.browsers.add(Secret(seat.rpartition("/")[2]), ticket)
        for page in ("/games", "/play"):
            listed = client.get(page).text
            assert "<b>Hearts <i>with friends</i></b> <span>waits for friends</span>" in listed


def test_a_friend_takes_a_bots_seat_once() -> None:
    """Whoever comes again, or presses twice, is led to the own seat; all is kept for a restart."""
    tables = PlayTables()
    with open_test_client(build_application(PlayPages(tables).routes, limits={})) as client:
        form = {"game": "hearts", "name": "ann", "friends": "low"}
        seat = client.post("/play", data=form, follow_redirects=False).headers["location"]
        (key,) = tables.places
        link = f"/table/{key}"
        waiting = client.get(f"/{seat}").text
        assert link in waiting
        assert "behind a proxy" in waiting
        client.cookies.clear()
        client.headers["Sec-Fetch-Site"] = "same-origin"
        assert "Ann invites you to play Hearts" in client.get(link).text
        answers = [
            client.post(link, data={"name": "bob"}, follow_redirects=False),
            client.post(link, follow_redirects=False),
            client.get(link, follow_redirects=False),
        ]
        (own,) = {answer.headers["location"] for answer in answers}
        waiting = client.get(own.removeprefix("..")).text
        assert link in waiting
        assert "behind a proxy" not in waiting  # which is for the host to do
        room = tables.places[key]
        assert isinstance(room, WaitingRoom)
        assert room.setup.terms.persons == ("ann", "bob")
        assert client.portal
        other = client.portal.call(tables.open, build_setup("hearts", "low", "low", persons=2))
        waiting = client.get(f"/seat/{other.secrets[0]}").text
        assert all(f"<b>{name}</b>" in waiting for name in other.names)
        client.portal.call(tables.close)
        restarted = PlayTables(store=tables.store)
        again = client.portal.call(restarted.find_table, key)
        assert isinstance(again, WaitingRoom)
        assert (again.secrets, again.names) == (room.secrets, room.names)
        client.portal.call(restarted.close)


def test_no_bot_takes_a_friends_seat_in_a_game_without_bots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The host reads why the friend stays."""
    monkeypatch.setattr("arena_web.play.routes.load_pools", lambda _: {})
    app = build_application(PlayPages(PlayTables()).routes, limits={})
    with open_test_client(app) as client:
        client.headers["Sec-Fetch-Site"] = "same-origin"
        form = {"game": "gops", "name": "ann", "friends": "easy"}
        host = client.post("/play", data=form, follow_redirects=False).headers["location"]
        key = re.findall("table/([0-9a-f]{16})", client.get(f"/{host}").text)[0]
        client.cookies.clear()
        client.post(f"/table/{key}", data={"name": "bob"}, follow_redirects=False)
        assert client.post(f"/{host}/remove", data={"friend": "bob"}).status_code == 409


def test_a_host_takes_a_friends_seat_away() -> None:
    """It is free for another, also at a full table; nobody else can, nor take the host's."""
    tables = PlayTables()
    with open_test_client(build_application(PlayPages(tables).routes, limits={})) as client:
        form = {"game": "gops", "name": "ann", "friends": "easy"}
        host = client.post("/play", data=form, follow_redirects=False).headers["location"]
        (key,) = tables.places
        client.cookies.clear()
        client.headers["Sec-Fetch-Site"] = "same-origin"
        bob = client.post(f"/table/{key}", data={"name": "bob"}, follow_redirects=False)
        friend = bob.headers["location"].removeprefix("../")
        assert not tables.places[key].setup.terms.invites
        assert 'aria-label="Remove Bob"' in client.get(f"/{host}").text
        assert "Remove" not in client.get(f"/{friend}").text
        assert client.post(f"/{friend}/remove", data={"friend": "ann"}).status_code == 403
        for name in ("ann", "eve"):
            answer = client.post(f"/{host}/remove", data={"friend": name})
            assert f"no friend at this table is called {name}".encode() in answer.content.lower()
        assert client.post(f"/{host}/remove", data={"friend": "bob"}).status_code == 200
        setup = tables.places[key].setup
        assert (setup.terms.persons, setup.terms.invites) == (("ann",), True)
        assert client.get(f"/{friend}").status_code == 404
        eve = client.post(f"/table/{key}", data={"name": "eve"}, follow_redirects=False)
        assert eve.status_code == 303
        assert tables.places[key].setup.terms.persons == ("ann", "eve")
        client.cookies.clear()
        late = client.post(f"/table/{key}", data={"name": "dan"})
        assert "You see only what all players see" in late.text
        assert client.portal
        client.portal.call(tables.close)


def list_steps(events: list[Event]) -> list[dict[str, Any]]:
    """Return the steps of a feed, in order."""
    return [step for _, name, data in events if name == "steps" for step in data]


def test_who_thinks_within_the_clock_is_not_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a page open one may think as long as the clock allows, and the others are told so."""
    monkeypatch.setattr(presence, "ABSENT_SECONDS", 0)

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("gops", persons=2, cards=4, clock=60.0))
        ann, bob = table.chairs.values()
        while not bob.open_number:
            await bob.feed.wait(len(bob.feed.frames))
        with pytest.raises(UserError, match="person1 is here, or not away for long"):
            table.replace_absent("person1", ann)
        await wait_until_told(ann, b'"Person1": "is thinking"}, "late": [], "away": []')
        bob.send(SentAnswer(bob.open_number, 2))
        while bob.open_number:
            await bob.feed.wait(len(bob.feed.frames))
        await wait_until_told(ann, b'"Person1": "is away"}, "late": [], "away": ["Person1"]')
        table.replace_absent("person1", ann)
        assert bob.has_left
        tables.close()
        await asyncio.to_thread(tables.join)

    run(test)


async def wait_until_told(chair: Chair, words: bytes) -> None:
    """Wait until a person is told this of who is there."""
    async for chunk in chair.feed.follow():
        if words in chunk:
            return


def test_a_match_goes_on_without_who_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before a while has passed, nor once they are back; a bot plays for them, and they watch."""
    monkeypatch.setattr(presence, "ABSENT_SECONDS", 0)

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("hearts", "low", "low", persons=2, deals=1))
        ann, bob = table.chairs.values()

        playing = asyncio.create_task(play_seat(table, ann, choose_first))
        with ann.feed.count_follower():
            away = b'"absent": [["person1", "Let a bot play for Person1"]]'
            await wait_until_told(ann, away)
            with bob.feed.count_follower():
                await wait_until_told(ann, b'"absent": []')
                with pytest.raises(UserError, match="person1 is here"):
                    table.replace_absent("person1", ann)
            await wait_until_told(ann, away)
            table.replace_absent("person1", ann)
            (end,) = select_events(await playing, "end")
        assert end["end"] == "finished"
        last = end["rows"][-1]
        assert (last["name"], last["verdict"], last["score"]) == ("Person1", "left", None)
        said = b"Person1 was away for too long; a bot plays for Person1."
        for feed in (ann.feed, table.attendance.feed):
            assert said in b"".join(feed.frames)
        own, public = (
            parse_events(b"".join(feed.frames)) for feed in (bob.feed, table.attendance.feed)
        )
        lost = next(at for at, (_, name, _) in enumerate(own) if name == "out")
        why, then = own[lost][2]["why"], own[lost][2]["then"]
        assert (why, then) == (
            "You were away, so Person0 went on without you.", "A bot plays on for you.",
        )  # fmt: skip
        watched, shown = list_steps(own[lost:]), list_steps(public)
        assert watched == shown[-len(watched) :]
        assert any(said.decode() in step.get("t", ()) for step in shown[: -len(watched)][-1:])

    run(test)


def test_a_match_begins_without_those_who_are_missing() -> None:
    """A bot plays for them, as many seats as before, and their links lead to the table."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("hearts", "low", "low", persons=2))
        table.close()
        await asyncio.to_thread(table.join, TIMEOUT)
        ann, bob = table.chairs.values()
        rematch = tables.reopen(table)
        room = await tables.find_table(rematch.key)
        assert isinstance(room, WaitingRoom)
        tables.start(room, rematch.secrets[ann.secret], parse_entrant(room.setup.game, "low"))
        assert tables.reopen(table) is rematch
        following = find_match(tables, rematch.key)
        assert sorted(following.seating.spec.names) == ["low", "low_2", "low_3", "person0"]
        assert await tables.find_by_secret(rematch.secrets[bob.secret]) is None
        await asyncio.sleep(0)  # what is told comes in the next turn of the loop
        assert b"The others play without you" in b"".join(bob.feed._states.values())
        tables.close()

    run(test)


def test_names_are_of_any_script_and_a_refused_one_comes_back_with_its_field() -> None:
    """Beside the field stands why, and the invitation or the waiting room around it."""
    tables = PlayTables()
    with open_test_client(build_application(PlayPages(tables).routes, limits={})) as client:
        form = {"game": "gops", "name": "Zoë", "friends": "easy"}
        host = client.post("/play", data=form, follow_redirects=False).headers["location"]
        (key,) = tables.places
        client.cookies.clear()
        client.headers["Sec-Fetch-Site"] = "same-origin"
        for name, why in (
            ("Zoe", "Zoe looks like Zoë, who plays here"),
            ("x" * 33, "This name has 33 characters; 32 are allowed"),
            ("\u202eann", "A name shows letters, digits or symbols"),
        ):
            refused = client.post(f"/table/{key}", data={"name": name})
            assert refused.status_code == 422
            assert f'<span id="name-0-problem" class="problem">{why}' in refused.text
            assert "Zoë invites you to play GOPS" in refused.text
        friend = client.post(f"/table/{key}", data={"name": ""}, follow_redirects=False)
        seat = friend.headers["location"].removeprefix("../")
        refused = client.post(f"/{seat}/name", data={"name": "ZOE"})
        assert (refused.status_code, refused.text.count("looks like Zoë")) == (422, 1)
        assert f'action="../../{seat}/name"' in refused.text
        assert client.post(f"/{seat}/name", data={"name": "Jean-Luc 李"}).status_code == 200
        assert tables.places[key].names == ["Zoë", "Jean-Luc 李"]
        assert "<b>Zoë</b>" in client.get(f"/{host}").text
        wrong = {"game": "gops", "bot": "easy", "name": "x" * 33}
        again = client.post("/play", data=wrong)
        assert (again.status_code, again.text.count('class="problem"')) == (422, 1)
