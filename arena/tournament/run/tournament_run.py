"""Running a tournament, for the first time or again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from attrs import asdict

from arena.rules import UserError, derive_seed, generate_seed
from arena.tournament.config.data_folder import get_data_folder, make_data_folder
from arena.tournament.config.spec import SUFFIX, TournamentSpec, list_changes
from arena.tournament.entrants.admission_check import EntrantsError, check_entrants, check_portable
from arena.tournament.entrants.bot_copies import clear_leftovers
from arena.tournament.entrants.roster import open_roster
from arena.tournament.entrants.sandboxing import SandboxResolver, summarize_sandboxes
from arena.tournament.executors import (
    clean_up_around,
    make_scratch_folder,
    mark_processes,
)
from arena.tournament.models.coordinator_commands import CommandQueue
from arena.tournament.models.records import Entry
from arena.tournament.models.schedule import FormatTerms, Id
from arena.tournament.monitor import Monitor
from arena.tournament.run.coordinator import Coordinator, Ending
from arena.tournament.run.dispatcher import Dispatcher, choose_concurrency
from arena.tournament.run.hill_admission import Admission
from arena.tournament.run.replays import reopen_matches, reopen_void_matches
from arena.tournament.run.scheduler import Schedule
from arena.tournament.store import Key, Store
from arena.tournament.worker.jobs import Contestant, Task
from arena.tournament.worker.live_transcripts import LIVE_FOLDER, open_live_folder

MARK_LENGTH = 16
HILL_FACT = "hill"
"""The name of the fact with the settings of a hill by which it was last run."""
ADVICE = (
    "Restore that, or set another database. To change entrants, use"
    " `arena tournament add`, `replace` and `withdraw`"
)


def run(
    tournament: TournamentSpec,
    monitor: Monitor,
    *,
    commands: CommandQueue | None = None,
    trust_everybody: bool = False,
    replay_void: bool = False,
    rerun: Sequence[Key] = (),
) -> Ending:
    """Run a tournament from its present state to its end, or until a signal comes.

    Matches that are void through the host are played again, with `replay_void` all void ones, and
    the matches to `rerun` in any case.

    With `commands` the tournament is a hill: it has no end, and entrants join and leave by these
    commands. Untrusted entrants play in a sandbox; if none works they do not play, unless everybody
    is trusted explicitly.
    """
    containing = SandboxResolver(tournament, trust_everybody)
    with claim_store(tournament) as store:
        make_data_folder(tournament)
        store.set_fact("level", tournament.file.level)
        store.set_fact("over", False)  # stays so if the run is interrupted
        if hill := tournament.file.hill:  # to tell at the next start what has changed
            store.set_fact(HILL_FACT, {"size": hill.size, "sources": hill.sources})
        clear_leftovers(open_roster(tournament).bots)
        monitor.on_open(store)
        for line in open_roster(tournament).explain_absences(
            tournament.file.entrant, store.list_entries()
        ):
            monitor.on_message(line)
        mark = derive_seed(store.get_fact("secret"), "mark", tournament.database)[:MARK_LENGTH]
        with clean_up_around(mark), open_live_folder(get_data_folder(tournament) / LIVE_FOLDER):
            with mark_processes(mark, make_scratch_folder(mark)):
                contestants = check_entrants(store, tournament, monitor, containing)
            reopen_matches(store, tournament.format, monitor, rerun)
            reopen_void_matches(store, tournament.format, monitor, every=replay_void)
            for line in summarize_sandboxes([*contestants.values()]):
                monitor.on_message(line)
            schedule = _build_schedule(store, tournament, contestants, is_open=commands is not None)
            dispatcher = _build_dispatcher(store, tournament, mark, contestants)
            admission = _build_admission(tournament, commands, schedule, containing, monitor)
            ending = Coordinator(schedule, dispatcher, monitor, admission).run()
            store.set_fact("over", ending is Ending.PLAYED)
        monitor.on_finish()
        return ending


def claim_store(tournament: TournamentSpec) -> Store:
    """Open a tournament's database and claim it; create it for the first run."""
    if not Store.exists(tournament.database):
        return _create_store(tournament)
    store = Store.open(tournament.database)
    try:
        store.claim()
        _check_same_tournament(store, tournament)
    except BaseException:
        store.close()
        raise
    return store


def _check_same_tournament(store: Store, tournament: TournamentSpec) -> None:
    """Raise UserError if the settings differ from those in the database."""
    changed = list_changes(store.get_fact("tournament"), tournament.facts)
    if changed:
        lines = "; ".join(changed)
        raise UserError(f"{Path(tournament.database).name} has other settings: {lines}. {ADVICE}")


def _create_store(tournament: TournamentSpec) -> Store:
    """Create the database with all entrants."""
    entries = _read_entries(tournament)
    check_portable(tournament, entries)
    ids = [entry.id for entry in entries]
    tournament.format.check(
        [] if tournament.file.hill else ids, _build_terms(tournament, entries, len(entries))
    )
    seed = tournament.file.seed
    secret = generate_seed() if seed is None else derive_seed(seed, "secret")
    return Store.create(
        tournament.database, {"tournament": tournament.facts, "secret": secret}, entries
    )


def _read_entries(tournament: TournamentSpec) -> Sequence[Entry]:
    """Return the entrants of the file; raise EntrantsError with all mistakes in them."""
    entries, wrong = open_roster(tournament).read_entries(tournament.file.entrant)
    if wrong:
        file = f"{tournament.stem}{SUFFIX}"
        raise EntrantsError("\n".join(f"{file}: {line}" for line in wrong))
    return entries


def _build_schedule(
    store: Store,
    tournament: TournamentSpec,
    contestants: dict[Id, Contestant],
    *,
    is_open: bool,
) -> Schedule:
    if store.get_fact("first") is None:
        store.set_fact("first", len(contestants))
    terms = _build_terms(tournament, store.list_entries(), store.get_fact("first"))
    store.set_fact("terms", {**asdict(terms), "keepers": sorted(terms.keepers)})
    tournament.format.check([] if is_open else [*contestants], terms)
    settled = partial(_is_order_certain, store) if tournament.file.stop == "resolved" else None
    return Schedule(
        store, tournament.format, terms, store.get_fact("secret"), contestants, settled, is_open
    )


def _build_admission(
    tournament: TournamentSpec,
    commands: CommandQueue | None,
    schedule: Schedule,
    containing: SandboxResolver,
    monitor: Monitor,
) -> Admission | None:
    hill, where = tournament.file.hill, open_roster(tournament)
    if commands is None or hill is None:
        return None

    def make(entry: Entry) -> Contestant:
        return where.build_contestant(entry, containing.resolve(entry))

    return Admission(commands, hill, schedule, make, monitor.on_message)


def _is_order_certain(store: Store) -> bool:
    from arena.tournament.standings.compute import is_order_certain  # slow, and seldom needed

    return is_order_certain(store)


def _build_terms(tournament: TournamentSpec, entries: Sequence[Entry], first: int) -> FormatTerms:
    """Return the terms of the tournament for its format."""
    file, keepers = tournament.file, frozenset(entry.id for entry in entries if entry.keeps)
    each = file.hill.share if file.hill else None
    return FormatTerms(
        tournament.seats_per_match, file.matches, first, tournament.duplicate, keepers, each
    )


def _build_dispatcher(
    store: Store, tournament: TournamentSpec, mark: str, contestants: dict[Id, Contestant]
) -> Dispatcher:
    here = choose_concurrency(tournament.game, contestants.values(), tournament.seats_per_match)
    workers = tournament.file.workers or tournament.workers.places() or here
    bots = open_roster(tournament).bots
    task = partial(
        Task,
        game=tournament.game.name,
        variant=tournament.game.write_variant(tournament.variant),
        secret=store.get_fact("secret"),
        limits=tournament.file.time,
        transcripts=tournament.file.transcripts,
        home=tournament.home,
        bots=bots,
        folders=get_data_folder(tournament) / "kept",
        live=get_data_folder(tournament) / LIVE_FOLDER,
        whole=tournament.file.live == "all",
    )
    start = partial(tournament.workers.open, bots=bots, mark=mark)
    return Dispatcher(start, task, workers, mark, tournament.workers.remote)
