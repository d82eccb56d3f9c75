"""Who enters a tournament, in which version, and how workers get to know it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Container, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Unpack

from attrs import frozen

from arena.host import (
    FILE,
    BadBot,
    BuildTerms,
    ClassInFile,
    called,
    entrant,
    home_of,
    in_folder,
    load,
    settings,
    taken_apart,
)
from arena.plugins import Game
from arena.rules import UserError
from arena.sandbox import Sandbox
from arena.tournament.copies import (
    copy_of,
    folder_version,
    hand_over,
    make_ready,
    settings_version,
    take,
    unbuilt,
    version_of,
)
from arena.tournament.file import EntrantConfig
from arena.tournament.jobs import Contestant, working_in
from arena.tournament.records import KNOWN, Containment, Entry
from arena.wires import printable

PROGRAM = "enter a program, or a folder with a bot.toml"
MANY = 20  # lines of what does not take part


@frozen
class Roster:
    """Where a tournament's entrants are read, and where their copies are."""

    game: Game  #: that they play
    home: Path  #: the folder of the tournament's file
    bots: Path  #: where the copies are

    def entry(
        self,
        text: str,
        name: str | None = None,
        *,
        keeps: bool = False,
        containment: Containment = KNOWN,
    ) -> Entry:
        """Read a bot as it is now; raise UserError in one line."""
        given, bot = called(text)
        if containment.untrusted and ClassInFile.named(bot):
            raise BadBot(f"{bot} would play in the host's process, and is untrusted: {PROGRAM}")
        with working_in(self.home):
            folder = home_of(self.game, bot)
            if folder is None:
                own, hashed = entrant(self.game, bot).name, self._version(bot)
            else:
                own, hashed = self._taken(bot, folder)
        return Entry(name or given or own, hashed, bot, keeps, containment)

    def entries(self, lines: Sequence[EntrantConfig]) -> tuple[list[Entry], list[str]]:
        """Read a tournament's entrants; return them, and what is wrong with the others."""
        entries: list[Entry] = []
        wrong: list[str] = []
        for number, line in enumerate(lines):
            try:
                bots = self._bots(line)
            except BadBot as problem:
                wrong.append(f"entrant[{number}]: {problem}")
                continue
            for bot in bots:
                try:
                    entries.append(
                        self.entry(bot, line.name, keeps=line.keeps, containment=line.containment)
                    )
                except UserError as problem:
                    wrong.append(f"entrant[{number}]: {problem}")
        return entries, [printable(line) for line in (*wrong, *_twice(entries))]

    def passed_over(
        self, lines: Sequence[EntrantConfig], entries: Sequence[Entry]
    ) -> Iterator[str]:
        """Say what in the folders of entrants takes no part; `entries` are all that ever did."""
        known = {self._place(taken_apart(one.bot)[0]) for one in entries}
        for line in lines:
            if line.folder is not None:
                said = [*self._idle(line, line.folder, known)]
                yield from said[:MANY]
                if said[MANY:]:
                    yield f"{len(said[MANY:])} more in {line.folder} do not take part either"

    def contestant(self, entry: Entry, sandbox: Sandbox | None = None) -> Contestant:
        """Return an entrant as workers get to know it; build its copy; raise UserError."""
        sandbox = None if self._bundled(entry.bot) else sandbox
        if not self._copied(entry):
            self._see_unchanged(entry)  # a copy that is lost is made anew
        if not self._copied(entry):
            return Contestant(entry.id, entry.name, entry.bot, None, entry.keeps, sandbox=sandbox)
        folder = copy_of(entry.version)
        with working_in(self.home):
            given = taken_apart(entry.bot)[1]
        make_ready(self.bots, folder, sandbox)
        in_folder(self.game, entry.bot, self.bots / folder, given, built=True)
        return Contestant(entry.id, entry.name, entry.bot, folder, entry.keeps, given, sandbox)

    def build(
        self, entry: Entry, sandbox: Sandbox | None = None, **terms: Unpack[BuildTerms]
    ) -> Path:
        """Build an entrant's copy, if that has not been done; return where it is."""
        make_ready(self.bots, copy_of(entry.version), sandbox, **terms)
        return self.bots / copy_of(entry.version)

    def hand_over(self, entry: Entry, folder: Path, to: Roster) -> None:
        """Move an entrant's copy of a folder, which is built, to where another roster has its own.

        Raise BadBot where that has another folder's under the same version.
        """
        hand_over(self.bots, copy_of(entry.version), folder, to.bots)

    def unbuilt(self, entry: Entry) -> bool:
        """Is there a copy that is to be built before it can play?"""
        return self._copied(entry) and unbuilt(self.bots, copy_of(entry.version))

    def moved_on(self, entry: Entry) -> bool:
        """Has the folder that an entrant was copied from been changed since?"""
        with working_in(self.home):
            folder = home_of(self.game, entry.bot) if self._copied(entry) else None
            return folder is not None and not _is_still(folder, copy_of(entry.version))

    def stays(self, entry: Entry) -> str:
        """Say why an entrant cannot be played on other machines, if it cannot."""
        if entry.keeps:
            return 'keeps a folder, which stays on this machine: it needs executor = "local"'
        if self._copied(entry) or self._bundled(entry.bot):
            return ""
        return f"{entry.bot!r} is a command of this machine; a folder with a {FILE} can travel"

    def _taken(self, bot: str, folder: Path) -> tuple[str, str]:
        """Copy a folder, read as far as it can be before it is built; return its name, version."""
        file, given = load(folder), taken_apart(bot)[1]
        settings(folder, file, given)
        if not file.build:
            in_folder(self.game, bot, folder, given, built=True)
        version = take(folder, self.bots) + settings_version(file, given)
        return file.name, version

    def _copied(self, entry: Entry) -> bool:
        return (self.bots / copy_of(entry.version)).is_dir()

    def _bundled(self, bot: str) -> bool:
        """Is it a bot that the game brings, as a program perhaps?"""
        return bot.removeprefix("program:").partition(":")[0] in self.game.bots

    def _see_unchanged(self, entry: Entry) -> None:
        now = self.entry(entry.bot).version
        if now != entry.version:
            raise BadBot(
                f"{entry.name} has changed since it entered: it was version {entry.version},"
                f" and is {now}; `arena tournament replace` enters it anew"
            )

    def _bots(self, line: EntrantConfig) -> list[str]:
        """Return the bots of a line, as a line each would name them."""
        if line.folder is None:
            return [line.bot or ""]
        found = sorted(path.parent for path in (self.home / line.folder).glob(f"*/{FILE}"))
        found = [path for path in found if not _leads_away(path, line)]
        if not found and (self.home / line.folder / FILE).is_file():
            raise BadBot(f'{line.folder}: is a bot itself; write bot = "{line.folder}"')
        if not found:
            raise BadBot(f"{line.folder}: there is no folder with a {FILE} in it")
        return [os.path.relpath(path, self.home) for path in found]

    def _idle(self, line: EntrantConfig, folder: str, known: Container[str]) -> Iterator[str]:
        """Say what in a folder of entrants is none, or is a bot that has not entered."""
        home = self.home / folder
        for path in sorted(home.iterdir()) if home.is_dir() else ():
            bot = os.path.relpath(path, self.home)
            if not (path / FILE).exists():
                if not path.name.startswith("."):
                    yield f"{bot} does not take part: it is no folder with a {FILE}"
            elif _leads_away(path, line):
                yield f"{bot} does not take part: it is a symbolic link, and untrusted"
            elif self._place(bot) not in known:
                yield f"{bot} does not take part: it is new, and `arena tournament add` enters it"

    def _place(self, path: str) -> str:
        return os.path.normpath(self.home / path)

    def _version(self, bot: str) -> str:
        """Return the hash of a command with the files that it names, or of a bundled bot."""
        if self._bundled(bot):
            return version_of(bot.encode(), _installed(self.game).encode())
        if named := ClassInFile.named(bot):
            return version_of(bot.encode(), named.source())
        line = bot.removeprefix("json:")
        words = [line] if os.path.isfile(line) else shlex.split(line)
        files = [Path(word).read_bytes() for word in words if os.path.isfile(word)]
        return version_of(bot.encode(), *files)


def _leads_away(path: Path, line: EntrantConfig) -> bool:
    """Is it a link that somebody whom the host does not know may have put there?"""
    return line.untrusted and path.is_symlink()


def _installed(game: Game) -> str:
    """Return the version of the distribution that brings a game."""
    try:
        return version(game.variant.__module__.split(".")[0].replace("_", "-"))
    except PackageNotFoundError:
        return "unknown"


def _is_still(folder: Path, version: str) -> bool:
    """Say whether a folder holds what it held; one that can no more be copied does not."""
    try:
        return folder_version(folder) == version
    except (BadBot, OSError):
        return False


def _twice(entries: Sequence[Entry]) -> Iterator[str]:
    names = [entry.name for entry in entries]
    for name in sorted({name for name in names if names.count(name) > 1}):
        bots = ", ".join(entry.bot for entry in entries if entry.name == name)
        yield f"entrant: {names.count(name)} are called {name} ({bots}); give each a name"
