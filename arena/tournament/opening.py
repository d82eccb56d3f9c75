"""Opening an event, for the first time or again, so that it can be run."""

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
from arena.tournament.event import Program, changes
from arena.tournament.executors import marked, sweep, swept
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
MOVED_ON = "has changed; this event goes on with version {} until `arena tournament replace`"


MENDED = "Once it is mended, `arena tournament replace` lets it in"


class BadEntrants(Refusal):
    """Entrants that cannot take part; the text has a line for each."""


def folder(program: Program) -> Path:
    """Give the folder beside an event's file for copies of bots, and for what they keep."""
    return program.home / f"{program.stem}.arena"


def roster(program: Program) -> Roster:
    """Give where an event's entrants are read."""
    return Roster(program.game, program.home, folder(program) / "bots")


def run(program: Program, monitor: Monitor) -> Ending:
    """Run an event from where it stands to its end, or until a signal comes."""
    with open_store(program) as store:
        store.set_fact("level", program.event.level)
        monitor.opened(store)
        mark = derived(store.fact("secret"), "mark", program.database)[:MARK_LENGTH]
        with swept(mark):
            with marked(mark):
                contestants = ready(store, program, monitor)
            schedule = _schedule(store, program, contestants)
            crew = _crew(store, program, mark, contestants)
            ending = Runner(schedule, crew, monitor).run()
        monitor.finished()
        return ending


def open_store(program: Program) -> Store:
    """Open an event's database and claim it; make it if this is the beginning."""
    if not Store.exists(program.database):
        return _first_time(program)
    store = Store.open(program.database)
    try:
        store.claim()
        _see_the_same(store, program)
    except BaseException:
        store.close()
        raise
    return store


def _see_the_same(store: Store, program: Program) -> None:
    """See that the event is the one that was begun."""
    changed = changes(store.fact("event"), program.facts)
    if changed:
        lines = "; ".join(changed)
        raise Refusal(f"{Path(program.database).name} was begun otherwise: {lines}. {ADVICE}")


def ready(store: Store, program: Program, monitor: Monitor) -> dict[Id, Contestant]:
    """Give who can take part; say who cannot, or raise where that is to stop the run."""
    found: dict[Id, Contestant] = {}
    unfit: list[str] = []
    where = roster(program)
    _see_them_travel(program, [one for one in store.entries() if one.state is State.ACTIVE])
    for entry in store.entries():
        if entry.state is State.ACTIVE:
            try:
                found[entry.id] = _fit(store, program, where, entry)
            except Refusal as problem:
                unfit.append(f"{entry.name}: {problem}")
                if program.event.unfit == "leave-out":
                    store.set_state(entry.id, State.UNFIT, str(problem))
                    monitor.left_out(f"{entry.name} is left out: {problem}. {MENDED}")
            else:
                if where.moved_on(entry):
                    monitor.say(f"{entry.name} {MOVED_ON.format(entry.version)}")
    if unfit and program.event.unfit == "stop":
        raise BadEntrants("\n".join(unfit))
    return found


def _fit(store: Store, program: Program, where: Roster, entry: Entry) -> Contestant:
    """Build an entrant, and see it play before its first match; raise Refusal."""
    one, game = where.contestant(entry), program.game
    checked = store.fact("checked") or []
    if program.event.check and not one.bundled(game) and one.id not in checked:
        report = check(
            game,
            seated(game.name, one, program.home, where.bots),
            program.variant,
            sizes=[program.table],
            limits=program.event.time,
            seed=derived(store.fact("secret"), "check", one.id),
            quick=True,
        )
        if not report.passed:
            found = report.findings[0]
            raise BadBot(f"{found.kind} ({found.situation}): {found.detail}. {found.advice}")
        store.set_fact("checked", [*checked, one.id])
    return one


def _first_time(program: Program) -> Store:
    """Make the database, with everybody in it who enters."""
    entries, wrong = roster(program).entries(program.event.entrant)
    if wrong:
        raise BadEntrants("\n".join(wrong))
    _see_them_travel(program, entries)
    ids = [entry.id for entry in entries]
    program.format.check(ids, _terms(program, entries, len(entries)))
    seed = program.event.seed
    secret = fresh() if seed is None else derived(seed, "secret")
    return Store.create(program.database, {"event": program.facts, "secret": secret}, entries)


def _see_them_travel(program: Program, entries: Sequence[Entry]) -> None:
    """Raise BadEntrants where workers are on other machines, and somebody cannot go there."""
    if not program.workers.remote:
        return
    where = roster(program)
    staying = [f"{one.name}: {why}" for one in entries if (why := where.stays(one))]
    if staying:
        raise BadEntrants("\n".join(staying))


def _schedule(store: Store, program: Program, contestants: dict[Id, Contestant]) -> Schedule:
    if store.fact("first") is None:
        store.set_fact("first", len(contestants))
    terms = _terms(program, store.entries(), store.fact("first"))
    store.set_fact("terms", {**asdict(terms), "keepers": sorted(terms.keepers)})
    program.format.check([*contestants], terms)
    settled = partial(_settled, store) if program.event.stop == "resolved" else None
    return Schedule(store, program.format, terms, store.fact("secret"), contestants, settled)


def _settled(store: Store) -> bool:
    from arena.tournament.standings import is_settled  # slow, and seldom needed

    return is_settled(store)


def _terms(program: Program, entries: Sequence[Entry], first: int) -> Terms:
    """Give what the format is told of the event."""
    keepers = frozenset(entry.id for entry in entries if entry.keeps)
    return Terms(program.table, program.event.matches, first, program.duplicate, keepers)


def _crew(store: Store, program: Program, mark: str, contestants: dict[Id, Contestant]) -> Crew:
    here = usual(program.game, contestants.values(), program.table)
    workers = program.event.workers or program.workers.places() or here
    task = partial(
        Task,
        game=program.game.name,
        variant=program.game.write_variant(program.variant),
        secret=store.fact("secret"),
        limits=program.event.time,
        transcripts=program.event.transcripts,
        home=program.home,
        bots=folder(program) / "bots",
        folders=folder(program) / "kept",
    )
    start = partial(program.workers.open, workers, folder(program) / "bots", mark)
    return Crew(start, task, workers, partial(sweep, mark))
