"""The hill stays open: entrants come late, change, and go."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.host import called, taken_apart
from arena.rules import Unknown, UserError
from arena.tournament.file import TournamentSpec
from arena.tournament.opening import roster
from arena.tournament.records import KNOWN, Containment, Entry, State
from arena.tournament.store import Store


def enter(
    tournament: TournamentSpec,
    text: str,
    *,
    keeps: bool = False,
    containment: Containment = KNOWN,
) -> Entry:
    """Enter a bot late, as a command line names it where one stands; raise UserError."""
    with _changing(tournament) as store:
        name, bot = called(text)
        entry = roster(tournament).entry(
            seen_from(tournament, bot), name, keeps=keeps, containment=containment
        )
        if any(one.name == entry.name for one in store.active()):
            raise UserError(
                f"{entry.name} takes part already; `arena tournament replace` enters a new version"
            )
        return _in(store, entry)


def replace(tournament: TournamentSpec, name: str, bot: str | None) -> tuple[Entry, Entry]:
    """Enter a new version; return the old one and the new one; raise UserError."""
    with _changing(tournament) as store:
        old = _latest(store, name)
        text = old.bot if bot is None else seen_from(tournament, bot)
        entry = roster(tournament).entry(text, name, keeps=old.keeps, containment=old.containment)
        if entry.id == old.id and old.state is State.ACTIVE:
            raise UserError(f"{name} has not changed: it is version {old.version} still")
        if entry.id != old.id and old.state is not State.WITHDRAWN:
            store.set_state(old.id, State.REPLACED, f"by version {entry.version}")
        return old, _in(store, entry)


def withdraw(tournament: TournamentSpec, name: str) -> Entry:
    """Have an entrant take part no more; raise UserError."""
    with _changing(tournament) as store:
        for entry in store.active():
            if entry.name == name:
                store.set_state(entry.id, State.WITHDRAWN, "by the host")
                return entry
        raise Unknown("entrant", name, [entry.name for entry in store.active()])


def seen_from(tournament: TournamentSpec, bot: str) -> str:
    """Return a bot that was named where one stands as a tournament's file would name it."""
    home, head = tournament.home, bot.partition(":")[0]
    if home.samefile(Path.cwd()) or head in {*tournament.game.bots, "program"}:
        return bot
    head, colon, rest = bot.rpartition("json:")
    path, given = taken_apart(rest)
    if os.path.exists(path):  # noqa: PTH110  # it may be too long to be a path
        return head + colon + _moved(path, home) + f":{given}" * bool(given)
    try:
        words = shlex.split(rest)
    except ValueError:  # what it is will be said when it is read
        return bot
    moved = [_moved(word, home) if os.path.isfile(word) else word for word in words]
    return bot if moved == words else head + colon + shlex.join(moved)


def _moved(path: str, home: Path) -> str:
    return path if Path(path).is_absolute() else os.path.relpath(path, home)


def _latest(store: Store, name: str) -> Entry:
    """Return the version of this name that takes part, else the last that did."""
    known = store.entries()
    ranked = sorted(known, key=lambda entry: entry.state is State.ACTIVE)
    named = [entry for entry in ranked if entry.name == name]
    if not named:
        raise Unknown("entrant", name, dict.fromkeys(entry.name for entry in known))
    return named[-1]


def _in(store: Store, entry: Entry) -> Entry:
    """Enter somebody, or let it in again as it was."""
    if any(one.id == entry.id for one in store.entries()):
        store.set_state(entry.id, State.ACTIVE, "")
    else:
        store.enter(entry)
    return entry


@contextmanager
def _changing(tournament: TournamentSpec) -> Iterator[Store]:
    """Open a tournament that has begun, to change who takes part."""
    if not Store.exists(tournament.database):
        raise UserError(
            f"{tournament.database} is not there yet: before the first run, entrants are"
            " added to the file itself"
        )
    with Store.open(tournament.database) as store:
        store.claim()
        yield store
