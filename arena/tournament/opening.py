"""Opening a tournament, for the first time or again, so that it can be run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from attrs import asdict

from arena.check import check
from arena.host import BadBot, MachineError
from arena.rules import StorageError, UserError, derived, fresh
from arena.sandbox import NoSandbox
from arena.tournament.admission import Admission, note_check
from arena.tournament.containing import Containing, Untrusted, summary
from arena.tournament.copies import clear_leftovers
from arena.tournament.dispatcher import Dispatcher, usual
from arena.tournament.executors import marked, room, sweep, swept
from arena.tournament.file import TournamentSpec, changes
from arena.tournament.hill import Gate
from arena.tournament.jobs import Contestant, Task, seated
from arena.tournament.plan import Id, Terms
from arena.tournament.records import Entry, State
from arena.tournament.roster import Roster
from arena.tournament.runner import Ending, Monitor, Runner
from arena.tournament.schedule import Schedule
from arena.tournament.spool import LIVE, spooling
from arena.tournament.store import Store

MARK_LENGTH = 16
ADVICE = (
    "Put that back, or choose another database; entrants come and go by"
    " `arena tournament add`, `replace` and `withdraw`"
)
MOVED_ON = "has changed; this tournament goes on with version {} until `arena tournament replace`"
HOSTS_FAULT = (MachineError, NoSandbox, StorageError, Untrusted)
"""For what nobody is left out."""

MENDED = "Once it is mended, `arena tournament replace` lets it in"


class BadEntrants(UserError):
    """Entrants that cannot take part; the text has a line for each."""


def folder(tournament: TournamentSpec) -> Path:
    """Return the folder beside a tournament's file for copies of bots, and for what they keep."""
    return tournament.home / f"{tournament.stem}.arena"


def roster(tournament: TournamentSpec) -> Roster:
    """Return where a tournament's entrants are read."""
    return Roster(tournament.game, tournament.home, folder(tournament) / "bots")


def run(
    tournament: TournamentSpec,
    monitor: Monitor,
    *,
    gate: Gate | None = None,
    trust_everybody: bool = False,
) -> Ending:
    """Run a tournament from where it stands to its end, or until a signal comes.

    With a `gate` it has no end: it is a hill, and goes on with who comes and goes there.
    Untrusted entrants play in a sandbox, and where none holds they do not play, unless it is
    said that everybody is trusted.
    """
    containing = Containing(tournament, trust_everybody)
    with open_store(tournament) as store:
        store.set_fact("level", tournament.file.level)
        store.set_fact("over", False)  # a run that is cut off leaves it so
        clear_leftovers(roster(tournament).bots)
        monitor.opened(store)
        for line in roster(tournament).passed_over(tournament.file.entrant, store.entries()):
            monitor.say(line)
        mark = derived(store.fact("secret"), "mark", tournament.database)[:MARK_LENGTH]
        with swept(mark), spooling(folder(tournament) / LIVE):
            with marked(mark, room(mark)):
                contestants = ready(store, tournament, monitor, containing)
            for line in summary([*contestants.values()]):
                monitor.say(line)
            schedule = _schedule(store, tournament, contestants, is_open=gate is not None)
            dispatcher = _dispatcher(store, tournament, mark, contestants)
            admission = _admission(tournament, gate, schedule, containing, monitor)
            ending = Runner(schedule, dispatcher, monitor, admission).run()
            store.set_fact("over", ending is Ending.PLAYED)
        monitor.finished()
        return ending


def open_store(tournament: TournamentSpec) -> Store:
    """Open a tournament's database and claim it; make it if this is the beginning."""
    if not Store.exists(tournament.database):
        return _first_time(tournament)
    store = Store.open(tournament.database)
    try:
        store.claim()
        _see_the_same(store, tournament)
    except BaseException:
        store.close()
        raise
    return store


def _see_the_same(store: Store, tournament: TournamentSpec) -> None:
    """See that the tournament is the one that was begun."""
    changed = changes(store.fact("tournament"), tournament.facts)
    if changed:
        lines = "; ".join(changed)
        raise UserError(f"{Path(tournament.database).name} was begun otherwise: {lines}. {ADVICE}")


def ready(
    store: Store, tournament: TournamentSpec, monitor: Monitor, containing: Containing
) -> dict[Id, Contestant]:
    """Return who can take part; say who cannot, or raise where that is to stop the run."""
    found: dict[Id, Contestant] = {}
    unfit: list[str] = []
    where = roster(tournament)
    entries = store.active()
    _see_them_travel(tournament, entries)
    for number, entry in enumerate(entries, 1):
        who = f"{entry.name}, {number} of {len(entries)}"
        try:
            if where.unbuilt(entry):
                monitor.preparing(f"building {who}")
            one = where.contestant(entry, containing.of(entry))
            if _unchecked(store, tournament, one):
                monitor.preparing(f"checking {who}")
            _check_fit(store, tournament, where, one)
            found[entry.id] = one
        except HOSTS_FAULT:  # all are seen when it runs again
            raise
        except UserError as problem:
            unfit.append(f"{entry.name}: {problem}")
            if tournament.file.unfit == "leave-out":
                store.set_state(entry.id, State.UNFIT, str(problem))
                monitor.left_out(f"{entry.name} is left out: {_sentence(problem)} {MENDED}")
        else:
            if where.moved_on(entry):
                monitor.say(f"{entry.name} {MOVED_ON.format(entry.version)}")
    if unfit and tournament.file.unfit == "stop":
        raise BadEntrants("\n".join(unfit))
    return found


def _sentence(problem: UserError) -> str:
    """Return what a problem says with an end to it."""
    text = str(problem)
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _unchecked(store: Store, tournament: TournamentSpec, one: Contestant) -> bool:
    """Is an entrant to be seen playing before its first match?"""
    wanted = tournament.file.check and not one.bundled(tournament.game)
    return wanted and one.id not in (store.fact("checked") or [])


def _check_fit(store: Store, tournament: TournamentSpec, where: Roster, one: Contestant) -> None:
    """See that an entrant can play this, and does, before its first match; raise UserError."""
    game = tournament.game
    sitting = seated(game.name, one, tournament.home, where.bots)
    sitting.check_supported(tournament.variant, tournament.seats_per_match)
    if _unchecked(store, tournament, one):
        report = check(
            game,
            sitting,
            tournament.variant,
            sizes=[tournament.seats_per_match],
            limits=tournament.file.time,
            seed=derived(store.fact("secret"), "check", one.id),
            quick=True,
        )
        if not report.passed:
            found = report.findings[0]
            raise BadBot(f"{found.kind} ({found.situation}): {found.detail}. {found.advice}")
        note_check(store, one.id)


def _first_time(tournament: TournamentSpec) -> Store:
    """Make the database, with everybody in it who enters."""
    entries, wrong = roster(tournament).entries(tournament.file.entrant)
    if wrong:
        raise BadEntrants("\n".join(wrong))
    _see_them_travel(tournament, entries)
    ids = [entry.id for entry in entries]
    tournament.format.check(
        [] if tournament.file.hill else ids, _terms(tournament, entries, len(entries))
    )
    seed = tournament.file.seed
    secret = fresh() if seed is None else derived(seed, "secret")
    return Store.create(
        tournament.database, {"tournament": tournament.facts, "secret": secret}, entries
    )


def _see_them_travel(tournament: TournamentSpec, entries: Sequence[Entry]) -> None:
    """Raise BadEntrants where workers are on other machines, and somebody cannot go there."""
    if not tournament.workers.remote:
        return
    where = roster(tournament)
    staying = [f"{one.name}: {why}" for one in entries if (why := where.stays(one))]
    if staying:
        raise BadEntrants("\n".join(staying))


def _schedule(
    store: Store,
    tournament: TournamentSpec,
    contestants: dict[Id, Contestant],
    *,
    is_open: bool,
) -> Schedule:
    if store.fact("first") is None:
        store.set_fact("first", len(contestants))
    terms = _terms(tournament, store.entries(), store.fact("first"))
    store.set_fact("terms", {**asdict(terms), "keepers": sorted(terms.keepers)})
    tournament.format.check([] if is_open else [*contestants], terms)
    settled = partial(_settled, store) if tournament.file.stop == "resolved" else None
    return Schedule(
        store, tournament.format, terms, store.fact("secret"), contestants, settled, is_open
    )


def _admission(
    tournament: TournamentSpec,
    gate: Gate | None,
    schedule: Schedule,
    containing: Containing,
    monitor: Monitor,
) -> Admission | None:
    hill, where = tournament.file.hill, roster(tournament)
    if gate is None or hill is None:
        return None

    def make(entry: Entry) -> Contestant:
        return where.contestant(entry, containing.of(entry))

    return Admission(gate, hill, schedule, make, monitor.say)


def _settled(store: Store) -> bool:
    from arena.tournament.standings import is_settled  # slow, and seldom needed

    return is_settled(store)


def _terms(tournament: TournamentSpec, entries: Sequence[Entry], first: int) -> Terms:
    """Return what the format is told of the tournament."""
    file, keepers = tournament.file, frozenset(entry.id for entry in entries if entry.keeps)
    each = file.hill.share if file.hill else None
    return Terms(
        tournament.seats_per_match, file.matches, first, tournament.duplicate, keepers, each
    )


def _dispatcher(
    store: Store, tournament: TournamentSpec, mark: str, contestants: dict[Id, Contestant]
) -> Dispatcher:
    here = usual(tournament.game, contestants.values(), tournament.seats_per_match)
    workers = tournament.file.workers or tournament.workers.places() or here
    bots = roster(tournament).bots
    task = partial(
        Task,
        game=tournament.game.name,
        variant=tournament.game.write_variant(tournament.variant),
        secret=store.fact("secret"),
        limits=tournament.file.time,
        transcripts=tournament.file.transcripts,
        home=tournament.home,
        bots=bots,
        folders=folder(tournament) / "kept",
        live=folder(tournament) / LIVE,
        whole=tournament.file.live == "all",
    )
    start = partial(tournament.workers.open, workers, bots, mark)
    return Dispatcher(start, task, workers, partial(sweep, mark))
