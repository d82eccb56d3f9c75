"""The page on the design follows five things through the code; they really go that way.

Each walk but that of an answer at a table is done here, and the order is recorded in which
functions are first called. With a server's event loop and the thread of a table, the profiling hook
that records it ends Python 3.11 with a segmentation fault, about once in three times.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from attrs import define, evolve, frozen, has
from starlette.testclient import TestClient

from arena.host import host, play_series
from arena.players.pipes import LineBuffer
from arena.players.program import Program
from arena.records.perspective import Perspective, Replayer
from arena.records.transcript import Recorder
from arena.rules.options import OneOf
from arena.rules.outcome import Outcome
from arena.rules.play import Play
from arena.tournament import Ending, Monitor, Tournament
from arena.tournament.deals import Deal
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.file.reader import TournamentFileReader
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.match_record import ReportedMatch
from arena.tournament.ratings import BradleyTerry, Ratings
from arena.tournament.ratings.rating_input import Results
from arena.tournament.results.standings import Standing, build_standings
from arena.tournament.run.admission import Admission
from arena.tournament.run.command_reader import CommandReader
from arena.tournament.run.coordinator import Coordinator
from arena.tournament.run.entrant_gate import EntrantGate
from arena.tournament.run.roster import Roster
from arena.tournament.run.schedule import Schedule
from arena.tournament.run.tournament_run import TournamentRun, run
from arena.tournament.store import EntrantTotals
from arena.tournament.store.seat_reader import SeatReader
from arena.tournament.store.stored_deals import StoredDeals
from arena.tournament.store.stored_entries import StoredEntries
from arena.tournament.store.stored_matches import StoredMatches
from arena.tournament.workers.dispatcher import Dispatcher
from arena.tournament.workers.match_batch import PlannedMatch
from arena.tournament.workers.match_play import play_batch
from arena.wires.codecs import JsonLines
from arena_hill.db.author_actions import AuthorActions
from arena_hill.db.commands import CommandLog
from arena_hill.db.judging_queue import JudgingQueue
from arena_hill.judge import JudgeDaemon
from arena_hill.judging_threads import JudgingThread
from arena_hill.submission_intake import SubmissionIntake
from arena_hill.submission_judge import SubmissionJudge
from arena_hill.upload_folder import UploadFolder
from arena_hill.web import api
from arena_web.app import build_application
from arena_web.http.response_cache import CachedResponse, ResponseCache
from arena_web.http.security import SecurityMiddleware
from arena_web.http.sse import EventBroadcast
from arena_web.matches import replay_steps, visibility
from arena_web.pages import replays
from arena_web.play.chairs.browser_player import BrowserPlayer
from arena_web.play.chairs.chair import Chair
from arena_web.play.chairs.sent_answers import AnswerInbox
from arena_web.play.match.answer_journal import AnswerJournal
from arena_web.play.pages.seat import SeatPages
from arena_web.routes import SourcePages
from arena_web.sources import open_sources
from arena_web.tournaments.views import TournamentView
from tests.support.call_order import record_first_calls
from tests.support.hill.hill_access import (
    build_author_headers,
    build_zip,
    create_key,
    open_client,
    open_hill_access,
)
from tests.support.hill.hill_folders import MATCH, drive, step_until

pytestmark = pytest.mark.slow  # plays matches and a tournament

Walk = Sequence[Callable[..., Any]]

BID: Walk = (
    LineBuffer.feed,
    Program.answer,
    JsonLines.read,
    Play.answer,
    OneOf.read,
    Recorder.on_answer,
    Outcome.of,
)
TOURNAMENT: Walk = (
    TournamentFileReader.read_tournament,
    run,
    Roster.read,
    TournamentRun.prepare_entrants,
    EntrantGate.prepare,
    Coordinator.run,
    Schedule.plan_matches,
    RoundRobin.next,
    StoredDeals.plan,
    Dispatcher.add,
    play_batch,
    host,
    StoredMatches.record,
    SeatReader.load_results_and_totals,
    BradleyTerry.fit,
    build_standings,
)
UPLOAD: Walk = (
    api.submit_bot,
    SubmissionIntake.submit,
    UploadFolder.save,
    AuthorActions.submit,
    JudgeDaemon.run,
    JudgingQueue.take,
    JudgingThread.run,
    SubmissionJudge.run_trial,
    JudgingQueue.accept,
    Coordinator.run,
    Admission.poll,
    CommandReader.carry_out_new,
    CommandLog.fetch,
    StoredEntries.carry_out,
    Schedule.admit,
)
STEPS: Walk = (
    SecurityMiddleware.__call__,
    SourcePages._answer,
    ResponseCache.get,
    replays.get_steps,
    TournamentView.load_with,
    visibility.load_public_transcript,
    replay_steps.build_replay,
    Replayer.take,
    ResponseCache.put,
    CachedResponse.respond,
)
ANSWER: Walk = (
    SeatPages.answer,
    Chair.send,
    AnswerInbox.put,
    AnswerInbox.clear_signal,
    BrowserPlayer.answer,
    OneOf.read,
    EventBroadcast.put,
    Play.answer,
    AnswerJournal.on_answer,
    BrowserPlayer.ask,
    Perspective.see_question,
    Chair.open_question,
)
WALKS: dict[str, Walk] = {
    "### The walk of a bid": BID,
    "### The walk of a tournament's file": TOURNAMENT,
    "### The walk of an uploaded archive": UPLOAD,
    "### The walk of a replay's steps": STEPS,
    "### The walk of an answer at a table": ANSWER,
}
ROOMS = ("reader", "tournament_run", "roster", "tournament_run", "entrant_gate", "coordinator", "schedule", "formats",
    "store", "dispatcher", "match_play", "host", "store", "ratings", "standings")  # fmt: skip
"""The modules and parts that a tournament's file visits, two of them twice."""
PACKAGES = ("formats", "store", "host", "ratings")
"""The parts that are named as a whole, whichever of their modules is visited."""
FORMS = (TournamentSpec, Entry, ReadyEntry, PlannedMatch, Deal, ReportedMatch, Standing)
"""What one of them hands to the next; `COLUMNS` hold all matches at once, as numbers."""
COLUMNS = {Results, EntrantTotals, Ratings}
FILE = """
game = "gops"
matches = 4
check = false
workers = 1
transcripts = "all"
[options]
cards = 4
[[entrant]]
bot = "random"
[[entrant]]
bot = "match"
"""
BOT_FILE = 'name = "mine"\ncommand = "python3 -I -S bot.py"\n'


def name_of(function: Callable[..., Any]) -> str:
    return function.__qualname__


def read_section(root: Path, heading: str) -> str:
    page = (root / "docs/explanation/design.md").read_text("utf-8")
    return page.partition(f"{heading}\n")[2].split("\n#")[0]


@pytest.mark.parametrize("heading", WALKS)
def test_the_page_names_those_who_do_the_work_in_order(heading: str, root: Path) -> None:
    """Each class, or each function that belongs to none, is named in its section, in the order of the walk."""
    named = re.findall(r"`(\w+)`", read_section(root, heading))
    at = 0
    for function in WALKS[heading]:
        owner = name_of(function).partition(".")[0]
        if owner in named[:at]:
            continue
        assert owner in named[at:], f"{owner} is not named there, or too early"
        at = named.index(owner, at) + 1


def test_a_bid_takes_its_walk() -> None:
    """From a line of the program to the transcript, and at the end of the game to the outcome."""
    with record_first_calls(BID, BID[0]) as order:
        play_series("gops", ["program:random", "random"], games=1, seed="1", record=True)
    assert order == [*map(name_of, BID)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "league.toml"
    path.write_text(FILE)
    return path


@frozen
class ThreadWorkers:
    """A worker in this process, where its calls are recorded, too."""

    remote = False

    def places(self) -> int:
        return 1

    def open(self, workers: int, bots: Path, mark: str) -> Executor:
        return ThreadPoolExecutor(workers)


def find_room(function: Callable[..., Any]) -> str:
    """Return the module of a function, or one of `PACKAGES` that it stands in."""
    *packages, module = function.__module__.split(".")
    return next((package for package in packages if package in PACKAGES), module)


def list_forms(annotation: Any) -> Iterator[type]:
    """Yield the classes of attrs that a type names, if they stand in `arena/tournament`."""
    if isinstance(annotation, type) and annotation.__module__.startswith("arena.tournament."):
        yield from [annotation] if has(annotation) else []
    for part in get_args(annotation):
        yield from list_forms(part)


def test_a_tournaments_file_returns_to_two_modules_only() -> None:
    """Entrants are read before the database is there, and deals are stored before they are played."""
    rooms = [room for room, _ in groupby(map(find_room, TOURNAMENT))]
    assert rooms == [*ROOMS]
    assert len(rooms) - len({*rooms}) == 2


def test_a_tournaments_file_has_seven_forms(root: Path) -> None:
    """The page names each of them, as what a function of the walk returns."""
    columns = {
        kind.__name__: kind for kind in COLUMNS
    }  # which the store imports when it reads them
    returned = [get_type_hints(function, None, columns)["return"] for function in TOURNAMENT]
    forms = dict.fromkeys(form for annotation in returned for form in list_forms(annotation))
    assert [form for form in forms if form not in COLUMNS] == [*FORMS]
    section = read_section(root, "### The walk of a tournament's file")
    assert all(f"`{form.__name__}`" in section for form in forms)


def test_a_tournaments_file_takes_its_walk(file: Path) -> None:
    """From the file through the matches to the standings."""
    with record_first_calls(TOURNAMENT, TOURNAMENT[0]) as order:
        tournament = Tournament.load(file)
        tournament.spec = evolve(tournament.spec, executors=ThreadWorkers())
        assert tournament.run() is Ending.PLAYED
        assert len(tournament.standings()) == 2
    assert order == [*map(name_of, TOURNAMENT)]


def test_steps_of_a_replay_take_their_walk(file: Path) -> None:
    """From the request to the cached answer, in one thread after the other."""
    assert Tournament.load(file).run() is Ending.PLAYED
    pages = SourcePages(open_sources([str(file)]))
    app = build_application(pages.routes, on_shutdown=[pages.close])
    with (
        record_first_calls(STEPS, STEPS[0]) as order,
        TestClient(app, base_url="http://localhost") as client,
    ):
        assert client.get("/t/league/m/0.0/steps?eye=0").json()["steps"]
    assert order == [*map(name_of, STEPS)]


@define
class InterruptAtFirstMessage(Monitor):
    """Interrupts the run of a hill when it says that the first command has been carried out."""

    interrupted: bool = False

    def on_message(self, text: str) -> None:
        if not self.interrupted:
            self.interrupted = True
            signal.raise_signal(signal.SIGINT)


def test_an_uploaded_archive_takes_its_walk(tmp_path: Path) -> None:
    """From the upload through the judge to the schedule of the tournament."""
    hill = open_hill_access(tmp_path)
    headers = {**build_author_headers(create_key(hill)), "Content-Type": "application/zip"}
    bot = build_zip(**{"bot.toml": BOT_FILE, "bot.py": MATCH})
    with record_first_calls(UPLOAD, UPLOAD[0]) as order:
        with open_client(hill) as client:
            client.put("/api/v1/hills/gops/bots/mine", content=bot, headers=headers)
        judge = JudgeDaemon.of(hill.hill, hill.store, trust_everybody=True)
        drive(judge, step_until(lambda: hill.store.commands.fetch(0)))
        order.remove(name_of(CommandLog.fetch))  # the test has looked there itself
        Tournament.load(tmp_path / "gops.toml").run(
            InterruptAtFirstMessage(), commands=hill.store.commands, trust_everybody=True
        )
    assert order == [*map(name_of, UPLOAD)]
