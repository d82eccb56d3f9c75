"""Who comes and goes while a hill goes on: orders are carried out, and the lowest falls off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from time import monotonic

from attrs import define, evolve, field

from arena.rules import UserError
from arena.tournament.hill import Gate, HillConfig, Order
from arena.tournament.jobs import Contestant
from arena.tournament.plan import Id, name_of
from arena.tournament.records import Entry, MatchResult, State
from arena.tournament.schedule import Schedule

LOOK = 1.0  # seconds between two looks at the gate


@define
class Admission:
    """Lets in whom the gate says, and out; each order once, whenever the run was cut off."""

    gate: Gate
    config: HillConfig
    schedule: Schedule
    make: Callable[[Entry], Contestant]  # raises UserError
    say: Callable[[str], None]
    _next: float = field(default=0.0, init=False)  # when to look again
    _plays: Counter[Id] = field(init=False)
    _ranked: frozenset[Id] = field(default=frozenset(), init=False)  # when was last looked

    def __attrs_post_init__(self) -> None:
        """Recall who has played how much."""
        tallies = self.schedule.store.tallies()
        self._plays = Counter({one: tally.matches for one, tally in tallies.items()})

    def count(self, done: MatchResult) -> None:
        """Take a match into account that is over, whatever came of it."""
        self._plays.update(done.seats)

    def look(self) -> Iterator[Id]:
        """Look, if it is time to; return those who take part no more."""
        if monotonic() < self._next:
            return
        store = self.schedule.store
        for order in self.gate.orders(store.carried_out()):
            yield from self._carry_out(order)
        yield from self._fall()
        self._next = monotonic() + LOOK

    def _carry_out(self, order: Order) -> Iterator[Id]:
        contestant = None
        if order.entry:
            try:
                contestant = self.make(order.entry)
            except UserError as problem:
                unfit = evolve(order.entry, state=State.UNFIT, why=str(problem))
                order = evolve(order, entry=unfit)
        gone = self.schedule.store.carry_out(order)
        for one in gone:
            self.schedule.leave_out(one)
        if contestant:
            self.schedule.let_in(contestant)
        yield from gone
        self.say(_told(order))

    def _fall(self) -> Iterator[Id]:
        """Have the lowest leave while there are too many, once it has played its share.

        Who is lowest so far and has not played it may rise yet: then nobody leaves.
        """
        schedule = self.schedule
        while len(schedule.contestants) > self.config.size:
            ready = frozenset(one for one in schedule.contestants if self._has_played(one))
            if ready == self._ranked:
                return
            self._ranked = ready
            lowest = self._lowest()
            if lowest not in ready:
                return
            why = f"the lowest of {len(schedule.contestants)}, where {self.config.size} may stay"
            schedule.store.set_state(lowest, State.FELL, why)
            schedule.leave_out(lowest)
            self.say(f"{name_of(lowest)} falls off the hill: {why}")
            yield lowest

    def _has_played(self, one: Id) -> bool:
        return self.schedule.through or self._plays[one] >= self.config.share

    def _lowest(self) -> Id:
        from arena.tournament.standings import standings  # slow, and seldom needed

        found = [one.entry.id for one in standings(self.schedule.store)]
        return next(one for one in reversed(found) if one in self.schedule.contestants)


def _told(order: Order) -> str:
    """Say what an order has come to."""
    if order.alias:
        return f"{order.name} is shown as {order.alias}"
    if order.entry is None:
        return f"{order.name} is {order.state}" + f": {order.why}" * bool(order.why)
    if order.entry.state is State.ACTIVE:
        return f"{order.name} is in, version {order.entry.version}"
    return f"{order.name} is left out: {order.entry.why}"
