"""Two bots of a tournament side by side, in the terminal and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

from arena.rules import UnknownNameError
from arena.tournament import Tournament
from arena.tournament.results.bot_comparison import compare_bots
from arena.tournament.results.summary import Summary
from arena.tournament.store import Store
from tests.support.command import Cli
from tests.support.tournaments.folders import run_tournament, write_tournament
from tests.support.tournaments.inline_workers import play_inline

GOPS = """
game = "gops"
seed = "1"
matches = 12
workers = 1
check = false
options = {cards = 4}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament of three bots, each of which met each other four times."""
    folder = tmp_path_factory.mktemp("pair")
    with play_inline():
        run_tournament(write_tournament(folder, GOPS, "match", "easy", "random"))
    return folder / "tournament.toml"


def test_a_record_is_that_of_the_stored_matches(file: Path) -> None:
    """Matches, shared places and common opponents are counted from both sides."""
    with Store.open(file.with_suffix(".db"), write=False) as store:
        summary = Summary.of(store)
        places = [
            [next(seat.place or 0 for seat in match.seats if seat.name == name)
             for name in ("match", "easy")]
            for match in store.matches.find_matches()
            if {seat.name for seat in match.seats} == {"match", "easy"}
        ]  # fmt: skip
    found = compare_bots(summary, "match", "easy")
    assert found.record
    assert found.record.matches == len(places) == 4
    assert found.record.ahead == sum(own < other for own, other in places)
    assert found.record.level == sum(own == other for own, other in places)
    back = compare_bots(summary, "easy", "match")
    assert back.record
    turned = found.record.reverse("match")
    assert back.record == evolve(turned, interval=back.record.interval)
    assert back.record.interval == pytest.approx(turned.interval)
    assert back.superiority == pytest.approx(1 - found.superiority)
    (common,) = found.opponents
    assert common.label == "random"
    assert common.first.matches == common.second.matches == 4
    assert back.opponents[0].difference == -common.difference
    with pytest.raises(UnknownNameError, match="nobody"):
        compare_bots(summary, "match", "nobody")


def test_the_command_shows_two_bots_in_columns(file: Path, quick: Cli) -> None:
    """The command prints tables, or one JSON object with the statistics of both."""
    shown = quick("insights", str(file), "--compare", "match", "random").stdout
    assert "ahead of the other" in shown
    assert "Prizes won" in shown
    packed = json.loads(
        quick("insights", str(file), "--compare", "match", "random", "--json").stdout
    )
    assert packed["bots"] == ["match", "random"]
    record = packed["record"]
    assert record["ahead"] + record["level"] + record["behind"] == 4
    assert 0 <= record["low"] <= record["share"] <= record["high"] <= 1
    alone = {style.name: style for style in Tournament.load(file).insights()}
    for name, style in zip(("match", "random"), packed["statistics"], strict=True):
        shares = {entry["key"]: entry for entry in style}
        won = next(entry for entry in alone[name].entries if entry.statistic.key == "won")
        assert shares["won"]["value"] == pytest.approx(won.points[0].value, abs=1e-6)
    assert (
        "unknown entrant 'eve'" in quick("insights", str(file), "--compare", "match", "eve").stderr
    )
    refused = quick("insights", str(file), "--compare", "match", "random", "--bot", "match")
    assert "cannot be combined" in refused.stderr
