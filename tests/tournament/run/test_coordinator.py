"""How a tournament goes on: who fails is set aside, formats wait, deals are fair and stay secret."""

from __future__ import annotations

import signal
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from arena.cli.support.tournament_display import CountingMonitor
from arena.rules import derive_seed
from arena.tournament.file.reader import load
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.match_record import MatchRecord
from arena.tournament.run.coordinator import MAX_VERDICTS_IN_A_ROW, Ending
from arena.tournament.run.tournament_run import run
from arena.tournament.store import Store
from tests.support.command import Cli
from tests.support.tournaments.folders import (
    HEARS,
    SHORT,
    RecordingMonitor,
    count_matches,
    list_matches,
    list_states,
    load_transcripts,
    open_results,
    run_tournament,
    write_bot,
    write_tournament,
)
from tests.support.tournaments.forked_workers import forked_workers

__all__ = ["forked_workers"]

pytestmark = pytest.mark.usefixtures("inline_workers")
GOPS = """
game = "gops"
seed = "1"
check = false
workers = {}
[options]
cards = 5
"""
CUT = """
import os, signal
with open("cut", "a") as file:
    file.write("x")
    before = file.tell() - 1
def find_parent(process):
    return int(open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[1])
worker = find_parent(os.getppid())
kills = [worker, find_parent(worker)]
if before < 2:
    print("match", file=open("heard", "a"))
    for line in iter(input, ""):
        print(line, file=open("heard", "a"))
        if line.startswith("Competition"):
            break
    os.kill(kills[before], signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGSTOP)
"""
"""Kills its worker at the first prize, the next time the whole run; behind it stands a bot."""


def write_gops(
    folder: Path, lines: str, *bots: str, workers: int = 1, **more: str
) -> TournamentSpec:
    return write_tournament(folder, f"{lines}\n{GOPS.format(workers)}", *bots, **more)


def test_who_fails_again_and_again_is_set_aside(tmp_path: Path) -> None:
    """The planned matches of an entrant that is set aside are cancelled, and the others play all theirs."""
    program = write_gops(
        tmp_path, 'format = "round-robin:rounds=15"', "random", "match", fails="false"
    )
    monitor = run_tournament(program)
    assert monitor.lines == ["fails is set aside: 5 verdicts in a row, the last crashed"]
    assert [*list_states(program).values()] == ["active", "active", "set aside"]
    found = count_matches(program)
    assert (found.remaining, found.void) == (0, 0)
    names = [{seat["name"] for seat in match["seats"]} for match in list_matches(program)]
    assert sum("fails" not in words for words in names) == 15
    assert MAX_VERDICTS_IN_A_ROW <= sum("fails" in words for words in names) < 20
    assert found.cancelled == 45 - len(names)
    assert run_tournament(program).records == []
    with open_results(program) as store:
        counting_monitor = CountingMonitor(program)
        counting_monitor.on_open(store)
        assert counting_monitor.summary == f"{len(names)} matches are over"


def test_a_late_result_counts_nowhere(tmp_path: Path) -> None:
    """A monitor does not hear of the result of a match that is over already."""

    class CancelLast(RecordingMonitor):
        def on_open(self, store: Store) -> None:
            self.store = store

        def on_match(self, done: MatchRecord) -> None:
            super().on_match(done)
            self.store.matches.cancel([(2, 1)], "it took too long")

    monitor = CancelLast()
    program = write_tournament(tmp_path, SHORT, "random", "careful")
    assert run(program, monitor) is Ending.PLAYED
    assert len(monitor.records) == 5
    assert count_matches(program).cancelled == 1


def test_a_field_that_is_too_small_ends(tmp_path: Path) -> None:
    """A tournament ends when nobody is left to play against."""
    program = write_gops(tmp_path, "matches = 100", "random", fails="false")
    monitor = run_tournament(program)
    assert MAX_VERDICTS_IN_A_ROW <= len(monitor.records) < 20
    assert count_matches(program).remaining == 0


@pytest.mark.usefixtures("forked_workers")
def test_rounds_wait_for_each_other(tmp_path: Path) -> None:
    """In a format that depends on results no round begins before the last is over."""
    program = write_gops(
        tmp_path, 'format = "swiss:rounds=3"', "random", "match", "ordered", "easy", workers=2
    )
    over = [done.deal for done in run_tournament(program).records]
    assert [{*over[start : start + 2]} for start in (0, 2, 4)] == [{0, 1}, {2, 3}, {4, 5}]
    stages = [match["stage"] for match in list_matches(program)]
    assert [len([*group]) for _, group in groupby(stages)] == [2, 2, 2]


def test_a_tournament_ends_when_its_order_is_settled(tmp_path: Path) -> None:
    """A run ends as soon as the order is certain, also when it is continued."""
    lines = 'format = "king-of-the-hill"\nstop = "resolved"\nmatches = 500'
    played = [
        len(run_tournament(write_gops(tmp_path / name, lines, "random", hard="hard")).records)
        for name in ("a", "b")
    ]
    assert 0 < played[0] < 500
    assert played[0] == played[1]


def test_who_keeps_a_folder_sees_each_deal_once(tmp_path: Path) -> None:
    """A keeper's folder stays between its matches, of which no two have the same prizes."""
    write_bot(tmp_path, "mine", HEARS)
    keeper = '[[entrant]]\nbot = "mine"\nkeeps = true\n'
    program = write_gops(tmp_path, "matches = 12\nduplicate = true", "random", "match")
    path = tmp_path / "tournament.toml"
    path.write_text(path.read_text() + keeper)
    program = load(path)
    run_tournament(program)
    seated = [match for match in list_matches(program) if "mine" in str(match["seats"])]
    heard = _read_prizes(tmp_path)
    assert len(heard) == len({*heard}) == len(seated) > 5
    assert not [file for file in tmp_path.rglob("heard") if "kept" not in file.parts]


def test_a_deal_that_was_cut_becomes_another(tmp_path: Path, cli: Cli, quick: Cli) -> None:
    """A keeper gets another deal after its worker or the run was killed."""
    write_bot(tmp_path, "mine", CUT + HEARS)
    keeper = '[[entrant]]\nbot = "mine"\nkeeps = true\n[[entrant]]\nbot = "random"\n'
    text = GOPS.format(1).replace("5", "13").replace('"1"', '"2"')  # no two deals begin alike
    (tmp_path / "tournament.toml").write_text(f"matches = 1\n{text}{keeper}")
    done = cli("tournament", "run", "tournament.toml")
    assert done.returncode == -signal.SIGKILL
    assert "Traceback" not in done.stderr
    assert quick("tournament", "run", "tournament.toml").returncode == 0
    *cut, whole = (prizes.splitlines() for prizes in _read_prizes(tmp_path))
    assert [len(prizes) for prizes in cut] == [1, 1]
    assert len(whole) == 13
    assert len({prizes[0] for prizes in (*cut, whole)}) == 3


def _read_prizes(folder: Path) -> list[str]:
    """Return the prizes of each match that a keeper has played, a line for each prize."""
    (file,) = (folder / "tournament.arena/kept").glob("*/heard")
    return [
        "\n".join(line for line in lines if line.startswith("Competition"))
        for same, lines in groupby(file.read_text().splitlines(), "match".__eq__)
        if not same
    ]


def test_a_duplicate_deal_is_played_in_every_seat(tmp_path: Path) -> None:
    """Each entrant plays a duplicate deal in each seat, with the same cards."""
    program = write_tournament(tmp_path, SHORT + "duplicate = true\n", "random", "careful")
    run_tournament(program)
    found = load_transcripts(program)
    told = [(key.partition(".")[0], list_names(lines), list_cards(lines)) for key, lines in found]
    assert len(told) == 6
    for (deal, first, dealt), (number, second, again) in zip(told[::2], told[1::2], strict=True):
        assert (deal, dealt) == (number, again)
        assert first == second[::-1]
    assert len({str(cards) for _, _, cards in told}) > 1


def list_names(lines: list[dict[str, Any]]) -> list[str]:
    return [seat["name"] for seat in lines[0]["seats"]]


def list_cards(lines: list[dict[str, Any]]) -> list[tuple[int, int]]:
    events = [line for line in lines if line.get("event", {}).get("tell") == "Card"]
    return [(line["to"], line["event"]["rank"]) for line in events]


def test_a_seed_says_how_a_tournament_comes_out(tmp_path: Path) -> None:
    """One seed gives the same matches to the last answer, with one worker or two."""
    found = []
    for workers in (1, 2):
        text = SHORT.replace("workers = 1", f"workers = {workers}").replace("6", "12")
        program = write_tournament(
            tmp_path / str(workers), text, "random", "careful", other="random"
        )
        run_tournament(program)
        found.append([(key, strip_times(lines)) for key, lines in load_transcripts(program)])
    assert found[0] == found[1]


def strip_times(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**line, "seconds": None, "latency": None} for line in lines]


def test_without_a_seed_every_tournament_is_another(tmp_path: Path) -> None:
    """Without a seed each tournament has another secret, other deals and other keys."""
    secrets, keys, seeds = [], [], []
    for name in ("a", "b"):
        program = write_tournament(
            tmp_path / name, SHORT.replace('seed = "1"', ""), "random", "careful"
        )
        run_tournament(program)
        with open_results(program) as store:
            secrets.append(store.facts.get("secret"))
        (_, lines), *_ = load_transcripts(program)
        keys.append(lines[0]["match"])
        seeds.append(lines[0]["seed"])
    assert [len(secret) for secret in secrets] == [32, 32]
    for words in (secrets, keys, seeds):
        assert words[0] != words[1]


def test_a_bot_cannot_work_out_what_the_others_are_given(tmp_path: Path) -> None:
    """No seed of a bot follows from the number of the match alone."""
    text = "import sys\nprint(sys.stdin.readline(), file=open('greeting', 'a'))"
    write_bot(tmp_path, "mine", text)
    program = write_tournament(
        tmp_path, SHORT + '[[entrant]]\nbot = "mine"\nkeeps = true\n', "random"
    )
    run_tournament(program)
    (file,) = tmp_path.glob("tournament.arena/kept/*/greeting")
    greetings = file.read_text()
    assert '"seed"' in greetings
    for key in ("0", "0.0", "1.0", "0-0"):
        for seat in range(2):
            assert derive_seed(key, "bot", seat) not in greetings
    for _, lines in load_transcripts(program):
        assert lines[0]["seed"] not in greetings
