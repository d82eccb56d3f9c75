"""Tournaments and duels of teams: one entrant plays all seats of a team, and teams are ranked."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.plugins import get_plugins
from arena.records import parse_text, verify
from arena.rules import UserError
from arena.tournament import Summary, play_duel
from arena.tournament.file.reader import TournamentFileError
from arena.tournament.match_record import MatchRecord
from arena.tournament.ratings import GamesWon
from arena.tournament.results.bot_comparison import compare_bots
from arena.tournament.results.standings_tables import build_standings_table
from arena.tournament.run.changes import EntrantChanges
from arena.tournament.run.tournament_run import run
from tests.support.command import Cli
from tests.support.lanterns import LANTERNS, install_lanterns
from tests.support.programs import command_line
from tests.support.tournaments.folders import (
    RecordingMonitor,
    list_matches,
    list_states,
    load_transcripts,
    open_results,
    run_tournament,
    write_tournament,
)

pytestmark = pytest.mark.usefixtures("inline_workers")

BRISCOLA = """
game = "briscola"
table = 4
matches = 12
seed = "1"
check = false
workers = 1
"""
PLAYS = """
import sys
for line in sys.stdin:
    if line.startswith("Play: "):
        print(line.split()[1], flush=True)
"""
FAILS_IN_SEAT_3 = """
import sys
for line in sys.stdin:
    if line.startswith("Trick: you 3"):
        sys.exit("no")
    if line.startswith("Play: "):
        print(line.split()[1], flush=True)
"""


def test_an_entrant_plays_all_seats_of_a_team(tmp_path: Path) -> None:
    """Deals are played both ways round from the same cards, and each side counts once."""
    program = write_tournament(tmp_path, BRISCOLA, "counter", "thrifty", "random")
    run_tournament(program)
    hands: dict[str, list[dict[str, Any]]] = {}
    for key, (head, *lines) in load_transcripts(program):
        names = [seat["name"] for seat in head["seats"]]
        assert names[2:] == [f"{name}.2" for name in names[:2]]
        hands[key] = [line for line in lines if "Hand" in str(line)][:4]
    for match in list_matches(program):
        assert [seat["seat"] for seat in match["seats"]] == [0, 1]
        assert sum(seat["score"] for seat in match["seats"]) == 120
        assert {seat["place"] for seat in match["seats"]} in ({1, 2}, {1})
    assert len(hands) == 12
    assert all(hands[f"{deal}.0"] == hands[f"{deal}.1"] for deal in range(6))
    with open_results(program) as store:
        summary = Summary.of(store)
        first, second = (store.matches.find_match(0, rotation).seats for rotation in (0, 1))
        text = store.transcripts.load(0, 1)
    assert [seat.name for seat in first] == [seat.name for seat in reversed(second)]
    assert {row.matches for row in summary.standings} == {8}
    assert all(1 <= row.mean_place.value <= 2 for row in summary.standings)
    assert summary.head_to_head.matches.sum() == 12  # of each two once a match
    assert text
    assert verify(get_plugins().find_game("briscola"), parse_text(text.decode()))


def test_a_team_fails_with_any_of_its_seats(tmp_path: Path) -> None:
    """The verdict says which seat failed; the match is lost, and counted once."""
    (tmp_path / "frail.py").write_text(FAILS_IN_SEAT_3)
    frail = command_line(tmp_path / "frail.py")
    program = write_tournament(tmp_path, BRISCOLA.replace("12", "2"), "random", frail=frail)
    run_tournament(program)
    matches = {match["seats"][1]["name"]: match["seats"] for match in list_matches(program)}
    assert matches["frail"][1]["verdict"]["kind"] == "crashed"
    assert matches["frail"][1]["verdict"]["seat"] == 3
    assert [seat["place"] for seat in matches["frail"]] == [1, 2]
    assert matches["random"][0]["verdict"] is None  # there it sat in seats 0 and 2
    with open_results(program) as store:
        totals = {
            entrant.partition("@")[0]: total
            for entrant, total in store.seats.count_totals().items()
        }
    assert totals["frail"].matches == 2
    assert totals["frail"].verdicts == {"crashed": 1}


def test_too_few_for_drawn_partners_are_told_why(tmp_path: Path) -> None:
    """Two bots fill a table as teams, but not one by one."""
    program = write_tournament(tmp_path, BRISCOLA + 'partners = "drawn"\n', "counter", "random")
    with pytest.raises(UserError, match='needs 4 entrants, not 2; use partners = "own"'):
        run_tournament(program)


def test_drawn_partners_are_rated_one_by_one(tmp_path: Path) -> None:
    """Everybody has each partner about as often, and a place and a score of its own."""
    drawn = BRISCOLA.replace("12", "60") + 'partners = "drawn"\n'
    bots = dict.fromkeys(("first", "second", "third"), "random")
    program = write_tournament(tmp_path, drawn, "counter", **bots)
    run_tournament(program)
    partners: Counter[tuple[str, ...]] = Counter()
    for match in list_matches(program):
        places = [seat["place"] for seat in match["seats"]]
        assert places[:2] == places[2:]
        names = [seat["name"] for seat in match["seats"]]
        partners.update(tuple(sorted(names[first::2])) for first in (0, 1))
    assert len(partners) == 6
    assert max(partners.values()) - min(partners.values()) <= 8
    with open_results(program) as store:
        summary = Summary.of(store)
    assert summary.standings[0].name == "counter"
    assert summary.head_to_head.matches.sum() == 4 * 60
    assert "as its members on average" in summary.describe_scale()


TWO = '\n[[entrant]]\nbots = ["counter", "counter"]\n'
PAIRS = """
[[entrant]]
bots = ["counter", "counter"]
[[entrant]]
name = "mixed"
bots = ["counter", "random"]
[[entrant]]
bots = ["random", "random"]
"""


def test_fixed_pairs_are_entrants(tmp_path: Path) -> None:
    """Each bot has its own seat, and the pair one place, one score and one rating."""
    program = write_tournament(tmp_path, BRISCOLA.replace("12", "48") + PAIRS)
    run_tournament(program)
    seated = {
        tuple((seat["name"], seat["bot"]) for seat in head["seats"])
        for _, (head, *_) in load_transcripts(program)
    }
    assert {seats[at::2] for seats in seated for at in (0, 1)} == {
        (("counter_counter", "counter"), ("counter_counter.2", "counter")),
        (("mixed", "counter"), ("mixed.2", "random")),
        (("random_random", "random"), ("random_random.2", "random")),
    }
    with open_results(program) as store:
        standings = Summary.of(store).standings
    assert [row.name for row in standings] == ["counter_counter", "mixed", "random_random"]
    assert standings[0].rating.low > standings[2].rating.high
    assert {row.matches for row in standings} == {32}


def test_a_pair_is_replaced_and_entered_late(tmp_path: Path, quick: Cli) -> None:
    """Its version is that of its bots; who has no seat for each of them is left out."""
    text = BRISCOLA.replace("12", "4").replace("check = false", "")
    program = write_tournament(tmp_path, text + PAIRS)
    run_tournament(program)
    file = str(tmp_path / "tournament.toml")
    (tmp_path / "mine.py").write_text(PLAYS)
    mine = command_line(tmp_path / "mine.py")
    assert quick("tournament", "replace", file, "mixed", f"team:counter '{mine}'").returncode == 0
    assert quick("tournament", "add", file, "team:counter counter counter").returncode == 0
    monitor = run_tournament(program)
    assert "a team of 3 bots, but here an entrant has 2 seats" in monitor.lines[-1]
    (tmp_path / "mine.py").write_text(PLAYS + "#")
    assert quick("tournament", "replace", file, "mixed").returncode == 0
    states = list_states(program)
    mixed = [state for entrant, state in states.items() if entrant.startswith("mixed@")]
    assert mixed == ["replaced", "replaced", "active"]


@pytest.mark.usefixtures("lanterns")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (BRISCOLA.replace("table = 4", 'table = 2\npartners = "drawn"'), "partners: nobody has"),
        (BRISCOLA + 'partners = "drawn"\nformat = "ladder"\n', "partners: ladder goes by results"),
        (BRISCOLA.replace("= 4", "= 2") + TWO, r"bots: 2 bots, but an entrant has 1 seat"),
        (BRISCOLA + 'partners = "drawn"\n' + TWO, r"bots: 2 bots, but an entrant has 1 seat"),
        (BRISCOLA + TWO.replace('"]', '", "random"]'), "bots: 3 bots, but an entrant has 2 seats"),
        (LANTERNS + 'rating = "bradley-terry"\n', "rating: 'bradley-terry' needs opponents"),
        (LANTERNS + 'anchor = "random = 0"\n', "anchor: a cooperative game has no ratings"),
        (LANTERNS + 'format = "ladder"\n', "cooperative; use round-robin or king-of-the-hill"),
        (LANTERNS + 'format = "swiss"\n', "format: swiss needs opponents"),
    ],
)
def test_what_teams_cannot_be_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    """The file's errors name partners without teams, bots without a seat, and what needs opponents."""
    with pytest.raises(TournamentFileError, match=problem):
        write_tournament(tmp_path, text, "random", "random")


@pytest.mark.usefixtures("lanterns")
def test_a_model_that_needs_no_opponents_rates_a_cooperative_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin's model says itself that it is for cooperative games, whatever its name."""
    monkeypatch.setitem(get_plugins().ratings, "own", GamesWon)
    assert write_tournament(tmp_path, LANTERNS + 'rating = "own"\n', "random").file.rating == "own"
    with pytest.raises(TournamentFileError, match="rating: 'own' is for cooperative games"):
        write_tournament(tmp_path, BRISCOLA + 'rating = "own"\n', "random")


class StopsAfterTen(RecordingMonitor):
    """Interrupts a tournament once ten matches are over."""

    def on_match(self, done: MatchRecord) -> None:
        super().on_match(done)
        if len(self.records) == 10:
            raise KeyboardInterrupt


@pytest.fixture
def lanterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_lanterns(tmp_path, monkeypatch)


@pytest.mark.usefixtures("lanterns")
def test_a_tournament_without_opponents_ranks_by_games_won(tmp_path: Path, quick: Cli) -> None:
    """Standings have the share of games won with its interval, and scores decide ties."""
    program = write_tournament(tmp_path, LANTERNS, "random", "steady")
    run_tournament(program)
    with open_results(program) as store:
        summary = Summary.of(store)
    first, second = summary.standings
    assert [first.name, second.name] == ["steady", "random"]
    won = [match["seats"][0]["place"] == 1 for match in list_matches(program)
           if match["seats"][0]["name"] == "steady"]  # fmt: skip
    assert first.matches == len(won) == 20
    assert first.rating.value == pytest.approx(100 * sum(won) / len(won))
    assert first.rating.low > second.rating.high
    assert first.mean_score.low > second.mean_score.high
    assert "Elo" not in summary.describe_scale()
    headings = [column.heading for column in build_standings_table(summary.standings).columns]
    assert "won (%)" in headings
    assert "rating" not in headings
    file = str(tmp_path / "tournament.toml")
    lines = csv.DictReader(quick("standings", file, "--format", "csv").stdout.splitlines())
    assert {row["measure"] for row in lines} == {"won (%)"}
    for option in ("--head-to-head", "--nash"):
        refused = quick("standings", file, option)
        assert refused.returncode == 2
        assert f"{option} needs opponents" in refused.stderr


@pytest.mark.usefixtures("lanterns")
def test_all_play_the_same_deals_where_nobody_has_opponents(tmp_path: Path) -> None:
    """Entrants without opponents play the same deals, so that cards do not matter; late ones play their own."""
    program = write_tournament(tmp_path, LANTERNS, "random", "steady", other="random")
    run_tournament(program)
    numbers: dict[str, set[str]] = {}
    for key, (head, *lines) in load_transcripts(program):
        drawn = [line for line in lines if "Number" in str(line)][:3]
        numbers.setdefault(key.partition(".")[0], set()).add(json.dumps(drawn))
        assert len({seat["name"].partition(".")[0] for seat in head["seats"]}) == 1
    assert len(numbers) == 14  # 40 matches for three
    assert {len(seen) for seen in numbers.values()} == {1}
    EntrantChanges(program).enter("late=steady")
    run_tournament(program)
    with open_results(program) as store:
        results = store.seats.load_results()
        summary = Summary.of(store)
    assert (np.bincount(results.deal)[:14] == 3).all()
    assert (np.bincount(results.deal)[14:] == 1).all()
    assert {row.matches for row in summary.standings} == {14}


@pytest.mark.usefixtures("lanterns")
def test_a_withdrawn_entrant_leaves_the_deals_to_the_others(tmp_path: Path) -> None:
    """Only the matches of a withdrawn entrant are cancelled, and the others play to the end."""
    program = write_tournament(tmp_path, LANTERNS, "random", "steady", other="random")
    with pytest.raises(KeyboardInterrupt):
        run(program, StopsAfterTen())
    EntrantChanges(program).withdraw("other")
    run_tournament(program)
    with open_results(program) as store:
        played = {entrant.partition("@")[0]: total.matches
                  for entrant, total in store.seats.count_totals().items()}  # fmt: skip
    assert played["random"] == played["steady"] == 14
    assert played["other"] < 14


@pytest.mark.usefixtures("lanterns")
def test_two_bots_are_compared_over_the_deals_that_both_have_played(tmp_path: Path) -> None:
    """Two bots are compared by games won and by scores, with intervals, and not by ratings."""
    program = write_tournament(tmp_path, LANTERNS, "random", "steady")
    run_tournament(program)
    with open_results(program) as store:
        found = compare_bots(Summary.of(store), "steady", "random")
    packed = found.pack()["same_deals"]
    assert packed["deals"] == 20
    assert packed["won_difference"]["low"] > 0
    assert packed["score_difference"]["low"] > 0
    assert "Over the 20 deals that both have played, steady won +" in found.describe_deals()
    titles = [row[0] for row in found.build_tables()[0].rows]
    assert titles[:3] == ["place", "won (%)", "mean score"]
    assert "score beyond the other, same deals" in titles


@pytest.mark.usefixtures("lanterns")
def test_a_duel_without_opponents_compares_bots_over_the_same_deals(tmp_path: Path) -> None:
    """Each bot plays each deal alone in all seats, from the same cards."""
    folder = tmp_path / "transcripts"
    folder.mkdir()
    score = play_duel(
        "lanterns", "steady", "random", pairs=20, seed="1", workers=1, transcripts=folder
    )
    texts = [path.read_text() for path in sorted(folder.iterdir())]
    drawn = [[line for line in text.splitlines() if "Number" in line][:2] for text in texts]
    assert len(drawn) == 40
    assert drawn[::2] == drawn[1::2]
    assert {len(lines) for lines in drawn} == {2}
    found = score.pack()
    assert found["deals"] == 20
    assert found["won"][0] > found["won"][1]
    assert found["won_difference"]["low"] > 0
    assert found["score_difference"]["low"] > 0


def test_a_duel_of_pairs(quick: Cli) -> None:
    """Each bot plays a pair of the table, and deals are played both ways round."""
    words = ("duel", "briscola", "--workers", "1", "--json")
    done = quick(*words, "counter", "random", "--table", "4", "--pairs", "4")
    assert done.returncode == 0, done.stderr
    assert sum(json.loads(done.stdout)["pairs"]) == 4
    pairs = ("team:counter counter", "team:random random")
    done = quick(*words, *pairs, "--pairs", "20", "--seed", "1")
    assert json.loads(done.stdout)["names"] == ["counter_counter", "random_random"]
    assert json.loads(done.stdout)["elo"]["low"] > 0
    refused = quick("duel", "briscola", "counter", "random", "--table", "3")
    assert refused.returncode == 2
    assert "needs a table of two sides, not of 3" in refused.stderr
