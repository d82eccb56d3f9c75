"""Bots that are prepared in the background before they can play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from arena import RandomBot, UserError
from arena.plugins import get_plugins
from arena_web.app import build_application
from arena_web.play.routes import PlayPages
from arena_web.play.tables import PlayTables
from arena_web.preparations import FAULT_MESSAGE, Preparation, Preparations
from arena_web.server import run_in_thread
from tests.support.tournaments.served import open_test_client
from tests.support.toys import TOY, change
from tests.support.web.browser import Pages

PATH = "/play/prepare"


class Solver(RandomBot):
    """Has to solve the game first."""

    solved = begun = Event()  # replaced for each test

    def check_support(self, variant: Any, seats: int) -> None:
        """Refuse before it is solved."""
        if not self.solved.is_set():
            raise UserError("not solved yet", command="arena solve toy")

    def prepare(self, variant: Any, seats: int, report: Callable[[float], None]) -> None:
        """Do half of it, and the other half once the test wants it."""
        report(0.5)
        self.begun.set()
        self.solved.wait()
        report(1.0)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a game with such a bot."""
    toy = change(TOY, bots={"random": RandomBot, "solver": Solver})
    monkeypatch.setitem(get_plugins().games, toy.name, toy)
    for name in ("solved", "begun"):
        monkeypatch.setattr(Solver, name, Event())


@contextmanager
def visit(views: PlayPages) -> Iterator[TestClient]:
    """Visit the pages without a browser."""
    with open_test_client(build_application(views.routes, limits={})) as client:
        yield client


def test_a_bot_is_prepared_in_the_background(pages: Pages) -> None:
    """The page says how far it is, and offers the bot as soon as it can play."""
    views = PlayPages(PlayTables(), prepares=True)
    with run_in_thread(build_application(views.routes, limits={})) as address:
        page = pages.open(f"{address}play?game={TOY.name}")
        page.get_by_role("button", name="Prepare solver now").click()
        expect(page.get_by_role("status").filter(has_text="Being prepared")).to_have_text(
            "Being prepared: 50 %"
        )
        Solver.solved.set()
        expect(page.get_by_role("button", name="Play against solver")).to_be_visible()
        page.goto("about:blank")
    views.preparations.join()


def test_one_bot_is_prepared_at_a_time_and_none_for_strangers() -> None:
    """A second request is refused, and what needs nothing; a public host offers none."""
    order = {"game": TOY.name, "bot": "solver"}
    with visit(PlayPages(PlayTables())) as client:
        assert client.post(PATH, data=order).status_code == 404
        assert "Prepare solver" not in client.get(f"/play?game={TOY.name}").text
    views = PlayPages(PlayTables(), prepares=True)
    with visit(views) as client:
        assert client.get(PATH, params=order).status_code == 404
        refused = client.post(PATH, data={**order, "bot": "random"})
        assert refused.status_code == 409
        assert 'action="../play"' in refused.text  # as seen from here
        assert client.post(PATH, data={**order, "game": "nothing"}).status_code == 404
        assert client.post(PATH, data=order, follow_redirects=False).status_code == 303
        Solver.begun.wait()
        assert client.get(PATH, params=order).json() == {"share": 0.5, "over": False}
        assert client.post(PATH, data=order).status_code == 409
        views.preparations.close()
        Solver.solved.set()
        views.preparations.join()
        latest = views.preparations.latest
        assert latest
        assert (latest.over, latest.problem) == (True, "the server has stopped")


def test_a_fault_is_a_problem_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says that it has failed, and the host's log why."""
    logged: list[object] = []
    monkeypatch.setattr("threading.excepthook", lambda error: logged.append(error.exc_value))
    fault = ZeroDivisionError("planted")

    def fail(_: object) -> None:
        raise fault

    preparations = Preparations()
    preparation = Preparation(TOY.name, "solver")
    preparations.start(preparation, fail)
    preparations.join()
    assert (preparation.over, preparation.problem) == (True, FAULT_MESSAGE)
    assert logged == [fault]
