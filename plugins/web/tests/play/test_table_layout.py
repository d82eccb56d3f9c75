"""The place of the table on the page of a seat: it fits a telephone, whoever plays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import pytest
from attrs import evolve, frozen
from playwright.sync_api import Page, ViewportSize, expect

from arena import OneOf, Question, Seat, SomeOf, Table, Zone, ZoneKind
from arena.plugins import get_plugins, load_game
from arena_web.play.setup_requests import MAX_BOTS, parse_setup
from arena_web.play.table_setup import TableSetup
from tests.support.toys import TOY, Toy, change
from tests.support.web.browser import Pages
from tests.support.web.seat_pages import (
    TableServer,
    give_first_answer,
    open_seat,
    play_on,
    press,
    serve_tables,
    sit_down,
    wait_for_question,
)

FEW = 4  # others at a table at which a round is played
UPRIGHT, ON_ITS_SIDE = (360, 740), (740, 360)
MOST = 8  # answers that are in sight, where there are more
SOON = 10  # frames after which a page is laid out
LINE = 30  # pixels, of which one of the others takes no more
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
OUT_OF_SIGHT = f"""async () => {{
  const parts = "#asked, #told, #hint, #board .middle .title, #board .middle .lying > *, #hand .card, .count," +
    "#controls > button:nth-of-type(-n + {MOST}), .several > *, .stands button, .confirming button";
  const find = () => [...document.querySelectorAll(parts)].filter((part) => {{
    const dock = document.getElementById("dock").getBoundingClientRect();
    const box = part.getBoundingClientRect(), beside = box.right <= dock.left, inDock = part.closest("#dock");
    if (!box.height) return false;
    const over = part.closest(".controls") && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const covered = over ? !part.contains(over) : !inDock && !beside && box.bottom > dock.top;
    const cut = (inDock && box.bottom > dock.bottom) || (part.id === "told" && part.scrollHeight > part.clientHeight);
    return covered || cut || box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth;
  }}).map((part) => part.ariaLabel || part.innerText);
  let found;
  for (let frame = 0; frame < {SOON}; frame += 1) {{
    await {FRAMES};
    if (!(found = find()).length) break;
  }}
  return found;
}}"""
FINGER = 32  # pixels of each card of the own hand that no other covers, across and down
FREE_SIZES = """() => [...document.querySelectorAll("#hand .slot")]
  .flatMap(({ offsetWidth, offsetHeight }) => [offsetWidth, offsetHeight])"""
WEIGHT = """() => performance.getEntries()
  .filter(({ entryType, name }) => entryType === "navigation" || name.includes("/static/"))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)"""
MOST_BYTES = 47_000  # with the review, where the match is over
LONG_ACTS = {"briscola", "gops"}  # in which cards or results take more room
CUT = "(parts) => parts.filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.innerText)"
MIDDLES = """(titles) => titles.map((title) => {
  const text = document.createRange();
  text.selectNode(title.querySelector("b").lastChild);
  return [title.querySelector(".avatar"), text].map((part) => part.getBoundingClientRect())
    .map(({ top, bottom }) => (top + bottom) / 2);
})"""  # of each face, and of the name beside it
TALL = ViewportSize(width=412, height=839)  # on which the table has room to spare
DRAW_ZONES = """async (zones) => {
  const { Board } = await import("/static/board.js");
  const root = document.createElement("div");
  document.querySelector("main").prepend(root);
  new Board(root).show(zones);
}"""
FULL_HANDS = range(13, 9, -1)  # cards of a hand, round by round
SLIP = 4  # pixels between the middles of a face and of its name
HEIGHTS = "(parts) => parts.map((part) => part.offsetHeight)"


@pytest.mark.parametrize("least", [False, pytest.param(True, marks=pytest.mark.release)])
@pytest.mark.parametrize("game", sorted(get_plugins().games))
def test_tables_fit_a_telephone(pages: Pages, game: str, *, least: bool) -> None:
    """The table, the question and the hand are seen at once, and weigh little; others have a line.

    Cards can be hit by a finger, and the log and the table lead to each other.

    So it is at each question of a round, upright and on its side, with most and with fewest players.
    """
    seats = get_plugins().games[game].seats
    most, few = min(max(seats) - 1, MAX_BOTS), min(max(seats) - 1, FEW)
    tables = {min(seats) - 1: 3} if least else {most: 2, few: FEW + 3}
    with serve_tables() as at:
        page = pages.blank(touch=True)
        for others, questions in tables.items():
            look_at_round(page, at, set_up(game, others), questions)
            over = page.locator("#match.over").count()  # then the own hand lies with theirs
            assert page.locator("#board .others .zone").count() == others + over
            assert max(page.locator("#board .others .title").evaluate_all(HEIGHTS)) <= LINE
            cut = page.locator("#board .others .act").evaluate_all(CUT)
            assert game in LONG_ACTS or cut == []
            assert 20_000 < page.evaluate(WEIGHT) <= MOST_BYTES
        page.get_by_role("link", name="Log").click()
        expect(page.locator("#log-title")).to_be_in_viewport()
        page.get_by_role("link", name="Back to the table").click()
        expect(page.locator("h1")).to_be_in_viewport(ratio=1)


def set_up(game: str, others: int) -> TableSetup:
    """Return the setup of a person's table with so many bots, whose cards are always the same."""
    bots = [next(iter(get_plugins().games[game].bots))] * others
    setup = parse_setup(game, bots, (), "5")
    assert setup
    return setup


def look_at_round(page: Page, at: TableServer, setup: TableSetup, questions: int) -> None:
    """See that nothing that matters is covered or needs scrolling at so many questions of a match."""
    screens = [ON_ITS_SIDE, UPRIGHT]
    open_seat(page, at, setup)
    for number in range(questions):
        if not wait_for_question(page):
            return
        screens.reverse()
        for width, height in screens:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(OUT_OF_SIGHT) == []
            assert min(page.evaluate(FREE_SIZES), default=FINGER) >= FINGER
        if number < questions - 1:
            give_first_answer(page)


@frozen
class Choose(Question[Any]):
    """Which one?"""


@frozen
class ChooseSome(Question[Any]):
    """Which ones?"""

    options: SomeOf[Any]


async def draw_or_play(table: Table) -> None:
    """Ask for a card or a word, then for two pairs of numbers."""
    await table.ask(0, Choose(OneOf(("7H", "QS", "draw"))))
    await table.ask(0, ChooseSome(SomeOf(((1, 2), (3, 4), (5, 6)), 2, 2)))


def test_cards_are_buttons_beside_a_word(pages: Pages) -> None:
    """A game without a board has them, too; pairs have commas, and two of them can be sent."""
    toy = change(TOY, messages=(*TOY.messages, Choose, ChooseSome))
    pages.allowed.add("404")  # what the answers cost: nobody knows the game
    setup = set_up("kuhn", 1)
    with serve_tables() as at:
        page = pages.blank(width=UPRIGHT[0])
        open_seat(page, at, evolve(setup, game=toy, variant=Toy((draw_or_play,))), first_seat=0)
        assert wait_for_question(page)
        buttons = page.locator("#controls button")
        assert buttons.evaluate_all("all => all.map((one) => (one.querySelector('.hidden') ?? one).innerText)") == [
            "7 of hearts", "queen of spades", "Draw",
        ]  # fmt: skip
        press(page.get_by_role("button", name="queen of spades"))
        for pair in ("1, 2", "5, 6"):
            press(page.get_by_role("button", name=pair, exact=True))
        press(page.get_by_role("button", name="Choose 2"))
        page.locator("#match.over").wait_for()
        assert '"answer":"QS"' in at.transcript()
        assert '"answer":[[1,2],[5,6]]' in at.transcript()


class HandOfNumbers:
    """A board with a hand of two cards, which are numbers."""

    zones: ClassVar[Mapping[str, Zone]] = {
        "hand0": Zone(kind=ZoneKind.HAND, title="hand", cards=(3, 8), of=0)
    }

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        """See nothing else."""

    def tell(self, event: Any) -> None:
        """Change nothing."""


async def draw_or_bid(table: Table) -> None:
    """Ask for a card of the hand or a word, then for a number."""
    await table.ask(0, Choose(OneOf((3, 8, "draw"))))
    await table.ask(0, Choose(OneOf((3, 8, 9))))


def test_numbers_are_cards_where_all_are_in_the_hand(pages: Pages) -> None:
    """A word beside them changes nothing of that; a number that is no card makes all of them numbers.

    The result shows the cards that are left.
    """
    toy = change(TOY, messages=(*TOY.messages, Choose), board=HandOfNumbers)
    pages.allowed.add("404")  # what the answers cost: nobody knows the game
    with serve_tables() as at:
        page = pages.blank(width=UPRIGHT[0])
        setup = evolve(set_up("kuhn", 1), game=toy, variant=Toy((draw_or_bid,)))
        open_seat(page, at, setup, first_seat=0)
        assert wait_for_question(page)
        beside = page.locator("#controls button")
        assert beside.all_inner_texts() == ["Draw"]
        assert page.locator("#hand button").count() == 2
        press(beside)
        expect(beside).to_have_text(["3", "8", "9"])
        press(beside.first)
        page.locator("#match.over").wait_for()
        expect(page.locator("#ended-rows tr.you .chip")).to_have_text(["3", "8"])


class RoundTable:
    """A board on which each seat has a hand and has played a card, and the seat on the left is next."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        """See the same as everybody."""
        self._first, self._names = seat or 0, names

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the hands by seat, which is not how they sit, and the cards that were played."""
        seats = range(len(self._names))
        following = (self._first + 1) % len(self._names)
        hands = {
            f"hand{seat}": Zone(
                kind=ZoneKind.HAND,
                title=self._names[seat],
                of=seat,
                hidden=13,
                turn=seat == following,
            )
            for seat in seats
        }
        cards = tuple(str(seat + 2) + "S" for seat in seats)
        trick = Zone(kind=ZoneKind.TABLE, title="Trick", cards=cards, seats=tuple(seats))
        return {**hands, "trick": trick}

    def tell(self, event: Any) -> None:
        """Change nothing."""


CENTRES = """(parts) => parts.map((part) => {
  const { x, y, width, height } = part.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
})"""


def measure_centres(page: Page, selectors: Iterable[str]) -> list[tuple[float, float]]:
    """Return where the middle of each of these parts lies, in pixels from the left and the top."""
    return [(x, y) for part in selectors for x, y in page.locator(part).evaluate_all(CENTRES)]


def is_clockwise(centres: Sequence[tuple[float, float]], hub: tuple[float, float]) -> bool:
    """Whether these points lie clockwise around the hub, from the left of it to the right."""
    angles = [math.atan2(hub[1] - y, hub[0] - x) for x, y in centres]
    return angles == sorted(set(angles))


@pytest.mark.parametrize("seats", [3, 4, 6, 8])
def test_seats_stand_around_the_table_in_the_order_of_play(pages: Pages, seats: int) -> None:
    """Who is next sits on the left, all others clockwise, and each card lies before its player.
    The backs of a hand lie in one row.

    The table is smaller on a lower screen, and grows again. On a telephone they have a line each in the same order, and
    one of them is said to be next.
    """
    toy = change(TOY, messages=(*TOY.messages, Choose), board=RoundTable)
    pages.allowed.add("404")  # what the answers cost: nobody knows the game
    own = 1
    following = [(own + after) % seats for after in range(1, seats)]
    setup = evolve(set_up("gops", seats - 1), game=toy, variant=Toy((draw_or_pass,)))
    hands = [f"#board [data-zone=hand{seat}]" for seat in following]
    cards = [f"#board [data-seat='{seat}']" for seat in following]
    with serve_tables() as at:
        page = pages.blank()
        page.set_viewport_size({"width": 1280, "height": 800})
        open_seat(page, at, setup, first_seat=own)
        assert wait_for_question(page)
        [middle, bottom, own_card] = measure_centres(
            page, ["#board .middle", "#hand .zone", f"#board [data-seat='{own}']"]
        )
        sitting, lying = measure_centres(page, hands), measure_centres(page, cards)
        assert len(sitting) == len(lying) == seats - 1
        assert is_clockwise(sitting, (middle[0], bottom[1]))
        assert is_clockwise(lying, own_card)
        assert sitting[0][0] < middle[0] < sitting[-1][0]
        assert all(y < bottom[1] for _, y in sitting)
        for hand in hands:
            backs = measure_centres(page, [f"{hand} .card"])
            assert len({y for _, y in backs}) == 1
        if seats == 4:
            assert sitting[1] == pytest.approx((middle[0], sitting[1][1]), abs=2)
            assert lying[1][1] < lying[0][1] < own_card[1]
            assert lying[0][1] == pytest.approx(lying[2][1], abs=2)
            for height, density in ((600, "[data-density]"), (800, ":not([data-density])")):
                page.set_viewport_size({"width": 1280, "height": height})
                page.locator(f"#board.round{density}").wait_for()
        page.set_viewport_size({"width": UPRIGHT[0], "height": UPRIGHT[1]})
        page.locator("#board.compact").wait_for()
        column = measure_centres(page, hands)
        assert len({round(x) for x, _ in column}) == 1
        assert column == sorted(column, key=lambda centre: centre[1])
        told = page.locator("#board .others .zone").filter(has_text="next")
        expect(told).to_have_attribute("data-zone", f"hand{following[0]}")


LYING = """(backs) => backs.map((back) => {
  const card = back.getBoundingClientRect(), board = back.closest(".board").getBoundingClientRect();
  return [card.width, card.x + card.width / 2 - board.x - board.width / 2];
})"""  # of each card: its width, and how far its middle is from that of the board
WIDE = 90  # pixels, of a card


def test_few_cards_are_drawn_large_on_a_telephone(pages: Pages) -> None:
    """The only card of the only other player lies on the board, and both cards do at the end."""
    with serve_tables() as at:
        page = pages.blank(touch=True)
        page.set_viewport_size(TALL)
        open_seat(page, at, set_up("kuhn", 1))
        assert wait_for_question(page)
        ((width, offset),) = page.locator("#board .others .card.back").evaluate_all(LYING)
        assert width > WIDE
        assert abs(offset) < SLIP
        ((own, _),) = page.locator("#hand .card").evaluate_all(LYING)
        assert own > WIDE
        play_on(page)
        (left, right) = page.locator("#board .others .card").evaluate_all(LYING)
        assert left[0] == right[0] > WIDE
        assert left[1] == pytest.approx(-right[1], abs=SLIP)
        expect(page.locator("#board .middle .chips")).to_have_count(0)


async def choose_among_fewer(table: Table) -> None:
    """Ask for one of many words, then for one of two."""
    await table.ask(0, Choose(OneOf(tuple(f"word {number}" for number in range(40)))))
    await table.ask(0, Choose(OneOf(("draw", "pass"))))


def test_a_question_with_fewer_answers_stands_where_the_one_before_stood(pages: Pages) -> None:
    """On a desk neither the board nor the hand moves."""
    toy = change(TOY, messages=(*TOY.messages, Choose), board=HandOfNumbers)
    pages.allowed.add("404")  # what the answers cost: nobody knows the game
    setup = evolve(set_up("kuhn", 1), game=toy, variant=Toy((choose_among_fewer,)))
    with serve_tables() as at:
        page = pages.blank()
        page.set_viewport_size({"width": 1280, "height": 800})
        open_seat(page, at, setup, first_seat=0)
        assert wait_for_question(page)
        places = measure_centres(page, ["#asked", "#hand .card"])
        give_first_answer(page)
        expect(page.locator("#controls button")).to_have_text(["Draw", "Pass"])
        page.evaluate(FRAMES)
        assert measure_centres(page, ["#asked", "#hand .card"]) == places


async def draw_or_pass(table: Table) -> None:
    """Ask the seat of the person for a word."""
    await table.ask(1, Choose(OneOf(("draw", "pass"))))


def test_a_face_stays_beside_its_name(pages: Pages) -> None:
    """Also when a hand of two lines of cards has become one, with room below it."""
    with serve_tables() as at:
        page = pages.blank(touch=True)
        page.set_viewport_size(TALL)
        open_seat(page, at, set_up("gops", 1))
        for left in FULL_HANDS:
            expect(page.locator("#hand .slot")).to_have_count(left)
            assert wait_for_question(page)
            ((face, name),) = page.locator("#board .others .title").evaluate_all(MIDDLES)
            assert abs(face - name) < SLIP
            if left != FULL_HANDS[-1]:
                give_first_answer(page)


def test_two_equal_cards_are_chosen_and_stay_so(pages: Pages) -> None:
    """Each is taken up by itself, and a telephone that is turned lets none of them fall."""

    async def keep(table: Table) -> None:
        await table.ask(0, ChooseSome(SomeOf(("Duke", "Duke", "Contessa"), 2, 2)))

    pages.allowed.add("404")  # what the answers cost: nobody knows the game
    setup = set_up("kuhn", 1)
    toy = change(TOY, messages=(*TOY.messages, Choose, ChooseSome))
    with serve_tables() as at:
        page = pages.blank(width=UPRIGHT[0])
        open_seat(page, at, evolve(setup, game=toy, variant=Toy((keep,))), first_seat=0)
        assert wait_for_question(page)
        for place in range(2):
            press(page.get_by_role("button", name="Duke").nth(place))
        page.set_viewport_size({"width": ON_ITS_SIDE[0], "height": ON_ITS_SIDE[1]})
        page.evaluate(FRAMES)
        expect(page.locator("#controls .count")).to_have_text("2 of 2 selected")
        press(page.get_by_role("button", name="Choose 2"))
        page.locator("#match.over").wait_for()
        assert '"answer":["Duke","Duke"]' in at.transcript()


def test_a_hint_of_a_game_without_a_board_is_seen_as_a_whole(pages: Pages) -> None:
    """There is nothing to cover: neither the hint nor the log has to make room."""
    setup = set_up("kuhn", 1)
    with serve_tables() as at:
        page = pages.blank()
        open_seat(page, at, evolve(setup, game=change(load_game("kuhn"), board=None)))
        assert wait_for_question(page)
        page.get_by_role("button", name="Show a hint").click()
        page.locator("#hinted tbody tr").nth(1).wait_for()
        for width, height in ((1200, 800), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(FRAMES)
            for part in ("#hinted", "#dock"):
                assert page.locator(part).evaluate(
                    "(part) => part.scrollHeight <= part.clientHeight"
                )
            assert page.locator("#lines").get_by_text("You hold the").is_visible()


LARGE = {"desk": (1280, 800, 32), "telephone": (390, 844, 32), "zoom": (320, 200, 16)}
"""Screens and default font sizes in pixels: 320 pixels is what a zoom of 400 % leaves of 1280."""
OPPONENTS = {
    "gops": ["hard"], "bs": ["honest"] * 3, "hearts": ["low"] * 3, "briscola": ["thrifty"] * 3,
    "coup": ["honest"] * 3, "kuhn": ["optimal"],
}  # fmt: skip
FIND_HIDDEN = """() => {
  const reach = (element, [x, y]) => {
    element.scrollIntoView({ block: "center" });
    const box = element.getBoundingClientRect();
    const hit = document.elementFromPoint(box.left + Math.min(x, box.width / 2), box.top + Math.min(y, box.height / 2));
    return hit && (element.contains(hit) || hit.contains(element));
  };
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility() && one.offsetHeight);
  return [...shown("#asked, #dock button, #board .zone .title, #turn, .to-menu")]
    .filter((one) => !reach(one, [5, 8])).map((one) => one.textContent);
}"""
"""Finds what one is asked, can answer, and sees on the board, where something covers it."""


@pytest.mark.each("game", "screen")
@pytest.mark.parametrize("screen", LARGE)
@pytest.mark.parametrize("game", OPPONENTS)
def test_text_of_twice_the_size_and_a_zoom_of_400_per_cent(
    pages: Pages, game: str, screen: str
) -> None:
    """The text is as large as the reader wants; nothing is covered, or wider than the screen."""
    width, height, font = LARGE[screen]
    with serve_tables() as at:
        page = pages.blank()
        page.set_viewport_size({"width": width, "height": height})
        session = page.context.new_cdp_session(page)
        sizes = {"standard": font, "fixed": font}
        session.send("Page.setFontSizes", {"fontSizes": sizes})
        sit_down(page, at, game, *OPPONENTS[game])
        assert wait_for_question(page)
        give_first_answer(page)
        if wait_for_question(page):
            size = page.locator("#asked").evaluate("one => getComputedStyle(one).fontSize")
            assert float(size.removesuffix("px")) >= font * 0.9
            assert page.evaluate(FIND_HIDDEN) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        session.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
        session.detach()


def test_a_character_is_drawn_above_its_word(pages: Pages) -> None:
    """Where the board names one that there is; two characters have colours of their own."""
    words, figures = (
        ("Duke", "Contessa", "Duke", "Wild", "Page"),
        ("king", "queen", "king", "", "?"),
    )
    hand = Zone(kind=ZoneKind.HAND, title="Court", of=0, cards=words, figures=figures)
    with serve_tables() as at:
        page = pages.blank()
        open_seat(page, at, set_up("coup", 2))
        assert wait_for_question(page)
        page.evaluate(DRAW_ZONES, {"hand": hand.json})
        cards = page.get_by_role("group", name="Court").get_by_role("img")
        drawn = cards.evaluate_all(
            "(cards) => cards.map((card) => card.querySelectorAll('.face').length)"
        )
        assert drawn == [1, 1, 1, 0, 0]
        robes = cards.locator(".robe").evaluate_all(
            "(robes) => robes.map((robe) => getComputedStyle(robe).fill)"
        )
        assert robes[0] == robes[2] != robes[1]
        expect(cards.first).to_have_accessible_name("Duke")


def test_words_in_rows_are_a_table(pages: Pages) -> None:
    """A sheet of points has headings for the ear, and is no wider than a telephone."""
    sheet = Zone(
        kind=ZoneKind.TEXT,
        title="Points by deal",
        rows=(("", "Eve", "Ann", "you"), ("In all", "29", "14", "28"), ("Deal 1", "26", "0", "26")),
    )
    with serve_tables() as at:
        page = pages.blank(touch=True)
        page.set_viewport_size({"width": UPRIGHT[0], "height": UPRIGHT[1]})
        open_seat(page, at, set_up("hearts", 3))
        assert wait_for_question(page)
        page.evaluate(DRAW_ZONES, {"sheet": sheet.json})
        table = page.get_by_role("table", name="Points by deal")
        expect(table.get_by_role("columnheader")).to_have_text(["Eve", "Ann", "you"])
        expect(table.get_by_role("rowheader")).to_have_text(["In all", "Deal 1"])
        expect(table.get_by_role("cell")).to_have_text(["", "29", "14", "28", "26", "0", "26"])
        assert page.evaluate("document.documentElement.scrollWidth") == UPRIGHT[0]


SHEETS = {
    "points": Zone(
        kind=ZoneKind.TEXT,
        title="Points by deal",
        rows=(("", "Eve", "you"), *((f"Deal {deal}", "26", "0") for deal in range(30, 0, -1))),
    ),
    "last": Zone(kind=ZoneKind.ROW, title="Last trick", cards=("QS", "2S"), seats=(0, 1)),
}
DRAW_SHEETS = """async (zones) => {
  const { Board } = await import("/static/board.js");
  const sheets = document.getElementById("sheets");
  sheets.replaceChildren();
  new Board(document.createElement("div"), { sheets }).show(zones);
}"""
SHARES = """() => {
  const box = (part) => document.querySelector(part).getBoundingClientRect();
  const all = box("div.log"), last = box("#sheets .row"), points = box("#sheets .text");
  return [last.top >= all.top && last.bottom <= points.top, box("#log").height / all.height, points.bottom <= box("#log").top];
}"""


def test_a_long_sheet_of_points_cuts_neither_the_last_trick_nor_the_log(pages: Pages) -> None:
    """It is scrolled in the room that it has beside the table, and its heads stay in sight."""
    with serve_tables() as at:
        page = pages.blank()
        page.set_viewport_size({"width": 1280, "height": 800})
        open_seat(page, at, set_up("hearts", 3))
        assert wait_for_question(page)
        page.evaluate(DRAW_SHEETS, {key: zone.json for key, zone in SHEETS.items()})
        is_seen, share, above = page.evaluate(SHARES)
        assert is_seen
        assert above
        assert share > 0.5
        page.locator("#sheets").get_by_text("Deal 1", exact=True).scroll_into_view_if_needed()
        expect(page.get_by_role("columnheader", name="Eve")).to_be_in_viewport(ratio=1)


MANY_NAMES = ("Beginner 1", "Beginner 2", "Beginner 3", "you")
FIND_CUT_HEADS = """() => {
  const room = document.querySelector("#sheets .text"), right = room.getBoundingClientRect().left + room.clientWidth;
  return [...room.querySelectorAll("tr > *")]
    .filter((cell) => cell.scrollWidth > cell.clientWidth || cell.getBoundingClientRect().right > right + 1)
    .map((cell) => cell.textContent);
}"""


def test_no_column_of_a_long_sheet_of_points_is_cut(pages: Pages) -> None:
    """What tells names apart is at their end, and the own column is the last one."""
    points = [(f"Deal {deal}", "26", "100", "0", "52") for deal in range(30, 0, -1)]
    sheet = Zone(kind=ZoneKind.TEXT, title="Points by deal", rows=(("", *MANY_NAMES), *points))
    with serve_tables() as at:
        page = pages.blank()
        page.set_viewport_size({"width": 1280, "height": 800})
        open_seat(page, at, set_up("hearts", 3))
        assert wait_for_question(page)
        page.evaluate(DRAW_SHEETS, {"points": sheet.json})
        expect(page.get_by_role("columnheader")).to_have_text(MANY_NAMES)
        assert page.evaluate(FIND_CUT_HEADS) == []
        assert page.get_by_role("columnheader", name="Beginner 3").get_attribute("title")


FIND_BROKEN_WORDS = """() => [...document.querySelectorAll("table")].flatMap((table) => {
  const broken = [], texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
  for (let text; (text = texts.nextNode());)
    for (const { 0: word, index } of text.data.matchAll(/\\p{L}{2,}/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(word);
    }
  return broken;
})"""


@pytest.mark.parametrize("game", ["hearts", "bs", "kuhn"])
def test_no_word_of_a_table_is_broken_on_a_telephone(pages: Pages, game: str) -> None:
    """Neither at its end nor on the board: columns are as wide as their words."""
    options = {"hearts": {"deals": 1}, "bs": {"max_turns": 4}}.get(game, {})
    bots = {"hearts": ["random"] * 3, "bs": ["caller"] * 3}.get(game, ["optimal"])
    with serve_tables() as at:
        page = pages.blank(script="try { localStorage['arena-pace'] = 'fast'; } catch {}")
        page.set_viewport_size({"width": 360, "height": 740})
        sit_down(page, at, game, *bots, **options)
        play_on(page)
        expect(page.locator("#ended-title")).to_be_visible()
        assert page.locator("table").count() > 0
        assert page.evaluate(FIND_BROKEN_WORDS) == []
        page.get_by_role("link", name="Watch the replay").click()
        page.locator(".board .zone").first.wait_for()
        page.keyboard.press("End")
        assert page.evaluate(FIND_BROKEN_WORDS) == []


def test_results_and_settings_are_seen_whole_on_a_telephone(pages: Pages) -> None:
    """Nothing of a table of results lies beyond its edge, nor of the word that is chosen."""
    with serve_tables() as at:
        page = pages.blank(
            touch=True, script="try { localStorage['arena-pace'] = 'fast'; } catch {}"
        )
        page.set_viewport_size({"width": 360, "height": 740})
        for _ in range(3):
            sit_down(page, at, "kuhn", "careful")
            play_on(page)
        page.get_by_role("button", name="menu").click()
        confirm = page.get_by_label("Confirm answers")
        confirm.select_option("sometimes")
        needed = "(box) => [box.offsetWidth, (box.style.width = 'auto', box.offsetWidth)]"
        has, needs = confirm.evaluate(needed)
        assert has >= needs
        page.goto(f"{at.address}games")
        results = page.get_by_role("region", name="Results")
        expect(results.get_by_role("rowheader")).to_contain_text("Medium bot")
        assert results.evaluate("(box) => box.scrollWidth <= box.clientWidth")
