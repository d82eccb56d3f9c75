"""The hill stays open: entrants come late, change, and go."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.entrants import called
from arena.errors import Refusal, Unknown
from arena.tournament.file import Tournament
from arena.tournament.opening import roster
from arena.tournament.records import Entry, State
from arena.tournament.store import Store


def enter(tournament: Tournament, text: str, *, keeps: bool = False) -> Entry:
    """Enter a bot late, as a command line names it where one stands; raise Refusal."""
    with _changing(tournament) as store:
        name, bot = called(text)
        entry = roster(tournament).entry(seen_from(tournament, bot), name, keeps=keeps)
        if any(one.name == entry.name for one in store.active()):
            raise Refusal(
                f"{entry.name} takes part already; `arena tournament replace` enters a new version"
            )
        return _in(store, entry)


def replace(tournament: Tournament, name: str, bot: str | None) -> tuple[Entry, Entry]:
    """Enter a new version; give the old one and the new one; raise Refusal."""
    with _changing(tournament) as store:
        old = _latest(store, name)
        text = old.bot if bot is None else seen_from(tournament, bot)
        entry = roster(tournament).entry(text, name, keeps=old.keeps)
        if entry.id == old.id and old.state is State.ACTIVE:
            raise Refusal(f"{name} has not changed: it is version {old.version} still")
        if entry.id != old.id and old.state is not State.WITHDRAWN:
            store.set_state(old.id, State.REPLACED, f"by version {entry.version}")
        return old, _in(store, entry)


def withdraw(tournament: Tournament, name: str) -> Entry:
    """Have an entrant take part no more; raise Refusal."""
    with _changing(tournament) as store:
        for entry in store.active():
            if entry.name == name:
                store.set_state(entry.id, State.WITHDRAWN, "by the host")
                return entry
        raise Unknown("entrant", name, [entry.name for entry in store.active()])


def seen_from(tournament: Tournament, bot: str) -> str:
    """Give a bot that was named where one stands as a tournament's file would name it."""
    home, head = tournament.home, bot.partition(":")[0]
    if home.samefile(Path.cwd()) or head in {*tournament.game.bots, "program"}:
        return bot
    head, colon, rest = bot.rpartition("json:")
    if os.path.exists(rest):  # noqa: PTH110  # it may be too long to be a path
        return head + colon + _moved(rest, home)
    try:
        words = shlex.split(rest)
    except ValueError:  # what it is will be said when it is read
        return bot
    moved = [_moved(word, home) if os.path.isfile(word) else word for word in words]
    return bot if moved == words else head + colon + shlex.join(moved)


def _moved(path: str, home: Path) -> str:
    return path if Path(path).is_absolute() else os.path.relpath(path, home)


def _latest(store: Store, name: str) -> Entry:
    """Give the version of this name that takes part, else the last that did."""
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
def _changing(tournament: Tournament) -> Iterator[Store]:
    """Open a tournament that has begun, to change who takes part."""
    if not Store.exists(tournament.database):
        raise Refusal(
            f"{tournament.database} is not there yet: before the first run, entrants are"
            " added to the file itself"
        )
    with Store.open(tournament.database) as store:
        store.claim()
        yield store
