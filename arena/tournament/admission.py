"""Who comes and goes while a hill goes on: orders are carried out, and the lowest falls off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from time import monotonic

from attrs import define, evolve, field

from arena.host import BadBot
from arena.rules import UserError, in_words
from arena.tournament.hill import Gate, HillConfig, Order
from arena.tournament.jobs import Contestant
from arena.tournament.plan import Id, name_of
from arena.tournament.records import Entry, MatchResult, State
from arena.tournament.schedule import Schedule
from arena.tournament.store import Store

LOOK = 1.0  # seconds between two looks at the gate


@define
class Admission:
    """Lets in whom the gate says, and out; each order once, whenever the run was cut off."""

    gate: Gate
    config: HillConfig
    schedule: Schedule
    make: Callable[[Entry], Contestant]  # raises BadBot for what is wrong with the bot
    say: Callable[[str], None]
    _next: float = field(default=0.0, init=False)  # when to look again
    _problem: str = field(default="", init=False)  # of the host, for which an order waits
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
        for order, contestant in self._orders():
            yield from self._carry_out(order, contestant)
        yield from self._fall()
        self._next = monotonic() + LOOK

    def _orders(self) -> Iterator[tuple[Order, Contestant | None]]:
        """Return the orders that can be carried out, up to one for which the host is at fault.

        That one waits, and so do all behind it; what takes part already plays on.
        """
        after, who = self.schedule.store.carried_out(), "whoever is next"
        try:
            for order in self.gate.orders(after):
                who = order.name
                yield self._prepare(order)
            self._problem = ""
        except (UserError, OSError) as problem:
            words = in_words(problem)
            if words != self._problem:  # it is said once
                self.say(f"{who} cannot come in or leave yet: {words}")
            self._problem = words

    def _prepare(self, order: Order) -> tuple[Order, Contestant | None]:
        """Return an order, and who is let in by it; who cannot play by its own fault is not."""
        if order.entry is None:
            return order, None
        try:
            return order, self.make(order.entry)
        except BadBot as problem:
            unfit = evolve(order.entry, state=State.UNFIT, why=str(problem))
            return evolve(order, entry=unfit), None

    def _carry_out(self, order: Order, contestant: Contestant | None) -> Iterator[Id]:
        gone = self.schedule.store.carry_out(order)
        for one in gone:
            self.schedule.leave_out(one)
        if contestant:
            note_check(self.schedule.store, contestant.id)
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


def note_check(store: Store, entrant: Id) -> None:
    """Note that an entrant was seen playing, so that no later run checks it again.

    Who comes to a hill was checked before. A second check at each start would leave it out for
    good where the machine is slow at that moment.
    """
    store.set_fact("checked", sorted({*(store.fact("checked") or []), entrant}))


def _told(order: Order) -> str:
    """Say what an order has come to."""
    if order.alias:
        return f"{order.name} is shown as {order.alias}"
    if order.entry is None:
        return f"{order.name} is {order.state}" + f": {order.why}" * bool(order.why)
    if order.entry.state is State.ACTIVE:
        return f"{order.name} is in, version {order.entry.version}"
    return f"{order.name} is left out: {order.entry.why}"
