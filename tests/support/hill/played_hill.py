"""A hill where bots have played, with what its author may see; and the application that serves it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from attrs import evolve, frozen

from arena.tournament.store import Store
from arena_hill.db.submissions import Findings
from arena_hill.hill_access import HillAccess
from arena_hill.submission_states import SubmissionState
from arena_hill.web import health
from arena_hill.web.api import UPLOAD_LIMITS, Api
from arena_hill.web.errors import ERROR_HANDLERS
from arena_hill.web.identity import get_cookie_name
from arena_hill.web.page_context import FILES
from arena_hill.web.pages import build_routes
from arena_hill.web.served_hill import ServedHill
from arena_web.app import GuardedApplication, build_application
from arena_web.routes import SourcePages
from tests.support.hill.hill_access import build_zip
from tests.support.hill.submission_terms import build_terms
from tests.support.programs import command_line
from tests.support.tournaments.served import edit_database, play_tournament

GOOD = {
    "format": 1, "game": "gops", "bot": "mine", "passed": True, "left_out": "", "parts": [],
    "findings": [],
    "facts": {"protocol": "text", "seed": "1", "matches": 1, "answers": 7, "first_answer": 0.2,
              "slowest_answer": None, "alike": False, "ends_by_itself": True, "leaves": 0,
              "stderr": 0},
}  # fmt: skip
"""The report of a check, as a judge takes it down, of a bot that passes."""

BS = """
game = "bs"
table = 3
matches = 9
workers = 1
duplicate = true
check = false
[time]
start = 100
move = 100
"""
OPEN = 2  # the deal that is not over
LEAKS = """
import sys
print("canary-stderr", __file__, file=sys.stderr, flush=True)
print("leaky", flush=True)
for line in sys.stdin:
    print(line.strip(), flush=True)
"""
"""Gives its name, and then answers with all that it is told."""


def build_hill_app(hill: HillAccess | ServedHill) -> GuardedApplication:
    """Return the application with all pages of a hill, and its interface."""
    served = hill if isinstance(hill, ServedHill) else ServedHill.of(hill)
    api, shown = Api(served), SourcePages({served.name: served.tournament})
    checked = health.build_routes(served.access)
    made = [*shown.routes, *build_routes(served), *api.routes, *checked]
    return build_application(
        made,
        limits={},
        handlers=ERROR_HANDLERS,
        on_shutdown=[api.close, shown.close],
        uploads=UPLOAD_LIMITS,
        files=FILES,
    )


@frozen
class PlayedHill:
    """A hill where bots have played, and who has sent one of them."""

    served: ServedHill
    file: Path
    ada: str  # her session's key
    eve: str  # another author's
    number: int  # of ada's submission

    @property
    def access(self) -> HillAccess:
        """The hill without its pages."""
        return self.served.access

    def headers(self, key: str) -> dict[str, str]:
        """Return what a browser with this session sends."""
        return {
            "Cookie": f"{get_cookie_name(self.access.hill.name)}={key}",
            "Sec-Fetch-Site": "same-origin",
        }


@pytest.fixture(scope="session")
def hill(tmp_path_factory: pytest.TempPathFactory) -> PlayedHill:
    """Play a tournament of which one deal is not over, and open it with one of its bots as ada's."""
    tmp_path = tmp_path_factory.mktemp("hill")
    (tmp_path / "leaks.py").write_text(LEAKS)
    leaky = command_line(tmp_path / "leaks.py")
    with pytest.MonkeyPatch.context() as patch:  # how many more it plays depends on the machine
        patch.setattr("arena.tournament.run.coordinator.MAX_VERDICTS_IN_A_ROW", 9)
        file = play_tournament(tmp_path, "honest", "liar", text=BS, leaky=leaky)
    edit_database(
        file,
        "DELETE FROM transcripts WHERE deal = 2 AND rotation = 2",
        "DELETE FROM seats WHERE deal = 2 AND rotation = 2",
        "DELETE FROM matches WHERE deal = 2 AND rotation = 2",
        "INSERT INTO facts VALUES ('orders', '1')",
    )  # fmt: skip
    text = file.read_text().replace("matches = 9\n", "")
    file.write_text(f"{text}\n[hill]\n")
    at = HillAccess.open(file)
    with Store.open(at.hill.spec.database, write=False) as store:
        entry = next(entry for entry in store.entries.list_all() if entry.name == "leaky")
    key, eve = (at.store.accounts.sign_in(name) or "" for name in ("ada", "eve"))
    ada = at.store.accounts.identify(key)
    assert ada
    data = build_zip(bot="canary-source")
    kept = at.intake.uploads.save(data)
    sent = (
        at.store.act_as(ada)
        .submit("leaky", kept, len(data), build_terms(at.hill.config))
        .submission
    )
    at.store.queue.take()
    at.store.queue.set_state(
        sent.id, SubmissionState.CHECKING, findings=Findings(log="canary-log", report=GOOD)
    )
    assert at.store.queue.accept(sent.id, entry)
    return PlayedHill(ServedHill.of(at), file, key, eve, sent.id)


@pytest.fixture
def own(hill: PlayedHill, tmp_path: Path) -> PlayedHill:
    """Return a hill like that one, for a test that changes it."""
    copied = shutil.copytree(hill.file.parent, tmp_path / "own") / hill.file.name
    return evolve(hill, served=ServedHill.open(copied), file=copied)
