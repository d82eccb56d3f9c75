"""Who enters a match, as a command line or a file names it, and how it becomes a player.

A bot is a bundled bot's name or a folder with a `bot.toml`, either perhaps with parameters
(`ordered:start=7`); a class of a file, `PATH.py:CLASS`, with parameters like these; a program;
or a command line. `name=BOT` names it, `json:COMMAND` speaks JSON lines, `program:NAME` runs a
bundled bot as a program.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from arena.host.botfile import (
    BOT_DIRECTORY,
    BOT_FILE,
    END_NOW,
    MANY_GAMES,
    NAME_PATTERN,
    BotError,
    BotFile,
    read_bot_folder,
)
from arena.host.builds import build_bot
from arena.host.class_loader import ClassReference
from arena.host.commandline import (
    build_run_command,
    clean_name,
    derive_name,
    fill_placeholders,
    prefer_path,
    resolve_program,
    split_command,
)
from arena.host.folders.bot_folders import check_build_result, check_copyable
from arena.host.folders.private_folders import BotCopy, make_readable, seal_copy
from arena.host.player_factories import (
    BotClassFactory,
    CopiedProgramFactory,
    PlayerFactory,
    ProgramFactory,
)
from arena.players import Bot, build_module_command
from arena.plugins import JSON, Game, parse_bundled_bot
from arena.rules import UserError, Variant, describe_error
from arena.sandbox import TRUSTED

if TYPE_CHECKING:
    from arena.sandbox import Sandbox


@frozen
class Entrant:
    """Somebody who can be seated: what it is called, and what it is."""

    name: str  #: what it is called
    bot: str  #: as it was named
    factory: PlayerFactory  #: makes its player for each match
    make_bot: Callable[[], Bot] | None = None  #: makes the bot, where it is a class

    @property
    def tier(self) -> str | None:
        """The tier of its sandbox, or `trusted`; None for a bot in this process."""
        sandbox = self.factory.sandbox
        return (sandbox.tier if sandbox else TRUSTED) if self.factory.is_program else None

    def check_support(self, variant: Variant, seats: int) -> None:
        """Raise UserError where it is known that it cannot play this."""
        if self.make_bot:
            try:
                self.make_bot().check_support(variant, seats)
            except UserError as problem:
                raise UserError(f"{self.bot}: {problem}") from None
            except Exception as problem:
                raise UserError(f"{self.bot}: {describe_error(problem)}") from problem


def check_seat_count(game: Game, seats: int) -> None:
    """Raise UserError where a game is not for so many."""
    if seats not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        allowed = f"{least}" if least == most else f"{least} to {most}"
        raise UserError(f"{game.name} is for {allowed} players, not {seats}")


def parse_entrants(
    game: Game, texts: Iterable[str], sandbox: Sandbox | None = None
) -> tuple[Entrant, ...]:
    """Read several, built and ready, each with a name of its own."""
    return make_names_unique([parse_entrant(game, text, sandbox) for text in texts])


def make_names_unique(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Return entrants of the same name a number each, from the second on."""
    taken: set[str] = set()
    renamed = []
    for entrant in entrants:
        name, number = entrant.name, 1
        while name in taken:
            number += 1
            name = f"{entrant.name[:28]}_{number}"
        taken.add(name)
        renamed.append(evolve(entrant, name=name))
    return tuple(renamed)


def parse_entrant(game: Game, text: str, sandbox: Sandbox | None = None) -> Entrant:
    """Read one, built and ready; raise BotError or UnknownNameError in one line.

    In a sandbox its program is built and runs there. Bundled bots are the host's own
    software; any other class that would play in this process is refused.
    """
    name, bot = split_bot_name(text)
    found = _parse_unnamed(game, bot, sandbox)
    return evolve(found, name=name) if name else found


def split_bot_name(text: str) -> tuple[str | None, str]:
    """Take `NAME=BOT` apart; the name is None where there is none."""
    named = re.fullmatch(r"(\w+)=(.+)", text, re.DOTALL)
    if not named:
        return None, text
    if not re.fullmatch(NAME_PATTERN, named[1]):
        raise BotError(
            f"{named[1]!r} is not a valid name: use 1 to 32 letters, digits and underscores"
        )
    return named[1], named[2]


def find_bot_folder(game: Game, bot: str) -> Path | None:
    """Return the folder that a bot without a name before it is, if it is one."""
    home, _ = split_folder_parameters(bot)
    is_bundled = bot.partition(":")[0] in game.bots
    return Path(home) if not is_bundled and os.path.isdir(home) else None


def split_folder_parameters(bot: str) -> tuple[str, str]:
    """Return the path of `FOLDER:PARAMETER=VALUE,...`, and its parameters.

    >>> split_folder_parameters("json:bots/mine:w=3,v=0")
    ('bots/mine', 'w=3,v=0')
    """
    text = bot.removeprefix(f"{JSON}:")
    if os.path.isdir(text):
        return text, ""
    path, _, given = text.partition(":")
    return path, given


def _parse_unnamed(game: Game, text: str, sandbox: Sandbox | None) -> Entrant:
    head, _, rest = text.partition(":")
    if home := find_bot_folder(game, text):
        return build_folder_entrant(
            game, text, home, split_folder_parameters(text)[1], sandbox=sandbox
        )
    if head == "json":
        return _build_command_entrant(game, text, rest, JSON, sandbox)
    if head == "program":
        return _build_bundled_program(game, text, rest)
    if head in game.bots:
        factory = BotClassFactory(*parse_bundled_bot(game, text))
        return Entrant(clean_name(head), text, factory, factory.create_bot)
    if named := ClassReference.parse(text):
        if sandbox:
            raise BotError(
                f"{text} would run inside the host's process, where no sandbox holds;"
                " run it as a program"
            )
        factory = BotClassFactory(*named.read())
        return Entrant(clean_name(named.name), text, factory, factory.create_bot)
    return _build_command_entrant(game, text, text, sandbox=sandbox)


def _build_bundled_program(game: Game, text: str, name: str) -> Entrant:
    make_bot = BotClassFactory(
        *parse_bundled_bot(game, name)
    ).create_bot  # read now, rather than when the program starts
    words = build_module_command("arena.bot", game.name, name)
    return Entrant(
        clean_name(name.partition(":")[0]), text, ProgramFactory(game, words, JSON), make_bot
    )


def build_folder_entrant(
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
    else can change, and from which it is played. Raise BotError.
    """
    file, protocol, values = read_bot_folder(game.protocols, text, home, given)
    bot_copy = BotCopy.create(home) if sandbox and not built else None
    bot_folder = bot_copy.folder if bot_copy else home.absolute()
    if bot_copy:  # a link that its author has put in its place leads to no bot
        file, protocol, values = read_bot_folder(game.protocols, text, bot_folder, given)
    if file.build and not built:
        build_bot(bot_folder, file.build, sandbox, shown=home)
        check_build_result(bot_folder, sandbox, home)
        if bot_copy:
            seal_copy(bot_folder, home)
    if bot_copy:
        make_readable(bot_folder)
    words = partial(_build_command, game, file, values)
    try:
        found = words(bot_folder)
    except UserError as problem:
        raise BotError(f"{home / BOT_FILE}: {problem}") from None
    ends_now = file.end == END_NOW
    if file.directory != BOT_DIRECTORY:
        plays_many = file.games == MANY_GAMES and sandbox is None
        program = ProgramFactory(
            game, found, protocol, sandbox, bot_folder, bot_copy, ends_now, plays_many
        )
        return Entrant(file.name, text, program)
    check_copyable(bot_folder, sandbox, home)
    copied = CopiedProgramFactory(game, bot_folder, words, protocol, sandbox, bot_copy, ends_now)
    return Entrant(file.name, text, copied)


def _build_command(
    game: Game, file: BotFile, values: Mapping[str, str], home: Path
) -> tuple[str, ...]:
    """Return the command of a bot whose folder is, or is copied to, this one."""
    words = split_command(file.command) if isinstance(file.command, str) else file.command
    return resolve_program(
        game, f"command {file.command_line}", fill_placeholders(words, values, home), home
    )


def _build_command_entrant(
    game: Game,
    text: str,
    line: str,
    protocol: str | None = None,
    sandbox: Sandbox | None = None,
) -> Entrant:
    words = (
        build_run_command(Path(line).absolute())
        if os.path.isfile(line)
        else resolve_program(game, text, prefer_path(split_command(line)), Path.cwd())
    )
    files = [Path(word) for word in words if os.path.isfile(word)]
    name = derive_name(files[-1] if files else Path(words[0]))
    return Entrant(name, text, ProgramFactory(game, words, protocol, sandbox))
