"""The pictures of pages in the README and in the book show what a browser shows now.

`REFRESH=1 pytest plugins/web/tests/pages/test_pictures.py` takes them anew; look at them then.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.host import play_match
from arena.tournament.file.reader import load
from arena_web.app import build_application
from arena_web.play.routes import PlayPages
from arena_web.play.setup_requests import parse_setup
from arena_web.play.tables import PlayTables
from arena_web.server import run_in_thread
from tests.support.refresh import explain_refresh, is_refreshing
from tests.support.terminal_pictures import FOLDER, LEAGUE
from tests.support.tournaments.folders import run_tournament
from tests.support.tournaments.served import serve_sources
from tests.support.web.browser import Pages
from tests.support.web.seat_pages import open_seat, play_on, serve_tables, wait_for_question

ROOT = FOLDER.parent.parent
NAMES = (
    "web-standings.png", "web-replay.png", "web-seat.png",
    "web-seats.webp", "web-seats-telephone.webp",
)  # fmt: skip
LARGEST = 150_000  # bytes
TABLE, SEAT, REPLAY, TELEPHONE = (1200, 760), (1200, 740), (1200, 660), (360, 740)
BIDS = ("6", "13", "3", "11")
STEP = 35  # of the replay
SEATS = {  # against whom, and how many answers were given before
    "gops": (["hard", "easy"], 4), "bs": (["counter", "honest", "liar"], 5),
    "hearts": (["counter", "careful", "low"], 5), "briscola": (["counter"], 6),
    "coup": (["counter", "honest", "bold"], 4), "kuhn": (["optimal"], 0),
}  # fmt: skip
SHEET = """
async ([pictures, columns, width]) => {
  const images = await Promise.all(pictures.map(async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    return image;
  }));
  const gap = 8, height = Math.round(width * images[0].height / images[0].width);
  const canvas = Object.assign(document.createElement("canvas"), {
    width: columns * (width + gap) - gap, height: Math.ceil(images.length / columns) * (height + gap) - gap,
  });
  const pen = canvas.getContext("2d");
  pen.imageSmoothingQuality = "high";
  images.forEach((image, at) =>
    pen.drawImage(image, (at % columns) * (width + gap), Math.floor(at / columns) * (height + gap), width, height));
  return canvas.toDataURL("image/webp", 0.75).split(",")[1];
}
"""
"""One picture of several, scaled down to a width, in rows."""
ALIKE = 3.5  # levels of 255: two fonts differ by less, two pages by more
DIFFERENCE = """
async ([one, other]) => {
  const levels = async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const [width, height] = [image.width, image.height].map((side) => Math.ceil(side / 8));
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const pen = canvas.getContext("2d");
    pen.imageSmoothingQuality = "high";
    pen.drawImage(image, 0, 0, width, height);
    return { size: `${image.width}x${image.height}`, data: pen.getImageData(0, 0, width, height).data };
  };
  const [left, right] = [await levels(one), await levels(other)];
  if (left.size !== right.size) return 255;
  return left.data.reduce((sum, level, at) => sum + Math.abs(level - right.data[at]), 0) / left.data.length;
}
"""
"""The mean difference of two pictures, each an eighth as large: what a font's edges are like is lost."""


def taken(page: Page) -> bytes:
    """Return a picture of what can be seen of a page."""
    page.mouse.move(0, 0)
    return page.screenshot(animations="disabled")


def address(picture: bytes) -> str:
    """Return an address that is a picture, whose kind a browser sees."""
    return f"data:image/*;base64,{b64encode(picture).decode()}"


def difference(pages: Pages, one: bytes, other: bytes) -> float:
    """Return how far two pictures differ, from 0 to 255, as a browser decodes them."""
    found: float = pages.blank().evaluate(DIFFERENCE, [address(one), address(other)])
    return found


def hold(pages: Pages, name: str, found: bytes) -> None:
    """See that this is the picture that is kept; or keep it."""
    path = FOLDER / name
    if is_refreshing():
        path.write_bytes(found)
    assert path.stat().st_size <= LARGEST
    assert difference(pages, path.read_bytes(), found) < ALIKE, explain_refresh(__file__)


def sized(pages: Pages, size: tuple[int, int]) -> Page:
    """Return an empty page of this size."""
    page = pages.blank(width=size[0])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    return page


@pytest.mark.release
def test_standings(pages: Pages, tmp_path: Path) -> None:
    """They are those of the README; a page without its table is another picture, a font is not."""
    (tmp_path / "league.toml").write_text(LEAGUE)
    run_tournament(load(tmp_path / "league.toml"))
    with serve_sources(tmp_path / "league.toml") as address:
        page = sized(pages, TABLE)
        page.request.get(f"{address}t/league/feed.atom")  # which waits for the records
        page.goto(address)
        page.locator("[data-following=yes]").wait_for()
        found = taken(page)
        hold(pages, "web-standings.png", found)
        page.evaluate("document.querySelector('.news').remove()")  # a font breaks its lines anew
        found = taken(page)
        page.evaluate("document.documentElement.style.setProperty('--figures', 'serif')")
        assert 0 < difference(pages, found, taken(page)) < ALIKE
        page.evaluate("document.documentElement.style.removeProperty('--figures')")
        page.evaluate("document.querySelector('tbody').replaceChildren()")
        assert difference(pages, found, taken(page)) > ALIKE


@pytest.mark.release
def test_a_replay(pages: Pages, tmp_path: Path) -> None:
    """A match of BS is looked at through one seat's eyes."""
    played = play_match("bs", ["counter", "liar", "honest"], seed="8")
    played.transcript.save(tmp_path / "hand.jsonl")
    with serve_sources(tmp_path / "hand.jsonl") as address:
        page = sized(pages, REPLAY)
        page.goto(f"{address}t/hand/m/hand#step={STEP}&eye=0")
        expect(page.locator(".where")).to_contain_text(f"step {STEP} of")
        hold(pages, "web-replay.png", taken(page))


@contextmanager
def seat() -> Iterator[str]:
    """Serve a table of GOPS whose cards are always the same; give the address that leads there."""
    tables = PlayTables()
    seats = PlayPages(tables)
    order = parse_setup("gops", ["hard"], (), "5")

    async def begin(_: Request) -> Response:
        return RedirectResponse(seats.find_path("gops", order))

    app = build_application(
        [Route("/begin", begin), *seats.routes], limits={}, on_shutdown=[tables.close]
    )
    with run_in_thread(app) as address:
        yield f"{address}begin"
    tables.join()


def test_a_seat(pages: Pages) -> None:
    """In the middle of a game of GOPS; a page without its table is another picture."""
    with seat() as address:
        page = sized(pages, SEAT)
        page.goto(address)
        for card in BIDS:
            page.locator(f"#match.asked-now #dock:not(.sent, .unread) [data-card='{card}']").click()
            page.locator(f"#dock:not(:has([data-card='{card}']))").wait_for()
        page.locator("#match.asked-now #dock:not(.sent, .unread)").wait_for()
        found = taken(page)
        hold(pages, "web-seat.png", found)
        page.evaluate("document.querySelector('#board').replaceChildren()")
        assert difference(pages, found, taken(page)) > ALIKE


@pytest.mark.release
def test_the_seats_of_all_games(pages: Pages) -> None:
    """In the middle of a match, on a desk and on a telephone, on one picture each."""
    desks: list[str] = []
    telephones: list[str] = []
    with serve_tables() as at:
        page = sized(pages, SEAT)
        for game, (bots, answers) in SEATS.items():
            setup = parse_setup(game, bots, (), "5")
            assert setup
            page.set_viewport_size({"width": SEAT[0], "height": SEAT[1]})
            open_seat(page, at, setup, first_seat=0)
            assert play_on(page, answers) == answers
            for size, pictures in ((SEAT, desks), (TELEPHONE, telephones)):
                page.set_viewport_size({"width": size[0], "height": size[1]})
                page.reload()
                assert wait_for_question(page)
                page.locator("#dock:not(.unread)").wait_for()
                pictures.append(address(taken(page)))
        page.goto("about:blank")  # the seat's policy does not let the sheet load pictures
        for name, pictures, columns, width in (
            ("web-seats.webp", desks, 2, 600), ("web-seats-telephone.webp", telephones, 6, 240),
        ):  # fmt: skip
            sheet: str = page.evaluate(SHEET, [pictures, columns, width])
            hold(pages, name, b64decode(sheet))


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_has_its_place(name: str) -> None:
    """Each is shown on a page, with words for who cannot see it."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*/*.md")]
    texts = [page.read_text("utf-8") for page in pages]
    shown = re.compile(rf"!\[[^]]+\]\(\S*_static/{name}\)|{{image}} \S*/{name}\n:alt: \S")
    assert any(shown.search(text) for text in texts)


def test_no_other_picture_is_kept() -> None:
    """What nobody takes would become untrue."""
    assert {path.name for kind in ("png", "webp") for path in FOLDER.glob(f"*.{kind}")} == {*NAMES}
