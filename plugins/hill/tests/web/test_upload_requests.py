"""Uploads by both ways: what is checked before a body is read, what counts, and what is held."""

from __future__ import annotations

import base64
import resource
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena_hill import disk
from arena_hill.web import api, git_push, upload_rates
from arena_hill.web.api import Api
from arena_hill.web.errors import ERROR_HANDLERS
from arena_hill.web.served_hill import ServedHill
from arena_web.app import GuardedApplication, build_application
from tests.support.hill.hill_access import build_zip, create_key, open_hill_access
from tests.support.web.event_streams import run

PIECE = b"x" * 65536
WAYS = {
    "api": ("PUT", "/api/v1/hills/gops/bots/mine"),
    "git": ("POST", "/git/mine.git/git-receive-pack"),
}
"""The ways by which a bot is uploaded."""

Message = Mapping[str, Any]


def build_site(hill: ServedHill) -> GuardedApplication:
    return build_application(
        [*Api(hill).routes, *git_push.build_routes(hill)],
        limits={},
        handlers=ERROR_HANDLERS,
        uploads={**api.UPLOAD_LIMITS, **git_push.UPLOAD_LIMITS},
        renderers=git_push.RENDERERS,
    )


def build_headers(key: str, way: str) -> dict[str, str]:
    if way == "api":
        return {"authorization": f"Bearer {key}", "content-type": "application/zip"}
    return {"authorization": "Basic " + base64.b64encode(f"ada:{key}".encode()).decode()}


async def upload(
    app: GuardedApplication,
    way: str,
    headers: Mapping[str, str],
    receive: Callable[[], Awaitable[Message]],
) -> bytes:
    """Upload what is received until there is an answer; return its status and the answer."""
    method, path = WAYS[way]
    given = {"host": "localhost", **headers}
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": b"", "scheme": "http", "client": ("192.0.2.1", 5),
        "server": ("localhost", 80), "asgi": {"spec_version": "2.3"},
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }  # fmt: skip
    said: list[bytes] = []

    async def send(message: Any) -> None:
        said.append(str(message.get("status", "")).encode() + message.get("body", b""))

    async def receive_or_leave() -> Message:
        return {"type": "http.disconnect"} if said else await receive()

    await app(scope, receive_or_leave, send)  # type: ignore[arg-type]
    return b" ".join(said)


@pytest.mark.parametrize("way", WAYS)
def test_an_upload_that_will_be_refused_is_not_read(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No byte is read of an upload that has no author, is too large, comes too often or beside another, or goes to a full disk."""
    hill = open_hill_access(tmp_path, git="true", uploads_per_hour=1)
    served = ServedHill.of(hill)
    app, key = build_site(served), create_key(hill)
    headers = build_headers(key, way)

    async def refuse_to_send() -> Message:
        raise AssertionError("the body was read")

    async def test() -> None:
        async def refusal(**more: str) -> bytes:
            return await upload(app, way, {**headers, **more}, refuse_to_send)

        assert b"unknown" in await refusal(**build_headers("arena_x", way))
        assert b"at most 5" in await refusal(**{"content-length": str(6 << 20)})
        with served.upload_rates.reserve(1, "198.51.100.1"):
            assert b"your last upload is still being received" in await refusal()
        with monkeypatch.context() as patched:
            patched.setattr(disk, "RESERVE_BYTES", 1 << 60)
            assert b"disk is nearly full" in await refusal()
        with served.upload_rates.reserve(2, "192.0.2.1") as count:
            count()
        assert b"too many uploads in an hour: try again in" in await refusal()

    run(test)


@pytest.mark.parametrize("way", WAYS)
def test_a_body_is_on_the_disk_as_it_comes(tmp_path: Path, way: str) -> None:
    """A body is not held in memory before all of it is there, and nothing of it is left afterwards."""
    hill = open_hill_access(tmp_path, git="true")
    app, headers = build_site(ServedHill.of(hill)), build_headers(create_key(hill), way)
    folder, sent, stored = str(hill.hill.spec.data_folder), 0, []

    def measure_open_files() -> int:
        sizes = [0]
        for link in Path("/proc/self/fd").iterdir():
            try:
                target = str(link.readlink())
                if target.startswith(f"{folder}/") and target.endswith("(deleted)"):
                    sizes.append(link.stat().st_size)
            except FileNotFoundError:  # of this look itself
                continue
        return sum(sizes)

    async def receive() -> Message:
        nonlocal sent
        stored.append(sent - measure_open_files())
        sent += len(PIECE)
        return {"type": "http.request", "body": PIECE, "more_body": sent < 64 * len(PIECE)}

    async def test() -> None:
        assert await upload(app, way, headers, receive)

    run(test)
    assert len(stored) == 64
    assert max(stored) <= 2 * len(PIECE)
    assert measure_open_files() == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_body_that_cannot_be_stored_is_the_hosts_fault(tmp_path: Path, way: str) -> None:
    """The author is told that a later try may succeed, and the upload does not count."""
    hill = open_hill_access(tmp_path, git="true", uploads_per_hour=1)
    app, headers = build_site(ServedHill.of(hill)), build_headers(create_key(hill), way)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with TestClient(app, base_url="http://localhost") as client:
        for _ in range(2):
            resource.setrlimit(resource.RLIMIT_FSIZE, (10 * len(PIECE), hard))
            try:
                refused = client.request(*WAYS[way], content=PIECE * 20, headers=headers)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            assert b"cannot be written at the moment" in refused.content


def test_uploads_by_git_and_by_the_api_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An author who has used up the hour by one way has used it up by the other."""
    monkeypatch.setattr(upload_rates, "MAX_UPLOADS_PER_AUTHOR", 1)
    hill = open_hill_access(tmp_path, git="true")
    key = create_key(hill)
    with TestClient(build_site(ServedHill.of(hill)), base_url="http://localhost") as client:
        put = client.put(WAYS["api"][1], content=build_zip(), headers=build_headers(key, "api"))
        assert put.status_code == 202
        pushed = client.post(WAYS["git"][1], content=b"x", headers=build_headers(key, "git"))
    assert b"too many uploads in an hour: try again in" in pushed.content
