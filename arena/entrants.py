"""Who enters a match, as a command line or a file names it, and how it becomes a player.

A bot is a bundled bot's name, perhaps with parameters (`ordered:start=7`); a program; a
folder with a `bot.toml`; or a command line. `name=BOT` names it, `json:COMMAND` speaks
JSON lines, `program:NAME` runs a bundled bot as a program.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, NoReturn, Protocol

from attrs import evolve, frozen

from arena.botfile import FILE, NAME, BadBot, build, load
from arena.errors import Refusal, Unknown, in_words
from arena.game import JSON, Game
from arena.mind import Bot
from arena.parameters import bundled
from arena.play import Variant
from arena.players.local import Local
from arena.players.player import Player
from arena.players.process import Process
from arena.players.program import Program
from arena.table import Seat

INTERPRETERS = {
    ".py": sys.executable, ".sh": "bash", ".pl": "perl", ".rb": "ruby",
    ".js": "node", ".mjs": "node", ".lua": "lua", ".php": "php",
}  # fmt: skip


class Maker(Protocol):
    """How an entrant becomes a player, once for each match."""

    def player(self, seat: Seat, folder: Path | None, log: IO[bytes] | None) -> Player:
        """Give a player for this seat, its program started in this folder."""

    @property
    def runs(self) -> bool:
        """Is it a program, which wants a folder?"""


@frozen
class Bundled:
    """A bot that a game brings, in this process."""

    kind: type[Bot]
    parameters: Mapping[str, Any]
    runs = False

    def player(self, seat: Seat, folder: Path | None, log: IO[bytes] | None) -> Player:
        """Give a new one."""
        return Local(self.bot())

    def bot(self) -> Bot:
        """Make the bot."""
        return self.kind(**self.parameters)


@frozen
class Command:
    """A program: the words of its command line, and the wire that it speaks."""

    game: Game
    words: tuple[str, ...]
    protocol: str | None = None
    runs = True

    def player(self, seat: Seat, folder: Path | None, log: IO[bytes] | None) -> Player:
        """Start the program."""
        start = partial(Process, self.words, folder, log=log)
        return Program(start, self.game.wire(self.protocol, seat))


@frozen
class Entrant:
    """Somebody who can be seated: what it is called, and what it is."""

    name: str
    bot: str  # as it was named
    maker: Maker
    mind: Callable[[], Bot] | None = None  # makes the bot, where it is one of the bundled

    def see_fit(self, variant: Variant, seats: int) -> None:
        """Raise Refusal where it is known that it cannot play this."""
        if self.mind:
            try:
                self.mind().see_fit(variant, seats)
            except Refusal as problem:
                raise Refusal(f"{self.bot}: {problem}") from None
            except Exception as problem:
                raise Refusal(f"{self.bot}: {in_words(problem)}") from problem


def entrants(game: Game, texts: Iterable[str]) -> tuple[Entrant, ...]:
    """Read several, built and ready, each with a name of its own."""
    return distinct([entrant(game, text) for text in texts])


def distinct(some: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Give entrants of the same name a number each, from the second on."""
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


def entrant(game: Game, text: str) -> Entrant:
    """Read one, built and ready; raise BadBot or Unknown in one line."""
    name, bot = called(text)
    return evolve(_nameless(game, bot), name=name) if name else _nameless(game, bot)


def called(text: str) -> tuple[str | None, str]:
    """Take `NAME=BOT` apart; the name is None where there is none."""
    named = re.fullmatch(r"(\w+)=(.+)", text, re.DOTALL)
    if not named:
        return None, text
    if not re.fullmatch(NAME, named[1]):
        raise BadBot(f"{named[1]!r} is no name: 1 to 32 of letters, digits and underscore")
    return named[1], named[2]


def home_of(game: Game, bot: str) -> Path | None:
    """Give the folder that a bot without a name before it is, if it is one."""
    head, _, rest = bot.partition(":")
    path = rest if head == "json" else bot
    return Path(path) if head not in game.bots and os.path.isdir(path) else None


def _nameless(game: Game, text: str) -> Entrant:
    head, _, rest = text.partition(":")
    if home := home_of(game, text):
        return in_folder(game, text, home)
    if head == "json":
        return _command(game, text, rest, JSON)
    if head == "program":
        return _program(game, text, rest)
    if head in game.bots:
        maker = Bundled(*bundled(game, text))
        return Entrant(_clean(head), text, maker, maker.bot)
    return _command(game, text, text)


def _program(game: Game, text: str, name: str) -> Entrant:
    mind = Bundled(*bundled(game, name)).bot  # read now, rather than when the program starts
    words = (sys.executable, "-m", "arena.bundled", game.name, name)
    return Entrant(_clean(name.partition(":")[0]), text, Command(game, words, JSON), mind)


def in_folder(game: Game, text: str, home: Path, *, built: bool = False) -> Entrant:
    """Read the bot of a folder, which a text named; build it, unless it is built."""
    if not (home / FILE).is_file():
        raise BadBot(f"{home}: a folder without a {FILE}")
    file = load(home)
    protocol = JSON if text.startswith(f"{JSON}:") else file.protocol
    if protocol not in (None, *game.protocols):
        known = ", ".join(game.protocols)
        raise BadBot(f"{home / FILE}: protocol {protocol!r} is none of {known}")
    if file.build and not built:
        build(home, file.build)
    try:
        words = _words(game, f"command {file.command}", file.command, home.absolute())
    except Refusal as problem:
        raise BadBot(f"{home / FILE}: {problem}") from None
    return Entrant(file.name, text, Command(game, words, protocol))


def _command(game: Game, text: str, line: str, protocol: str | None = None) -> Entrant:
    words = (
        _run(Path(line).absolute())
        if os.path.isfile(line)
        else _words(game, text, line, Path.cwd())
    )
    files = [Path(word) for word in words if os.path.isfile(word)]
    return Entrant(_named_after(files[-1] if files else Path(words[0])), text,
                   Command(game, words, protocol))  # fmt: skip


def _words(game: Game, text: str, line: str, home: Path) -> tuple[str, ...]:
    """Split a command line; words that name a file of `home` become absolute.

    A program runs in a folder of its own, where these would not be found.
    """
    try:
        words = shlex.split(line)
    except ValueError as problem:
        raise BadBot(f"{line!r} is no command line: {problem}") from None
    if not words:
        raise BadBot("an empty command line is no bot")
    rest = [str(home / word) if os.path.isfile(home / word) else word for word in words[1:]]
    return (*(_start(home, words[0]) or _nothing(game, words[0], text)), *rest)


def _start(home: Path, word: str) -> tuple[str, ...]:
    """Give what a command line's first word starts: a file of `home`, or a known program."""
    path = home / word
    if os.path.isfile(path) and os.access(path, os.X_OK):
        return (str(path),)
    found = None if os.sep in word else shutil.which(word)
    if found:
        return (found,)
    return _run(path) if os.path.isfile(path) else ()


def _nothing(game: Game, word: str, text: str) -> NoReturn:
    """Say that there is no such program, and what else may have been meant."""
    if word == text and os.sep not in word:
        known = [*game.bots, "a program", f"a folder with a {FILE}", "a quoted command line"]
        raise Unknown("bot", word, known)
    raise BadBot(f"{text!r}: there is no program {word!r}")


def _run(path: Path) -> tuple[str, ...]:
    """Give the command that runs a file: itself, or its interpreter."""
    if os.access(path, os.X_OK):
        return (str(path),)
    interpreter = INTERPRETERS.get(path.suffix)
    if interpreter is None:
        known = ", ".join(INTERPRETERS)
        raise BadBot(f"{path.name} is not executable, and its ending is none of {known}")
    if shutil.which(interpreter) is None:
        raise BadBot(f"{path.name} needs {interpreter}, which is not on this machine")
    return (interpreter, str(path))


def _named_after(path: Path) -> str:
    """Name a bot after its file, or after its folder where every bot's file is called so."""
    return _clean(path.parent.name if path.stem == "bot" else path.stem)


def _clean(name: str) -> str:
    return re.sub("[^A-Za-z0-9_]", "_", name)[:32] or "bot"
