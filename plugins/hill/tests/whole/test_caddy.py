"""A hill behind Caddy, run with the Caddyfile that the book shows."""

from __future__ import annotations

import json
import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from urllib.parse import urlsplit

import httpx2

from arena_web.server import run_in_thread
from tests.support.checkout import ROOT
from tests.support.hill.hill_access import build_zip, open_hill_access
from tests.support.hill.played_hill import build_hill_app
from tests.support.hill.running_hill import find_free_port
from tests.support.programs import TIMEOUT
from tests.support.requirements import require

FILE = ROOT / "examples/hill/Caddyfile"
BESIDE_OTHERS = """
{
    admin off
    auto_https disable_redirects
    skip_install_trust
}
"""
"""It changes nothing on the machine, and takes no port but its own."""

READY = {"serving initial configuration", "certificate obtained successfully"}
MORE = 7 << 20  # bytes, than the hill accepts


@contextmanager
def caddy(folder: Path, behind: str) -> Iterator[httpx2.Client]:
    """Run Caddy before an address; return who visits it, and trusts its certificate."""
    place = f"localhost:{find_free_port()}"
    site = FILE.read_text().replace("hill.example.org", place)
    (folder / "Caddyfile").write_text(
        BESIDE_OTHERS + site.replace("127.0.0.1:8642", urlsplit(behind).netloc)
    )
    homes = {name: str(folder) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    command = ["caddy", "run", "--config", "Caddyfile", "--adapter", "caddyfile"]
    with Popen(command, cwd=folder, env={**os.environ, **homes}, stderr=PIPE) as process:
        try:
            assert process.stderr
            wanted = set(READY)
            while wanted:
                wanted.discard(json.loads(process.stderr.readline())["msg"])
            trust = ssl.create_default_context(
                cafile=folder / "caddy/pki/authorities/local/root.crt"
            )
            with httpx2.Client(base_url=f"https://{place}", verify=trust, timeout=TIMEOUT) as one:
                yield one
        finally:
            process.terminate()


def protocol(place: str, port: int) -> str | None:
    browser = ssl.create_default_context()
    browser.check_hostname, browser.verify_mode = False, ssl.CERT_NONE
    browser.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection((place, port), TIMEOUT) as plain,
        browser.wrap_socket(plain, server_hostname=place) as ready,
    ):
        return ready.selected_alpn_protocol()


def test_a_hill_runs_behind_caddy(tmp_path: Path) -> None:
    """An author joins, submits a bot and follows it, and the addresses that are shown are Caddy's."""
    require("caddy")
    hill = open_hill_access(tmp_path / "hill", git="true")
    secret = hill.store.accounts.invite("ada")
    same = {"Sec-Fetch-Site": "same-origin"}
    with (
        run_in_thread(build_hill_app(hill), ["127.0.0.1"]) as behind,
        caddy(tmp_path, behind) as visitor,
    ):
        at = visitor.base_url
        assert protocol(at.host, at.port or 0) == "h2"
        assert visitor.post(f"/hill/gops/join/{secret}", headers=same).status_code == 303
        front = visitor.get("/hill/gops/").text
        assert "You are <b>ada</b>" in front
        assert f"arena submit my_bot --to {at}/hill/gops/" in front
        bots = "/api/v1/hills/gops/bots"
        send = {"Content-Type": "application/zip", **same}
        assert visitor.put(f"{bots}/large", content=b"x" * MORE, headers=send).status_code == 413
        sent = visitor.put(f"{bots}/mine", content=build_zip(), headers=send)
        assert sent.status_code == 202
        with visitor.stream("GET", f"{sent.headers['location']}/events") as stream:
            states = (line for line in stream.iter_lines() if line.startswith("data: "))
            assert json.loads(next(states)[6:])["state"] == "queued"
            assert hill.store.queue.take()
            assert json.loads(next(states)[6:])["state"] == "unpacking"
