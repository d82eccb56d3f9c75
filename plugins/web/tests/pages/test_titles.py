"""Pages call entrants by their titles; addresses, downloads and filters keep the names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.tournament.commands import AliasCommand
from arena.tournament.store import Store
from tests.support.tournaments.served import (
    GOPS,
    build_server_app,
    open_test_client,
    play_tournament,
)

pytestmark = pytest.mark.slow
NAME, TITLE = "qwertz", "Zoë's <b>bot</b>"
TITLED = f'{GOPS}\n[[entrant]]\nname = "{NAME}"\nbot = "hard"\ntitle = "{TITLE}"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a tournament that has been played."""
    return play_tournament(tmp_path, "easy", "random", text=TITLED)


@pytest.fixture
def client(file: Path) -> Iterator[TestClient]:
    """Return a client of the pages of a tournament."""
    with open_test_client(build_server_app(file)) as client:
        yield client


def read(client: TestClient, path: str) -> str:
    """Return what people read on a page."""
    answer = client.get(f"/t/tournament/{path}")
    assert answer.status_code == 200, path
    shown = re.sub(r"<(style|script).*?</\1>|<[^>]*>", "", answer.text, flags=re.DOTALL)
    return unescape(shown)


@pytest.mark.parametrize(
    "path",
    [
        "", "matrix", "curves", f"curves?bot={NAME}", "matches", f"matches?bot={NAME}",
        f"matches?against={NAME}", "bots/easy", "compare", f"compare?bot=easy&against={NAME}",
        "m/1.0", "feed.atom", "live",
    ],
)  # fmt: skip
def test_a_page_has_the_title_and_not_the_name(client: TestClient, path: str) -> None:
    """It is text there, whatever characters are in it."""
    text = read(client, path)
    assert NAME not in text
    assert TITLE in unescape(text)  # a feed has HTML as text


def test_the_page_of_a_bot_says_its_name_once(client: TestClient) -> None:
    """By which commands know it; a version's page does so, too."""
    for path in (
        f"bots/{NAME}",
        re.findall(rf"bots/{NAME}@\w+", client.get("/t/tournament/").text)[0],
    ):
        text = read(client, path)
        assert text.count(TITLE) >= 2
        assert text.count(NAME) == 1


def test_programs_get_names(client: TestClient) -> None:
    """Standings have the title beside it."""
    packed = client.get("/t/tournament/standings.json").json()["standings"]
    assert {row["name"]: row["title"] for row in packed} == {NAME: TITLE, "easy": "", "random": ""}
    assert TITLE not in client.get("/t/tournament/matches.csv").text
    key = next(key for key in map("{}.0".format, range(9)) if NAME in _download(client, key))
    assert TITLE not in _download(client, key)
    steps = client.get(f"/t/tournament/m/{key}/steps?eye=all").json()
    assert TITLE in steps["names"]
    assert NAME not in str(steps)


def _download(client: TestClient, key: str) -> str:
    return client.get(f"/t/tournament/m/{key}/transcript").text


def test_who_is_hidden_loses_the_title(file: Path) -> None:
    """Neither is shown."""
    with Store.open(file.with_suffix(".db")) as store:
        store.claim()
        store.entries.carry_out(AliasCommand(1, NAME, "bot_17"))
    with open_test_client(build_server_app(file)) as client:
        for path in ("", "matches", "bots/bot_17", "m/0.0", "compare?bot=bot_17&against=easy"):
            text = read(client, path)
            assert NAME not in text
            assert "Zoë" not in text
        assert "bot_17" in text
