"""A run of a tournament: its database is claimed, its entrants are checked, its matches are played.

`EntrantGate` makes the entrants ready, `Schedule` says what is played, `Dispatcher` hands it to the
workers, and on a hill `Admission` lets entrants in and out. `Coordinator` drives all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from attrs import frozen

from arena.rules import UserError, derive_seed
from arena.tournament.commands import CommandQueue
from arena.tournament.deals import Key
from arena.tournament.entries import Entry, Id, ReadyEntry, State
from arena.tournament.file.contents import UnfitPolicy
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.run.admission import Admission
from arena.tournament.run.command_reader import CommandReader
from arena.tournament.run.coordinator import Coordinator, Ending
from arena.tournament.run.entrant_gate import EntrantGate, Unfit
from arena.tournament.run.entrant_sandboxes import SandboxResolver
from arena.tournament.run.hill_entrants import HillEntrants
from arena.tournament.run.hill_places import HillPlaces
from arena.tournament.run.monitor import Monitor
from arena.tournament.run.roster import EntrantsError, Roster
from arena.tournament.run.run_setup import build_dispatcher, create_store
from arena.tournament.run.schedule import Schedule
from arena.tournament.store import Facts, LastHillSettings, Store, StoredSettings
from arena.tournament.workers.dispatcher import Dispatcher
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.live import LIVE_FOLDER, LiveFolder

SETTINGS_ADVICE = (
    "Restore that, or set another database. To change entrants, use"
    " `arena tournament add`, `replace` and `withdraw`"
)
CHANGED_BOT_REMARK = "has changed; version {} plays on until you run `arena tournament replace`"
REPAIR_ADVICE = "Fix it and run `arena tournament replace` to let it in"


def run(
    spec: TournamentSpec,
    monitor: Monitor,
    *,
    commands: CommandQueue | None = None,
    trust_everybody: bool = False,
    replay_void: bool = False,
    rerun: Sequence[Key] = (),
) -> Ending:
    """Run a tournament from its present state to its end, or until a signal comes.

    Untrusted entrants play in a sandbox; if none works they do not play, unless everybody is
    trusted explicitly. For the other arguments, see `TournamentRun.play`.
    """
    sandboxes = SandboxResolver(spec, trust_everybody)
    with TournamentRun.claim(spec, monitor, sandboxes) as tournament_run:
        return tournament_run.play(commands, replay_void=replay_void, rerun=rerun)


@frozen
class TournamentRun:
    """A run of a tournament, whose database nobody else writes to meanwhile."""

    spec: TournamentSpec
    store: Store
    monitor: Monitor
    roster: Roster
    gate: EntrantGate

    @classmethod
    @contextmanager
    def claim(
        cls,
        spec: TournamentSpec,
        monitor: Monitor | None = None,
        sandboxes: SandboxResolver | None = None,
    ) -> Iterator[Self]:
        """Claim a tournament's database within a block; create it for the first run."""
        roster = Roster(spec)
        gate = EntrantGate(spec, sandboxes or SandboxResolver(spec), roster.versions)
        settings = StoredSettings.of(spec)
        store = Store.claim_existing(spec.database)
        if store is None:
            store = create_store(spec, settings, _read_field(roster))
        with store:
            _check_same(roster, store, settings)
            yield cls(spec, store, monitor or Monitor(), roster, gate)

    def play(
        self,
        commands: CommandQueue | None = None,
        *,
        replay_void: bool = False,
        rerun: Sequence[Key] = (),
    ) -> Ending:
        """Play what is left, until the end or a signal.

        Matches that are void through the host are played again, with `replay_void` all void ones,
        and the matches to `rerun` in any case.

        With `commands` the tournament is a hill: it has no end, and entrants join and leave by
        these commands.
        """
        spec, store, monitor = self.spec, self.store, self.monitor
        spec.make_data_folder()
        self._store_settings()
        self.roster.versions.copies.clear_leftovers()
        monitor.on_open(store)
        mark = RunMark.shorten(derive_seed(store.facts.secret, "mark", spec.database))
        with mark.clean_up_around(), LiveFolder(spec.data_folder / LIVE_FOLDER).open():
            with mark.mark_processes():
                ready_entries = self.prepare_entrants()
            schedule = Schedule.of(spec, store, ready_entries, is_open=commands is not None)
            schedule.store_terms()
            schedule.reopen(rerun, monitor)
            schedule.reopen_void(monitor, every=replay_void)
            dispatcher = self._build_dispatcher(mark, ready_entries)
            admission = self._build_admission(commands, schedule)
            ending = Coordinator(store, schedule, dispatcher, monitor, admission).run()
            store.facts.set(Facts.is_over, ending is Ending.PLAYED)
        monitor.on_finish()
        return ending

    def _store_settings(self) -> None:
        """Store the settings that may change from run to run."""
        file, store = self.spec.file, self.store
        store.facts.set(Facts.level, file.level)
        store.facts.set(Facts.anchor, file.anchor)
        store.entries.set_file_titles(self.roster.read_titles(store.entries.list_all(), {}).of_file)
        store.facts.set(Facts.is_over, False)  # stays so if the run is interrupted
        if hill := file.hill:  # to tell at the next start what has changed
            store.facts.set(Facts.hill, LastHillSettings(hill.size, hill.sources))

    def prepare_entrants(self) -> dict[Id, ReadyEntry]:
        """Make ready all who can take part, and record who cannot; raise UserError to stop."""
        for line in self.roster.explain_absences(self.store.entries.list_all()):
            self.monitor.on_message(line)
        entries = self.store.entries.list_active()
        self.roster.check_travel(entries)
        ready_entries: dict[Id, ReadyEntry] = {}
        unfit: list[str] = []
        for number, entry in enumerate(entries, 1):
            outcome = self._check(entry, f"{entry.name}, {number} of {len(entries)}")
            if isinstance(outcome, Unfit):
                unfit.append(f"{entry.name}: {outcome.why}")
                if self.spec.file.unfit is UnfitPolicy.LEAVE_OUT:
                    self._leave_out(entry, outcome.why)
            else:
                ready_entries[entry.id] = outcome
                if self.roster.versions.differs_from_folder(entry):
                    self.monitor.on_message(
                        f"{entry.name} {CHANGED_BOT_REMARK.format(entry.version)}"
                    )
        if unfit and self.spec.file.unfit is UnfitPolicy.STOP:
            raise EntrantsError("\n".join(unfit))
        for line in _summarize_sandboxes([*ready_entries.values()]):
            self.monitor.on_message(line)
        return ready_entries

    def _check(self, entry: Entry, who: str) -> ReadyEntry | Unfit:
        return self.gate.try_check(
            entry, self.store, lambda step: self.monitor.on_prepare(f"{step} {who}")
        )

    def _leave_out(self, entry: Entry, why: str) -> None:
        self.store.entries.set_state(entry.id, State.UNFIT, why)
        sentence = why if why.endswith((".", "?", "!")) else f"{why}."
        self.monitor.on_leave_out(f"{entry.name} is left out: {sentence} {REPAIR_ADVICE}")

    def _build_dispatcher(self, mark: RunMark, ready_entries: dict[Id, ReadyEntry]) -> Dispatcher:
        spec, folder = self.spec, self.spec.data_folder
        settings = spec.build_batch_settings(
            self.store.facts.secret,
            self.roster.versions.bots,
            folder / "kept",
            folder / LIVE_FOLDER,
        )
        return build_dispatcher(spec, settings, ready_entries.values(), mark)

    def _build_admission(
        self, commands: CommandQueue | None, schedule: Schedule
    ) -> Admission | None:
        hill = self.spec.file.hill
        if commands is None or hill is None:
            return None
        entrants = HillEntrants(self.store, schedule, self.gate, self.monitor.on_message)
        return Admission(CommandReader(commands, entrants), HillPlaces(hill, entrants))


def _check_same(roster: Roster, store: Store, settings: StoredSettings) -> None:
    """Raise UserError if settings have changed, or names do not fit those in the database."""
    if lines := "; ".join(store.settings.list_changes(settings, roster.spec.game)):
        file = Path(roster.spec.database).name
        raise UserError(f"{file} has other settings: {lines}. {SETTINGS_ADVICE}")
    entries = store.entries.list_all()
    roster.check_anchor(entries)
    roster.check_titles(entries, store.facts.own_titles)


def _read_field(roster: Roster) -> Sequence[Entry]:
    """Return the entrants of a new tournament; raise UserError unless they can play it."""
    spec, entries = roster.spec, roster.read()
    roster.check_travel(entries)
    roster.check_anchor(entries)
    field = [] if spec.file.hill else [entry.id for entry in entries]
    spec.check_field(field, spec.build_terms(entries, len(entries)))
    return entries


def _summarize_sandboxes(ready_entries: list[ReadyEntry]) -> Iterator[str]:
    """Yield a line for each kind of sandbox in use, with the number of its entrants."""
    counts = Counter(ready.sandbox.tier for ready in ready_entries if ready.sandbox)
    for tier, number in sorted(counts.items()):
        yield f"sandbox {tier}: {number} of {len(ready_entries)} entrants"
