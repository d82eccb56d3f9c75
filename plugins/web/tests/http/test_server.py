"""The server says what is wrong in a line, and knows whom it may believe."""

from __future__ import annotations

import signal
import socket
from functools import partial
from pathlib import Path

import httpx2
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from arena_web.app import build_application
from arena_web.http import security
from arena_web.http.rate_limits import RateLimiter
from arena_web.server import run_in_thread
from tests.support.command import Cli
from tests.support.parents import build_child_command
from tests.support.programs import TIMEOUT
from tests.support.web.raw_http import website

pytestmark = pytest.mark.slow


def test_a_port_that_is_taken_is_said_in_a_line(quick: Cli) -> None:
    """A port that is in use is reported in one line with what to do, after `demo` was made."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = quick("web", "demo", "--port", port)
    assert done.returncode == 2
    assert done.stdout == "demo: playing an example match of each game ...\n"
    assert Path("demo/gops.jsonl").is_file()
    assert done.stderr.count("\n") == 1
    assert f"port {port} of localhost cannot be used" in done.stderr


def test_what_the_parent_ignores_stays_ignored() -> None:
    """As SIGHUP under nohup, and SIGINT in the background of a script; SIGTERM ends the server."""
    parent = build_child_command(ignored=[signal.SIGINT, signal.SIGHUP])
    with website(*parent) as site:
        status = Path(f"/proc/{site.process.pid}/status").read_text()
        ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
        assert all(ignored >> (number - 1) & 1 for number in (signal.SIGINT, signal.SIGHUP))
        site.process.send_signal(signal.SIGTERM)
        _, said = site.process.communicate(timeout=TIMEOUT)
    assert (site.process.returncode, said) == (0, "")


def test_a_proxy_is_believed_if_it_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then each visitor has limits of its own; from anybody else the header is nothing."""
    monkeypatch.setattr(security, "RateLimiter", partial(RateLimiter, now=lambda: 0.0))
    limits = {"page": 1}
    for proxies, answers in ((("127.0.0.1",), [200, 200, 429]), ((), [200, 429, 429])):
        app = build_application([Route("/", lambda _: PlainTextResponse("there"))], limits=limits)
        with (
            run_in_thread(app, proxies) as address,
            httpx2.Client(base_url=address, verify=False) as client,
        ):
            found = [
                client.get("/", headers={"X-Forwarded-For": visitor}).status_code
                for visitor in ("192.0.2.1", "192.0.2.2", "192.0.2.2")
            ]
        assert found == answers
