"""The roster: reads entrants with their versions and prepares them for the workers."""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Container, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Unpack

from attrs import frozen

from arena.host import (
    BOT_FILE,
    BotError,
    BuildOptions,
    ClassReference,
    MachineError,
    blame_bot,
    build_folder_entrant,
    find_bot_folder,
    load_bot_file,
    parse_bot_parameters,
    parse_entrant,
    split_bot_name,
    split_folder_parameters,
)
from arena.plugins import Game
from arena.rules import UserError
from arena.sandbox import Sandbox
from arena.tournament.config.data_folder import get_data_folder
from arena.tournament.config.file_tables import EntrantConfig
from arena.tournament.config.spec import TournamentSpec
from arena.tournament.entrants.bot_copies import (
    build_copy,
    copy_bot,
    discard_copy,
    get_copy_name,
    hash_folder,
    hash_parts,
    hash_settings,
    is_altered,
    move_copy,
    needs_build,
)
from arena.tournament.models.records import KNOWN, Containment, Entry
from arena.tournament.worker.jobs import Contestant, work_in
from arena.wires import to_printable

LOG = logging.getLogger(__name__)  # a warning is a line on standard error, if nobody wants it else
PROGRAM = "enter a program, or a folder with a bot.toml"
MAX_LINES = 20  # of items that do not take part


@frozen
class Roster:
    """Reads the entrants of a tournament and manages their copies."""

    game: Game  #: the game to play
    home: Path  #: the folder of the tournament file
    bots: Path  #: the folder of copies

    def read_entry(
        self,
        text: str,
        name: str | None = None,
        *,
        keeps: bool = False,
        containment: Containment = KNOWN,
    ) -> Entry:
        """Read a bot in its present version; raise UserError."""
        given, bot = split_bot_name(text)
        if containment.untrusted and ClassReference.parse(bot):
            raise BotError(
                f"{bot} is untrusted and cannot run inside the host's process: {PROGRAM}"
            )
        with work_in(self.home):
            folder = find_bot_folder(self.game, bot)
            if folder is None:
                own, hashed = parse_entrant(self.game, bot).name, self._hash_bot(bot)
            else:
                own, hashed = self._copy_folder(bot, folder)
        return Entry(name or given or own, hashed, bot, keeps, containment)

    def read_entries(self, lines: Sequence[EntrantConfig]) -> tuple[list[Entry], list[str]]:
        """Read a tournament's entrants; return them, and the problems of the others."""
        entries: list[Entry] = []
        wrong: list[str] = []
        for number, line in enumerate(lines):
            try:
                bots = self._list_bots(line)
            except BotError as problem:
                wrong.append(f"entrant[{number}]: {problem}")
                continue
            for bot in bots:
                try:
                    entries.append(
                        self.read_entry(
                            bot, line.name, keeps=line.keeps, containment=line.containment
                        )
                    )
                except UserError as problem:
                    wrong.append(f"entrant[{number}]: {problem}")
        return entries, [to_printable(line) for line in (*wrong, *_find_duplicates(entries))]

    def explain_absences(
        self, lines: Sequence[EntrantConfig], entries: Sequence[Entry]
    ) -> Iterator[str]:
        """Yield a message for each item in the entrants' folders that does not take part."""
        known = {self._normalize_path(split_folder_parameters(entry.bot)[0]) for entry in entries}
        for line in lines:
            if line.folder is not None:
                said = [*self._list_idle(line, line.folder, known)]
                yield from said[:MAX_LINES]
                if said[MAX_LINES:]:
                    yield f"{len(said[MAX_LINES:])} more in {line.folder} do not take part either"

    def build_contestant(self, entry: Entry, sandbox: Sandbox | None = None) -> Contestant:
        """Build an entrant's copy and return the contestant for the workers; raise UserError."""
        sandbox = None if comes_with_game(self.game, entry.bot) else sandbox
        if not self._has_copy(entry):
            self._check_version(entry)  # copies the bot again if the copy is lost
        if not self._has_copy(entry):
            return Contestant(entry.id, entry.name, entry.bot, None, entry.keeps, sandbox=sandbox)
        folder = get_copy_name(entry.version)
        if sandbox and is_altered(self.bots, folder):
            self._restore_copy(entry)
        with work_in(self.home):
            given = split_folder_parameters(entry.bot)[1]
        build_copy(self.bots, folder, sandbox)
        build_folder_entrant(self.game, entry.bot, self.bots / folder, given, built=True)
        return Contestant(entry.id, entry.name, entry.bot, folder, entry.keeps, given, sandbox)

    def build(
        self, entry: Entry, sandbox: Sandbox | None = None, **terms: Unpack[BuildOptions]
    ) -> Path:
        """Build an entrant's copy unless it is built; return its folder."""
        build_copy(self.bots, get_copy_name(entry.version), sandbox, **terms)
        return self.bots / get_copy_name(entry.version)

    def move_copy(self, entry: Entry, folder: Path, to: Roster) -> None:
        """Move an entrant's built copy from another folder to the copies of another roster.

        Raise BotError if the other roster has a different folder under the same version.
        """
        move_copy(self.bots, get_copy_name(entry.version), folder, to.bots)

    def needs_build(self, entry: Entry) -> bool:
        """Return whether the entrant has a copy that must be built before it can play."""
        return self._has_copy(entry) and needs_build(self.bots, get_copy_name(entry.version))

    def differs_from_folder(self, entry: Entry) -> bool:
        """Return whether the folder that an entrant was copied from has changed since."""
        with work_in(self.home):
            folder = find_bot_folder(self.game, entry.bot) if self._has_copy(entry) else None
            return folder is not None and not _has_version(folder, get_copy_name(entry.version))

    def find_travel_obstacle(self, entry: Entry) -> str:
        """Return the reason why an entrant cannot be played on other machines, or ""."""
        if entry.keeps:
            return 'its folder is kept on this machine, so it needs executor = "local"'
        if self._has_copy(entry) or comes_with_game(self.game, entry.bot):
            return ""
        return (
            f"{entry.bot!r} is a command of this machine; enter a folder with a {BOT_FILE} instead"
        )

    def _copy_folder(self, bot: str, folder: Path) -> tuple[str, str]:
        """Check a bot's folder as far as possible before its build; return its name and version."""
        file, given = load_bot_file(folder), split_folder_parameters(bot)[1]
        parse_bot_parameters(folder, file, given)
        if not file.build:
            build_folder_entrant(self.game, bot, folder, given, built=True)
        version = copy_bot(folder, self.bots) + hash_settings(file, given)
        return file.name, version

    def _restore_copy(self, entry: Entry) -> None:
        """Copy an entrant's bot again, whose copy somebody has changed; raise MachineError."""
        altered = self.bots / get_copy_name(entry.version)
        with work_in(self.home):
            source = find_bot_folder(self.game, entry.bot)
            if source is None or not _has_version(source, altered.name):
                raise MachineError(
                    f"{entry.name}: its copy {altered} has changed since it was built, and"
                    f" {entry.bot} is not this version; restore the copy, or withdraw {entry.name}"
                )
            LOG.warning(
                "arena: %s: its copy %s had changed since it was built; it is copied from %s again",
                entry.name, altered, to_printable(str(source)),
            )  # fmt: skip
            discard_copy(self.bots, altered.name)
            copy_bot(source, self.bots)

    def _has_copy(self, entry: Entry) -> bool:
        return (self.bots / get_copy_name(entry.version)).is_dir()

    def _check_version(self, entry: Entry) -> None:
        now = self.read_entry(entry.bot).version
        if now != entry.version:
            raise BotError(
                f"{entry.name} has changed since it entered (version {entry.version}, now {now});"
                " run `arena tournament replace` to enter the new version"
            )

    def _list_bots(self, line: EntrantConfig) -> list[str]:
        """Return the bots of an entrant table, each as a table of its own would name it."""
        if line.folder is None:
            return [line.bot or ""]
        found = sorted(path.parent for path in (self.home / line.folder).glob(f"*/{BOT_FILE}"))
        found = [path for path in found if not _is_untrusted_link(path, line)]
        if not found and (self.home / line.folder / BOT_FILE).is_file():
            raise BotError(f'{line.folder} is itself a bot; write bot = "{line.folder}"')
        if not found:
            raise BotError(f"{line.folder} contains no folder with a {BOT_FILE}")
        return [os.path.relpath(path, self.home) for path in found]

    def _list_idle(self, line: EntrantConfig, folder: str, known: Container[str]) -> Iterator[str]:
        """Yield a message for each item of a folder that is not a bot or has not entered."""
        home = self.home / folder
        for path in sorted(home.iterdir()) if home.is_dir() else ():
            bot = os.path.relpath(path, self.home)
            if not (path / BOT_FILE).exists():
                if not path.name.startswith("."):
                    yield f"{bot} does not take part: it is not a folder with a {BOT_FILE}"
            elif _is_untrusted_link(path, line):
                yield f"{bot} does not take part: an untrusted bot may not be a symbolic link"
            elif self._normalize_path(bot) not in known:
                yield f"{bot} does not take part: it is new (`arena tournament add` enters it)"

    def _normalize_path(self, path: str) -> str:
        return os.path.normpath(self.home / path)

    def _hash_bot(self, bot: str) -> str:
        """Return the hash of a bundled bot, or of a command and the files that it names."""
        if comes_with_game(self.game, bot):
            return hash_parts(bot.encode(), _get_distribution_version(self.game).encode())
        if named := ClassReference.parse(bot):
            return hash_parts(bot.encode(), named.read_source())
        line = bot.removeprefix("json:")
        words = [line] if os.path.isfile(line) else shlex.split(line)
        files = [Path(word) for word in words if os.path.isfile(word)]
        return hash_parts(bot.encode(), *map(_read_named_file, files))


def _read_named_file(path: Path) -> bytes:
    """Return the contents of a file that a command names; raise BotError or MachineError."""
    with blame_bot(path):
        return path.read_bytes()


def comes_with_game(game: Game, bot: str) -> bool:
    """Return whether the game ships this bot, possibly run as a program."""
    return bot.removeprefix("program:").partition(":")[0] in game.bots


def _is_untrusted_link(path: Path, line: EntrantConfig) -> bool:
    """Return whether a bot is a symbolic link that someone untrusted may have made."""
    return line.untrusted and path.is_symlink()


def _get_distribution_version(game: Game) -> str:
    """Return the version of the distribution that brings a game."""
    try:
        return version(game.variant.__module__.split(".")[0].replace("_", "-"))
    except PackageNotFoundError:
        return "unknown"


def _has_version(folder: Path, version: str) -> bool:
    """Return whether a folder still has this version; False if it can no longer be read."""
    try:
        return hash_folder(folder) == version
    except (BotError, OSError):
        return False


def _find_duplicates(entries: Sequence[Entry]) -> Iterator[str]:
    names = [entry.name for entry in entries]
    for name in sorted({name for name in names if names.count(name) > 1}):
        bots = ", ".join(entry.bot for entry in entries if entry.name == name)
        yield f"entrant: {names.count(name)} are called {name} ({bots}); give each its own name"


def open_roster(tournament: TournamentSpec) -> Roster:
    """Return the roster of a tournament."""
    return Roster(tournament.game, tournament.home, get_data_folder(tournament) / "bots")
