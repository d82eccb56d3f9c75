"""Pages of a tournament of teams: replays of all seats, and hidden names in each of them."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from arena import UserError
from arena.host import play_match
from arena.tournament.commands import AliasCommand
from arena.tournament.store import Store
from arena_web.app import build_application
from arena_web.matches.ends import build_finished_end
from arena_web.matches.finish import POINTS, MatchFinish
from arena_web.play.match.table import PlayTable
from arena_web.play.routes import PlayPages
from arena_web.play.setup_requests import read_setup
from arena_web.play.tables import PlayTables
from tests.support.lanterns import LANTERNS, install_lanterns
from tests.support.tournaments.served import build_server_app, open_test_client, play_tournament

BRISCOLA = """
game = "briscola"
table = 4
matches = 2
workers = 1
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
    eyes = unescape(page)
    assert any(f'"key": "2", "name": "{name}.2"' in eyes for name in ("counter", "random"))
    assert ".2" in look("m/0.0/steps?eye=3")
    with Store.open(file.with_suffix(".db")) as store:
        store.claim()
        store.entries.carry_out(AliasCommand(1, "counter", "bot_17"))
    hidden = "".join(look(path) for path in ("m/0.0", "m/0.0/steps?eye=all", "m/0.0/transcript"))
    assert "counter" not in hidden
    assert "bot_17.2" in hidden


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
    assert "The game is cooperative" in pages["matrix"]


PAIRS = """
[[entrant]]
bots = ["counter", "random"]
[[entrant]]
name = "hidden"
bots = ["random", "program:random"]
"""


@pytest.mark.usefixtures("inline_workers")
def test_a_profile_says_which_bundled_bots_a_team_is_of(tmp_path: Path) -> None:
    """And nothing of how the host starts others."""
    file = play_tournament(tmp_path, text=BRISCOLA + PAIRS)
    with open_test_client(build_server_app(file)) as client:
        known, other = (
            client.get(f"/t/tournament/bots/{name}").text for name in ("counter_random", "hidden")
        )
    assert "A team of counter and random." in known
    assert "Python (bundled)" in known
    assert "program:" not in other
    assert "A team of" not in other


@pytest.mark.usefixtures("inline_workers")
def test_pages_of_drawn_partners_have_a_row_for_each(tmp_path: Path) -> None:
    """The match page shows the place of each; opponents are compared, and partners are not."""
    drawn = BRISCOLA.replace("matches = 2", 'matches = 8\nseed = "1"\npartners = "drawn"')
    bots = {"third": "random", "fourth": "random"}
    file = play_tournament(tmp_path, "counter", "random", text=drawn, **bots)
    with open_test_client(build_server_app(file)) as client:
        pages = {
            path: client.get(f"/t/tournament/{path}")
            for path in ("", "matrix", "curves", "bots/counter", "compare", "m/0.0", "matches")
        }
    assert {page.status_code for page in pages.values()} == {200}
    assert "as its members on average" in pages[""].text
    assert re.search(r"\w+ and \w+ (beat|tie)", pages["m/0.0"].text)
    assert 'class="words result tied"' not in pages["bots/counter"].text
    assert {*re.findall(r"<td>\d of (\d)</td>", pages["bots/counter"].text)} == {"2"}
    rows = re.findall(r"<td>([0-3])</td>", pages["m/0.0"].text)
    assert {*"0123"} <= {*rows}


def test_a_table_of_pairs_is_set_in_the_form() -> None:
    """A person, its partner and their opponents; another table seats them on the other side."""
    form = {"game": "briscola", "bot": "counter", "partner": "thrifty", "table": "4"}
    tables = PlayTables()
    with open_test_client(build_application(PlayPages(tables).routes, limits={})) as client:
        client.post("/play", data=form, follow_redirects=False)
        (table,) = tables.places.values()
        assert isinstance(table, PlayTable)
        assert client.portal
        client.portal.call(table.close)
        again = f"/seat/{table.secrets[0]}/again"
        client.post(again, data={"swap": "yes"}, follow_redirects=False)
        (_, other) = tables.places.values()
        assert isinstance(other, PlayTable)
        client.portal.call(tables.close)
    assert {"player", "thrifty"} in [{*table.seating.spec.names[side::2]} for side in (0, 1)]
    (chair,) = table.chairs.values()
    assert table.describe_company(chair) == "with Medium bot against Expert 1 and Expert 2"
    assert other.seating.spec.names.index("player") == 1 - table.seating.spec.names.index("player")
    assert {"player", "thrifty"} in [{*other.seating.spec.names[side::2]} for side in (0, 1)]
    with pytest.raises(UserError, match="is for 2 to 4 players, not 5"):
        read_setup({"game": ["briscola"], "bot": ["counter"], "table": ["5"]}, ())
    with pytest.raises(UserError, match="'four' is not a number of seats"):
        read_setup({"game": ["briscola"], "bot": ["counter"], "table": ["four"]}, ())


def test_the_end_of_a_match_is_told_by_team() -> None:
    """Partners have won or lost together."""
    result = play_match("briscola", ["counter", "random"], table=4, seed="3")
    best = result.places.index(1) if result.places else 0
    finish = MatchFinish.of(result, result.names, POINTS)
    assert finish
    winner, loser = (build_finished_end("finished", finish, seat) for seat in (best, 1 - best))
    assert winner.said.startswith("You won, ")
    assert loser.said.startswith("You lost, ")
    assert "beat " in build_finished_end("finished", finish).said
