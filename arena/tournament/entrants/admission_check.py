"""Checks of the entrants of a tournament before their first match."""

from __future__ import annotations

from collections.abc import Sequence

from arena.check import check
from arena.host import BotError, MachineError
from arena.rules import StorageError, UserError, derive_seed
from arena.sandbox import NoSandboxError
from arena.tournament.config.spec import TournamentSpec
from arena.tournament.entrants.roster import Roster, open_roster
from arena.tournament.entrants.sandboxing import SandboxResolver, UntrustedEntrantError
from arena.tournament.models.records import Entry, State
from arena.tournament.models.schedule import Id
from arena.tournament.monitor import Monitor
from arena.tournament.store import Store
from arena.tournament.worker.jobs import Contestant, build_entrant

MOVED_ON = "has changed; version {} plays on until you run `arena tournament replace`"
HOST_ERRORS = (MachineError, NoSandboxError, StorageError, UntrustedEntrantError)
"""Errors of the host, which do not exclude an entrant."""

MENDED = "Fix it and run `arena tournament replace` to let it in"


class EntrantsError(UserError):
    """Some entrants cannot take part; the message has a line for each."""


def check_entrants(
    store: Store, tournament: TournamentSpec, monitor: Monitor, containing: SandboxResolver
) -> dict[Id, Contestant]:
    """Return the entrants that can take part; report the others, or raise to stop the run."""
    found: dict[Id, Contestant] = {}
    unfit: list[str] = []
    where = open_roster(tournament)
    entries = store.list_active()
    check_portable(tournament, entries)
    for number, entry in enumerate(entries, 1):
        who = f"{entry.name}, {number} of {len(entries)}"
        try:
            if where.needs_build(entry):
                monitor.on_prepare(f"building {who}")
            contestant = where.build_contestant(entry, containing.resolve(entry))
            if _needs_check(store, tournament, contestant):
                monitor.on_prepare(f"checking {who}")
            _check_fit(store, tournament, where, contestant)
            found[entry.id] = contestant
        except HOST_ERRORS:  # the next run checks everybody
            raise
        except UserError as problem:
            unfit.append(f"{entry.name}: {problem}")
            if tournament.file.unfit == "leave-out":
                store.set_state(entry.id, State.UNFIT, str(problem))
                monitor.on_leave_out(f"{entry.name} is left out: {_end_sentence(problem)} {MENDED}")
        else:
            if where.differs_from_folder(entry):
                monitor.on_message(f"{entry.name} {MOVED_ON.format(entry.version)}")
    if unfit and tournament.file.unfit == "stop":
        raise EntrantsError("\n".join(unfit))
    return found


def _end_sentence(problem: UserError) -> str:
    """Return the text of a problem, with a full stop where it has no end mark."""
    text = str(problem)
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _needs_check(store: Store, tournament: TournamentSpec, contestant: Contestant) -> bool:
    """Return whether an entrant has to pass a trial match before its first match."""
    wanted = tournament.file.check and not contestant.comes_with_game(tournament.game)
    return wanted and contestant.id not in (store.get_fact("checked") or [])


def _check_fit(
    store: Store, tournament: TournamentSpec, where: Roster, contestant: Contestant
) -> None:
    """Raise UserError unless an entrant supports the variant and passes its trial match."""
    game = tournament.game
    sitting = build_entrant(game.name, contestant, tournament.home, where.bots)
    sitting.check_support(tournament.variant, tournament.seats_per_match)
    if _needs_check(store, tournament, contestant):
        report = check(
            game,
            sitting,
            tournament.variant,
            sizes=[tournament.seats_per_match],
            limits=tournament.file.time,
            seed=derive_seed(store.get_fact("secret"), "check", contestant.id),
            quick=True,
        )
        if not report.passed:
            found = report.findings[0]
            raise BotError(f"{found.kind} ({found.situation}): {found.detail}. {found.advice}")
        record_check(store, contestant.id)


def check_portable(tournament: TournamentSpec, entries: Sequence[Entry]) -> None:
    """Raise EntrantsError if workers are on other machines and an entrant cannot run there."""
    if not tournament.workers.remote:
        return
    where = open_roster(tournament)
    staying = [
        f"{entry.name}: {why}" for entry in entries if (why := where.find_travel_obstacle(entry))
    ]
    if staying:
        raise EntrantsError("\n".join(staying))


def record_check(store: Store, entrant: Id) -> None:
    """Record that an entrant passed its check, so that later runs do not repeat it.

    An entrant of a hill was checked on admission. A second check at each start would exclude it for
    good if the machine is slow at that moment.
    """
    store.set_fact("checked", sorted({*(store.get_fact("checked") or []), entrant}))
