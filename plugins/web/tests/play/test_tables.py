"""Tables: who may be played against, what a stranger may send, and the command that sets one."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from click.testing import CliRunner

from arena.cli import play
from arena.rules import UserError
from arena_web.app import build_application
from arena_web.http.request_bodies import MAX_BODY_BYTES
from arena_web.play.match.announcer import Announcer
from arena_web.play.routes import PlayPages
from arena_web.play.setup_requests import CLOCKS, PROGRAM_PREFIX, read_setup
from arena_web.play.table_quota import TableQuota
from arena_web.play.tables import PlayTables
from arena_web.protocol.messages import MatchEnd
from arena_web.server import run_in_thread
from tests.support.programs import TIMEOUT
from tests.support.tournaments.served import open_test_client
from tests.support.web.event_streams import run
from tests.support.web.seat_players import build_setup, seat_all

pytestmark = pytest.mark.slow

GIVEN = {"game": ["gops"], "bot": ["easy"]}
CAT = f"{sys.executable} -c pass"


def asked(address: str, method: str, path: str, body: str = "") -> tuple[int, str]:
    """Return the status of an answer, and where it leads to."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=TIMEOUT)
    connection.request(method, f"/{path}", body)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, response.headers.get("location", "")


@pytest.mark.parametrize(
    "wrong",
    [
        {"bot": ["sh -c true"]},
        {"bot": [CAT]},
        {"bot": [f"{PROGRAM_PREFIX}{CAT}"]},
        {"bot": ["json:easy"]},
        {"bot": ["program:easy"]},
        {"bot": ["easy:x=1"]},
        {"bot": []},
        {"bot": ["easy"] * 17},
        {"bot": ["nobody"]},
        {"game": ["chess"]},
        {"game": []},
        {"name": ["\u202eann"]},
        {"name": ["x" * 33]},
        {"option-cards": ["-1"]},
        {"option-cards": ["fish"]},
        {"clock": ["1 second"]},
    ],
)
def test_what_cannot_be_set_is_refused_in_a_line(wrong: dict[str, list[str]]) -> None:
    """Of bots only the bundled ones can be chosen; nothing of a form reaches a command line."""
    with pytest.raises(UserError) as refused:
        read_setup({**GIVEN, **wrong}, ())
    assert "\n" not in str(refused.value)


def test_what_is_chosen_is_played() -> None:
    """Options, names, clock and bots of the form are those of the table."""
    order = read_setup({
        "game": ["gops"], "bot": ["easy", "", "hard"], "name": ["ann b", ""],
        "option-cards": ["5"], "clock": ["30 seconds"],
    }, ())  # fmt: skip
    assert order.terms.persons == ("ann_b",)
    assert [other.name for other in order.others] == ["easy", "hard"]
    assert order.game.write_variant(order.variant)["cards"] == 5
    assert order.terms.clock == CLOCKS["30 seconds"] == order.limits.move


def test_one_click_fills_the_table() -> None:
    """A bot takes as many seats as usually play."""
    order = read_setup({"game": ["bs"], "bot": ["liar"], "fill": ["yes"]}, ())
    assert [other.name for other in order.others] == ["liar"] * 3


@pytest.mark.parametrize(
    "bots",
    [
        {"game": ["gops"], "bot": [PROGRAM_PREFIX + CAT]},
        {
            "game": ["briscola"],
            "bot": ["random"],
            "partner": [PROGRAM_PREFIX + CAT],
            "table": ["4"],
        },
    ],
)
def test_a_program_may_be_chosen_where_the_host_allowed_it(bots: dict[str, list[str]]) -> None:
    """Only this very line, as an opponent or as a partner, and with time to start."""
    order = read_setup({**GIVEN, **bots, "clock": ["10 seconds"]}, [CAT])
    assert (*order.partners, *order.others)[0].factory.is_program
    assert order.limits.start > 0
    with pytest.raises(UserError):
        read_setup({**GIVEN, "bot": [f"{PROGRAM_PREFIX}{CAT} x"]}, [CAT])


def test_strangers_learn_and_spoil_nothing() -> None:
    """Seats that are not there, answers that are none, transcripts of matches under way."""
    tables = PlayTables()
    app = build_application(PlayPages(tables).routes, limits={}, on_shutdown=[tables.close])
    with run_in_thread(app) as address:
        assert asked(address, "GET", "seat/none")[0] == 404
        assert asked(address, "GET", "seat/none/events")[0] == 204
        assert asked(address, "POST", "seat/none/answer", "{}")[0] == 404
        assert asked(address, "GET", "table/none/events")[0] == 204
        assert asked(address, "POST", "play", "game=chess")[0] == 422
        assert asked(address, "GET", "play?game=chess")[0] == 404
        status, seat = asked(address, "POST", "play", urlencode({"game": "gops", "bot": "easy"}))
        assert status == 303
        (key,) = tables.places
        for page in ("transcript", "replay", "replay/steps"):
            assert asked(address, "GET", f"table/{key}/{page}")[0] == 404
        for body, wanted in {
            json.dumps({"n": 7, "answer": 1}): 409,
            json.dumps({"n": 1, "answer": {"a": 1}}): 422,
            json.dumps({"n": 1, "answer": [[[1]]]}): 422,
            json.dumps({"n": 1, "line": "x" * 501}): 422,
            json.dumps({"n": 1, "answer": "\ud800"}): 400,
            "[" * 5000: 400,
            "fish": 400,
            "": 400,
            "x" * (MAX_BODY_BYTES + 1): 413,
        }.items():
            assert asked(address, "POST", f"{seat}/answer", body)[0] == wanted, body[:40]
        assert asked(address, "POST", f"{seat}/again")[0] == 409
    tables.join()


LEAVES = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        [os.close(one) for one in (0, 1, 2)]
        time.sleep(600)
    os._exit(0)
for line in sys.stdin:
    pass
"""
"""Starts something that outlives it and its session, and never answers."""


@contextmanager
def started(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Give a server with a table at which such a program sits, and the way to a seat."""
    (folder / "leaves.py").write_text(LEAVES)
    bot = f"{sys.executable} -I -S {folder / 'leaves.py'}"
    line = [sys.executable, "-m", "arena", "web", "--port", str(port), "--play", "gops"]
    with subprocess.Popen([*line, "--against", bot], stdout=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stdout
            yield serving, serving.stdout.readline().removeprefix("arena web: ").split()[0]
        finally:
            serving.kill()


def alive(folder: Path) -> list[str]:
    """Return the processes of the program."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if f"\0{folder}/leaves.py\0".encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


def begun(address: str, folder: Path) -> None:
    """Sit down, and wait until the program and what it has left are there."""
    seat = urlsplit(address)
    connection = HTTPConnection(seat.netloc, timeout=TIMEOUT)
    connection.request("GET", f"{seat.path}/events")
    connection.getresponse().readline()
    while len(alive(folder)) < 2:
        pass
    connection.close()


def test_what_programs_leave_is_gone_at_the_end_and_at_the_next_start(tmp_path: Path) -> None:
    """Whether the server is interrupted or killed: at the latest the next one on its port ends them."""
    with started(tmp_path, 0) as (_, address):
        port = urlsplit(address).port
        assert port
        begun(address, tmp_path)
        programs = alive(tmp_path)
    assert programs
    with started(tmp_path, port) as (serving, address):
        assert not {*programs} & {*alive(tmp_path)}
        begun(address, tmp_path)
        serving.send_signal(signal.SIGINT)
        assert serving.wait(TIMEOUT) == 0
    assert alive(tmp_path) == []


def test_an_address_has_so_many_tables_at_once() -> None:
    """The next one is refused in a line; who has left a table has a place again."""
    tables = PlayTables(quota=TableQuota(max_per_address=3))
    app = build_application(PlayPages(tables).routes, limits={}, on_shutdown=[tables.close])
    with run_in_thread(app) as address, ExitStack() as stack:
        form = urlencode({"game": "gops", "bot": "easy"})
        seats = [asked(address, "POST", "play", form)[1] for _ in range(3)]
        for seat in seats:
            connection = stack.enter_context(
                closing(HTTPConnection(urlsplit(address).netloc, timeout=TIMEOUT))
            )
            connection.request("GET", f"/{seat}/events")
            connection.getresponse().readline()
        connection = HTTPConnection(urlsplit(address).netloc, timeout=TIMEOUT)
        connection.request("POST", "/play", form)
        answer = connection.getresponse()
        assert answer.status == 503
        assert b"3 tables are open from your address; close one first" in answer.read()
        connection.close()
        asked(address, "POST", f"{seats[1]}/leave")
        while asked(address, "POST", "play", form)[0] != 303:
            pass
    tables.join()


def test_what_went_wrong_is_said_in_its_own_words() -> None:
    """A seat that is gone is no page that there never was."""
    tables = PlayTables()
    with open_test_client(build_application(PlayPages(tables).routes, limits={})) as client:
        assert (
            "This seat does not exist, is closed, or was taken away by the host."
            in client.get("/seat/none").text
        )
        assert "This page does not exist." in client.get("/nothing").text


def test_play_in_the_browser_serves_a_seat_until_it_is_interrupted() -> None:
    """The address of a seat is said, the page is there, and an interrupt ends it without a word."""
    line = [
        sys.executable,
        "-m",
        "arena",
        "play",
        "gops",
        "--web",
        "--no-open",
        "--against",
        "easy",
    ]
    with subprocess.Popen(
        line,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BROWSER": "false"},
    ) as serving:
        assert serving.stdout
        said = serving.stdout.readline()
        address = said.removeprefix("arena web: ").split()[0]
        assert asked(address, "GET", urlsplit(address).path[1:])[0] == 200
        serving.send_signal(signal.SIGINT)
        _, errors = serving.communicate(timeout=TIMEOUT)
    assert errors == ""
    assert serving.returncode == 0


def test_without_the_plugin_a_line_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The core does without it."""
    monkeypatch.setattr(play, "load_command", lambda _: None)
    problem = CliRunner().invoke(play.play, ["gops", "--web"]).exception
    assert isinstance(problem, UserError)
    assert "pip install 'cardbot-arena[web]'" in str(problem)


def test_with_the_browser_transcripts_are_on_the_page() -> None:
    """A folder is refused rather than ignored."""
    result = CliRunner().invoke(play.play, ["gops", "--web", "--transcripts", "x"])
    assert result.exit_code == 2
    assert "--web" in result.output


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_match_that_cannot_be_shown_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for it at its table is told so, whatever failed before its first question."""

    def fail(*_: object) -> None:
        raise RuntimeError("nobody can be told")

    async def test() -> None:
        monkeypatch.setattr(Announcer, "__init__", fail)
        table = seat_all(PlayTables(), build_setup("kuhn", "random"))
        table.join(TIMEOUT)
        await asyncio.sleep(0)  # what is sent is kept in the loop's next round
        assert table.over
        ends = [each for each in table.attendance.feed.messages if isinstance(each, MatchEnd)]
        assert [end.end for end in ends] == ["void"]

    run(test)
