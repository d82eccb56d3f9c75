"""Running a tournament: its schedule, admission to a hill, the coordinator, and the run.

`run` puts the parts together. `Schedule` says what is played: first planned matches without a
result, then new ones from the format. Every deal is stored before it is played, so that an
interrupted tournament continues with exactly the missing matches. `Coordinator` hands them to the
workers: these play, and only the coordinator's process writes to the store, with one transaction
for each match. On a hill `Admission` executes commands, and gives the places to the best entrants.

A match that is played again is open as if it had never been played; its old result is kept in the
store. In a format with a ranking of its own, such as Swiss or elimination, each round is drawn
from the results of those before. So there only the matches that were planned last are played
again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic, sleep

from attrs import Factory, asdict, define, evolve, field

from arena.host import BotError
from arena.players import call_on_first_signal
from arena.rules import End, UnknownNameError, UserError, derive_seed, describe_error, generate_seed
from arena.tournament.bot_copies import clear_leftovers
from arena.tournament.dispatcher import Dispatcher, choose_concurrency
from arena.tournament.file import (
    DRAWN_PARTNERS,
    SUFFIX,
    HillConfig,
    TournamentSpec,
    get_data_folder,
    list_changes,
    make_data_folder,
)
from arena.tournament.live import LIVE_FOLDER, open_live_folder
from arena.tournament.models import (
    Anchor,
    CommandQueue,
    CoordinatorCommand,
    Deal,
    Entry,
    Format,
    FormatTerms,
    Id,
    MatchResult,
    PastMatches,
    PlayedMatch,
    State,
    VoidCause,
    get_name,
)
from arena.tournament.monitor import Monitor
from arena.tournament.roster import (
    EntrantsError,
    SandboxResolver,
    check_entrants,
    check_portable,
    describe_like_titles,
    find_titles,
    open_roster,
    record_check,
)
from arena.tournament.store import GONE, LAST_PLAN, Key, Store
from arena.tournament.store.schema import CANCELLED
from arena.tournament.workers import (
    MatchBatch,
    PlannedMatch,
    clean_up_around,
    make_scratch_folder,
    mark_processes,
)

MAX_BEGINS = 16  # starts of one match in one run
FIRST_CHECK_DEALS = 2  # deals per entrant before the first check whether the order is certain
CHECK_INTERVAL = 10  # later checks after this fraction of the deals so far
WAIT = None  # instead of a match: the next ones depend on running matches
POLL_SECONDS = 0.25  # between two checks of the clock
MAX_VERDICTS_IN_A_ROW = 5  # then an entrant is set aside
QUEUE_POLL_SECONDS = 1.0  # between two checks of the queue
HOST_CAUSES = (VoidCause.HOST, VoidCause.WORKER)
"""The causes with which a void match is played again when its tournament is continued.

Who made a worker die is not known: it may have been the host.
"""
MARK_LENGTH = 16
HILL_FACT = "hill"
"""The name of the fact with the settings of a hill by which it was last run."""
ADVICE = (
    "Restore that, or set another database. To change entrants, use"
    " `arena tournament add`, `replace` and `withdraw`"
)


class Ending(StrEnum):
    """The reason for the end of a run."""

    PLAYED = "played"  #: all matches are played
    INTERRUPTED = "interrupted"  #: a signal came; running matches were finished


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
        store.set_fact("anchor", tournament.file.anchor)
        store.set_file_titles(find_titles(tournament.file.entrant, store.list_entries()))
        store.set_fact("over", False)  # stays so if the run is interrupted
        if hill := tournament.file.hill:  # to tell at the next start what has changed
            store.set_fact(HILL_FACT, {"size": hill.size, "sources": hill.sources})
        clear_leftovers(open_roster(tournament).bots)
        monitor.on_open(store)
        mark = derive_seed(store.get_fact("secret"), "mark", tournament.database)[:MARK_LENGTH]
        with clean_up_around(mark), open_live_folder(get_data_folder(tournament) / LIVE_FOLDER):
            with mark_processes(mark, make_scratch_folder(mark)):
                entrants = check_entrants(store, tournament, monitor, containing)
            reopen_matches(store, tournament.format, monitor, rerun)
            reopen_void_matches(store, tournament.format, monitor, every=replay_void)
            schedule = _build_schedule(store, tournament, entrants, is_open=commands is not None)
            dispatcher = _build_dispatcher(store, tournament, mark, entrants)
            admission = _build_admission(tournament, commands, schedule, containing, monitor)
            ending = Coordinator(schedule, dispatcher, monitor, admission).run()
            store.set_fact("over", ending is Ending.PLAYED)
        monitor.on_finish()
        return ending


def claim_store(tournament: TournamentSpec) -> Store:
    """Open a tournament's database and claim it; create it for the first run."""

    def check(store: Store) -> None:
        _check_same_tournament(store, tournament)
        _check_anchor(tournament, store.list_entries())
        _check_titles(tournament, store)

    create = partial(_create_store, tournament)
    return Store.claim_or_create(tournament.database, check, create)


def _create_store(tournament: TournamentSpec) -> Store:
    """Create the database with all entrants."""
    entries = _read_entries(tournament)
    check_portable(tournament, entries)
    _check_anchor(tournament, entries)
    ids = [entry.id for entry in entries]
    field = [] if tournament.file.hill else ids
    _check_field(tournament, field, _build_terms(tournament, entries, len(entries)))
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


def _check_anchor(tournament: TournamentSpec, entries: Iterable[Entry]) -> None:
    """Raise UserError if no entrant has the name of the anchor; on a hill it may enter later."""
    if tournament.file.anchor is None or tournament.file.hill:
        return
    name = Anchor.parse(tournament.file.anchor).name
    known = [entry.name for entry in entries]
    if name not in known:
        problem = UnknownNameError("entrant", name, dict.fromkeys(known))
        raise UserError(f"{tournament.stem}{SUFFIX}: anchor: {problem}")


def _check_titles(tournament: TournamentSpec, store: Store) -> None:
    """Raise EntrantsError if titles, which may change, can be taken for somebody else.

    On a hill strangers give titles, which must not keep it from being opened: they are not shown.
    """
    lines, entries = tournament.file.entrant, store.list_entries()
    own = {} if tournament.file.hill else store.load_own_titles()
    if wrong := [*describe_like_titles(lines, entries, own)]:
        file = f"{tournament.stem}{SUFFIX}"
        raise EntrantsError("\n".join(f"{file}: {line}" for line in wrong))


def _check_same_tournament(store: Store, tournament: TournamentSpec) -> None:
    """Raise UserError if the settings differ from those in the database."""
    changed = list_changes(store.get_fact("tournament"), tournament.facts)
    if changed:
        lines = "; ".join(changed)
        raise UserError(f"{Path(tournament.database).name} has other settings: {lines}. {ADVICE}")


def _build_schedule(
    store: Store,
    tournament: TournamentSpec,
    entrants: dict[Id, Entry],
    *,
    is_open: bool,
) -> Schedule:
    if store.get_fact("first") is None:
        store.set_fact("first", len(entrants))
    terms = _build_terms(tournament, store.list_entries(), store.get_fact("first"))
    store.set_fact("terms", {**asdict(terms), "keepers": sorted(terms.keepers)})
    _check_field(tournament, [] if is_open else [*entrants], terms)
    settled = partial(_is_order_certain, store) if tournament.file.stop == "resolved" else None
    return Schedule(
        store, tournament.format, terms, store.get_fact("secret"), entrants, settled, is_open
    )


def _check_field(tournament: TournamentSpec, field: Sequence[Id], terms: FormatTerms) -> None:
    """Raise UserError if the field cannot play, and say why a team's seats need so many."""
    try:
        tournament.format.check(field, terms)
    except UserError as problem:
        if tournament.file.partners != DRAWN_PARTNERS or len(field) >= terms.seats_per_match:
            raise
        raise UserError(f'{problem}; use partners = "own", or enter more bots') from None


def _build_terms(tournament: TournamentSpec, entries: Sequence[Entry], first: int) -> FormatTerms:
    """Return the terms of the tournament for its format."""
    file, keepers = tournament.file, frozenset(entry.id for entry in entries if entry.keeps)
    each = file.hill.share if file.hill else None
    return FormatTerms(
        len(tournament.sides), file.matches, first, tournament.duplicate, keepers, each
    )


def _is_order_certain(store: Store) -> bool:
    from arena.tournament.standings import is_order_certain  # slow, and seldom needed

    return is_order_certain(store)


def _build_dispatcher(
    store: Store, tournament: TournamentSpec, mark: str, entrants: dict[Id, Entry]
) -> Dispatcher:
    here = choose_concurrency(tournament.game, entrants.values(), tournament.seats_per_match)
    workers = tournament.file.workers or tournament.workers.places() or here
    bots = open_roster(tournament).bots
    build_batch = partial(
        MatchBatch,
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
        table=tournament.seats_per_match,
    )
    start = partial(tournament.workers.open, bots=bots, mark=mark)
    return Dispatcher(start, build_batch, workers, mark, tournament.workers.remote)


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

    def prepare(entry: Entry) -> Entry:
        return where.prepare(entry, containing.resolve(entry))

    return Admission(commands, hill, schedule, prepare, monitor.on_message)


@define
class Coordinator:
    """One run of a tournament, from its present state."""

    schedule: Schedule
    dispatcher: Dispatcher
    monitor: Monitor
    admission: Admission | None = None  # of a tournament that stays open
    _asked: bool = field(default=False, init=False)  # a signal asked for the end
    _stopping: bool = field(default=False, init=False)
    _failing: Counter[Id] = field(factory=Counter, init=False)  # verdicts in a row

    def run(self) -> Ending:
        """Play until nothing is left or a signal comes; a second one abandons running matches."""
        matches = self.schedule.generate_matches(lambda: self.dispatcher.idle)
        try:
            with call_on_first_signal(self._request_stop):
                more = True
                while more or not self.dispatcher.idle:
                    self.schedule.store.check_files()
                    if self._asked and not self._stopping:
                        self._finish()
                    self._admit()
                    more = more and not self._stopping and self._fill(matches)
                    if more and self.dispatcher.idle:
                        sleep(POLL_SECONDS)  # an open tournament waits for entrants
                    for done in self.dispatcher.collect(POLL_SECONDS):
                        self._take(done)
                    for entrant, keys in self.dispatcher.crashes.pop_culprits():
                        died = f"the workers of its matches {', '.join(keys)} died twice"
                        self._set_aside(entrant, f"{died}, and no others")
                        self.schedule.cancel(self.dispatcher.drop(entrant), entrant)
                    self.monitor.on_tick()
        except BaseException:
            self.dispatcher.abandon()
            raise
        self.dispatcher.close()
        return Ending.INTERRUPTED if self._stopping else Ending.PLAYED

    def _request_stop(self) -> None:
        """Record that a signal came; a signal handler may do no more."""
        self._asked = True

    def _finish(self) -> None:
        """Start no further matches."""
        self._stopping = True
        self.dispatcher.finish()
        self.monitor.on_message(
            "finishing the matches in progress; interrupt again to abandon them"
        )

    def _admit(self) -> None:
        """Admit new entrants, and remove those that leave."""
        if self.admission and not self._stopping:
            for entrant in self.admission.poll():
                self.schedule.cancel(self.dispatcher.drop(entrant), entrant)

    def _fill(self, matches: Iterator[PlannedMatch | None]) -> bool:
        """Give the dispatcher the matches that it needs; return whether there may be more."""
        if not self.dispatcher.needs_matches():
            return True
        for match in matches:
            if match is WAIT:
                return True
            self.dispatcher.add(match)
            if not self.dispatcher.needs_matches():
                return True
        return False

    def _take(self, done: MatchResult) -> None:
        self.schedule.store.record(done)
        self.monitor.on_match(done)
        if self.admission:
            self.admission.count_match(done)
        for seat, entrant in enumerate(done.seats if done.end is not End.VOID else ()):
            self._failing[entrant] = self._failing[entrant] + 1 if seat in done.verdicts else 0
            if self._failing[entrant] == MAX_VERDICTS_IN_A_ROW:
                kind = done.verdicts[seat]["kind"]
                why = f"{MAX_VERDICTS_IN_A_ROW} verdicts in a row, the last {kind}"
                self._set_aside(entrant, why)

    def _set_aside(self, entrant: Id, why: str) -> None:
        """Let an entrant take part no more; what is planned next is without it."""
        self.schedule.store.set_state(entrant, State.ASIDE, why)
        self.schedule.leave_out(entrant)
        self.monitor.on_leave_out(f"{get_name(entrant)} is set aside: {why}")


@define
class Schedule:
    """A tournament's matches in their order."""

    store: Store
    format: Format
    terms: FormatTerms
    secret: str
    entrants: dict[Id, Entry]  # the active entrants, in the order of entry
    settled: Callable[[], bool] | None = None  # whether the tournament may stop early
    open: bool = False  # whether more entrants are expected
    _past: PastMatches = field(init=False)
    _stale: bool = False  # whether the past counts cancelled matches
    through: bool = field(default=False, init=False)  # whether all entrants have played their share
    _results: list[PlayedMatch] = Factory(list)  # of all deals before number `_known`
    _known: int = 0

    def __attrs_post_init__(self) -> None:
        """Load the past of the tournament."""
        self._past = self.store.load_past()

    @property
    def is_adaptive(self) -> bool:
        """Whether the schedule depends on results."""
        return self.format.adaptive or self.settled is not None

    def generate_matches(self, idle: Callable[[], bool]) -> Iterator[PlannedMatch | None]:
        """Yield the matches to play; WAIT where results or new entrants are needed first.

        `idle` returns whether all matches so far are done.
        """
        yield from self._filter_matches(self.store.list_todo())
        while True:
            while self.is_adaptive and not idle():
                yield WAIT
            deals = () if self.through else self._plan()
            if not deals:
                if not self.open:
                    return
                self.through = True
                yield WAIT
                continue
            yield from self._filter_matches(
                (deal, rotation) for deal in deals for rotation in range(deal.rotations)
            )

    def admit(self, entry: Entry) -> None:
        """Add an entrant, for deals planned from now on."""
        self.entrants[entry.id] = entry
        self.through = False

    def leave_out(self, entrant: Id) -> None:
        """Remove an entrant."""
        self.entrants.pop(entrant, None)
        self.through = False

    def cancel(self, matches: Iterable[PlannedMatch], entrant: Id) -> None:
        """Cancel matches that have not started, because this entrant no longer takes part."""
        self.store.cancel([(match.deal, match.rotation) for match in matches], GONE.format(entrant))
        self._stale = True

    def _plan(self) -> Sequence[Deal]:
        """Plan the next deals, and store the plan."""
        if self._stale:
            self._past, self._stale, self._known = self.store.load_past(), False, 0
        past, terms = self._past, self.terms
        if len(self.entrants) < terms.seats_per_match:
            return ()
        if self.format.adaptive:
            past.results = self._load_results()
        if self.settled and self.settled():
            return ()
        draw = Random(derive_seed(self.secret, "draw", past.deals))
        deals = self.format.next(tuple(self.entrants), past, terms, draw)
        if self.settled and not self.format.adaptive:  # the remaining deals are planned again
            deals = deals[
                : max(FIRST_CHECK_DEALS * len(self.entrants), past.deals // CHECK_INTERVAL)
            ]
        for deal in deals:
            past.count_deal(deal)
        self.store.plan(deals)
        return deals

    def _load_results(self) -> tuple[PlayedMatch, ...]:
        """Return all results; called when all planned matches are over."""
        if not self._known:
            self._results.clear()
        self._results.extend(self.store.list_results(self._known))
        self._known = self._past.deals
        return tuple(self._results)

    def _filter_matches(self, planned: Iterable[tuple[Deal, int]]) -> Iterator[PlannedMatch]:
        """Yield the matches whose entrants all take part; cancel the others."""
        for deal, rotation in planned:
            seated = deal.rotate(rotation)
            gone = [entrant for entrant in seated if entrant not in self.entrants]
            if gone:
                self.store.cancel([(deal.number, rotation)], GONE.format(gone[0]))
                self._stale = True
            else:
                seats = tuple(self.entrants[entrant] for entrant in seated)
                yield PlannedMatch(deal.number, rotation, seats, self._count_replays(deal, seats))

    def _count_replays(self, deal: Deal, seats: Sequence[Entry]) -> int:
        """Return the number of earlier runs of this deal, so that a replay gets a new seed."""
        if not any(entry.keeps for entry in seats):
            return 0
        return MAX_BEGINS * self.store.begin(deal.number)


@define
class Admission:
    """Admits and removes entrants by command; each command once, even after an interrupted run."""

    commands: CommandQueue
    config: HillConfig
    schedule: Schedule
    prepare: Callable[[Entry], Entry]  # raises BotError if the bot is at fault
    say: Callable[[str], None]
    _next: float = field(default=0.0, init=False)  # the time of the next check
    _problem: str = field(default="", init=False)  # of the host, which delays a command
    _plays: Counter[Id] = field(init=False)
    _ranked: frozenset[Id] = field(default=frozenset(), init=False)  # at the last check
    _filled: int = field(default=-1, init=False)  # the places that were taken at the last check
    _delay: str = field(default="", init=False)  # the problem of the host that keeps somebody out

    def __attrs_post_init__(self) -> None:
        """Load the number of matches that each entrant has played."""
        tallies = self.schedule.store.count_totals()
        self._plays = Counter({entrant: tally.matches for entrant, tally in tallies.items()})

    def count_match(self, done: MatchResult) -> None:
        """Count a finished match, whatever its result."""
        self._plays.update(done.seats)

    def poll(self) -> Iterator[Id]:
        """Carry out new commands if it is time; yield the entrants that no longer take part."""
        if monotonic() < self._next:
            return
        for order, entry in self._fetch_commands():
            yield from self._carry_out(order, entry)
        yield from self._drop_lowest()
        self._fill_places()
        self._next = monotonic() + QUEUE_POLL_SECONDS

    def _fetch_commands(self) -> Iterator[tuple[CoordinatorCommand, Entry | None]]:
        """Yield the commands that can be carried out, up to one that fails by the host's fault.

        The failed command and all later ones wait; the present entrants play on. But nobody plays
        on who is to leave: of the commands that wait, those that let nobody in are carried out
        under the last number, and once more when it is their turn.
        """
        after, who = self.schedule.store.get_last_command(), "the next entrant"
        orders: Sequence[CoordinatorCommand] = ()
        left = iter(orders)
        try:
            orders = self.commands.fetch(after)
            leaving = {order.name: order for order in orders if order.is_withdrawal}
            left = iter(orders)
            for order in left:
                who = order.name
                yield self._prepare(order, leaving.get(order.name))
                after = order.number
            self._problem = ""
        except (UserError, OSError) as problem:
            words = describe_error(problem)
            if words != self._problem:  # report it once
                self.say(f"{who} cannot enter or leave yet: {words}")
            self._problem = words
            for order in left:
                if order.entry is None:
                    yield evolve(order, number=after), None

    def _prepare(
        self, order: CoordinatorCommand, leaving: CoordinatorCommand | None
    ) -> tuple[CoordinatorCommand, Entry | None]:
        """Return a command and its entrant; None for a bot that cannot or may not play.

        `leaving` is the last command that withdraws the bot: what it follows never comes in.
        """
        if order.entry is None:
            return order, None
        if leaving and leaving.number > order.number:
            gone = evolve(order.entry, state=leaving.state, why=leaving.why)
            return evolve(order, entry=gone), None
        try:
            return order, self.prepare(order.entry)
        except BotError as problem:
            unfit = evolve(order.entry, state=State.UNFIT, why=str(problem))
            return evolve(order, entry=unfit), None

    def _carry_out(self, order: CoordinatorCommand, entry: Entry | None) -> Iterator[Id]:
        gone = self.schedule.store.carry_out(order)
        for entrant in gone:
            self.schedule.leave_out(entrant)
        if entry:
            record_check(self.schedule.store, entry.id)
            self.schedule.admit(entry)
        yield from gone
        self.say(_describe(order))

    def _drop_lowest(self) -> Iterator[Id]:
        """Remove the lowest entrant while there are too many, once it has played its share.

        If the lowest entrant has not played its share, it may still rise, so nobody leaves.
        """
        schedule = self.schedule
        while len(schedule.entrants) > self.config.size:
            ready = frozenset(entrant for entrant in schedule.entrants if self._has_share(entrant))
            if ready == self._ranked:
                return
            self._ranked = ready
            lowest = self._find_lowest()
            if lowest not in ready:
                return
            why = f"last of {len(schedule.entrants)}, on a hill for {self.config.size}"
            schedule.store.set_state(lowest, State.WAITING, why)
            schedule.leave_out(lowest)
            self._filled = -1
            self.say(f"{get_name(lowest)} falls off the hill, and waits for a place: {why}")
            yield lowest

    def _has_share(self, entrant: Id) -> bool:
        return self.schedule.through or self._plays[entrant] >= self.config.share

    def _find_lowest(self) -> Id:
        from arena.tournament.standings import Summary  # slow, and seldom needed

        found = [row.entry.id for row in Summary.of(self.schedule.store).standings]
        return next(entrant for entrant in reversed(found) if entrant in self.schedule.entrants)

    def _fill_places(self) -> None:
        """Give free places to the best of those that wait for one.

        One that the host cannot make ready keeps its place in the queue, and the others behind it.
        """
        schedule = self.schedule
        if len(schedule.entrants) in (self._filled, self.config.size):
            return
        for entry in self._rank_waiting():
            if len(schedule.entrants) >= self.config.size:
                break
            try:
                ready = self.prepare(entry)
            except BotError as problem:
                schedule.store.set_state(entry.id, State.UNFIT, str(problem))
                self.say(f"{entry.name} is left out: {problem}")
            except (UserError, OSError) as problem:
                if self._delay != (words := describe_error(problem)):  # report it once
                    self.say(f"{entry.name} cannot come back yet: {words}")
                self._delay = words
                return
            else:
                schedule.store.set_state(entry.id, State.ACTIVE)
                schedule.admit(ready)
                self.say(f"{entry.name} comes back: there is a place for it")
        self._filled, self._delay = len(schedule.entrants), ""

    def _rank_waiting(self) -> list[Entry]:
        """Return those that wait for a place, the best first."""
        entries = self.schedule.store.list_entries()
        waiting = {entry.id: entry for entry in entries if entry.state is State.WAITING}
        if not waiting:
            return []
        from arena.tournament.standings import Summary  # slow, and seldom needed

        ranked = [row.entry.id for row in Summary.of(self.schedule.store).standings]
        return [waiting[entrant] for entrant in ranked if entrant in waiting]


def _describe(order: CoordinatorCommand) -> str:
    """Describe the outcome of a command."""
    if order.alias:
        return f"{order.name} is shown as {order.alias}"
    if order.entry is None:
        return f"{order.name} is {order.state}" + f": {order.why}" * bool(order.why)
    if order.entry.state is State.ACTIVE:
        return f"{order.name} has entered, version {order.entry.version}"
    return f"{order.name} is left out: {order.entry.why}"


def reopen_void_matches(store: Store, form: Format, monitor: Monitor, *, every: bool) -> None:
    """Reopen void matches of the host's making, or all, whose entrants still take part."""
    active = {entry.id for entry in store.list_active()}
    void = [
        (deal, rotation)
        for deal, rotation in store.list_void([*VoidCause] if every else HOST_CAUSES)
        if active.issuperset(deal.rotate(rotation))
    ]
    keys = [(deal.number, rotation) for deal, rotation in void if not _is_final(store, form, deal)]
    if len(keys) < len(void):
        number = len(void) - len(keys)
        monitor.on_message(f"{number} void matches stay void: later rounds were drawn from them")
    if keys:
        monitor.on_message(f"{len(keys)} void matches are played again")
        _reopen(store, keys, monitor)


def reopen_matches(store: Store, form: Format, monitor: Monitor, keys: Iterable[Key]) -> None:
    """Reopen matches.

    Raises:
        UserError: if one of them cannot be played again; then none is reopened.
    """
    wanted = [*dict.fromkeys(keys)]
    for key in wanted:
        _check_match(store, form, key)
    _reopen(store, wanted, monitor)


def _reopen(store: Store, keys: list[Key], monitor: Monitor) -> None:
    store.reopen(keys)
    monitor.on_reopen(len(keys))


def _check_match(store: Store, form: Format, key: Key) -> None:
    """Raise UserError unless a match is over and can be played again."""
    match, deal = store.find_match(*key), store.find_deal(key[0])
    assert deal is not None
    why = ""
    active = {entry.id for entry in store.list_active()}
    gone = [get_name(entrant) for entrant in deal.rotate(key[1]) if entrant not in active]
    if match["outcome"] == CANCELLED:
        why = f"it was cancelled, since {match['detail']}"
    elif gone:
        why = f"{gone[0]} no longer takes part in this version"
    elif _is_final(store, form, deal):
        why = "later rounds were drawn from its result"
    if why:
        raise UserError(f"match {key[0]}.{key[1]} cannot be played again: {why}")


def _is_final(store: Store, form: Format, deal: Deal) -> bool:
    """Whether later rounds were drawn from a deal's results."""
    return hasattr(form, "ranking") and deal.number < (store.get_fact(LAST_PLAN) or 0)
