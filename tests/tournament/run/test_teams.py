"""Tournaments of teams: one entrant plays all seats of a team, and teams are ranked."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.plugins import get_plugins
from arena.records import parse_text, verify
from arena.tournament import Summary
from tests.support.programs import command_line
from tests.support.tournaments.folders import (
    list_matches,
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
FAILS_IN_SEAT_3 = """
import sys
for line in sys.stdin:
    if line.startswith("Trick: you 3"):
        sys.exit("no")
    if line.startswith("Play: "):
        print(line.split()[1], flush=True)
"""


def test_an_entrant_plays_all_seats_of_a_team(tmp_path: Path) -> None:
    """Deals are played in both ways round, from the same cards; each side counts once."""
    program = write_tournament(tmp_path, BRISCOLA, "counter", "thrifty", "random")
    run_tournament(program)
    hands: dict[str, list[object]] = {}
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
        first, second = (store.find_match(0, rotation)["seats"] for rotation in (0, 1))
        text = store.load_transcript(0, 1)
    assert [seat["name"] for seat in first] == [seat["name"] for seat in reversed(second)]
    assert {row.matches for row in summary.standings} == {8}
    assert all(1 <= row.mean_place.value <= 2 for row in summary.standings)
    assert summary.head_to_head.matches.sum() == 2 * 12  # of each two once a match, both ways
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
            entrant.partition("@")[0]: total for entrant, total in store.count_totals().items()
        }
    assert totals["frail"].matches == 2
    assert totals["frail"].verdicts == {"crashed": 1}
