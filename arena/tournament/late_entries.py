"""Late entries: entrants that join, change or leave after the start."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.host import join_team, split_bot_name, split_folder_parameters, split_team
from arena.rules import UnknownNameError, UserError
from arena.tournament.file import TournamentSpec
from arena.tournament.models import KNOWN, Containment, Entry, State
from arena.tournament.roster import open_roster
from arena.tournament.store import Store


def enter(
    tournament: TournamentSpec,
    text: str,
    *,
    keeps: bool = False,
    containment: Containment = KNOWN,
) -> Entry:
    """Enter a bot late, with its paths relative to the current folder; raise UserError."""
    with _open_for_changes(tournament) as store:
        name, bot = split_bot_name(text)
        entry = open_roster(tournament).read_entry(
            relocate_bot(tournament, bot), name, keeps=keeps, containment=containment
        )
        if any(active.name == entry.name for active in store.list_active()):
            raise UserError(
                f"{entry.name} has already entered; `arena tournament replace` enters a new version"
            )
        _check_case(store, entry)
        return _admit(store, entry)


def replace(tournament: TournamentSpec, name: str, bot: str | None) -> tuple[Entry, Entry]:
    """Enter a new version of an entrant; return the old and the new one; raise UserError."""
    with _open_for_changes(tournament) as store:
        old = _find_latest(store, name)
        text = old.bot if bot is None else relocate_bot(tournament, bot)
        entry = open_roster(tournament).read_entry(
            text, name, keeps=old.keeps, containment=old.containment
        )
        if entry.id == old.id and old.state is State.ACTIVE:
            raise UserError(f"{name} has not changed: it is still version {old.version}")
        if entry.id != old.id and old.state is not State.WITHDRAWN:
            store.set_state(old.id, State.REPLACED, f"by version {entry.version}")
        return old, _admit(store, entry)


def withdraw(tournament: TournamentSpec, name: str) -> Entry:
    """Withdraw an entrant; raise UserError."""
    with _open_for_changes(tournament) as store:
        for entry in store.list_entries():
            if entry.name == name and entry.state.is_current:
                store.set_state(entry.id, State.WITHDRAWN, "by the host")
                return entry
        raise UnknownNameError("entrant", name, [entry.name for entry in store.list_active()])


def _check_case(store: Store, entry: Entry) -> None:
    """Raise UserError if the name of another entrant differs in case only, past ones as well."""
    for other in store.list_entries():
        if other.name != entry.name and other.name.casefold() == entry.name.casefold():
            raise UserError(
                f"{entry.name} and {other.name}, which has entered, differ in case only; rename one"
            )


def relocate_bot(tournament: TournamentSpec, bot: str) -> str:
    """Return a bot with its paths relative to the tournament file, not to the current folder."""
    if bots := split_team(bot):
        return join_team([relocate_bot(tournament, partner) for partner in bots])
    home, head = tournament.home, bot.partition(":")[0]
    if home.samefile(Path.cwd()) or head in {*tournament.game.bots, "program"}:
        return bot
    head, colon, rest = bot.rpartition("json:")
    path, given = split_folder_parameters(rest)
    if os.path.exists(path):  # noqa: PTH110  # it may be too long to be a path
        return head + colon + _relocate(path, home) + f":{given}" * bool(given)
    try:
        words = shlex.split(rest)
    except ValueError:  # reading it reports the mistake
        return bot
    moved = [_relocate(word, home) if os.path.isfile(word) else word for word in words]
    return bot if moved == words else head + colon + shlex.join(moved)


def _relocate(path: str, home: Path) -> str:
    return path if Path(path).is_absolute() else os.path.relpath(path, home)


def _find_latest(store: Store, name: str) -> Entry:
    """Return the active version of this name, or else the latest one."""
    known = store.list_entries()
    ranked = sorted(known, key=lambda entry: entry.state is State.ACTIVE)
    named = [entry for entry in ranked if entry.name == name]
    if not named:
        raise UnknownNameError("entrant", name, dict.fromkeys(entry.name for entry in known))
    return named[-1]


def _admit(store: Store, entry: Entry) -> Entry:
    """Enter a version, or reactivate it if it has entered before."""
    if any(stored.id == entry.id for stored in store.list_entries()):
        store.set_state(entry.id, State.ACTIVE, "")
    else:
        store.enter(entry)
    return entry


@contextmanager
def _open_for_changes(tournament: TournamentSpec) -> Iterator[Store]:
    """Open a tournament that has begun, to change its entrants."""
    if not Store.exists(tournament.database):
        raise UserError(
            f"{tournament.database} does not exist yet; before the first run, add"
            " entrants to the tournament file"
        )
    with Store.open(tournament.database) as store:
        store.claim()
        yield store
