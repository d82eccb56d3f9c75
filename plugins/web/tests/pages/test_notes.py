"""Notes in a replay, and the walk through a solved game that they lead to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from starlette.testclient import TestClient

from arena import Annotation
from arena.host import play_match
from arena.plugins.analysis import AnswerCost
from arena.records import Transcript, parse_lines
from arena_web.pages.annotations import Annotator
from arena_web.pages.replays import RecordedMatch
from tests.support.requirements import require_solver
from tests.support.tournaments.served import build_server_app, open_test_client, serve_sources
from tests.support.web.browser import Pages, check_page
from tests.support.web.event_streams import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a folder with a GOPS match that has a costly bid, and matches without notes."""
    require_solver()  # which makes the notes
    folder = tmp_path_factory.mktemp("matches")
    for game, *bots in (["gops", "match", "random"], ["kuhn", "optimal", "optimal"]):
        options = {"cards": 5} if game == "gops" else {}
        played = play_match(game, bots, seed="5", options=options).transcript
        assert played
        played.save(folder / f"{game}.jsonl")
    return str(folder)


@pytest.fixture
def client(folder: str) -> Iterator[TestClient]:
    """Visit it."""
    with open_test_client(build_server_app(folder)) as client:
        yield client


def costly(notes: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return those on what a seat has done."""
    return [note for note in notes if "seat" in note]


def test_notes_are_json_of_their_own(client: TestClient, folder: str) -> None:
    """A figure for each round, costly bids by their seats; nothing where nobody knows the game."""
    base = client.get("/", follow_redirects=False).headers["location"]
    answer = client.get(f"/{base}m/gops/notes")
    notes = answer.json()["notes"]
    assert answer.headers["cache-control"] == "no-cache"
    assert len([note for note in notes if "figure" in note]) == 5
    assert {note["seat"] for note in costly(notes)} <= {0, 1}
    lines = {
        line.number
        for line in parse_lines(Path(folder, "gops.jsonl").read_text().splitlines()).lines
    }
    assert {note["line"] for note in notes} <= lines
    assert client.get(f"/{base}m/kuhn/notes").json() == {"notes": []}
    assert client.get(f"/{base}m/none/notes").status_code == 404


def test_a_costly_bid_is_marked_and_its_position_can_be_studied(pages: Pages, folder: str) -> None:
    """The curve, a mark, what the solution would have bid; prizes and bids lead on to the end."""
    pages.allowed.add("400 (Bad Request)")  # a position that is none
    with serve_sources(folder) as address:
        page = pages.open(address)
        page.get_by_role("link", name="GOPS").first.click()
        expect(page.locator(".curve polyline")).to_be_visible()
        expect(page.locator(".mark.noted").first).to_be_attached()
        page.locator(".moments .noted a").first.click()
        expect(page.locator(".noted-here .marked").first).to_contain_text("the solution bids")
        page.keyboard.press("p")
        expect(page.locator("#replay[data-eye=public]")).to_be_visible()
        expect(
            page.locator(".curve, .mark.noted, .noted-here .note").filter(visible=True)
        ).to_have_count(0)
        page.keyboard.press("a")
        expect(page.locator(".curve polyline")).to_be_visible()
        check_page(page)
        named = page.locator(".moments .noted").first.inner_text()
        page.get_by_role("link", name="Explore this round").first.click()
        best = named.partition("solution bids ")[2].split()[0]
        hand = page.locator(".choices").nth(1).locator("li")
        likeliest = max(hand.all(), key=lambda card: float(card.inner_text().split()[0]))
        assert likeliest.locator(".face").inner_text().split()[0] == best
        check_page(page)
        to_the_end(page)


def test_notes_that_failed_come_with_the_next_view(pages: Pages, folder: str) -> None:
    """A server that was busy once spoils no replay."""
    pages.allowed.add("503 (Service Unavailable)")
    with serve_sources(folder) as address:
        page = pages.open(address)
        page.route("**/notes", lambda route: route.fulfill(status=503), times=1)
        with page.expect_response("**/notes"):
            page.get_by_role("link", name="GOPS").first.click()
        expect(page.locator("#replay[data-eye=all]")).to_be_visible()
        expect(page.locator(".curve")).to_be_hidden()
        page.keyboard.press("p")
        expect(page.locator("#replay[data-eye=public]")).to_be_visible()
        page.keyboard.press("a")
        expect(page.locator(".curve polyline")).to_be_visible()


def test_the_judgement_of_a_step_is_seen_with_its_table_on_a_telephone(
    pages: Pages, folder: str
) -> None:
    """It stands above the controls, which stay where they are at steps without one."""
    with serve_sources(folder) as address:
        page = pages.open(address)
        page.get_by_role("link", name="GOPS").first.click()
        page.set_viewport_size({"width": 390, "height": 844})
        expect(page.locator(".mark.noted").first).to_be_attached()
        before = page.locator(".controls").bounding_box()
        page.keyboard.press(".")
        expect(page.locator(".noted-here .marked").first).to_be_in_viewport(ratio=1)
        expect(page.locator(".noted-here")).to_contain_text("Expected lead of match: ")
        assert page.locator(".controls").bounding_box() == before
        assert page.evaluate("scrollY") == 0


def to_the_end(page: Page) -> None:
    """Choose prizes, bids and replies until the prizes are gone, and begin again."""
    prizes, mine, theirs = (page.locator(".choices").nth(row).locator("a") for row in range(3))
    if mine.count():  # a prize is turned up
        choose(page, mine)
        choose(page, theirs)
    while prizes.count():
        choose(page, prizes)
        choose(page, theirs)
        choose(page, mine)
    expect(page.locator(".position")).to_contain_text("The game is over")
    page.get_by_role("link", name="Start over").click()
    page.get_by_text("Another position").click()
    page.get_by_label("Your hand").fill("1 2 x")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("alert")).to_contain_text("'X' is not a card")


def choose(page: Page, cards: Locator) -> None:
    with page.expect_navigation():
        cards.first.click()


def read_notes(
    transcript: Transcript,
    annotations: Sequence[Annotation],
    seat: int | None = None,
    names: Sequence[str] = (),
) -> list[Any]:
    """Return these annotations on a match as a page gets them."""
    match, notes = RecordedMatch(transcript, names, seat), list[Any]()

    async def read() -> None:
        answer = await Annotator(lambda _: annotations).answer(match)
        notes.extend(json.loads(bytes(answer.body))["notes"])

    run(read)
    return notes


def test_a_reader_in_a_seat_has_the_own_lead_and_is_called_you() -> None:
    """Of two players the second one is as far ahead as the first is behind."""
    cost = AnswerCost(2.34, "7 for the 12", "5")
    annotations = [
        Annotation(3, "Bob bids.", 1, cost=cost), Annotation(4, "Ann leads.", figure=1.5)
    ]  # fmt: skip
    transcript = play_match("kuhn", ["random", "random"], seed="1").transcript

    chosen = "chose 7 for the 12, which cost 2.3 points; best: 5."
    for names, text in ((), "Bob bids."), (("Ann", "Hard bot"), f"Hard bot {chosen}"):
        for seat in (None, 0):
            notes = read_notes(transcript, annotations, seat, names)
            assert [note["text"] for note in notes] == [text, "Ann leads."]
            assert notes[1]["figure"] == 1.5
    own, lead = read_notes(transcript, annotations, 1)
    assert "whole" not in own
    assert own["text"] == f"You {chosen}"
    assert (lead["figure"], lead["of"]) == (-1.5, 1)


def test_a_page_is_told_which_notes_are_on_the_match_as_a_whole() -> None:
    """They are on the first line, of no seat and without a figure."""
    notes = [
        Annotation(1, "It was long."), Annotation(1, "Ann begins.", 0),
        Annotation(1, "Even.", figure=0.0), Annotation(2, "Bob bids."),
    ]  # fmt: skip
    transcript = play_match("kuhn", ["random", "random"], seed="1").transcript
    assert [note.get("whole") for note in read_notes(transcript, notes)] == [True, None, None, None]
