"""The reader of commands: it lets entrants of a hill in and out, and hides their names."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import Factory, define, evolve, field

from arena.rules import UserError
from arena.tournament.commands import (
    AliasCommand,
    CommandQueue,
    CoordinatorCommand,
    EntryCommand,
    WithdrawalCommand,
)
from arena.tournament.entries import ReadyEntry, State
from arena.tournament.run.delay_report import DelayReport
from arena.tournament.run.entrant_gate import Unfit
from arena.tournament.run.hill_entrants import HillEntrants


@define
class CommandReader:
    """Carries out commands, each once, even after an interrupted run."""

    queue: CommandQueue
    entrants: HillEntrants
    _delay: DelayReport = field(
        init=False, default=Factory(lambda self: DelayReport(self.entrants.say), takes_self=True)
    )
    _early: set[int] = field(init=False, factory=set)  # commands carried out before their turn

    def carry_out_new(self) -> None:
        """Carry out new commands, up to one that fails by the host's fault.

        The failed command and all later ones wait, and the present entrants play on.
        """
        last = self.entrants.store.facts.last_command
        try:
            commands = [*self.queue.fetch(last)]
        except (UserError, OSError) as problem:
            self._delay.report("the next entrant cannot enter or leave yet", problem)
            return
        withdrawals = {
            command.name: command for command in commands if isinstance(command, WithdrawalCommand)
        }
        for at, command in enumerate(commands):
            try:
                outcome, ready = self._prepare(command, withdrawals.get(command.name))
            except (UserError, OSError) as problem:
                self._delay.report(f"{command.name} cannot enter or leave yet", problem)
                self._carry_out_early(commands[at + 1 :], last)
                return
            self.entrants.carry_out(outcome, ready)
            last = command.number
            if last not in self._early:
                self.entrants.say(_describe(outcome))
            self._early.discard(last)
        self._delay.clear()

    def _carry_out_early(self, commands: Iterable[CoordinatorCommand], last: int) -> None:
        """Carry out commands that let nobody in though an earlier one waits.

        Nobody plays on who is to leave, and no name is shown that is to be hidden. The number of
        the last command stays as it is, so such a command is stored again in its turn, when it
        changes nothing any more.
        """
        for command in commands:
            if not isinstance(command, EntryCommand) and command.number not in self._early:
                self.entrants.carry_out(evolve(command, number=last), None)
                self._early.add(command.number)
                self.entrants.say(_describe(command))

    def _prepare(
        self, command: CoordinatorCommand, withdrawal: WithdrawalCommand | None
    ) -> tuple[CoordinatorCommand, ReadyEntry | None]:
        """Return a command and its entrant; None where nobody is to play.

        `withdrawal` is the last one of the bot: what it follows never comes in.
        """
        if not isinstance(command, EntryCommand):
            return command, None
        entry = command.entry
        if withdrawal and withdrawal.number > command.number:
            leaver = evolve(entry, state=withdrawal.state, why=withdrawal.why)
            return evolve(command, entry=leaver), None
        ready = self.entrants.gate.try_prepare(entry)
        if isinstance(ready, Unfit):
            unfit = evolve(entry, state=State.UNFIT, why=ready.why)
            return evolve(command, entry=unfit), None
        return command, ready


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
