"""Tournaments from Python: made, run, asked, shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from arena import Bot
from arena.host import AnyBot, Limits, configure, parse_entrant
from arena.plugins import get_plugins
from arena.records import verify
from arena.rules import UserError
from arena.tournament import (
    Ending,
    Estimate,
    Monitor,
    State,
    Tournament,
    TournamentResults,
)
from arena.tournament.match_record import MatchRecord
from arena.tournament.results.standings import COLUMNS
from tests.support.command import Cli

pytestmark = pytest.mark.usefixtures("inline_workers")
MINE = """
from arena import Bot

class High(Bot):
    def __init__(self, most=99):
        self.most = most
    def choose(self, question):
        return max(question.options, key=lambda card: (card <= self.most, card))
"""
SETTINGS: dict[str, Any] = {
    "seed": "1", "matches": 6, "workers": 1, "check": False, "options": {"cards": 4},
    "limits": Limits(move=20.0),
}  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_tournament_is_run_and_asked(home: Path) -> None:
    """A tournament goes on where it stopped, and the command line shows what was played."""
    over: list[tuple[int, int | None]] = []
    held = Tournament("gops", ["easy", "x=match"], database="hill.db", **SETTINGS)
    assert held.run(lambda *counts: over.append(counts)) is Ending.PLAYED
    assert over == [(number, 6) for number in range(1, 7)]
    more = Tournament("gops", ["easy", "x=match"], database="hill.db", **{**SETTINGS, "matches": 8})
    more.run(lambda *counts: over.append(counts))
    assert over[6:] == [(7, 8), (8, 8)]
    rows = more.standings()
    assert [(row.entry.name, row.place, row.matches) for row in rows] == [
        ("x", 1, 8),
        ("easy", 2, 8),
    ]
    assert (rows.game, rows.matches, rows.level) == ("gops", 8, 0.95)
    assert (home / "hill.db").exists()


def test_a_tournament_without_a_database_leaves_nothing(home: Path) -> None:
    """The files of a tournament without a database go with the object."""
    held = Tournament("gops", ["easy", "x=match"], **SETTINGS)
    assert held.run() is Ending.PLAYED
    first, last = held.standings()
    assert (first.name, first.place, first.matches) == ("x", 1, 6)
    mean = first.mean_score
    assert mean.low <= mean.value <= mean.high
    assert last.name == "easy"
    database = Path(held.spec.database)
    assert database.exists()
    del held
    assert not database.exists()
    assert [*home.iterdir()] == []


def test_an_anchor_has_its_rating(home: Path) -> None:
    """An anchor may change between runs, and has to be an entrant before anything is created."""
    bots = ["easy", "x=match"]
    with pytest.raises(UserError, match=r"^hill.toml: anchor: unknown entrant 'y' \(available: "):
        Tournament("gops", bots, database="hill.db", anchor="y = 0", **SETTINGS).run()
    assert [*home.iterdir()] == []
    for rating in (0, 100):
        held = Tournament("gops", bots, database="hill.db", anchor=f"x = {rating}", **SETTINGS)
        held.run()
        found = held.standings()
        assert found[0].rating == Estimate(rating, rating, rating)
        assert f"Elo points, x = {rating}, with 95" in found.svg()


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        (Estimate(224.6, -4.4, 453.6), "225 ±229"),
        (Estimate(36.43, 31.95, 40.91), "36.4 ±4.5"),
        (Estimate(1.33, 1.15, 1.51), "1.33 ±0.18"),
        (Estimate(0.0, float("-inf"), float("inf")), "0.00 ±inf"),
        (Estimate(float("nan"), float("nan"), float("nan")), "unknown"),
    ],
)
def test_an_estimate_is_printed_with_its_interval(estimate: Estimate, words: str) -> None:
    """Large figures have no decimals, small ones two."""
    assert str(estimate) == words


def test_a_file_and_python_hold_the_same_tournament(home: Path) -> None:
    """A file and Python play the same matches with the same seed."""
    (home / "one.toml").write_text(
        'game = "gops"\nseed = "1"\nmatches = 6\nworkers = 1\ncheck = false\noptions.cards = 4\ntime.move = 20.0\n'
        '[[entrant]]\nbot = "easy"\n[[entrant]]\nbot = "x=match"\n'
    )
    held = (
        Tournament.load("one.toml"),
        Tournament("gops", ["easy", "x=match"], database="two.db", **SETTINGS),
    )
    for match in held:
        match.run()
    first, second = (
        [[seat.score for seat in match.seats] for match in each.matches()] for each in held
    )
    assert first == second


def test_matches_are_rows_and_a_filter_lets_some_through(quick: Cli) -> None:
    """Matches are listed newest first, as the command line prints them, with their transcripts."""
    held = Tournament("gops", ["easy", "match", "x=easy"], database="hill.db", **SETTINGS)
    held.run()
    everything = held.matches()
    told = quick("matches", "hill.db", "--json").stdout.splitlines()
    assert [match.pack() for match in everything] == [*map(json.loads, told)]
    mine = held.matches(bot="x", limit=2)
    assert len(mine) == 2
    assert all("x" in [seat.name for seat in match.seats] for match in mine)
    assert everything[0].match in str(everything)
    assert verify(get_plugins().find_game("gops"), held.transcript(mine[0].match))
    for key, message in (("17.x", "is not the key of a match"), ("99.0", "has not been played")):
        with pytest.raises(UserError, match=message):
            held.transcript(key)
    with pytest.raises(UserError, match="unknown entrant 'nobody'"):
        held.matches(bot="nobody")


def test_tables_become_data_frames_and_pictures() -> None:
    """Frames have a row for each entrant or for each seat of each match, and the columns of CSV."""
    held = Tournament("gops", ["easy", "match"], database="hill.db", **SETTINGS)
    held.run()
    standings, matches = held.standings(), held.matches()
    for frame in (standings.to_pandas(), standings.to_polars()):
        assert [*frame["name"]] == [row.entry.name for row in standings]
        assert [*frame.columns] == [*COLUMNS]
        assert [*frame["low"]] == [round(row.rating.low, 4) for row in standings]
    for frame in (matches.to_pandas(), matches.to_polars()):
        assert len(frame) == 12
        assert [*frame["score"]] == [seat.score for match in matches for seat in match.seats]
    picture = ET.fromstring(standings.svg())  # noqa: S314  # it is our own
    words = "".join(picture.itertext())
    assert "6 matches of gops" in words
    for name in ("easy", "match"):
        assert name in words
        assert name in standings._repr_html_()
        assert name in str(standings)


def test_classes_of_files_take_part_with_parameters(home: Path) -> None:
    """A class outside of a file is refused, as workers could not import it."""
    (home / "mine.py").write_text(MINE)
    made = parse_entrant(get_plugins().find_game("gops"), "mine.py:High").make_bot
    assert made
    high = type(made())
    low = configure(high, name="low", most=2)
    held = Tournament("gops", [high, low, "y=easy"], database="hill.db", **SETTINGS)
    held.run()
    assert {row.entry.name for row in held.standings()} == {"High", "low", "y"}
    assert all(match.end == "finished" for match in held.matches())

    def factory_of_one() -> Bot:
        return high()

    with pytest.raises(UserError, match=r"PATH\.py:CLASS"):
        Tournament("gops", [factory_of_one, "easy"], database="hill.db")


def test_all_mistakes_are_told_at_once() -> None:
    """Each mistake has a line, as in a file."""
    with pytest.raises(UserError) as caught:
        Tournament("gops", [], database="x.db", matches=0, format="rond-robin")
    told = sorted(str(caught.value).splitlines())
    assert [line.partition(":")[0] for line in told] == ["entrant", "format", "matches"]


def test_nothing_stands_before_the_first_run() -> None:
    """Results before the first run are refused in one line."""
    with pytest.raises(UserError, match=r"^[^\n]+$"):
        Tournament("gops", ["easy", "match"], database="hill.db").standings()


def test_python_and_the_commands_say_the_same(home: Path, quick: Cli) -> None:
    """A tournament is changed, compared and exported by the calls that the commands make."""
    bots: list[AnyBot] = ["easy", "x=match", "random"]
    held = Tournament("gops", bots, database="hill.db", **{**SETTINGS, "matches": 12})
    held.run()
    assert held.withdraw("easy").state is State.WITHDRAWN
    (home / "mine.py").write_text(MINE)
    assert held.add("mine.py:High").name == "High"
    (home / "mine.py").write_text(f"{MINE}\n")
    old, new = held.replace("High")
    assert (old.name, new.name, old.version != new.version) == ("High", "High", True)
    held.run()
    again = [match.match for match in held.matches(bot="x", limit=2)]
    assert held.rerun(*again) is Ending.PLAYED
    assert [len(match.replaced) for match in held.matches(bot="x", limit=2)] == [1, 1]
    with pytest.raises(UserError, match="unknown entrant 'y'"):
        held.withdraw("y")
    results = TournamentResults.open("hill.db")
    pairs = quick("standings", "hill.db", "--head-to-head", "--format", "csv").stdout.splitlines()
    assert pairs[1:] == [
        ",".join(map(str, row.values())) for row in results.head_to_head().to_records()
    ]
    compared = quick("insights", "hill.db", "--compare", "x", "random", "--json").stdout
    assert json.loads(compared) == json.loads(json.dumps(results.compare("x", "random").pack()))
    results.export("hill.csv")
    with pytest.raises(UserError, match="'xml' is no format of results: use csv, jsonl or parquet"):
        results.export("hill.xml", format="xml")
    assert (home / "hill.csv").read_text() == quick("export", "hill.db").stdout
    anchored = quick("standings", "hill.db", "--json", "--anchor", "random = 0").stdout
    assert [json.loads(line)["rating"] for line in anchored.splitlines()] == [
        row.pack()["rating"] for row in results.standings("random = 0")
    ]
    whole = quick("standings", "hill.db", "--json", "--all").stdout
    assert [json.loads(line)["name"] for line in whole.splitlines()] == [
        row.name for row in results.standings(everybody=True)
    ]
    assert results.evenness().plays.most == 12


def test_a_monitor_hears_of_everything(caplog: pytest.LogCaptureFixture) -> None:
    """A monitor gets all events; without one the log has what a host should read."""

    class Hears(Monitor):
        def __init__(self) -> None:
            self.records: list[MatchRecord] = []

        def on_match(self, done: MatchRecord) -> None:
            self.records.append(done)

    bots = ["easy", "match", "bad=python3 -c 'print(0)'"]
    monitor = Hears()
    settings = {**SETTINGS, "check": True}
    Tournament("gops", bots, database="one.db", **settings).run(monitor)
    assert monitor.records
    assert not caplog.records
    Tournament("gops", bots, database="two.db", **settings).run()
    assert "bad is left out" in caplog.text
