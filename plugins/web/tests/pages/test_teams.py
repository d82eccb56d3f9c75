"""Pages of a tournament of teams: replays of all seats, and hidden names in each of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.host import play_match
from arena.tournament.models import CoordinatorCommand
from arena.tournament.store import Store
from arena_web.match_announcements import build_end
from tests.support.lanterns import install_lanterns
from tests.support.tournaments.served import build_server_app, open_test_client, play_tournament

BRISCOLA = """
game = "briscola"
table = 4
matches = 2
check = false
"""


@pytest.mark.slow
def test_a_match_has_a_row_for_each_team_and_a_view_of_each_seat(tmp_path: Path) -> None:
    """The page lists both seats of a bot; a hidden name is hidden in both."""
    file = play_tournament(tmp_path, "counter", "random", text=BRISCOLA)

    def look(path: str) -> str:
        with open_test_client(build_server_app(file)) as client:
            return client.get(f"/t/tournament/{path}").text

    page = look("m/0.0")
    assert "<td>0, 2</td>" in page
    assert "<td>1, 3</td>" in page
    assert "2: counter.2" in page or "2: random.2" in page
    assert ".2" in look("m/0.0/steps?eye=3")
    with Store.open(file.with_suffix(".db")) as store:
        store.claim()
        store.carry_out(CoordinatorCommand(1, "counter", alias="bot_17"))
    hidden = "".join(look(path) for path in ("m/0.0", "m/0.0/steps?eye=all", "m/0.0/transcript"))
    assert "counter" not in hidden
    assert "bot_17.2" in hidden


LANTERNS = """
game = "lanterns"
table = 3
matches = 40
seed = "1"
workers = 1
"""


@pytest.mark.usefixtures("inline_workers")
def test_where_nobody_plays_against_anybody_no_page_speaks_of_ratings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standings, profiles and comparisons show games won and scores, over the same deals."""
    install_lanterns(tmp_path, monkeypatch)
    file = play_tournament(tmp_path, "steady", "random", text=LANTERNS)
    with open_test_client(build_server_app(file)) as client:
        pages = {
            path: client.get(f"/t/tournament/{path}").text
            for path in ("", "matrix", "curves", "bots/steady", "compare", "m/0.0", "matches")
        }
    for path, page in pages.items():
        words = re.sub("<[^>]*>", " ", page)
        assert not re.search(r"\b(rating|ratings|elo)\b", words, re.IGNORECASE), path
    assert "Won (%)" in pages["bots/steady"]
    assert "Over the 20 deals that both have played, steady won +" in pages["compare"]
    assert "steady wins more games than random" in pages["compare"]
    assert "have not met" not in pages["compare"]
    assert "Nobody plays against anybody" in pages["matrix"]


def test_the_end_of_a_match_is_told_by_team() -> None:
    """Partners have won or lost together."""
    result = play_match("briscola", ["counter", "random"], table=4, seed="3")
    best = result.places.index(1) if result.places else 0
    winner, loser = build_end(result, best), build_end(result, 1 - best)
    assert winner["said"].startswith("You won, ")
    assert loser["said"].startswith("You lost, ")
    assert "beat " in build_end(result, None)["said"]
