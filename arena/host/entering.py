"""Who enters a match, as a command line or a file names it, and how it becomes a player.

A bot is a bundled bot's name or a folder with a `bot.toml`, either perhaps with parameters
(`ordered:start=7`); a class of a file, `PATH.py:CLASS`, with parameters like these; a program;
or a command line. `name=BOT` names it, `json:COMMAND` speaks JSON lines, `program:NAME` runs a
bundled bot as a program.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from attrs import evolve, frozen

from arena.host.botfile import COPY, FILE, NAME, BadBot, BotFile, build, read_folder
from arena.host.classes import ClassInFile
from arena.host.commandline import clean, filled, located, named_after, run, split
from arena.host.private_folders import BotCopy, WorkingFolder, make_readable
from arena.host.trees import check_built, check_copied, furnish
from arena.players import Bot, InProcess, Player, Process, Program
from arena.plugins import JSON, Game, bundled
from arena.rules import Seat, UserError, Variant, in_words
from arena.sandbox import TRUSTED

if TYPE_CHECKING:
    from arena.sandbox import Sandbox


class PlayerFactory(Protocol):
    """How an entrant becomes a player, once for each match."""

    def player(self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None) -> Player:
        """Return a player for this seat, its program started in this folder."""

    @property
    def runs(self) -> bool:
        """Is it a program, which wants a folder?"""

    @property
    def sandbox(self) -> Sandbox | None:
        """Return what contains its program, if anything does."""


@frozen
class Bundled:
    """A bot in this process: one that a game brings, or a class of a file."""

    kind: type[Bot]  #: its class
    parameters: Mapping[str, Any]  #: for the class
    runs = False  #: it is no program
    sandbox = None  #: nothing contains it

    def player(self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None) -> Player:
        """Return a new one."""
        return InProcess(self.bot())

    def bot(self) -> Bot:
        """Make the bot."""
        return self.kind(**self.parameters)


@frozen
class Command:
    """A program: the words of its command line, and the wire that it speaks."""

    game: Game
    words: tuple[str, ...]
    protocol: str | None = None
    sandbox: Sandbox | None = None  # None: it is trusted
    home: Path | None = None  # its own folder, if it has one
    copied: BotCopy | None = None  # which that is, if it is a copy
    runs = True

    def player(self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None) -> Player:
        """Start the program."""
        assert folder
        start = partial(
            Process, self.words, folder.path, log=log, sandbox=self.sandbox, home=self.home,
            keeps=folder.keeps,
        )  # fmt: skip
        return Program(start, self.game.wire(self.protocol, seat))


@frozen
class InCopy:
    """A program that works in a copy of its folder, so that what it writes spoils nothing."""

    game: Game
    home: Path
    words: Callable[[Path], tuple[str, ...]]  # of its command line, for a copy of its folder
    protocol: str | None = None
    sandbox: Sandbox | None = None
    copied: BotCopy | None = None  # which its home is, if it is a copy itself
    runs = True

    def player(self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None) -> Player:
        """Copy its folder into this one, and start the program."""
        assert folder
        home = folder.path
        furnish(home, self.home)
        words, sandbox = self.words(home), self.sandbox
        start = partial(
            Process, words, home, log=log, sandbox=sandbox, home=home, keeps=folder.keeps
        )
        return Program(start, self.game.wire(self.protocol, seat))


@frozen
class Entrant:
    """Somebody who can be seated: what it is called, and what it is."""

    name: str  #: what it is called
    bot: str  #: as it was named
    factory: PlayerFactory  #: makes its player for each match
    make_bot: Callable[[], Bot] | None = None  #: makes the bot, where it is a class

    @property
    def tier(self) -> str | None:
        """Return what contains its program, `trusted` where nothing does; None: it runs here."""
        sandbox = self.factory.sandbox
        return (sandbox.tier if sandbox else TRUSTED) if self.factory.runs else None

    def check_supported(self, variant: Variant, seats: int) -> None:
        """Raise UserError where it is known that it cannot play this."""
        if self.make_bot:
            try:
                self.make_bot().check_supported(variant, seats)
            except UserError as problem:
                raise UserError(f"{self.bot}: {problem}") from None
            except Exception as problem:
                raise UserError(f"{self.bot}: {in_words(problem)}") from problem


def see_seats(game: Game, seats: int) -> None:
    """Raise UserError where a game is not for so many."""
    if seats not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        allowed = f"{least}" if least == most else f"{least} to {most}"
        raise UserError(f"{game.name} is for {allowed} players, not {seats}")


def entrants(
    game: Game, texts: Iterable[str], sandbox: Sandbox | None = None
) -> tuple[Entrant, ...]:
    """Read several, built and ready, each with a name of its own."""
    return distinct([entrant(game, text, sandbox) for text in texts])


def distinct(some: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Return entrants of the same name a number each, from the second on."""
    taken: set[str] = set()
    named = []
    for one in some:
        name, number = one.name, 1
        while name in taken:
            number += 1
            name = f"{one.name[:28]}_{number}"
        taken.add(name)
        named.append(evolve(one, name=name))
    return tuple(named)


def entrant(game: Game, text: str, sandbox: Sandbox | None = None) -> Entrant:
    """Read one, built and ready; raise BadBot or Unknown in one line.

    In a sandbox its program is built and runs there. Bundled bots are the host's own
    software; any other class that would play in this process is refused.
    """
    name, bot = called(text)
    found = _nameless(game, bot, sandbox)
    return evolve(found, name=name) if name else found


def called(text: str) -> tuple[str | None, str]:
    """Take `NAME=BOT` apart; the name is None where there is none."""
    named = re.fullmatch(r"(\w+)=(.+)", text, re.DOTALL)
    if not named:
        return None, text
    if not re.fullmatch(NAME, named[1]):
        raise BadBot(f"{named[1]!r} is no name: 1 to 32 of letters, digits and underscore")
    return named[1], named[2]


def home_of(game: Game, bot: str) -> Path | None:
    """Return the folder that a bot without a name before it is, if it is one."""
    home, _ = taken_apart(bot)
    is_bundled = bot.partition(":")[0] in game.bots
    return Path(home) if not is_bundled and os.path.isdir(home) else None


def taken_apart(bot: str) -> tuple[str, str]:
    """Return the path of `FOLDER:PARAMETER=VALUE,...`, and its parameters.

    >>> taken_apart("json:bots/mine:w=3,v=0")
    ('bots/mine', 'w=3,v=0')
    """
    text = bot.removeprefix(f"{JSON}:")
    if os.path.isdir(text):
        return text, ""
    path, _, given = text.partition(":")
    return path, given


def _nameless(game: Game, text: str, sandbox: Sandbox | None) -> Entrant:
    head, _, rest = text.partition(":")
    if home := home_of(game, text):
        return in_folder(game, text, home, taken_apart(text)[1], sandbox=sandbox)
    if head == "json":
        return _command(game, text, rest, JSON, sandbox)
    if head == "program":
        return _program(game, text, rest)
    if head in game.bots:
        factory = Bundled(*bundled(game, text))
        return Entrant(clean(head), text, factory, factory.bot)
    if named := ClassInFile.named(text):
        if sandbox:
            raise BadBot(
                f"{text} would play in this process, where no sandbox holds: run it as a program"
            )
        factory = Bundled(*named.read())
        return Entrant(clean(named.name), text, factory, factory.bot)
    return _command(game, text, text, sandbox=sandbox)


def _program(game: Game, text: str, name: str) -> Entrant:
    make_bot = Bundled(*bundled(game, name)).bot  # read now, rather than when the program starts
    words = (sys.executable, "-m", "arena.bot", game.name, name)
    return Entrant(clean(name.partition(":")[0]), text, Command(game, words, JSON), make_bot)


def in_folder(
    game: Game,
    text: str,
    home: Path,
    given: str = "",
    *,
    built: bool = False,
    sandbox: Sandbox | None = None,
) -> Entrant:
    """Read the bot of a folder, which a text named, with the parameters that it gave.

    Unless it is built, it is built now: in a sandbox in a copy of its folder, which nobody
    else can change, and from which it is played. Raise BadBot.
    """
    file, protocol, values = read_folder(game.protocols, text, home, given)
    copied = BotCopy.of(home) if sandbox and not built else None
    played = copied.folder if copied else home.absolute()
    if copied:  # a link that its author has put in its place leads to no bot
        file, protocol, values = read_folder(game.protocols, text, played, given)
    if file.build and not built:
        build(played, file.build, sandbox, shown=home)
        check_built(played, sandbox, home)
    if copied:
        make_readable(played)
    words = partial(_words, game, file, values)
    try:
        found = words(played)
    except UserError as problem:
        raise BadBot(f"{home / FILE}: {problem}") from None
    if file.directory != COPY:
        return Entrant(file.name, text, Command(game, found, protocol, sandbox, played, copied))
    check_copied(played, sandbox, home)
    return Entrant(file.name, text, InCopy(game, played, words, protocol, sandbox, copied))


def _words(game: Game, file: BotFile, values: Mapping[str, str], home: Path) -> tuple[str, ...]:
    """Return the command of a bot whose folder is, or is copied to, this one."""
    words = split(file.command) if isinstance(file.command, str) else file.command
    return located(game, f"command {file.line}", filled(words, values, home), home)


def _command(
    game: Game,
    text: str,
    line: str,
    protocol: str | None = None,
    sandbox: Sandbox | None = None,
) -> Entrant:
    words = (
        run(Path(line).absolute())
        if os.path.isfile(line)
        else located(game, text, split(line), Path.cwd())
    )
    files = [Path(word) for word in words if os.path.isfile(word)]
    name = named_after(files[-1] if files else Path(words[0]))
    return Entrant(name, text, Command(game, words, protocol, sandbox))
