"""Opening a tournament, for the first time or again, so that it can be run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from attrs import asdict

from arena.botfile import BadBot
from arena.check import check
from arena.errors import Refusal
from arena.seeds import derived, fresh
from arena.tournament.crew import Crew, usual
from arena.tournament.executors import marked, room, sweep, swept
from arena.tournament.file import Tournament, changes
from arena.tournament.jobs import Contestant, Task, seated
from arena.tournament.plan import Id, Terms
from arena.tournament.records import Entry, State
from arena.tournament.roster import Roster
from arena.tournament.runner import Ending, Monitor, Runner
from arena.tournament.schedule import Schedule
from arena.tournament.store import Store

MARK_LENGTH = 16
ADVICE = (
    "Put that back, or choose another database; entrants come and go by"
    " `arena tournament add`, `replace` and `withdraw`"
)
MOVED_ON = "has changed; this tournament goes on with version {} until `arena tournament replace`"
MENDED = "Once it is mended, `arena tournament replace` lets it in"


class BadEntrants(Refusal):
    """Entrants that cannot take part; the text has a line for each."""


def folder(tournament: Tournament) -> Path:
    """Give the folder beside a tournament's file for copies of bots, and for what they keep."""
    return tournament.home / f"{tournament.stem}.arena"


def roster(tournament: Tournament) -> Roster:
    """Give where a tournament's entrants are read."""
    return Roster(tournament.game, tournament.home, folder(tournament) / "bots")


def run(tournament: Tournament, monitor: Monitor) -> Ending:
    """Run a tournament from where it stands to its end, or until a signal comes."""
    with open_store(tournament) as store:
        store.set_fact("level", tournament.file.level)
        monitor.opened(store)
        mark = derived(store.fact("secret"), "mark", tournament.database)[:MARK_LENGTH]
        with swept(mark):
            with marked(mark, room(mark)):
                contestants = ready(store, tournament, monitor)
            schedule = _schedule(store, tournament, contestants)
            crew = _crew(store, tournament, mark, contestants)
            ending = Runner(schedule, crew, monitor).run()
        monitor.finished()
        return ending


def open_store(tournament: Tournament) -> Store:
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


def _see_the_same(store: Store, tournament: Tournament) -> None:
    """See that the tournament is the one that was begun."""
    changed = changes(store.fact("tournament"), tournament.facts)
    if changed:
        lines = "; ".join(changed)
        raise Refusal(f"{Path(tournament.database).name} was begun otherwise: {lines}. {ADVICE}")


def ready(store: Store, tournament: Tournament, monitor: Monitor) -> dict[Id, Contestant]:
    """Give who can take part; say who cannot, or raise where that is to stop the run."""
    found: dict[Id, Contestant] = {}
    unfit: list[str] = []
    where = roster(tournament)
    entries = store.active()
    _see_them_travel(tournament, entries)
    for entry in entries:
        try:
            found[entry.id] = _fit(store, tournament, where, entry)
        except Refusal as problem:
            unfit.append(f"{entry.name}: {problem}")
            if tournament.file.unfit == "leave-out":
                store.set_state(entry.id, State.UNFIT, str(problem))
                why = str(problem).rstrip(".")
                monitor.left_out(f"{entry.name} is left out: {why}. {MENDED}")
        else:
            if where.moved_on(entry):
                monitor.say(f"{entry.name} {MOVED_ON.format(entry.version)}")
    if unfit and tournament.file.unfit == "stop":
        raise BadEntrants("\n".join(unfit))
    return found


def _fit(store: Store, tournament: Tournament, where: Roster, entry: Entry) -> Contestant:
    """Build an entrant, and see it play before its first match; raise Refusal."""
    one, game = where.contestant(entry), tournament.game
    sitting = seated(game.name, one, tournament.home, where.bots)
    sitting.see_fit(tournament.variant, tournament.table)
    checked = store.fact("checked") or []
    if tournament.file.check and not one.bundled(game) and one.id not in checked:
        report = check(
            game,
            sitting,
            tournament.variant,
            sizes=[tournament.table],
            limits=tournament.file.time,
            seed=derived(store.fact("secret"), "check", one.id),
            quick=True,
        )
        if not report.passed:
            found = report.findings[0]
            raise BadBot(f"{found.kind} ({found.situation}): {found.detail}. {found.advice}")
        store.set_fact("checked", [*checked, one.id])
    return one


def _first_time(tournament: Tournament) -> Store:
    """Make the database, with everybody in it who enters."""
    entries, wrong = roster(tournament).entries(tournament.file.entrant)
    if wrong:
        raise BadEntrants("\n".join(wrong))
    _see_them_travel(tournament, entries)
    ids = [entry.id for entry in entries]
    tournament.format.check(ids, _terms(tournament, entries, len(entries)))
    seed = tournament.file.seed
    secret = fresh() if seed is None else derived(seed, "secret")
    return Store.create(
        tournament.database, {"tournament": tournament.facts, "secret": secret}, entries
    )


def _see_them_travel(tournament: Tournament, entries: Sequence[Entry]) -> None:
    """Raise BadEntrants where workers are on other machines, and somebody cannot go there."""
    if not tournament.workers.remote:
        return
    where = roster(tournament)
    staying = [f"{one.name}: {why}" for one in entries if (why := where.stays(one))]
    if staying:
        raise BadEntrants("\n".join(staying))


def _schedule(store: Store, tournament: Tournament, contestants: dict[Id, Contestant]) -> Schedule:
    if store.fact("first") is None:
        store.set_fact("first", len(contestants))
    terms = _terms(tournament, store.entries(), store.fact("first"))
    store.set_fact("terms", {**asdict(terms), "keepers": sorted(terms.keepers)})
    tournament.format.check([*contestants], terms)
    settled = partial(_settled, store) if tournament.file.stop == "resolved" else None
    return Schedule(store, tournament.format, terms, store.fact("secret"), contestants, settled)


def _settled(store: Store) -> bool:
    from arena.tournament.standings import is_settled  # slow, and seldom needed

    return is_settled(store)


def _terms(tournament: Tournament, entries: Sequence[Entry], first: int) -> Terms:
    """Give what the format is told of the tournament."""
    keepers = frozenset(entry.id for entry in entries if entry.keeps)
    return Terms(tournament.table, tournament.file.matches, first, tournament.duplicate, keepers)


def _crew(
    store: Store, tournament: Tournament, mark: str, contestants: dict[Id, Contestant]
) -> Crew:
    here = usual(tournament.game, contestants.values(), tournament.table)
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
    )
    start = partial(tournament.workers.open, workers, bots, mark)
    return Crew(start, task, workers, partial(sweep, mark))
