"""Entrants as a host seats them, built from their entries, in the folder of a tournament."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import RLock

from attrs import evolve

from arena.host import (
    ClassReference,
    Entrant,
    build_folder_entrant,
    is_bundled,
    parse_entrant,
    split_folder_parameters,
)
from arena.plugins import Game, get_plugins
from arena.tournament.bots.copies import CopyFolder
from arena.tournament.entries import Entry, ReadyEntry

WORKING_FOLDER_LOCK = RLock()


@cache
def build_entrant(game: str, ready: ReadyEntry, home: Path, bots: Path) -> Entrant:
    """Build an entrant that can be seated; cached, so that its matches share a bundled bot."""
    entry, sandbox = ready.entry, ready.sandbox
    if len(members := ready.members) > 1:
        team = tuple([build_entrant(game, member, home, bots) for member in members])
        return Entrant(entry.name, entry.bot, team[0].factory, partners=team)
    rules, folder = get_plugins().find_game(game), CopyFolder(bots).find(entry.version)
    with work_in(home if home.is_dir() else Path()):  # other machines have copies and bundled bots
        if folder is None:
            entrant = parse_entrant(rules, entry.bot, sandbox)
        else:
            parameters = split_folder_parameters(entry.bot)[1]
            entrant = build_folder_entrant(
                rules, entry.bot, folder, parameters, built=True, sandbox=sandbox
            )
    return evolve(entrant, name=entry.name)


def runs_in_process(game: Game, entry: Entry) -> bool:
    """Return whether a bot is played in the worker's own process."""
    return all(
        is_bundled(game, member.bot) or ClassReference.parse(member.bot) is not None
        for member in entry.members
    )


@contextmanager
def work_in(folder: Path) -> Iterator[None]:
    """Change the working folder within a block; raise OSError if it cannot be entered.

    All threads are then in this folder, so that they come one after the other.
    If the former folder cannot be entered again, such as root's home under sudo, stay in the new
    one.
    """
    with WORKING_FOLDER_LOCK:
        before = os.getcwd()  # noqa: PTH109  # it may be gone: then this fails at once
        os.chdir(folder)
        try:
            yield
        finally:
            with suppress(OSError):
                os.chdir(before)
