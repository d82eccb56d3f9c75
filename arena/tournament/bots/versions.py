"""The versions of bots: each is read with the hash of what it is made of, copied and built.

An entrant plays from the copy that was made when it entered, while its owner works on the bot.
"""

from __future__ import annotations

import logging
import os
import shlex
from functools import cache
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
    check_bot_unreadable,
    find_bot_folder,
    is_bundled,
    join_team,
    load_bot_file,
    name_team,
    parse_bot_parameters,
    parse_entrant,
    split_bot_name,
    split_folder_parameters,
    split_team,
)
from arena.plugins import Game
from arena.sandbox import Sandbox
from arena.tournament.bots.copies import CopyFolder
from arena.tournament.bots.hashes import hash_folder, hash_parts, hash_settings
from arena.tournament.bots.seatable_entrants import build_entrant, work_in
from arena.tournament.entries import KNOWN, VERSION_JOINT, Containment, Entry, ReadyEntry
from arena.wires import to_printable

LOG = logging.getLogger(__name__)  # a warning is a line on standard error, if nobody wants it else
PROGRAM = "enter a program, or a folder with a bot.toml"


@frozen
class BotVersions:
    """Reads bots in their present versions, and keeps a built copy of each."""

    game: Game  #: the game to play
    home: Path  #: the folder to which paths are relative
    bots: Path  #: the folder of copies

    @property
    def copies(self) -> CopyFolder:
        """The copies."""
        return CopyFolder(self.bots)

    def read_entry(
        self,
        text: str,
        name: str | None = None,
        *,
        keeps: bool = False,
        containment: Containment = KNOWN,
    ) -> Entry:
        """Read a bot in its present version; raise UserError."""
        prefix, bot = split_bot_name(text)
        if bots := split_team(bot):
            team = [self.read_entry(partner, containment=containment) for partner in bots]
            return Entry(
                name or prefix or name_team([entry.name for entry in team]),
                VERSION_JOINT.join([entry.version for entry in team]),
                join_team([entry.bot for entry in team]), keeps, containment,
            )  # fmt: skip
        if containment.untrusted and ClassReference.parse(bot):
            raise BotError(
                f"{bot} is untrusted and cannot run inside the host's process: {PROGRAM}"
            )
        with work_in(self.home):
            folder = find_bot_folder(self.game, bot)
            if folder is None:
                own, version, title = parse_entrant(self.game, bot).name, self._hash_bot(bot), None
            else:
                own, version, title = self._copy_folder(bot, folder)
        return Entry(name or prefix or own, version, bot, keeps, containment, title=title or "")

    def _copy_folder(self, bot: str, folder: Path) -> tuple[str, str, str | None]:
        """Check a folder as far as it can be before its build; return name, version and title."""
        file, parameters = load_bot_file(folder), split_folder_parameters(bot)[1]
        parse_bot_parameters(folder, file, parameters)
        if not file.build:
            build_folder_entrant(self.game, bot, folder, parameters, built=True)
        version = self.copies.add(folder) + hash_settings(file, parameters)
        return file.name, version, file.title

    def _hash_bot(self, bot: str) -> str:
        """Return the hash of a bundled bot, or of a command and the files that it names."""
        if comes_with_game(self.game, bot):
            package = self.game.variant.__module__.split(".")[0]
            return hash_parts(bot.encode(), _get_distribution_version(package).encode())
        if reference := ClassReference.parse(bot):
            return hash_parts(bot.encode(), reference.read_source())
        line = bot.removeprefix("json:")
        words = [line] if os.path.isfile(line) else shlex.split(line)
        files = [Path(word) for word in words if os.path.isfile(word)]
        return hash_parts(bot.encode(), *map(_read_named_file, files))

    def prepare(self, entry: Entry, sandbox: Sandbox | None) -> ReadyEntry:
        """Build an entrant's copy, in its sandbox if it has one; raise UserError."""
        if len(entry.members) > 1:
            for member in entry.members:
                self.prepare(member, sandbox)
            return ReadyEntry(entry, sandbox)
        ready = ReadyEntry(entry, None if comes_with_game(self.game, entry.bot) else sandbox)
        with work_in(self.home):
            if ready.sandbox and (home := find_bot_folder(self.game, entry.bot)):
                check_bot_unreadable(home, entry.name)
        if not self._has_copy(entry):
            self._check_version(entry)  # copies the bot again if the copy is lost
        if not self._has_copy(entry):
            return ready
        if sandbox and self.copies.is_altered(entry.version):
            self._restore_copy(entry)
        self.copies.build(entry.version, sandbox)
        build_entrant(self.game.name, ready, self.home, self.bots)
        return ready

    def _has_copy(self, entry: Entry) -> bool:
        return self.copies.find(entry.version) is not None

    def _check_version(self, entry: Entry) -> None:
        now = self.read_entry(entry.bot).version
        if now != entry.version:
            raise BotError(
                f"{entry.name} has changed since it entered (version {entry.version}, now {now});"
                " run `arena tournament replace` to enter the new version"
            )

    def _restore_copy(self, entry: Entry) -> None:
        """Copy an entrant's bot again, whose copy somebody has changed; raise MachineError."""
        copy = self.copies.get_path(entry.version)
        with work_in(self.home):
            source = find_bot_folder(self.game, entry.bot)
            if source is None or not _has_version(source, copy.name):
                raise MachineError(
                    f"{entry.name}: its copy {copy} has changed since it was built, and"
                    f" {entry.bot} is not this version; restore the copy, or withdraw {entry.name}"
                )
            LOG.warning(
                "arena: %s: its copy %s had changed since it was built; it is copied from %s again",
                entry.name, copy, to_printable(str(source)),
            )  # fmt: skip
            self.copies.discard(entry.version)
            self.copies.add(source)

    def build(
        self, entry: Entry, sandbox: Sandbox | None = None, **terms: Unpack[BuildOptions]
    ) -> Path:
        """Build an entrant's copy unless it is built; return its folder."""
        return self.copies.build(entry.version, sandbox, **terms)

    def move_copy(self, entry: Entry, folder: Path, to: BotVersions) -> None:
        """Move an entrant's built copy from another folder to those of another folder of copies.

        Raise BotError if that has a different folder under the same version.
        """
        self.copies.move(entry.version, folder, to.copies)

    def needs_build(self, entry: Entry) -> bool:
        """Return whether the entrant has a copy that must be built before it can play."""
        return any(
            self._has_copy(member) and self.copies.needs_build(member.version)
            for member in entry.members
        )

    def differs_from_folder(self, entry: Entry) -> bool:
        """Return whether the folder that an entrant was copied from has changed since."""
        with work_in(self.home):
            for member in entry.members:
                folder = find_bot_folder(self.game, member.bot) if self._has_copy(member) else None
                if folder and not _has_version(folder, self.copies.get_path(member.version).name):
                    return True
        return False

    def find_travel_obstacle(self, entry: Entry) -> str:
        """Return the reason why an entrant cannot be played on other machines, or ""."""
        if entry.keeps:
            return 'its folder is kept on this machine, so it needs executor = "local"'
        for member in entry.members:
            if not (self._has_copy(member) or comes_with_game(self.game, member.bot)):
                return (
                    f"{member.bot!r} is a command of this machine; enter a folder with a {BOT_FILE}"
                    " instead"
                )
        return ""


def _read_named_file(path: Path) -> bytes:
    """Return the contents of a file that a command names; raise BotError or MachineError."""
    with blame_bot(path):
        return path.read_bytes()


def comes_with_game(game: Game, bot: str) -> bool:
    """Return whether the game ships this bot, possibly run as a program."""
    return is_bundled(game, bot.removeprefix("program:"))


@cache
def _get_distribution_version(package: str) -> str:
    """Return the version of the distribution that has a package."""
    try:
        return version(package.replace("_", "-"))
    except PackageNotFoundError:
        return "unknown"


def _has_version(folder: Path, version: str) -> bool:
    """Return whether a folder still has this version; False if it can no longer be read."""
    try:
        return hash_folder(folder) == version
    except (BotError, OSError):
        return False
