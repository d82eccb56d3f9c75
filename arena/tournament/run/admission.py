"""Admission to a hill: commands are carried out, and its places go to the best entrants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from time import monotonic

from attrs import define, evolve, field

from arena.host import Culprit, find_culprit
from arena.rules import UserError, describe_error
from arena.tournament.commands import (
    AliasCommand,
    CommandQueue,
    CoordinatorCommand,
    EntryCommand,
    WithdrawalCommand,
)
from arena.tournament.entries import Entry, Id, State, get_name
from arena.tournament.file.contents import HillConfig
from arena.tournament.match_record import MatchRecord
from arena.tournament.run.schedule import Schedule
from arena.tournament.store import Store

QUEUE_POLL_SECONDS = 1.0  # between two checks of the queue


@define
class Admission:
    """Admits and removes entrants by command; each command once, even after an interrupted run."""

    commands: CommandQueue
    config: HillConfig
    store: Store
    schedule: Schedule
    prepare: Callable[[Entry], Entry]  # raises UserError or OSError
    say: Callable[[str], None]
    _next: float = field(default=0.0, init=False)  # the time of the next check
    _problem: str = field(default="", init=False)  # of the host, which delays a command
    _plays: Counter[Id] = field(init=False)
    _ranked: frozenset[Id] = field(default=frozenset(), init=False)  # at the last check
    _filled: int = field(default=-1, init=False)  # the places that were taken at the last check
    _delay: str = field(default="", init=False)  # the problem of the host that keeps somebody out

    def __attrs_post_init__(self) -> None:
        """Load the number of matches that each entrant has played."""
        tallies = self.store.seats.count_totals()
        self._plays = Counter({entrant: tally.matches for entrant, tally in tallies.items()})

    def count_match(self, record: MatchRecord) -> None:
        """Count a finished match, whatever its result."""
        self._plays.update(record.entrants)

    def poll(self) -> Iterator[Id]:
        """Carry out new commands if it is time; yield the entrants that no longer take part."""
        if monotonic() < self._next:
            return
        for command, entry in self._fetch_commands():
            yield from self._carry_out(command, entry)
        yield from self._drop_lowest()
        self._fill_places()
        self._next = monotonic() + QUEUE_POLL_SECONDS

    def _fetch_commands(self) -> Iterator[tuple[CoordinatorCommand, Entry | None]]:
        """Yield the commands that can be carried out, up to one that fails by the host's fault.

        The failed command and all later ones wait; the present entrants play on. But nobody plays
        on who is to leave: of the commands that wait, those that let nobody in are carried out
        under the last number, and once more when it is their turn.
        """
        after, who = self.store.facts.last_command, "the next entrant"
        remaining: Iterator[CoordinatorCommand] = iter(())
        try:
            commands = self.commands.fetch(after)
            withdrawals = {
                command.name: command
                for command in commands
                if isinstance(command, WithdrawalCommand)
            }
            remaining = iter(commands)
            for command in remaining:
                who = command.name
                if isinstance(command, EntryCommand):
                    yield self._prepare(command, withdrawals.get(command.name))
                else:
                    yield command, None
                after = command.number
            self._problem = ""
        except (UserError, OSError) as problem:
            words = describe_error(problem)
            if words != self._problem:  # report it once
                self.say(f"{who} cannot enter or leave yet: {words}")
            self._problem = words
            for command in remaining:
                if not isinstance(command, EntryCommand):
                    yield evolve(command, number=after), None

    def _prepare(
        self, command: EntryCommand, withdrawal: WithdrawalCommand | None
    ) -> tuple[EntryCommand, Entry | None]:
        """Return a command and its entrant; None for a bot that cannot or may not play.

        `withdrawal` is the last one of the bot: what it follows never comes in.
        """
        entry = command.entry
        if withdrawal and withdrawal.number > command.number:
            leaver = evolve(entry, state=withdrawal.state, why=withdrawal.why)
            return evolve(command, entry=leaver), None
        try:
            return command, self.prepare(entry)
        except UserError as problem:
            if find_culprit(problem) is not Culprit.BOT:
                raise
            unfit = evolve(entry, state=State.UNFIT, why=str(problem))
            return evolve(command, entry=unfit), None

    def _carry_out(self, command: CoordinatorCommand, entry: Entry | None) -> Iterator[Id]:
        leavers = self.store.entries.carry_out(command)
        for entrant in leavers:
            self.schedule.leave_out(entrant)
        if entry:
            self.store.entries.record_check(entry.id)
            self.schedule.admit(entry)
        yield from leavers
        self.say(_describe(command))

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
            self.store.entries.set_state(lowest, State.WAITING, why)
            schedule.leave_out(lowest)
            self._filled = -1
            self.say(f"{get_name(lowest)} falls off the hill, and waits for a place: {why}")
            yield lowest

    def _has_share(self, entrant: Id) -> bool:
        return self.schedule.through or self._plays[entrant] >= self.config.share

    def _find_lowest(self) -> Id:
        from arena.tournament.results.summary import Summary  # slow, and seldom needed

        ranking = [row.entry.id for row in Summary.of(self.store).standings]
        return next(entrant for entrant in reversed(ranking) if entrant in self.schedule.entrants)

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
            except (UserError, OSError) as problem:
                if find_culprit(problem) is Culprit.BOT:
                    self.store.entries.set_state(entry.id, State.UNFIT, str(problem))
                    self.say(f"{entry.name} is left out: {problem}")
                    continue
                if self._delay != (words := describe_error(problem)):  # report it once
                    self.say(f"{entry.name} cannot come back yet: {words}")
                self._delay = words
                return
            else:
                self.store.entries.set_state(entry.id, State.ACTIVE)
                schedule.admit(ready)
                self.say(f"{entry.name} comes back: there is a place for it")
        self._filled, self._delay = len(schedule.entrants), ""

    def _rank_waiting(self) -> list[Entry]:
        """Return those that wait for a place, the best first."""
        entries = self.store.entries.list_all()
        waiting = {entry.id: entry for entry in entries if entry.state is State.WAITING}
        if not waiting:
            return []
        from arena.tournament.results.summary import Summary  # slow, and seldom needed

        ranking = [row.entry.id for row in Summary.of(self.store).standings]
        return [waiting[entrant] for entrant in ranking if entrant in waiting]


def _describe(command: CoordinatorCommand) -> str:
    """Describe the outcome of a command."""
    match command:
        case AliasCommand(name=name, alias=alias):
            return f"{name} is shown as {alias}"
        case WithdrawalCommand(name=name, state=state, why=why):
            return f"{name} is {state}" + f": {why}" * bool(why)
        case EntryCommand(entry=entry) if entry.state is State.ACTIVE:
            return f"{entry.name} has entered, version {entry.version}"
        case EntryCommand(entry=entry):
            return f"{entry.name} is left out: {entry.why}"
