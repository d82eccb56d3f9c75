"""A tournament as a site of files: it works from a disk and below any address, and grows."""

from __future__ import annotations

import gzip
import http.server
import json
import re
import resource
import shutil
import sqlite3
import threading
import zlib
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page, Route, expect

from arena.records import parse_lines
from arena.rules import UserError
from arena.tournament import Tournament
from arena.tournament.store import Store
from arena.wires import dump
from arena_web.cli import site
from arena_web.matches.replay_steps import build_replay
from arena_web.protocol.json_format import to_json
from arena_web.site import write_site
from arena_web.site.files import write_file
from tests.support.lanterns import LANTERNS, install_lanterns
from tests.support.tournaments.inline_workers import play_inline
from tests.support.tournaments.served import (
    GOPS,
    build_server_app,
    edit_database,
    open_test_client,
    play_tournament,
)
from tests.support.web.browser import Pages, check_page, check_page_in_all_themes
from tests.support.web.crawler import Links

pytestmark = pytest.mark.slow

BOTS = ["match", "random", "hard"]
LIARS = "printf '<b>nothing</b>\\n'"  # a program that answers nonsense


@contextmanager
def shown(folder: Path) -> Iterator[str]:
    """Serve a folder as `python -m http.server` does."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def tournament(folder: Path, matches: int) -> Tournament:
    """Play so many matches of a tournament that keeps its transcripts."""
    return Tournament(
        "gops",
        [*BOTS, LIARS],
        seed="1",  # by which `hard` loses a match, too
        database=folder / "hill.db",
        options={"cards": 4},
        matches=matches,
        transcripts="all",
        workers=1,
        check=False,
        duplicate=True,
    )


@pytest.fixture(scope="module")
def hill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the database of a small tournament, in which somebody always fails."""
    folder = tmp_path_factory.mktemp("played")
    with play_inline():
        tournament(folder, 12).run()
    return folder / "hill.db"


@pytest.fixture(scope="module")
def written(hill: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of its site, which stands below another one."""
    out = tmp_path_factory.mktemp("public") / "some" / "where"
    assert write_site(str(hill), out, replays="all", transcripts=True) > 0
    return out


def walked(page: Page, start: str) -> None:
    """Go from the first page through a filter to a replay, and to its end."""
    page.goto(start)
    expect(page.get_by_role("row", name="hard")).to_have_count(1)
    page.get_by_role("link", name="Matches", exact=True).click()
    expect(page.locator("[data-said]")).to_contain_text("matches shown")
    every = page.locator("tbody tr").count()
    page.locator("select[name=verdict]").select_option("malformed")
    page.locator("select[name=bot]").select_option("printf")
    page.get_by_role("button", name="Filter matches").click()
    expect(page.locator("tbody tr td.words:last-child").first).to_have_text("malformed")
    assert 0 < page.locator("tbody tr").count() < every
    page.locator("tbody a").first.click()
    expect(page.locator(".where")).to_contain_text("step 1 of")
    page.keyboard.press("End")
    expect(page.locator(".moments")).to_contain_text("malformed")
    expect(page.locator(".board .card").first).to_be_visible()
    last = page.locator(".where").inner_text().rpartition(" ")[2]
    page.wait_for_url(f"**step={last}&eye=all")
    moment, words = page.url, page.locator(".said").inner_text()
    page.goto("about:blank")
    page.goto(moment)
    expect(page.locator(".said")).to_have_text(words)
    assert page.locator("main :is(b b, .said b, .log b)").count() == 0


def test_it_works_from_a_disk(written: Path, pages: Pages) -> None:
    """A double click is enough: lists, a filter, a replay, a link to a moment, each page."""
    page = pages.blank()
    walked(page, f"file://{written}/index.html")
    for name in ("matrix.html", "curves.html", "matches.html", "bots/hard.html"):
        parser = Links()
        parser.feed((written / name).read_text())
        found = {urlsplit(link).path for link in parser.found}
        assert all((written / name).parent.joinpath(path).exists() for path in found), name
    page.goto(f"file://{written}/bots/printf.html")
    page.get_by_role("region", name="Verdicts").locator("a").first.click()
    expect(page.locator(".said")).to_contain_text("malformed")


def test_it_works_below_any_address(written: Path, pages: Pages) -> None:
    """A server of files shows it in a subfolder."""
    with shown(written.parent.parent) as address:
        page = pages.open(f"{address}/some/where/")
        page.get_by_role("link", name="Matches", exact=True).click()
        expect(page.locator("[data-said]")).to_contain_text("matches shown")
        page.locator("tbody a").first.click()
        expect(page.locator(".where")).to_contain_text("step 1 of")
        check_page(page)
        page.goto(f"{address}/some/where/matches.html#bot=hard&result=lost")
        expect(page.locator("tbody .result").first).to_be_visible()
        check_page_in_all_themes(page)
        page.goto(f"{address}/some/where/compare.html")
        expect(page.get_by_role("button", name="Compare bots")).to_be_visible()


def test_matches_of_a_bot_are_shown_from_its_side(hill: Path, written: Path, pages: Pages) -> None:
    """A profile leads to those that the bot won, lost or failed in; an opponent limits them."""
    page = pages.open(f"file://{written}/bots/hard.html")
    page.get_by_role("link", name="lost", exact=True).click()
    expect(page.locator("[data-said]")).to_contain_text("(all)")
    results = page.locator("tbody .result")
    lost = results.count()
    assert lost
    assert {*results.all_inner_texts()} == {"lost"}
    expect(page.get_by_role("columnheader", name="against")).to_be_visible()
    page.locator("select[name=result]").select_option("won")
    page.get_by_role("button", name="Filter matches").click()
    expect(results.first).to_have_text(re.compile("won|tied"))
    won = results.count()
    with Store.open(str(hill), write=False) as store:
        seats = {match.match: match.seats for match in store.matches.find_matches()}
    for row in page.locator("tbody tr").all():
        key, result, score, *_ = row.inner_text().split("\t")
        own = next(seat for seat in seats[key] if seat.name == "hard")
        others = [seat for seat in seats[key] if seat.name != "hard"]
        assert own.place == 1
        assert result == ("tied" if any(seat.place == 1 for seat in others) else "won")
        assert score == f"{own.score:g} : {max(seat.score or 0 for seat in others):g}"
    page.locator("select[name=result]").select_option("")
    page.get_by_role("button", name="Filter matches").click()
    expect(results).to_have_count(won + lost)
    page.locator("select[name=against]").select_option("match")
    page.get_by_role("button", name="Filter matches").click()
    expect(page.locator("tbody .players").first).to_have_text("match")
    assert {text.strip() for text in page.locator("tbody .players").all_inner_texts()} == {"match"}
    page.locator("select[name=bot]").select_option("")
    expect(page.locator("select[name=result]")).to_be_disabled()
    page.goto(f"file://{written}/bots/printf.html")
    page.get_by_role("link", name="malformed", exact=True).click()
    expect(page.locator("tbody td:last-child").first).to_have_text("malformed")


DRAWN = """
game = "briscola"
table = 4
matches = 8
seed = "1"
workers = 1
check = false
partners = "drawn"
"""


HEARTS = """
game = "hearts"
table = 3
matches = 6
seed = "1"
workers = 1
check = false
"""


def read_rows(page: Page) -> list[list[str]]:
    """Return the keys, results, players and ends of the matches that a page shows."""
    rows = page.locator("tbody tr").all()
    cells = [row.locator("th a, .result, .result ~ td, .players, .players ~ td") for row in rows]
    return [[text.strip() for text in row.all_inner_texts()[:6]] for row in cells]


@pytest.mark.usefixtures("inline_workers")
@pytest.mark.parametrize(
    ("text", "bots"),
    [
        (DRAWN, {"first": "counter", "second": "random", "third": "random", "fourth": "random"}),
        (LANTERNS, {"first": "steady", "second": "random"}),
        (GOPS.replace("cards = 5", "cards = 3"), {"first": "easy", "second": "random"}),
        (HEARTS, {"first": "random", "second": "random", "third": "careful"}),
    ],
    ids=["drawn partners", "one side", "two", "three"],
)
def test_results_read_as_on_the_server(
    text: str, bots: dict[str, str], tmp_path: Path, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Partners, ties and void matches are told in the same words, in lists and on the match."""
    pages.allowed.add("modulepreload")  # a page without an address has none of its scripts
    install_lanterns(tmp_path, monkeypatch)
    file = play_tournament(tmp_path / "played", text=text, **bots)
    edit_database(
        file,
        "UPDATE matches SET \"end\" = 'void' WHERE deal = 0 AND rotation = 0",
        "UPDATE seats SET place = NULL, score = NULL WHERE deal = 0 AND rotation = 0",
    )
    write_site(str(file), tmp_path / "public")
    static, served = pages.blank(), pages.blank()
    with open_test_client(build_server_app(file)) as client:

        def load(path: str) -> str:
            return client.get(f"/t/tournament/{path}").text

        for query in ("", "bot=first"):
            static.goto("about:blank")
            static.goto(f"file://{tmp_path}/public/matches.html#{query}")
            expect(static.locator("[data-said]")).to_contain_text("matches shown")
            served.set_content(load(f"matches?{query}"))
            assert read_rows(static) == read_rows(served)
        sentences = set()
        for key in static.locator("tbody tr th a").all_inner_texts():
            static.goto("about:blank")
            static.goto(f"file://{tmp_path}/public/match.html#m={key}")
            expect(static.locator("h1 + .far")).to_contain_text(key)
            sentences.add(sentence := static.locator("h1").inner_text())
            served.set_content(load(f"m/{key}"))
            assert sentence == served.locator("h1").inner_text()
        assert len(sentences) > 2


def test_titles_stand_for_names(tmp_path: Path, pages: Pages) -> None:
    """In lists, filters and replays; addresses have the names."""
    text = f'{GOPS}\n[[entrant]]\nname = "constructor"\nbot = "hard"\ntitle = "Zoë\'s <b>bot</b>"\n'
    file = play_tournament(tmp_path, "easy", "random", text=text)
    assert write_site(str(file.with_suffix(".db")), tmp_path / "public") > 0
    page = pages.open(f"file://{tmp_path}/public/matches.html#bot=easy")
    page.locator("select[name=against]").select_option(label="Zoë's <b>bot</b>")
    page.get_by_role("button", name="Filter matches").click()
    expect(page.locator("tbody .players").first).to_have_text("Zoë's <b>bot</b>")
    assert page.url.endswith("#bot=easy&against=constructor")
    page.locator("tbody a").first.click()
    expect(page.locator("h1")).to_contain_text("Zoë's <b>bot</b>")
    expect(page.locator(".where")).to_contain_text("step 1 of")
    assert "constructor" not in page.locator("main").inner_text()
    page.goto(f"file://{tmp_path}/public/compare.html")
    expect(page.locator("select[name=bot] option")).to_have_text(
        ["easy", "Zoë's <b>bot</b>", "random"]
    )


def test_a_match_without_a_replay_says_so(written: Path, pages: Pages) -> None:
    """What is not there is said in words."""
    page = pages.open(f"file://{written}/match.html#m=2.7")
    expect(page.locator("[data-said]")).to_contain_text("has not been played")
    page.goto(f"file://{written}/match.html#m=x")
    expect(page.locator("[data-said]")).to_contain_text("does not name a match")


def test_a_match_that_its_shard_lacks_says_so(written: Path, tmp_path: Path, pages: Pages) -> None:
    """A list may be newer than the replays beside it."""
    shutil.copytree(written, out := tmp_path / "out")
    file = out / "data" / "l00000.js"
    file.write_text(file.read_text().replace('"2.0"', '"2.9"'))
    page = pages.open(f"file://{out}/match.html#m=2.9")
    expect(page.locator("[data-said]")).to_contain_text("is missing from the files")


PAGE_MATCHES = 50  # that are shown at once


@pytest.fixture
def long_site(hill: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a site of two lists, of which the newer one has more matches than are shown at once."""
    for module in ("lists", "pages", "replay_index"):
        monkeypatch.setattr(f"arena_web.site.{module}.DEALS_PER_LIST", 1)
    write_site(str(hill), out := tmp_path / "out", replays=0)
    older, newer = sorted((out / "data").glob("l*.js"))[-2:]
    head, _, text = newer.read_text().partition(", ")
    columns = json.loads(text.removesuffix(");\n"))
    for name in columns.keys() - {"bots", "results"}:
        columns[name] *= PAGE_MATCHES
    newer.write_text(f"{head}, {json.dumps(columns)});\n")
    page = out / "matches.html"
    numbers = f"{int(older.stem[1:])} {int(newer.stem[1:])}"
    page.write_text(re.sub('data-lists="[^"]*"', f'data-lists="{numbers}"', page.read_text()))
    older.rename(out / "data" / "older.js")
    return out


def count_matches(file: Path) -> int:
    """Return how many matches a list has."""
    return len(json.loads(file.read_text().partition(", ")[2].removesuffix(");\n"))["keys"])


def test_a_list_that_failed_is_loaded_again(long_site: Path, pages: Pages) -> None:
    """What was found before is shown meanwhile, and nothing is said to be all that there is."""
    pages.allowed.add("net::ERR_FILE_NOT_FOUND")
    data = long_site / "data"
    (newer,) = [path for path in data.glob("l*.js") if count_matches(path) > PAGE_MATCHES]
    older = newer.with_name(f"l{int(newer.stem[1:]) - 1:05}.js")
    shown = count_matches(newer)
    page = pages.open(f"file://{long_site}/matches.html")
    rows, said = page.locator("tbody tr"), page.locator("[data-said]")
    more = page.get_by_role("button", name="Show older matches")
    expect(said).to_have_text("50 matches shown")
    while rows.count() + PAGE_MATCHES <= shown:
        before = rows.count()
        more.click()
        expect(rows).to_have_count(before + PAGE_MATCHES)
    more.click()
    expect(said).to_contain_text("is missing")
    expect(rows).to_have_count(shown)
    more.click()
    expect(more).not_to_have_attribute("aria-disabled", "true")
    expect(said).to_contain_text("is missing")
    (data / "older.js").rename(older)
    more.click()
    expect(said).to_have_text(f"{shown + count_matches(older)} matches shown (all)")
    expect(rows).to_have_count(shown + count_matches(older))


HOLD_FAILURE = """
window.failure = new Promise((resolve) => {
  const [script] = [...document.scripts].slice(-1);
  script.addEventListener("error", () => setTimeout(resolve));
});
0
"""


def test_a_list_that_is_slow_disturbs_nothing(long_site: Path, pages: Pages) -> None:
    """A second click does nothing, and a search that fails says nothing on the next one's page."""
    pages.allowed.add("net::ERR_FAILED")
    data = long_site / "data"
    (newer,) = [path for path in data.glob("l*.js") if count_matches(path) > PAGE_MATCHES]
    older = newer.with_name(f"l{int(newer.stem[1:]) - 1:05}.js")
    (data / "older.js").rename(older)
    page = pages.blank()
    held: list[Route] = []
    page.route(f"**/{older.name}", lambda route: held.append(route))  # noqa: PLW0108  # Playwright marks it
    with shown(long_site) as address:
        page.goto(f"{address}/matches.html")
        rows, said = page.locator("tbody tr"), page.locator("[data-said]")
        more = page.get_by_role("button", name="Show older matches")
        expect(rows).to_have_count(PAGE_MATCHES)
        bot = page.locator("tbody .player").first.inner_text().split()[0]
        while rows.count() + PAGE_MATCHES <= count_matches(newer):
            before = rows.count()
            more.click()
            expect(rows).to_have_count(before + PAGE_MATCHES)
        with page.expect_request(f"**/{older.name}"):
            more.dblclick()
        expect(rows).to_have_count(count_matches(newer))
        page.evaluate(HOLD_FAILURE)
        page.evaluate(f"location.hash = '#bot={bot}'")
        expect(said).to_have_text("50 matches shown")
        held.pop().abort()
        page.evaluate("window.failure")
        expect(said).to_have_text("50 matches shown")
        page.unroute(f"**/{older.name}")
        page.evaluate("location.hash = ''")
        expect(said).to_have_text("50 matches shown")


def holding(folder: Path) -> bytes:
    """Return all that a site says, unpacked, one file behind the other."""
    parts = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            body = path.read_bytes()
            parts.append(gzip.decompress(body) if path.suffix == ".gz" else body)
            if path.name.startswith("r0"):
                stream = b64decode(body.split(b'"')[3])
                parts.append(zlib.decompress(stream, -15))
    return b"\n".join(parts)


def without_a_turn(hill: Path, copy: Path) -> None:
    """Copy a tournament, and have the second turn of its first deal not been played."""
    shutil.copy(hill, copy)
    with closing(sqlite3.connect(copy)) as database, database:
        for table in ("transcripts", "seats", "matches"):
            database.execute(f"DELETE FROM {table} WHERE deal = 0 AND rotation = 1")


def test_what_is_open_stays_closed(hill: Path, tmp_path: Path) -> None:
    """A deal has replays when its last turn is over; what was written before does not change."""
    with Store.open(str(hill), write=False) as store:
        text = store.transcripts.load(0, 0)
        secret = store.facts.secret
    assert text
    seed = json.loads(text.splitlines()[0])["seed"].encode()
    (tmp_path / "open").mkdir()
    later = tmp_path / "open" / "hill.db"
    without_a_turn(hill, later)
    out = tmp_path / "out"
    count = write_site(str(later), out, replays="all", transcripts=True)
    assert b'"0.0"' in holding(out / "data")  # who won is no secret
    assert seed not in holding(out)
    before = {path: path.read_bytes() for path in (out / "data").glob("[rt]*")}
    assert before
    shutil.copy(hill, later)
    assert write_site(str(later), out, replays="all", transcripts=True) == count + 2
    assert {path: path.read_bytes() for path in before} == before
    whole = holding(out)
    assert seed in whole
    assert str(secret).encode() not in whole
    assert str(hill.parent).encode() not in whole


def test_a_replay_says_what_the_server_says(hill: Path, written: Path) -> None:
    """Steps in a shard are those of `replay_json`, for each eye."""
    with Store.open(str(hill), write=False) as store:
        text = store.transcripts.load(2, 0)
    assert text
    transcript = parse_lines(text.decode().splitlines())
    matches: dict[str, Any] = {}
    for path in (written / "data").glob("r*.js"):
        stream = b64decode(path.read_bytes().split(b'"')[3])
        matches |= json.loads(zlib.decompress(stream, -15))
    steps = matches["2.0"]["steps"]
    assert [*steps] == ["all", "public", "0", "1"]
    for eye, shown_here in steps.items():
        assert shown_here == json.loads(dump(to_json(build_replay(transcript, eye))["steps"]))


def test_how_many_replays(hill: Path, tmp_path: Path) -> None:
    """None, so many of the newest, all, or the best: a few of each bot, and the records."""
    assert write_site(str(hill), tmp_path / "none", replays=0) == 0
    assert not [*(tmp_path / "none" / "data").glob("r*")]
    assert write_site(str(hill), tmp_path / "newest", replays=1) == 1
    count = write_site(str(hill), tmp_path / "all", replays="all")
    keys = list_replays(tmp_path / "all")
    assert list_replays(tmp_path / "newest") == keys[-1:]
    assert len(keys) == count
    best = write_site(str(hill), tmp_path / "best")
    assert best < count
    page = (tmp_path / "best" / "index.html").read_text()
    records = {*re.findall(r"match\.html#m=([0-9.]+)", page)}
    assert records
    with Store.open(str(hill), write=False) as store:
        matches = {match.match: match for match in store.matches.find_matches()}
    shown = list_replays(tmp_path / "best")
    assert records <= {*shown}
    for bot in {seat.name for match in matches.values() for seat in match.seats}:
        own = [key for key in keys if any(seat.name == bot for seat in matches[key].seats)]
        failed = [
            key for key in own
            if any(seat.name == bot and seat.verdict for seat in matches[key].seats)
        ]  # fmt: skip
        assert {*own[-3:], *failed[-3:]} <= {*shown}


def list_replays(out: Path) -> list[str]:
    """Return the keys of the matches with a replay on a site, in order."""
    index = json.loads((out / "site.json").read_text())
    return [f"{deal}.{turn}" for shard in index["shards"] for deal, turn in shard]


def test_other_folders_are_left_alone(hill: Path, tmp_path: Path) -> None:
    """A folder with anything else in it is refused, and what is no tournament."""
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(UserError, match="is not empty and was not written"):
        write_site(str(hill), tmp_path)
    found = CliRunner().invoke(site, [str(hill), str(tmp_path / "out"), "--replays", "some"])
    assert found.exit_code == 2
    assert "is not `best`, `all`, `none` or a number" in found.output


def test_one_that_is_interrupted_is_gone_on_with(
    hill: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file is whole, and the next run, of however many processes, ends with the same bytes."""
    monkeypatch.setattr("arena_web.site.shards.CHUNK_MATCHES", 4)

    def interrupt(done: int, planned: int) -> None:
        if done >= planned // 2:
            raise KeyboardInterrupt

    out, once = tmp_path / "out", tmp_path / "once"
    with pytest.raises(KeyboardInterrupt):
        write_site(str(hill), out, replays="all", transcripts=True, jobs=2, progress=interrupt)
    there = {path: path.read_bytes() for path in (out / "data").iterdir()}
    index = json.loads((out / "site.json").read_text())
    assert len(index["shards"]) == len([path for path in there if path.name.startswith("r")]) > 1
    assert not (out / "index.html").exists()
    write_site(str(hill), out, replays="all", transcripts=True, jobs=1)
    assert {path: path.read_bytes() for path in there} == there
    write_site(str(hill), once, replays="all", transcripts=True, jobs=1)
    assert holding(out) == holding(once)


def test_a_full_disk_is_said_in_a_line(tmp_path: Path) -> None:
    """No half of a file is left."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(UserError, match=r"^.*r00000\.js cannot be written: File too large$"):
            write_file(tmp_path / "data" / "r00000.js", b"x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [*(tmp_path / "data").iterdir()] == []
