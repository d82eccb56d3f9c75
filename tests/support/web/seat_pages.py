"""Matches on the page of a seat, played in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from attrs import frozen
from playwright.sync_api import Locator, Page, expect
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import Seat
from arena_web.app import build_application
from arena_web.play.match.table import PlayTable
from arena_web.play.routes import PlayPages
from arena_web.play.setup_requests import parse_setup
from arena_web.play.table_setup import TableSetup
from arena_web.play.tables import PlayTables
from arena_web.server import run_in_thread
from tests.support.web.browser import PATIENCE
from tests.support.web.seat_players import get_ending

QUESTION_OR_END = "#match.over, #match.asked-now #dock:not(.sent)"  # a selector
PLAY_ON = f"""([most, patience]) => new Promise((done, fail) => {{
  let given = 0;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const answer = () => {{
    const [typed] = all("#typed"), [send] = all("#controls > .primary");
    if (typed) return typed.form.requestSubmit();
    if (!all("#controls .count").length) {{
      all("#dock button")[0].click();
      all(".confirming button").slice(0, 1).forEach((confirm) => confirm.click());
      return;
    }}
    for (const card of all("#dock button[aria-pressed=false]")) if (send.disabled) card.click();
    send.click();
  }};
  const look = () => {{
    while (given < most && !all("#match.over").length && all("{QUESTION_OR_END}").length) {{
      answer();
      given += 1;
    }}
    if (given < most && !all("#match.over").length) return;
    watching.disconnect();
    clearTimeout(late);
    done(given);
  }};
  const late = setTimeout(() => fail(new Error("nothing was asked")), patience);
  const watching = new MutationObserver(look);
  watching.observe(document.body, {{ subtree: true, childList: true, attributes: true }});
  look();
}})"""
"""Gives first answers as a key does, within the page: questions to it would take half of the time."""


@frozen
class TableServer:
    """A server with tables."""

    address: str
    tables: PlayTables
    orders: list[tuple[TableSetup, Seat | None]]  # of tables that the next visitors of /open open

    def transcript(self) -> str:
        """Return the transcript of the newest table."""
        place = [*self.tables.places.values()][-1]
        assert isinstance(place, PlayTable)
        return get_ending(place).transcript if place.over else ""


@contextmanager
def serve_tables(
    build_more: Callable[[PlayTables], Sequence[BaseRoute]] = lambda _: (),
) -> Iterator[TableServer]:
    """Serve tables, and more, for a block; requests are not limited, as tests outrun people."""
    tables = PlayTables()
    seats = PlayPages(tables)
    orders: list[tuple[TableSetup, Seat | None]] = []

    async def open_ordered(_: Request) -> Response:
        setup, first_seat = orders.pop()
        return RedirectResponse(f"seat/{tables.open(setup, first_seat=first_seat).secrets[0]}")

    routes = [Route("/open", open_ordered), *seats.root_routes, *seats.routes, *build_more(tables)]
    with run_in_thread(build_application(routes, limits={}, on_shutdown=[tables.close])) as address:
        yield TableServer(address, tables, orders)
    tables.join()


def open_table(
    page: Page, address: str, game: str, button: str = "Start match", **fields: str
) -> None:
    """Fill in the form of a game, and submit it by this button."""
    page.goto(f"{address}play?game={game}")
    page.locator("#setting > summary").click()
    for name, value in fields.items():
        field = page.locator(f"#{name.replace('_', '-', 1)}")
        if field.evaluate("element => element.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.get_by_role("button", name=button).click()


def open_seat(
    page: Page, server: TableServer, setup: TableSetup, first_seat: Seat | None = None
) -> None:
    """Open a table of this setup in the server's event loop, and its first person's seat."""
    server.orders.append((setup, first_seat))
    page.goto(f"{server.address}open")


def sit_down(page: Page, server: TableServer, game: str, *bots: str, **options: object) -> None:
    """Open a seat against these bots, with the same cards each time."""
    values = [f"{name}={value}" for name, value in options.items()]
    setup = parse_setup(game, bots, values, "5")
    assert setup
    open_seat(page, server, setup)


def press(button: Locator) -> None:
    """Click a card near its edge, as others may cover its middle, once one can have read what is asked."""
    button.wait_for()  # it may be that of the next question, which comes unread
    button.page.locator("#dock:not(.unread)").wait_for()
    button.click(position={"x": 5, "y": 20})


def wait_for_question(page: Page) -> bool:
    """Wait for a question or the end of the match; return whether it is a question."""
    page.locator(QUESTION_OR_END).first.wait_for()
    return page.locator("#match.over").count() == 0


def give_first_answer(page: Page) -> None:
    """Answer the open question, or the next one, with the first choice."""
    assert play_on(page, 1) == 1


def play_on(page: Page, max_answers: int = 500) -> int:
    """Play to the end, or until so many answers are given; return their number."""
    page.wait_for_load_state()  # a click that leads to a seat returns before that has a body
    return int(page.evaluate(PLAY_ON, [max_answers, PATIENCE]))


def check_end(page: Page) -> None:
    """Check that the page says who won, and that this has the focus."""
    expect(page.locator("#ended-title")).to_have_text(
        re.compile(
            r"(You (won|lost|tied|finished|share|left)|All \d+ of you tied|.* beats|.* tie\b).*\."
        )
    )
    expect(page.locator("#ended-title")).to_be_focused()
