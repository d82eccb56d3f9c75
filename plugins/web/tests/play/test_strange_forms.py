"""Forms and headers that no page of ours sends: each is answered, and none is an error of the site."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from arena_web.app import build_application
from arena_web.play.routes import PlayPages
from arena_web.play.tables import PlayTables
from tests.support.tournaments.served import open_test_client

OWN = {"Sec-Fetch-Site": "same-origin"}
PATHS = ("/play", "/daily", "/games")
FIELDS = (
    "game",
    "name",
    "bot",
    "count",
    "table",
    "seats",
    "clock",
    "option-cards",
    "friends",
    "quick",
)
VALUES = (
    st.sampled_from(["", "gops", "9" * 5000, "٣", "\x00", "-1", "1e9", "hard:a=b", "%"]) | st.text()
)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """Return a client of the pages on which people choose a game."""
    views = PlayPages(PlayTables())
    with open_test_client(build_application(views.routes, limits={})) as client:
        yield client


@given(
    path=st.sampled_from(PATHS),
    fields=st.lists(st.tuples(st.sampled_from(FIELDS), VALUES), max_size=8),
)
@example(path="/play", fields=[("game", "gops"), ("table", "9" * 5000)])
@example(path="/play", fields=[("game", "x")] * 201)
def test_any_form_is_answered(client: TestClient, path: str, fields: list[tuple[str, str]]) -> None:
    """What it says may be wrong, and is then said to be."""
    body = "&".join(f"{name}={value}" for name, value in fields).encode(errors="replace")
    form = {**OWN, "Content-Type": "application/x-www-form-urlencoded"}
    answer = client.post(path, content=body, headers=form, follow_redirects=False)
    assert answer.status_code < 500


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "null", "http://a]b"])
def test_an_origin_that_is_no_address_is_not_ours(client: TestClient, origin: str) -> None:
    """It is refused, before anything else is done."""
    assert client.post("/play", headers={"Origin": origin}).status_code == 403
