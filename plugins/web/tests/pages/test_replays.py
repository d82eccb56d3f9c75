"""Replays: steps as JSON say what the terminal says, and the page shows them to their end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from arena.host import play_match
from arena.records import Transcript, parse_lines
from arena.records.transcript import list_seat_prefixes
from arena.rules import UserError
from arena_web.matches.redaction import redact_transcript
from arena_web.matches.replay_steps import build_replay, list_eyes, parse_eye
from arena_web.protocol.json_format import to_json
from arena_web.protocol.replies import Eye
from tests.support.tournaments.served import serve_sources
from tests.support.web.browser import PATIENCE, Pages, check_page

MATCHES: dict[str, tuple[Sequence[str], dict[str, Any]]] = {
    "gops": (["match", "random"], {"cards": 5}),
    "bs": (["liar", "counter"], {"max_turns": 8}),
    "hearts": (["low", "careful", "low"], {"deals": 1}),
}
FOUR_SEATS: dict[str, tuple[Sequence[str], dict[str, Any]]] = {
    "gops": (["match", "hard", "random", "easy"], {}),
    # axe reads a long log slowly
    "bs": (["liar", "counter", "honest", "caller"], {"max_turns": 30}),
    "hearts": (["low", "careful", "low", "careful"], {"deals": 1}),
}
MAX_MARKS = 10
CARDS = 51  # of a deal of Hearts for three
SIZES = ((1200, 800), (390, 844))
ADDRESS = re.compile(r"\b[Yy]our?\b")  # of whoever reads
HOSTILE = "<img src=x onerror=alert(1)>{{7*7}}"


def recorded(game: str) -> Transcript:
    """Play a match and return what was written of it."""
    bots, options = MATCHES[game]
    return play_match(game, bots, seed="5", options=options).transcript


def record_four(game: str) -> Transcript:
    """Play a match of four seats; of BS one with more turning points than a page marks."""
    bots, options = FOUR_SEATS[game]
    matches = (play_match(game, bots, seed=seed, options=options) for seed in range(5, 50))
    transcripts = (match.transcript for match in matches)
    return next(each for each in transcripts if game != "bs" or count_turns(each) > MAX_MARKS)


def count_turns(transcript: Transcript) -> int:
    """Return how many turning points a replay has."""
    return sum("turn" in step for step in to_json(build_replay(transcript))["steps"])


@pytest.fixture(scope="module")
def matches() -> dict[str, Transcript]:
    """Return a match of each game, and one in which strangers said what they liked."""
    found = {game: recorded(game) for game in MATCHES}
    hostile = play_match(
        "gops", ["match", f"printf '%s\\n' '{HOSTILE}'"], seed="5", options={"cards": 5}
    )
    text = hostile.transcript.text.replace('"name":"printf"', f'"name":"{HOSTILE}"')
    return {**found, "hostile": parse_lines(text.splitlines())}


@pytest.fixture(scope="module")
def site(matches: dict[str, Transcript], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the matches."""
    folder = tmp_path_factory.mktemp("matches")
    for name, transcript in matches.items():
        transcript.save(folder / f"{name}.jsonl")
    for game in FOUR_SEATS:
        record_four(game).save(folder / f"{game}4.jsonl")
    with serve_sources(folder) as address:
        yield f"{address}t/{folder.name}/m"


def words(transcript: Transcript, eye: str, names: Sequence[str] | None = None) -> list[str]:
    """Return all that is said to an eye, without marks."""
    said = [
        word
        for step in to_json(build_replay(transcript, eye, names))["steps"]
        for word in step.get("t", ())
    ]
    return [word if isinstance(word, str) else word[1] for word in said]


def test_pages_read_as_sentences(matches: dict[str, Transcript]) -> None:
    """A seat reads of itself as `you`; who bids, lays or takes what is a sentence."""
    for game, seat, said in [
        ("gops", "0", r"You bid the (ace|[2-5])( and take the (ace|[2-5]))?;? "),
        ("gops", "1", r"match bids the (ace|[2-5])|you bid the (ace|[2-5])"),
        ("bs", "0", r"You lay .* and claim \w+ \w+: (a bluff|the truth)\."),
        ("bs", "public", r"counter claims \w+ \w+\."),
        ("hearts", "1", r"^Trick 1: \w+ leads? 2♣\.$"),
        ("hearts", "1", r"^\w+ takes? the trick: "),
    ]:
        lines = words(matches[game], seat)
        assert any(re.search(said, line) for line in lines), (game, seat, lines[:20])
        assert not any(re.search(r"[CDHS]\b[^ ]*\d\b", line) for line in lines)
        assert not any("your name" in line for line in lines)  # the handshake is no step


def test_a_replay_asks_no_question_without_a_choice(matches: dict[str, Transcript]) -> None:
    """As at the table: a seat of BS is asked whether to boast of a lie, not of the truth."""
    lines = [line for seat in "01" for line in words(matches["bs"], seat)]
    assert any(line.endswith("the truth.") for line in lines)
    assert not any("Peanut Butter does nothing" in line for line in lines)
    assert any(line.startswith("You lied.") for line in lines)


@pytest.mark.parametrize("game", MATCHES)
def test_steps_in_which_nothing_happens_are_joined(
    game: str, matches: dict[str, Transcript]
) -> None:
    """Each step says something, or cards are laid or change hands."""
    for eye in ("all", "public", "0", "1"):
        zones: dict[str, Any] = {}
        for step in to_json(build_replay(matches[game], eye))["steps"]:
            before = dict(zones)
            zones |= step.get("z", {})
            moved = [
                key
                for key, zone in zones.items()
                if zone
                and (zone["kind"] == "hand" or zone.get("seats"))
                and sorted(zone.get("cards", ()))
                != sorted((before.get(key) or {}).get("cards", ()))
            ]
            assert moved or step.get("t") or step.get("turn") or step.get("bad"), (eye, step)


@pytest.mark.parametrize("game", MATCHES)
def test_a_moment_has_one_number_and_line_through_each_eye(
    game: str, matches: dict[str, Transcript]
) -> None:
    """Each number is of one line, and who sees all misses none: a trick has one for each card."""
    lines: dict[int, int] = {}
    for eye in ("all", "public", "0", "1"):
        steps = to_json(build_replay(matches[game], eye))["steps"]
        numbers = [step["number"] for step in steps]
        assert numbers == sorted(set(numbers))
        assert eye != "all" or numbers == [*range(1, len(numbers) + 1)]
        for step in steps:
            assert lines.setdefault(step["number"], step["l"]) == step["l"]


@pytest.mark.parametrize("game", ["gops", "bs"])
def test_a_match_has_as_many_steps_through_each_eye(
    game: str, matches: dict[str, Transcript]
) -> None:
    """The last one tells all of the outcome: no view ends before another."""
    last = {list_numbers(matches[game], eye)[-1] for eye in ("all", "public", "0", "1")}
    assert len(last) == 1
    assert any("Finished after" in line for line in words(matches[game], "0"))


def test_a_step_hides_no_card_that_was_laid_in_it(matches: dict[str, Transcript]) -> None:
    """A trick lies whole at the step of its last card, also before whoever took it."""
    transcript = matches["hearts"]
    for eye in ("all", "public", "0", "1", "2"):
        sizes = [
            len(step["z"]["trick"].get("cards", ()))
            for step in to_json(build_replay(transcript, eye))["steps"]
            if "trick" in step.get("z", {})
        ]
        assert sizes.count(transcript.seats) == CARDS // transcript.seats


def test_every_viewer_has_the_turning_points(matches: dict[str, Transcript]) -> None:
    """They come from what is announced, so a seat sees the same as whoever sees all, as `you`."""
    for game, point in [("gops", "takes the lead"), ("bs", "calls"), ("hearts", "queen of spades")]:
        transcript = matches[game]
        seen = {
            eye: {
                step["l"]: step["turn"]
                for step in to_json(build_replay(transcript, eye))["steps"]
                if "turn" in step
            }
            for eye in ("all", "public", *map(str, range(transcript.seats)))
        }
        assert any(point in text for text in seen["all"].values()), (game, seen["all"])
        assert seen["public"] == seen["all"]
        assert all(points.keys() == seen["all"].keys() for points in seen.values())
        assert not any(ADDRESS.search(text) for text in seen["all"].values())
        read = [
            (line, text)
            for seat in range(transcript.seats)
            for line, text in seen[f"{seat}"].items()
        ]
        assert any(ADDRESS.search(text) for _, text in read)
        assert all(seen["all"][line] == text for line, text in read if not ADDRESS.search(text))
        steps = to_json(build_replay(transcript, "0", weighed=True))["steps"]
        assert any(step["weight"] > 0 for step in steps if "turn" in step)


@pytest.mark.parametrize("game", MATCHES)
def test_a_seat_needs_no_line_of_another_one(game: str, matches: dict[str, Transcript]) -> None:
    """What others alone were told and said could be anything: it is not even read."""
    whole = matches[game]
    others = tuple(begun for seat in range(1, whole.seats) for begun in list_seat_prefixes(seat))
    lines = whole.text.splitlines()
    lines = [text[:-1] if text.startswith(others) else text for text in lines]
    part = parse_lines(lines, ahead=False)
    assert build_replay(part, "0") == build_replay(whole, "0")
    with pytest.raises(UserError, match="not JSON"):
        build_replay(part, "1")
    with pytest.raises(UserError, match="not JSON"):
        parse_lines(lines)


@pytest.mark.parametrize("key", ["verdict", "v\\u0065rdict"])
def test_what_was_written_to_stderr_stays_with_the_host(
    key: str, matches: dict[str, Transcript]
) -> None:
    """However its line is spelt."""
    text = matches["hostile"].text
    stderr = '"stderr":"canary"'
    told = text.replace('"stderr":""', stderr).replace('"verdict"', f'"{key}"')
    assert stderr in told
    out = redact_transcript(parse_lines(told.splitlines()))
    assert "canary" not in out.text
    assert redact_transcript(parse_lines(text.splitlines())).lines == out.lines


@pytest.mark.parametrize("eye", ["", "2", "-1", "00", "0x", "ALL", "all ", "\u0660", "9" * 5000])
def test_other_eyes_are_refused(eye: str) -> None:
    """An eye is `all`, `public` or a seat of the match as it is written, and nothing else."""
    with pytest.raises(UserError, match=r"no such view: .* \(0 to 1\)"):
        parse_eye(eye, 2)


def test_eyes_are_listed_with_names() -> None:
    """A seat's eye has its number and the name, cleaned."""
    *spectators, first, second = list_eyes(["a", "b\x1b"])
    assert [eye.key for eye in spectators] == ["all", "public"]
    assert first == Eye("0", "a")
    assert "\x1b" not in second.name


IS_SEEN = """() => {
  const [board, panel] = [".board", ".panel"].map((part) =>
    document.querySelector(part).getBoundingClientRect());
  return board.top >= 0 && board.bottom <= panel.top + 1 && panel.bottom <= innerHeight + 1;
}"""
"""Whether the board is seen as a whole above the controls."""
IS_SEEN_BESIDE = """() => {
  const boxes = (parts) => [...document.querySelectorAll(parts)].map((part) => part.getBoundingClientRect());
  const [panel] = boxes(".panel"), zones = boxes(".board .zone:not(.row, .text)");
  return zones.length > 1 && [panel, ...zones].every(({ top, bottom }) => top >= 0 && bottom <= innerHeight)
    && zones.every(({ right }) => right <= panel.left);
}"""
"""Whether the board, but for lists of the past, is seen as a whole beside the controls."""
ON_ITS_SIDE: ViewportSize = {"width": 740, "height": 360}  # a telephone
SHOWN = re.compile(r"^step \d+ of \d+$")
IS_AT_START = "document.querySelector('.where').textContent.startsWith('step 1 ')"


def list_numbers(transcript: Transcript, eye: str) -> list[int]:
    """Return the numbers of the steps that an eye sees."""
    return [step["number"] for step in to_json(build_replay(transcript, eye))["steps"]]


def at_end(page: Page, numbers: Sequence[int]) -> None:
    """See that the last of these steps is shown, and marked in the log."""
    expect(page.locator(".where")).to_have_text(f"step {numbers[-1]} of {numbers[-1]}")
    expect(page.locator(".log li")).to_have_count(len(numbers))
    expect(page.locator(".log [aria-current=step]")).to_have_count(1)
    assert page.evaluate("document.querySelector('.log').lastChild.ariaCurrent") == "step"


@pytest.mark.parametrize("game", [pytest.param("gops", marks=pytest.mark.release), "bs", "hearts"])
def test_every_eye_steps_to_the_end(
    game: str, site: str, pages: Pages, matches: dict[str, Transcript]
) -> None:
    """The keyboard goes to the end by each eye, step by step in BS by one, and back again."""
    transcript = matches[game]
    page = pages.open(f"{site}/{game}")
    eyes = ["all", "public", *map(str, range(transcript.seats))]
    for eye in eyes:
        key = eye[0]
        numbers = list_numbers(transcript, eye)
        page.keyboard.press(key)
        expect(page.locator(f"#replay[data-eye='{eye}'] .log li")).to_have_count(
            len(numbers), timeout=PATIENCE
        )
        expect(page.locator(".log")).not_to_contain_text("The match goes on.")  # a step shows what
        page.keyboard.press("Home")
        page.wait_for_function(IS_AT_START)
        first = page.locator(".board").inner_html()
        for step in (
            ["ArrowRight"] * (len(numbers) - 1) if (game, eye) == ("bs", "all") else ["End"]
        ):
            page.keyboard.press(step)
        at_end(page, numbers)
        if game != "gops" and eye.isdigit():  # where hands are hidden no other hand is seen
            assert page.locator(".others .card:not(.back)").count() == 0
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".where")).to_have_text(f"step {numbers[-2]} of {numbers[-1]}")
        page.keyboard.press("Home")
        page.wait_for_function(IS_AT_START)
        settled = re.compile(r' style="[^"]*"| new(?=")')  # heights are kept, cards have come
        again = page.locator(".board").inner_html()
        assert settled.sub("", again) == settled.sub("", first)


def test_the_whole_board_and_the_controls_are_seen_at_once(site: str, pages: Pages) -> None:
    """With four seats, on a desk and on a telephone, nothing has to be scrolled to."""
    page = pages.blank()
    for game in FOUR_SEATS:
        for width, height in SIZES if game == "bs" else SIZES[-1:]:  # its board is the largest
            page.set_viewport_size({"width": width, "height": height})
            page.goto("about:blank")
            page.goto(f"{site}/{game}4#step=12&eye=all")
            expect(page.locator(".where")).to_have_text(SHOWN)
            for key in ("ArrowRight", "End", "Home"):
                page.keyboard.press(key)
                page.wait_for_function(IS_SEEN)
        if game == "bs":  # pages of the others have nothing more
            assert page.locator(".moments li").count() == 3  # of the turning points, at once
            assert page.locator(".marks .mark").count() == MAX_MARKS  # the weightiest of all
            check_page(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"beats|tie"))
    page.get_by_role("button", name="next turning point (.)").click()
    expect(page.locator(".where")).not_to_contain_text("step 1 of")
    assert "queen of spades" in page.locator(".moments").inner_text()


LABELS_ARE_COVERED = """() => [...document.querySelectorAll(".laid .by")].filter((label) => {
  const { left, right, top, bottom } = label.getBoundingClientRect();
  return [left + 2, right - 2].some((x) => document.elementFromPoint(x, (top + bottom) / 2).closest(".card"));
}).length"""


def test_all_hands_are_seen_from_the_own_seat(site: str, pages: Pages) -> None:
    """Who sat there sees all cards without a turn of the table, and each card's player is legible."""
    page = pages.blank()

    def add_own(route: Route) -> None:
        text = route.fetch().text().replace('id="replay"', 'id="replay" data-own="2"')
        route.fulfill(body=text, content_type="text/html")

    page.route("**/m/hearts4", add_own)
    for width, height in ((390, 844), (1024, 700), (1280, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto("about:blank")
        page.goto(f"{site}/hearts4#step=20&eye=2")
        own = page.locator(".board .own .zone")
        expect(own).to_have_attribute("aria-label", "You")
        page.keyboard.press("a")
        expect(own).to_have_attribute("aria-label", re.compile(r"\(you\)$"))
        expect(page.locator(".board .others .zone .lying:visible")).to_have_count(3)
        page.locator(".log li", has_text="takes").first.locator("a").click()
        expect(page.locator(".laid .by")).to_have_count(4)
        assert page.evaluate(LABELS_ARE_COVERED) == 0


FIND_CARD_OVERLAPS = """async () => {
  const { buildCard } = await import("/static/cards.js");
  const zone = document.createElement("div");
  zone.className = "board";
  zone.append(...["10H", "9C"].map((card) => buildCard(card)), buildCard("Ambassador", { figure: "hood" }));
  document.body.append(zone);
  const [ten, nine, word] = [...zone.querySelectorAll(".card")].map((card) => {
    const find = (selector) => card.querySelector(selector).getBoundingClientRect();
    return { card: card.getBoundingClientRect(), text: find("text"), middle: find(".face-middle") };
  });
  const collide = ({ text, middle }) => text.right > middle.left;
  return [collide(ten), collide(nine), word.text.left - word.card.left < 0.06 * word.card.width];
}"""


def test_what_is_written_on_a_card_touches_nothing(site: str, pages: Pages) -> None:
    """A rank of two figures stands beside the pips, and a long word within the edges."""
    page = pages.open(f"{site}/hearts")
    assert page.evaluate(FIND_CARD_OVERLAPS) == [False, False, False]


HAS_ITS_STEP_ABOVE_THE_CONTROLS = """() => {
  const find = (selector) => document.querySelector(selector).getBoundingClientRect();
  const entry = find(".log [aria-current]"), said = document.querySelector(".at-step");
  const blank = said.clientHeight - said.firstChild.offsetHeight;
  return find(".log").bottom <= find(".panel").top && entry.top < find(".log").bottom
    && said.scrollHeight === said.clientHeight
    && blank < 2 * parseFloat(getComputedStyle(said).lineHeight);
}"""


def test_the_controls_on_a_telephone_take_the_room_of_their_words(site: str, pages: Pages) -> None:
    """No step is cut or leaves a blank, the entry of the log is above them, no button moves."""
    page = pages.blank()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site}/bs#step=12&eye=all")
    expect(page.locator(".where")).to_have_text(SHOWN)
    expect(page.locator(".legend")).to_be_visible()  # what the marks are
    buttons = page.locator(".controls").bounding_box()
    for key in ("Home", *["ArrowRight"] * 4):
        page.keyboard.press(key)
        page.wait_for_function(HAS_ITS_STEP_ABOVE_THE_CONTROLS)
        assert page.locator(".controls").bounding_box() == buttons


MAKE_BOARD = """async () => {
  const { Board } = await import("/static/board.js");
  const root = document.querySelector("main").appendChild(document.createElement("div"));
  new Board(root);
  return root.classList.contains("compact");
}"""
"""Whether the others have a line each on a board, before anything has resized it."""


def test_a_narrow_board_is_compact_from_the_start(site: str, pages: Pages) -> None:
    """It is narrow by the size of its text, whatever that is in pixels, and low as well."""
    page = pages.open(f"{site}/bs")
    for width, height, text, is_compact in (
        (1200, 800, 16, False),
        (360, 740, 16, True),
        (740, 360, 16, True),
        (900, 1200, 16, False),
        (900, 1200, 32, True),
    ):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(f"document.documentElement.style.fontSize = '{text}px'")
        assert page.evaluate(MAKE_BOARD) is is_compact, (width, height, text)


@pytest.mark.parametrize("game", FOUR_SEATS)
def test_a_replay_fits_a_telephone_on_its_side(site: str, pages: Pages, game: str) -> None:
    """The board stands beside the controls, and neither has to be scrolled to."""
    page = pages.blank(touch=True)
    page.set_viewport_size(ON_ITS_SIDE)
    page.goto(f"{site}/{game}4#step=12&eye=0")
    expect(page.locator(".where")).to_have_text(SHOWN)
    for _ in range(3):
        before = page.locator(".where").inner_text()
        page.get_by_role("button", name="next step (right arrow)").click()
        page.wait_for_function(IS_SEEN_BESIDE)
        expect(page.locator(".where")).not_to_have_text(before)


def test_a_link_leads_to_a_moment(site: str, pages: Pages) -> None:
    """The address follows the step and the eye, and leads back to them."""
    page = pages.open(f"{site}/gops#step=7&eye=1")
    expect(page.locator(".where")).to_contain_text("step 7 of")
    expect(page.get_by_label("view", exact=True)).to_have_value("1")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**#step=8&eye=1")
    page.locator(".log a").nth(2).click()
    expect(page.locator(".where")).to_contain_text("step 3 of")
    page.get_by_label("view", exact=True).select_option("public")
    page.wait_for_url("**eye=public")
    expect(page.locator(".log [aria-current]")).to_be_in_viewport()
    copied = page.url
    shown = page.locator(".where").inner_text()
    page.goto("about:blank")
    page.goto(copied)
    expect(page.locator(".where")).to_have_text(shown)
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="stop (space)")).to_be_visible()
    page.get_by_label("step", exact=True).focus()
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="play (space)")).to_be_visible()


def test_a_step_has_one_number_in_all_views(site: str, pages: Pages) -> None:
    """Who looks through other eyes stays at the moment, and what is announced has its number there."""
    page = pages.open(f"{site}/gops#step=4&eye=all")
    said = page.locator(".said")
    expect(page.locator(".where")).to_contain_text("step 4 of")
    announced = said.inner_text()
    assert announced
    for eye in ("public", "1", "0"):
        page.get_by_label("view", exact=True).select_option(eye)
        page.wait_for_url(f"**#step=4&eye={eye}")
        expect(page.locator(".where")).to_contain_text("step 4 of")
        expect(page.locator(".log [aria-current]")).to_have_attribute("value", "4")
        expect(said).to_contain_text(announced)


def test_a_verdict_leads_to_its_moment(site: str, pages: Pages) -> None:
    """From the table of who sat there, and from elsewhere; another eye is kept out."""
    page = pages.open(f"{site}/hostile")
    page.locator(".seats a.bad").click()
    expect(page.locator(".said")).to_contain_text("malformed")
    page.wait_for_url(re.compile(r"#step=\d+&eye=all$"))
    shown = page.locator(".where").inner_text()
    page.goto("about:blank")
    page.goto(f"{site}/hostile#verdict=1")
    expect(page.locator(".where")).to_have_text(shown)
    expect(page.locator(".said")).to_be_in_viewport()
    page.goto("about:blank")
    page.goto(f"{site}/gops#verdict=1")  # at which nobody failed: it begins as without an address
    opening = page.locator(".where").inner_text()
    assert page.locator(".board .zone .card").count()
    page.goto("about:blank")
    page.goto(f"{site}/gops")
    expect(page.locator(".where")).to_have_text(opening)


def test_a_higher_window_has_larger_cards(site: str, pages: Pages) -> None:
    """As large as if the page had been opened in it."""
    page = pages.blank()
    card = "document.querySelector('.board .own .card').offsetWidth"
    widths = list[int]()
    for height in (420, 1000):
        page.set_viewport_size({"width": 390, "height": height})
        if not widths:
            page.goto(f"{site}/hearts#step=4&eye=0")
            page.locator(".board .own .card").first.wait_for()
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        widths.append(page.evaluate(card))
    assert widths[0] < widths[1]


def test_a_trick_has_a_step_for_each_card(site: str, pages: Pages) -> None:
    """Each card is told once, what is closed is not named, and no eye begins without cards."""
    page = pages.open(f"{site}/hearts")
    log = page.locator(".log")
    expect(log.locator("li").first).to_contain_text("careful and low_2 play Hearts.")
    expect(log.get_by_text(re.compile(r"^\("))).to_have_count(0)  # no list of what has changed
    expect(log.locator("li").nth(3)).to_have_text(re.compile(r"^Trick 1: \w+ leads 2♣\.$"))
    expect(log.locator("li").nth(4)).to_have_text(re.compile(r"^\w+ plays [\w♣♦♥♠]+\.$"))
    last = re.compile(r"^\w+ plays [\w♣♦♥♠]+\.\s*\w+ takes the trick: no points\.$")
    expect(log.locator("li").nth(5)).to_have_text(last)
    log.locator("li").nth(5).locator("a").click()
    expect(page.locator(".board .laid .card")).to_have_count(3)  # and the trick is seen as a whole
    page.keyboard.press("p")
    expect(page.locator("#replay[data-eye=public] .log")).to_contain_text("careful plays")
    expect(log).not_to_contain_text("passes")
    page.goto("about:blank")
    page.goto(f"{site}/hearts#eye=1")
    expect(page.locator(".where")).to_contain_text("step 2 of")  # at which its cards are dealt


def test_a_link_is_followed_while_the_address_of_a_step_is_saved(site: str, pages: Pages) -> None:
    """The address of the step before, which is saved a moment later, does not win."""
    page = pages.open(f"{site}/gops#step=1&eye=all")
    where = page.locator(".where")
    expect(where).to_contain_text("step 1 of")
    page.evaluate(
        "location.hash = '#step=5&eye=all'; history.replaceState(null, '', '#step=1&eye=all')"
    )
    expect(where).to_contain_text("step 5 of")


FOLLOW = """
(hash) => new Promise((resolve) => {
  const scroll = Element.prototype.scrollIntoView;
  let count = 0;
  Element.prototype.scrollIntoView = () => { count += 1; };
  addEventListener("hashchange", () => {
    Element.prototype.scrollIntoView = scroll;
    resolve(count);
  }, { once: true });
  location.hash = hash;
})
"""
"""Goes to an address on this page, and counts how often the replay brings its table into view."""


def test_a_link_to_another_part_of_the_page_is_no_moment(site: str, pages: Pages) -> None:
    """The replay follows only addresses that name a step, a line, a verdict or an eye."""
    page = pages.open(f"{site}/gops")
    expect(page.locator(".where")).to_contain_text("step 1 of")
    assert page.evaluate(FOLLOW, "#step=2") == 1
    assert page.evaluate(FOLLOW, "#main") == 0
    expect(page.locator(".where")).to_contain_text("step 2 of")


@pytest.mark.parametrize("is_reached", [True, False])
def test_where_a_view_fails_the_one_before_stays(
    site: str, pages: Pages, *, is_reached: bool
) -> None:
    """The choice, the steps and the address are of one view, and the other can be chosen again."""
    pages.allowed |= {"503 (Service Unavailable)", "net::ERR_FAILED"}
    page = pages.blank()
    page.route(
        "**/steps?eye=1",
        lambda route: route.fulfill(status=503) if is_reached else route.abort(),
        times=1,
    )
    page.goto(f"{site}/gops#step=5&eye=all")
    view = page.get_by_label("view", exact=True)
    expect(page.locator(".where")).to_contain_text("step 5 of")
    page.keyboard.press("1")
    expect(page.locator(".said")).to_contain_text("This view cannot be shown. The server ")
    expect(view).to_have_value("all")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**#step=6&eye=all")
    page.keyboard.press("1")
    page.wait_for_url("**eye=1")
    expect(page.locator("#replay")).to_have_attribute("data-eye", "1")
    expect(view).to_have_value("1")


@pytest.mark.parametrize("is_failure", [False, True])
def test_a_late_reply_changes_nothing_of_a_newer_view(
    site: str, pages: Pages, *, is_failure: bool
) -> None:
    """Neither its steps are shown nor that it has failed."""
    pages.allowed.add("503 (Service Unavailable)")
    page = pages.blank()
    held: list[Route] = []
    page.route("**/steps?eye=0", lambda route: held.append(route))  # noqa: PLW0108  # Playwright marks it
    page.goto(f"{site}/gops#step=5&eye=all")
    expect(page.locator(".where")).to_contain_text("step 5 of")
    page.keyboard.press("0")
    while not held:
        page.evaluate("0")
    page.keyboard.press("1")
    page.wait_for_url("**eye=1")
    said = page.locator(".said").inner_text()
    with page.expect_response("**/steps?eye=0"):
        if is_failure:
            held[0].fulfill(status=503)
        else:
            held[0].continue_()
    page.evaluate("fetch(location.href, { method: 'HEAD' }).then(() => 0)")  # comes after it
    assert page.locator(".said").inner_text() == said
    expect(page.locator("#replay")).to_have_attribute("data-eye", "1")
    expect(page.get_by_label("view", exact=True)).to_have_value("1")
    page.unroute("**/steps?eye=0")


def test_what_strangers_say_is_text(site: str, pages: Pages) -> None:
    """Names, answers and verdicts make no element; a verdict is marked, and reached by a key."""
    page = pages.open(f"{site}/hostile#step=1&eye=all")
    expect(page.locator(".time .mark.verdict")).to_have_count(1)
    page.keyboard.press(".")
    expect(page.locator(".said")).to_contain_text(HOSTILE[:28])
    expect(page.locator(".seats")).to_contain_text(HOSTILE)
    expect(page.locator(".moments .verdict")).to_contain_text(HOSTILE[:28])
    for eye in ("public", "0", "1"):
        page.get_by_label("view", exact=True).select_option(eye)
        page.wait_for_url(f"**eye={eye}")
        assert page.locator("main :is(img, script, b b)").count() == 0


def test_an_eye_that_is_none_is_not_found(site: str) -> None:
    """The server gives the steps of an eye of the match, with weights, and of no other."""
    with httpx2.Client(verify=False) as client:
        steps = client.get(f"{site}/gops/steps?eye=1").json()["steps"]
        assert all("weight" in step for step in steps if "turn" in step)
        assert client.get(f"{site}/gops/steps?eye=2").status_code == 404
