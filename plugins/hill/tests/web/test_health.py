"""Who may ask how a hill is, also where a look hangs; what is wrong is in `whole/test_faults.py`."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import httpx2
import pytest

from arena_hill.heartbeat import MONITORED_PROCESSES, Heartbeat
from arena_hill.web import timed_reads
from arena_hill.web.metrics import HillMetrics
from arena_web.server import run_in_thread
from tests.support.hill.hill_access import open_hill_access
from tests.support.hill.hill_folders import await_
from tests.support.hill.played_hill import build_hill_app
from tests.support.programs import TIMEOUT

STRANGERS: tuple[dict[str, str], ...] = (
    *(
        {"X-Forwarded-For": address}
        for address in (
            "203.0.113.9", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:80", "[::1", "::1",
            "::ffff:127.0.0.1", "::1%lo", "localhost", "unknown", "", "127.0.0.1,127.0.0.1",
            "203.0.113.9, 127.0.0.1", "127.0.0.1, 203.0.113.9",
        )
    ),
    {"Forwarded": "for=127.0.0.1"},
    {"X-Real-IP": "127.0.0.1"},
    {"Via": "1.1 caddy"},
)  # fmt: skip
"""What a proxy may say of whom it asks for."""


@pytest.mark.parametrize("proxies", [(), ("127.0.0.1",), ("*",)])
def test_only_this_machine_reads_the_health_of_a_hill(
    tmp_path: Path, proxies: tuple[str, ...]
) -> None:
    """A request through a proxy gets 404, whatever the proxy says and whether it is trusted."""
    with (
        run_in_thread(build_hill_app(open_hill_access(tmp_path)), proxies) as address,
        httpx2.Client(base_url=address, verify=False) as client,
    ):
        for path, status in (("/healthz", 503), ("/metrics", 200)):  # no process plays here
            assert client.get(path).status_code == status
            for headers in STRANGERS:
                assert client.get(path, headers=headers).status_code == 404, headers


@contextmanager
def hang(kind: type, method: str) -> Iterator[None]:
    """Have this look at a hill hang within the block."""
    over = Event()

    def wait(*_: Any) -> Iterator[Any]:
        over.wait()
        return iter(())

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kind, method, wait)
        patched.setattr(timed_reads, "DEADLINE_SECONDS", 0.5)
        try:
            yield
        finally:
            over.set()


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        (Heartbeat, "measure_silence"),
        (HillMetrics, "_collect_disk"),
        (HillMetrics, "_collect_matches"),
    ],
)
def test_a_look_that_hangs_keeps_nobody_waiting(tmp_path: Path, kind: type, method: str) -> None:
    """Other pages are answered while a look hangs, and the figures come without what it would have read."""
    with (
        hang(kind, method),
        run_in_thread(build_hill_app(open_hill_access(tmp_path))) as address,
        httpx2.Client(base_url=address, verify=False, timeout=TIMEOUT) as client,
    ):
        assert client.get("/healthz").json()["silent"] == [*MONITORED_PROCESSES]
        await_(lambda: "arena_submissions" in client.get("/metrics").text)
        gone = {"_collect_disk": "arena_disk_bytes", "_collect_matches": "arena_matches"}
        assert gone.get(method, "arena_silent_seconds") not in client.get("/metrics").text
        assert client.get("/static/page.js").status_code == 200


def test_a_disk_that_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The health check reports a disk that fails at a look as a problem, and not as an error."""
    access = open_hill_access(tmp_path)
    folder, stat = access.hill.spec.data_folder, Path.stat

    def fail_there(path: Path, **options: Any) -> os.stat_result:
        if path == folder:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return stat(path, **options)

    with (
        run_in_thread(build_hill_app(access)) as address,
        httpx2.Client(base_url=address, verify=False, timeout=TIMEOUT) as client,
    ):
        monkeypatch.setattr(Path, "stat", fail_there)
        answer = client.get("/healthz")
    causes = {problem["part"]: problem["cause"] for problem in answer.json()["problems"]}
    assert answer.status_code == 503
    assert str(folder) in causes["disk"]
