"""Pages that update a part of themselves load that part alone; whoever asks for another gets 404."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

import arena_web
from arena_web.routes import SourcePages
from arena_web.sources import open_sources
from tests.support.tournaments.served import (
    FOUR,
    build_server_app,
    open_test_client,
    play_tournament,
)

pytestmark = pytest.mark.slow

TEMPLATES = Path(arena_web.__file__).with_name("templates")
PARTS = sorted({path.stem for path in TEMPLATES.rglob("*.html")} | {"nothing", "", "../base"})
VALUES = {"bot:path": "match", "key": "0.0"}
"""What stands in the addresses of pages, by the names of their routes."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that was played, which keeps its transcripts."""
    folder = tmp_path_factory.mktemp("parts")
    return play_tournament(folder, *FOUR)


@pytest.fixture(scope="module")
def transcripts(file: Path) -> Path:
    """Return a folder with a transcript of the tournament."""
    folder = file.parent / "games"
    folder.mkdir()
    with open_test_client(build_server_app(file)) as client:
        text = client.get("/t/tournament/m/0.0/transcript").text
    (folder / "0.0.jsonl").write_text(text)
    return folder


@pytest.fixture(scope="module")
def client(file: Path, transcripts: Path) -> Iterator[TestClient]:
    """Visit both, where whatever fails on the server fails here."""
    with open_test_client(build_server_app(file, transcripts)) as client:
        yield client


def list_addresses(file: Path) -> list[str]:
    """Return an address of each page, of those that are streams none: they do not end."""
    pages = SourcePages(open_sources([str(file)]))
    patterns = [route.path for route in pages.routes if isinstance(route, Route)]
    pages.close()
    root = f"/t/{file.stem}"
    return [
        re.sub(r"\{([^}]+)\}", lambda match: VALUES[match[1]], pattern.removeprefix(root))
        for pattern in patterns
        if pattern.startswith(root) and not pattern.endswith("/events")
    ]


def test_no_page_fails_whatever_part_is_asked_for(
    client: TestClient, file: Path, transcripts: Path
) -> None:
    """Each page answers each name of a template, and others, with itself, its part or 404."""
    statuses = set[int]()
    addresses = list_addresses(file)
    assert len(addresses) > 12
    for source in (file.stem, transcripts.name):
        for address in addresses:
            for part in PARTS:
                answer = client.get(f"/t/{source}{address}", params={"part": part})
                assert answer.status_code in {HTTPStatus.OK, HTTPStatus.NOT_FOUND}, answer.url
                statuses.add(answer.status_code)
    assert statuses == {HTTPStatus.OK, HTTPStatus.NOT_FOUND}


@pytest.mark.parametrize(
    "address",
    [
        "bots/match?part=matrix", "curves?part=standings", "m/0.0?part=live", "left?part=left",
        "left?part=matches", "?part=curves", "compare?bot=match&against=easy&part=standings",
    ],
)  # fmt: skip
def test_the_part_of_another_page_is_not_there(client: TestClient, address: str) -> None:
    """It says so as an address does that leads nowhere."""
    answer = client.get(f"/t/tournament/{address}")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "This page does not exist" in answer.text
