"""Who enters a tournament, in which version, and how workers get to know it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import chdir
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from attrs import frozen

from arena.botfile import FILE, BadBot, load
from arena.entrants import called, entrant, home_of, in_folder
from arena.errors import Refusal
from arena.game import Game
from arena.tournament.file import Line
from arena.tournament.jobs import Contestant
from arena.tournament.records import Entry
from arena.tournament.stage import folder_version, make_ready, take, version_of


@frozen
class Roster:
    """Where a tournament's entrants are read, and where their copies are."""

    game: Game
    home: Path  # the folder of the tournament's file
    bots: Path

    def entry(self, text: str, name: str | None = None, *, keeps: bool = False) -> Entry:
        """Read a bot as it is now; raise Refusal in one line."""
        given, bot = called(text)
        with chdir(self.home):
            folder = home_of(self.game, bot)
            if folder is None:
                own, hashed = entrant(self.game, bot).name, self._version(bot)
            else:
                own, hashed = self._named(bot, folder), take(folder, self.bots)
        return Entry(name or given or own, hashed, bot, keeps)

    def entries(self, lines: Sequence[Line]) -> tuple[list[Entry], list[str]]:
        """Read a tournament's entrants; give them, and what is wrong with the others."""
        entries: list[Entry] = []
        wrong: list[str] = []
        for number, line in enumerate(lines):
            try:
                entries += self._line(line)
            except Refusal as problem:
                wrong.append(f"entrant[{number}]: {problem}")
        return entries, wrong + list(_twice(entries))

    def contestant(self, entry: Entry) -> Contestant:
        """Give an entrant as workers get to know it; build its copy; raise Refusal."""
        if not self._copied(entry):
            self._see_unchanged(entry)  # a copy that is lost is made anew
        folder = entry.version if self._copied(entry) else None
        if folder:
            make_ready(self.bots, folder)
            in_folder(self.game, entry.bot, self.bots / folder, built=True)
        return Contestant(entry.id, entry.name, entry.bot, folder, entry.keeps)

    def moved_on(self, entry: Entry) -> bool:
        """Has the folder that an entrant was copied from been changed since?"""
        with chdir(self.home):
            folder = home_of(self.game, entry.bot) if self._copied(entry) else None
            return folder is not None and folder_version(folder) != entry.version

    def stays(self, entry: Entry) -> str:
        """Say why an entrant cannot be played on other machines, if it cannot."""
        if entry.keeps:
            return 'keeps a folder, which stays on this machine: it needs executor = "local"'
        if self._copied(entry) or self._bundled(entry.bot):
            return ""
        return f"{entry.bot!r} is a command of this machine; a folder with a {FILE} can travel"

    def _named(self, bot: str, folder: Path) -> str:
        """Read a folder as far as that can be before it is built; give its bot's name."""
        if (folder / FILE).is_file() and (file := load(folder)).build:
            return file.name
        return in_folder(self.game, bot, folder, built=True).name

    def _copied(self, entry: Entry) -> bool:
        return (self.bots / entry.version).is_dir()

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

    def _line(self, line: Line) -> list[Entry]:
        if line.bot is not None:
            return [self.entry(line.bot, line.name, keeps=line.keeps)]
        assert line.folder is not None
        found = sorted(path.parent for path in (self.home / line.folder).glob(f"*/{FILE}"))
        if not found:
            raise BadBot(f"{line.folder}: there is no folder with a {FILE} in it")
        return [self.entry(os.path.relpath(path, self.home), keeps=line.keeps) for path in found]

    def _version(self, bot: str) -> str:
        """Give the hash of a command with the files that it names, or of a bundled bot."""
        if self._bundled(bot):
            return version_of(bot.encode(), _installed(self.game).encode())
        line = bot.removeprefix("json:")
        words = [line] if os.path.isfile(line) else shlex.split(line)
        files = [Path(word).read_bytes() for word in words if os.path.isfile(word)]
        return version_of(bot.encode(), *files)


def _installed(game: Game) -> str:
    """Give the version of the distribution that brings a game."""
    try:
        return version(game.variant.__module__.split(".")[0].replace("_", "-"))
    except PackageNotFoundError:
        return "unknown"


def _twice(entries: Sequence[Entry]) -> Iterator[str]:
    names = [entry.name for entry in entries]
    for name in sorted({name for name in names if names.count(name) > 1}):
        bots = ", ".join(entry.bot for entry in entries if entry.name == name)
        yield f"entrant: {names.count(name)} are called {name} ({bots}); give each a name"
