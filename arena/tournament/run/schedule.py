"""The schedule of a tournament: which matches are played in which order, and which ones again.

First come planned matches without a result, then new ones from the format. Every deal is stored
before it is played, so that an interrupted tournament continues with exactly the missing matches.

A match that is played again is open as if it had never been played; its old result is kept in the
store. In a format with a ranking of its own, such as Swiss or elimination, each round is drawn
from the results of those before. So there only the matches that were planned last are played
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Self

from attrs import define, evolve, field

from arena.rules import UserError, derive_seed
from arena.tournament.deals import Deal, Key, PastMatches, PlayedMatch, format_match_key
from arena.tournament.entries import Id, ReadyEntry, get_name
from arena.tournament.file.contents import Stop
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.format_protocol import Format, FormatTerms, RankedFormat
from arena.tournament.match_record import CANCELLED, VoidCause
from arena.tournament.reasons import ABSENCE
from arena.tournament.run.monitor import Monitor
from arena.tournament.store import Facts, Store
from arena.tournament.workers.match_batch import PlannedMatch, Wait

FIRST_CHECK_DEALS = 2  # deals per entrant before the first check whether the order is certain
CHECK_INTERVAL = 10  # later checks after this fraction of the deals so far
HOST_CAUSES = (VoidCause.HOST, VoidCause.WORKER)
"""The causes with which a void match is played again when its tournament is continued.

Who made a worker die is not known: it may have been the host.
"""


@define
class StoredPast:
    """What was planned and played so far; it is kept, and only what is new is read again."""

    store: Store
    _counts: PastMatches | None = field(default=None, init=False)  # None: not read
    _results: list[PlayedMatch] = field(factory=list, init=False)
    _deals: int = field(default=0, init=False)  # whose results are read

    def forget(self) -> None:
        """Forget what was read: matches were cancelled."""
        self._counts, self._results, self._deals = None, [], 0

    def load(self, *, results: bool = False) -> PastMatches:
        """Return the counts of all matches.

        They have `results` if all planned matches are over.
        """
        if self._counts is None:
            self._counts = self.store.deals.load_past()
        if not results:
            return self._counts
        self._results.extend(self.store.deals.list_results(self._deals))
        self._deals = self._counts.deals
        return evolve(self._counts, results=tuple(self._results))

    def plan(self, deals: Sequence[Deal]) -> None:
        """Store planned deals, and count them."""
        counts = self.load()
        self.store.deals.plan(deals)
        for deal in deals:
            counts.count_deal(deal)


@define
class Schedule:
    """A tournament's matches in their order."""

    store: Store
    format: Format
    terms: FormatTerms
    secret: str
    ready_entries: dict[Id, ReadyEntry]  # the active entrants, in the order of entry
    resolves: bool = False  # whether it ends as soon as the order is certain
    open: bool = False  # whether more entrants are expected
    #: whether all entrants have played their share
    is_exhausted: bool = field(default=False, init=False)
    #: the entrants that have left in this run, some of whose matches may be in progress
    absentees: set[Id] = field(factory=set, init=False)
    _past: StoredPast = field(init=False)

    @_past.default
    def _open_past(self) -> StoredPast:
        return StoredPast(self.store)

    @classmethod
    def of(
        cls,
        spec: TournamentSpec,
        store: Store,
        ready_entries: dict[Id, ReadyEntry],
        *,
        is_open: bool,
    ) -> Self:
        """Return the schedule of a tournament with these entrants; raise UserError.

        Its terms have the number of the entrants of the first run with enough of them for a match.
        """
        needed = len(spec.sides)
        initial_entrants = store.facts.first_entrants or 0
        if initial_entrants < needed:  # nobody has played: too many were unfit
            initial_entrants = max(needed, len(ready_entries))
        terms = spec.build_terms(store.entries.list_all(), initial_entrants)
        if not (ready_entries or is_open):
            raise UserError(f"a match needs {needed} entrants, but none is left")
        spec.check_field([] if is_open else [*ready_entries], terms)
        resolves, secret = spec.file.stop is Stop.RESOLVED, store.facts.secret
        return cls(
            store, spec.format, terms, secret, ready_entries, resolves=resolves, open=is_open
        )

    def store_terms(self) -> None:
        """Store the terms of this run, for the ratings and for later runs."""
        if len(self.ready_entries) >= self.terms.entrants_per_match:
            self.store.facts.set(Facts.first_entrants, self.terms.initial_entrants)
        self.store.facts.set(Facts.terms, self.terms)

    def reopen(self, keys: Iterable[Key], monitor: Monitor) -> None:
        """Open matches again.

        Raises:
            UserError: if one of them cannot be played again; then none is reopened.
        """
        unique = [*dict.fromkeys(keys)]
        for key in unique:
            self._check_match(key)
        self.store.matches.reopen(unique)
        monitor.on_reopen(len(unique))

    def reopen_void(self, monitor: Monitor, *, every: bool) -> None:
        """Open void matches of the host's making again, or all, whose entrants still take part."""
        void = [
            (deal, rotation)
            for deal, rotation in self.store.deals.list_void([*VoidCause] if every else HOST_CAUSES)
            if self.ready_entries.keys() >= {*deal.rotate(rotation)}
        ]
        keys = [(deal.number, rotation) for deal, rotation in void if not self._is_final(deal)]
        if len(keys) < len(void):
            number = len(void) - len(keys)
            monitor.on_message(
                f"{number} void matches stay void: later rounds were drawn from them"
            )
        if keys:
            monitor.on_message(f"{len(keys)} void matches are played again")
            self.store.matches.reopen(keys)
            monitor.on_reopen(len(keys))

    def _check_match(self, key: Key) -> None:
        """Raise UserError unless a match is over and can be played again."""
        match, deal = self.store.matches.find_match(*key), self.store.deals.find_deal(key[0])
        assert deal is not None
        why = ""
        absentees = [
            entrant for entrant in deal.rotate(key[1]) if entrant not in self.ready_entries
        ]
        if match.end == CANCELLED:
            why = f"it was cancelled, since {match.detail}"
        elif absentees:
            why = f"{get_name(absentees[0])} no longer takes part in this version"
        elif self._is_final(deal):
            why = "later rounds were drawn from its result"
        if why:
            raise UserError(f"match {format_match_key(key)} cannot be played again: {why}")

    def _is_final(self, deal: Deal) -> bool:
        """Whether later rounds were drawn from a deal's results."""
        is_ranked = isinstance(self.format, RankedFormat)
        return is_ranked and deal.number < self.store.facts.last_plan

    @property
    def is_adaptive(self) -> bool:
        """Whether the schedule depends on results."""
        return self.format.adaptive or self.resolves

    def plan_matches(self, idle: Callable[[], bool]) -> Iterator[PlannedMatch | Wait]:
        """Plan the matches, and yield those to play; `Wait` where results or entrants come first.

        `idle` returns whether all matches so far are done.
        """
        yield from self._cancel_or_begin(self.store.deals.list_todo())
        while True:
            while self.is_adaptive and not idle():
                yield Wait.WAIT
            deals = () if self.is_exhausted else self._plan_deals()
            if not deals:
                if not self.open and idle():
                    return
                self.is_exhausted = True  # until somebody comes or leaves
                yield Wait.WAIT
                continue
            yield from self._cancel_or_begin(
                (deal, rotation) for deal in deals for rotation in range(deal.rotations)
            )

    def admit(self, ready: ReadyEntry) -> None:
        """Add an entrant, for deals planned from now on."""
        self.ready_entries[ready.id] = ready
        self.absentees.discard(ready.id)
        self.is_exhausted = False

    def leave_out(self, entrant: Id) -> None:
        """Remove an entrant."""
        self.ready_entries.pop(entrant, None)
        self.absentees.add(entrant)
        self.is_exhausted = False

    def cancel(self, matches: Iterable[PlannedMatch]) -> None:
        """Cancel matches that have not started, because an entrant no longer takes part."""
        keys_by_absentee: dict[Id, list[Key]] = {}
        for match in matches:
            absentee = next(
                ready.id for ready in match.ready_entries if ready.id not in self.ready_entries
            )
            keys_by_absentee.setdefault(absentee, []).append(match.key)
        for absentee, keys in keys_by_absentee.items():
            self.store.matches.cancel(keys, ABSENCE.fill(entrant=absentee))
            self._past.forget()

    def _plan_deals(self) -> Sequence[Deal]:
        """Plan the next deals, and store the plan."""
        if len(self.ready_entries) < self.terms.entrants_per_match:
            return ()
        past = self._past.load(results=self.format.adaptive)
        if self.resolves and self._is_order_certain():
            return ()
        draw = Random(derive_seed(self.secret, "draw", past.deals))
        deals = self.format.next(tuple(self.ready_entries), past, self.terms, draw)
        if self.resolves and not self.format.adaptive:  # the remaining deals are planned again
            deals = deals[
                : max(FIRST_CHECK_DEALS * len(self.ready_entries), past.deals // CHECK_INTERVAL)
            ]
        self._past.plan(deals)
        return deals

    def _is_order_certain(self) -> bool:
        from arena.tournament.results.stored_ratings import StoredRatings  # slow, and seldom needed

        return StoredRatings(self.store).is_order_certain()

    def _cancel_or_begin(self, rotations: Iterable[tuple[Deal, int]]) -> Iterator[PlannedMatch]:
        """Begin and yield the matches whose entrants all take part; cancel the others."""
        for deal, rotation in rotations:
            ids = deal.rotate(rotation)
            absentees = [entrant for entrant in ids if entrant not in self.ready_entries]
            if absentees:
                why = ABSENCE.fill(entrant=absentees[0])
                self.store.matches.cancel([(deal.number, rotation)], why)
                self._past.forget()
            else:
                seats = tuple(self.ready_entries[entrant] for entrant in ids)
                start = self._record_start(deal, seats)
                yield PlannedMatch(deal.number, rotation, seats, start)

    def _record_start(self, deal: Deal, seats: Sequence[ReadyEntry]) -> int:
        """Record a start of a deal that an entrant may remember; return the number of earlier ones.

        It is new, so that the deal gets a new seed.
        """
        if not any(ready.entry.keeps for ready in seats):
            return 0
        return self.store.deals.begin(deal.number)
