"""Who may ask how a hill is; what is wrong with one is tried in `whole/test_faults.py`."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from arena_web.server import run_in_thread
from tests.support.hill.hill_access import open_hill_access
from tests.support.hill.played_hill import build_hill_app

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
def test_only_this_machine_learns_how_a_hill_is(tmp_path: Path, proxies: tuple[str, ...]) -> None:
    """Whoever asks through a proxy does not, whatever the proxy says, and whether it is trusted."""
    with (
        run_in_thread(build_hill_app(open_hill_access(tmp_path)), proxies) as address,
        httpx2.Client(base_url=address, verify=False) as client,
    ):
        for path, status in (("/healthz", 503), ("/metrics", 200)):  # no process plays here
            assert client.get(path).status_code == status
            for headers in STRANGERS:
                assert client.get(path, headers=headers).status_code == 404, headers
