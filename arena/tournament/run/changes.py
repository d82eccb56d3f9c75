"""Changes of a tournament that has begun: entrants join, get a new version, and leave."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import evolve, field, frozen

from arena.host import join_team, split_bot_name, split_folder_parameters, split_team
from arena.rules import UnknownNameError, UserError
from arena.tournament.entries import KNOWN, Containment, Entry, State
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.reasons import BY_HOST, REPLACEMENT
from arena.tournament.results.departed import find_departed
from arena.tournament.run.roster import Roster
from arena.tournament.store import Store


@frozen
class EntrantChanges:
    """Changes the entrants of a tournament; nothing else may run it meanwhile."""

    spec: TournamentSpec
    roster: Roster = field(init=False)

    @roster.default
    def _open_roster(self) -> Roster:
        return Roster(self.spec)

    def enter(self, text: str, *, keeps: bool = False, containment: Containment = KNOWN) -> Entry:
        """Enter a bot late, with its paths relative to the current folder; raise UserError."""
        with self._open_store() as store:
            name, bot = split_bot_name(text)
            entry = self.roster.versions.read_entry(
                self._relocate(bot), name, keeps=keeps, containment=containment
            )
            if any(active.name == entry.name for active in store.entries.list_active()):
                raise UserError(
                    f"{entry.name} has already entered; `arena tournament replace` enters a new"
                    " version"
                )
            _check_case(store.entries.list_all(), entry)
            return _admit(store, entry)

    def replace(self, name: str, bot: str | None) -> tuple[Entry, Entry]:
        """Enter a new version of an entrant; return the old and the new one; raise UserError."""
        with self._open_store() as store:
            old = _find_latest(store.entries.list_all(), name)
            text = old.bot if bot is None else self._relocate(bot)
            entry = self.roster.versions.read_entry(
                text, name, keeps=old.keeps, containment=old.containment
            )
            if entry.id == old.id and old.state is State.ACTIVE:
                raise UserError(f"{name} has not changed: it is still version {old.version}")
            if entry.id != old.id and old.state is not State.WITHDRAWN:
                why = REPLACEMENT.fill(version=entry.version)
                store.entries.set_state(old.id, State.REPLACED, why)
            return old, _admit(store, entry)

    def withdraw(self, name: str) -> Entry:
        """Withdraw an entrant, also one that failed, and return it; raise UserError."""
        with self._open_store() as store:
            entries = store.entries.list_all()
            departed = find_departed(entries)
            present = [entry for entry in entries if entry.id not in departed]
            leaver = evolve(_find_latest(present, name), state=State.WITHDRAWN, why=BY_HOST.fill())
            store.entries.set_state(leaver.id, leaver.state, leaver.why)
            return leaver

    @contextmanager
    def _open_store(self) -> Iterator[Store]:
        """Open and claim the database of a tournament that has begun."""
        address = self.spec.database
        if not Store.exists(address):
            raise UserError(
                f"{address} does not exist yet; before the first run, add"
                " entrants to the tournament file"
            )
        with Store.open(address) as store:
            store.claim()
            yield store

    def _relocate(self, bot: str) -> str:
        """Return a bot with its paths relative to the tournament's file."""
        if bots := split_team(bot):
            return join_team([self._relocate(partner) for partner in bots])
        home, head = self.spec.home, bot.partition(":")[0]
        if home.samefile(Path.cwd()) or head in {*self.spec.game.bots, "program"}:
            return bot
        head, colon, rest = bot.rpartition("json:")
        path, parameters = split_folder_parameters(rest)
        if os.path.exists(path):  # noqa: PTH110  # it may be too long to be a path
            return head + colon + _relocate_path(path, home) + f":{parameters}" * bool(parameters)
        try:
            words = shlex.split(rest)
        except ValueError:  # reading it reports the mistake
            return bot
        new_words = [_relocate_path(word, home) if os.path.isfile(word) else word for word in words]
        return bot if new_words == words else head + colon + shlex.join(new_words)


def _relocate_path(path: str, home: Path) -> str:
    return path if Path(path).is_absolute() else os.path.relpath(path, home)


def _check_case(entries: Sequence[Entry], entry: Entry) -> None:
    """Raise UserError if the name of another entrant differs in case only, past ones as well."""
    for other in entries:
        if other.name != entry.name and other.name.casefold() == entry.name.casefold():
            raise UserError(
                f"{entry.name} and {other.name}, which has entered, differ in case only; rename one"
            )


def _find_latest(entries: Sequence[Entry], name: str) -> Entry:
    """Return the version of this name that plays or waits for a place, or else the latest one."""
    by_presence = sorted(entries, key=lambda entry: entry.state.is_current)
    versions = [entry for entry in by_presence if entry.name == name]
    if not versions:
        raise UnknownNameError("entrant", name, dict.fromkeys(entry.name for entry in entries))
    return versions[-1]


def _admit(store: Store, entry: Entry) -> Entry:
    """Enter a version, or reactivate it if it has entered before."""
    if any(other.id == entry.id for other in store.entries.list_all()):
        store.entries.reactivate(entry)
    else:
        store.entries.enter(entry)
    return entry
