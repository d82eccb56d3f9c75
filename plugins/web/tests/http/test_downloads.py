"""Files for programs, over real sockets: many at once, and nobody else waits behind them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from arena_web.http import worker_threads
from tests.support.tournaments.served import FOUR, play_tournament, serve_sources
from tests.support.web.raw_http import CLOSE, GET, OK, fetch_status, open_connection, read_to_end

pytestmark = pytest.mark.slow

MANY, PLACES = 75, 50  # visitors who want a file at once, and how many may wait for their turn
EACH = 25  # of an address
CSV = b"/t/tournament/matches.csv"
PAGES = (b"matches", b"matches?bot=match", b"bots/easy", b"m/0.0", b"live")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was played."""
    return play_tournament(tmp_path_factory.mktemp("downloads"), *FOUR)


def test_many_downloads_keep_no_page_away(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others get every page meanwhile; and each who waits gets the whole file in the end."""
    monkeypatch.setattr(worker_threads, "MAX_WAITING", PLACES)
    with serve_sources(file) as address, ExitStack() as stack:
        port = int(address.rstrip("/").rpartition(":")[2])
        wires = []
        for number in range(MANY):
            wires.append(
                stack.enter_context(open_connection(port, f"127.0.0.{2 + number // EACH}"))
            )
            wires[-1].sendall(GET % CSV + CLOSE)
        for page in PAGES:
            assert fetch_status(port, b"/t/tournament/" + page) == OK, page
        texts = [*map(read_to_end, wires)]
    assert all(text.startswith(OK) and text.endswith(b"0\r\n\r\n") for text in texts)
    assert len({text.partition(b"\r\n\r\n")[2] for text in texts}) == 1
