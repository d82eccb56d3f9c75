"""Requests that are refused: the reason is raised where it is known, and told in one form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

import pytest
from httpx2 import Response
from starlette.requests import Request
from starlette.routing import Route
from starlette.testclient import TestClient

from arena import UserError
from arena.rules import StorageError
from arena_web.app import build_application
from arena_web.http.refusals import (
    BusyError,
    ConflictError,
    ForbiddenError,
    NotFoundError,
    RefusedError,
    find_form_status,
    refuse_with,
)

PAGE = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
SCRIPT = {"Accept": "*/*", "Sec-Fetch-Site": "same-origin"}


def send(problem: Exception, headers: Mapping[str, str], method: str = "POST") -> Response:
    """Return the answer to a request that is refused so."""

    def refuse(_: Request) -> NoReturn:
        raise problem

    application = build_application([Route("/there", refuse, methods=["GET", "POST"])], limits={})
    with TestClient(application, "http://localhost") as client:
        return client.request(method, "/there", headers=headers)


@pytest.mark.parametrize(
    ("kind", "status"),
    [(NotFoundError, 404), (ForbiddenError, 403), (ConflictError, 409), (BusyError, 503)],
)
def test_a_page_and_a_script_are_told_the_same_reason(
    kind: type[RefusedError], status: int
) -> None:
    """People read it as a sentence, and a script as JSON."""
    page = send(kind("the match has begun"), PAGE)
    assert page.status_code == status
    assert "The match has begun." in page.text
    script = send(kind("the match has begun"), SCRIPT)
    assert script.status_code == status
    assert script.json() == {"title": "the match has begun", "status": status}


def test_a_refusal_without_a_reason_says_what_its_status_means() -> None:
    """Whoever looks for a page that is not there reads so."""
    assert "This page does not exist." in send(NotFoundError(), SCRIPT, "GET").text
    assert send(NotFoundError(), SCRIPT).json()["title"] == "Not Found"


def test_who_is_sent_away_hears_when_to_come_again() -> None:
    """It stands in the head, and for scripts in the JSON, too."""
    answer = send(BusyError(retry_seconds=3), SCRIPT)
    assert answer.headers["Retry-After"] == "3"
    assert answer.json()["retry_after"] == 3


def test_an_error_of_the_arena_becomes_a_refusal_of_this_kind() -> None:
    """What is refused already, or is the host's to mend, stays as it is."""
    with pytest.raises(ConflictError) as refused, refuse_with(ConflictError, "table: "):
        raise UserError("too many players")
    assert refused.value.message == "table: too many players"
    for problem in (BusyError("no room"), StorageError("away")):
        with pytest.raises(type(problem)), refuse_with(ConflictError):
            raise problem
    assert [*map(find_form_status, (UserError(), BusyError()))] == [422, 503]
