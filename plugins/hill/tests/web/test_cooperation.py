"""Pages of a hill of a cooperative game."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.tournament.store import Store
from arena_hill.db.submissions import Findings
from arena_hill.hill_access import HillAccess
from arena_hill.submission_states import SubmissionState
from arena_hill.web.identity import get_cookie_name
from tests.support.hill.hill_access import build_zip
from tests.support.hill.played_hill import GOOD, build_hill_app
from tests.support.hill.submission_terms import build_terms
from tests.support.lanterns import install_lanterns
from tests.support.tournaments.served import edit_database, play_tournament

LANTERNS = """
game = "lanterns"
table = 2
matches = 8
workers = 1
"""


@pytest.mark.usefixtures("inline_workers")
def test_an_author_reads_how_many_games_a_bot_has_won(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table of the author's bots and the page of each have the games that were won, and no rating."""
    install_lanterns(tmp_path, monkeypatch)
    file = play_tournament(tmp_path / "hill", "steady", "random", text=LANTERNS)
    edit_database(file, "INSERT INTO facts VALUES ('orders', '1')")
    file.write_text(file.read_text().replace("matches = 8\n", "") + "\n[hill]\n")
    access = HillAccess.open(file)
    with Store.open(access.hill.spec.database, write=False) as store:
        entry = next(entry for entry in store.entries.list_all() if entry.name == "steady")
    session = access.store.accounts.sign_in("ada") or ""
    ada = access.store.accounts.identify(session)
    assert ada
    data = build_zip(bot="source")
    upload = access.intake.uploads.save(data)
    submission = (
        access.store.act_as(ada)
        .submit("steady", upload, len(data), build_terms(access.hill.config))
        .submission
    )
    access.store.queue.take()
    access.store.queue.set_state(
        submission.id, SubmissionState.CHECKING, findings=Findings(log="", report=GOOD)
    )
    assert access.store.queue.accept(submission.id, entry)
    headers = {
        "Cookie": f"{get_cookie_name(access.hill.name)}={session}",
        "Sec-Fetch-Site": "same-origin",
    }
    with TestClient(build_hill_app(access), base_url="https://localhost") as client:
        at = f"/hill/{access.hill.name}/"
        for path in (at, f"{at}bots/steady"):
            page = client.get(path, headers=headers).text
            table = re.search(r"<th[^>]*>place</th><th[^>]*>([^<]*)</th>", page)
            assert table, page
            assert table[1] == "won (%)"
