"""How an entrant becomes a player, once for each match."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from attrs import frozen

from arena.host.bot_file import BotError
from arena.host.folders import BotCopy, WorkingFolder, fill_working_folder
from arena.players import Bot, Player, Process, Program, ProgramStartError
from arena.plugins import Game
from arena.rules import Seat
from arena.search import create_bot_player

if TYPE_CHECKING:
    from arena.sandbox import Sandbox


class PlayerFactory(Protocol):
    """How an entrant becomes a player, once for each match."""

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Return a player for this seat, its program started in this folder."""

    @property
    def is_program(self) -> bool:
        """Whether it is a program, which needs a working folder."""

    @property
    def sandbox(self) -> Sandbox | None:
        """The sandbox of the program, or None."""


@frozen
class BotClassFactory:
    """A bot in this process: one that a game brings, or a class of a file."""

    kind: type[Bot]  #: its class
    parameters: Mapping[str, Any]  #: for the class
    is_program = False  #: it is no program
    sandbox = None  #: nothing contains it

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Return a new one."""
        return create_bot_player(self.create_bot())

    def create_bot(self) -> Bot:
        """Make the bot."""
        return self.kind(**self.parameters)


@frozen
class ProgramFactory:
    """A program: the words of its command line, and the wire that it speaks."""

    game: Game
    words: tuple[str, ...]
    protocol: str | None = None
    sandbox: Sandbox | None = None  # None: it is trusted
    home: Path | None = None  # its own folder, if it has one
    bot_copy: BotCopy | None = None  # which that is, if it is a copy
    ends_now: bool = False  # whether it may be killed as soon as a match is over
    plays_many: bool = False  # whether a process may play match after match
    #: where it works in a copy of its folder, so that what it writes spoils nothing: its command
    #: line, for that copy
    build_words: Callable[[Path], tuple[str, ...]] | None = None
    is_program = True

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Start the program."""
        assert folder
        return self.create_program(seat, partial(self.start, folder, log))

    def create_program(self, seat: Seat, start: Callable[[], Process]) -> Program:
        """Return the player of a process, which `start` gives."""
        return Program(start, self.game.build_codec(self.protocol, seat))

    def start(self, folder: WorkingFolder, log: IO[bytes] | None) -> Process:
        """Start the program in this folder; raise ProgramStartError."""
        words, home = self.words, self.home
        if self.build_words and home:
            try:
                fill_working_folder(folder.path, home)
            except BotError as problem:
                raise ProgramStartError(str(problem)) from None
            words, home = self.build_words(folder.path), folder.path
        return Process(
            words, folder.path, log=log, sandbox=self.sandbox, home=home,
            is_persistent=folder.is_persistent, ends_now=self.ends_now,
        )  # fmt: skip


def plays_many(factory: PlayerFactory) -> bool:
    """Return whether a bot asks for one process for many matches, and may have it."""
    return isinstance(factory, ProgramFactory) and factory.plays_many
