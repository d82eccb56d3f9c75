"""The bot of a folder as an entrant: read, built and ready to play."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arena.host.bot_build import build_bot
from arena.host.bot_file import (
    BOT_DIRECTORY,
    BOT_FILE,
    END_NOW,
    MANY_GAMES,
    BotError,
    BotFile,
    read_bot_folder,
)
from arena.host.command_lines import fill_placeholders, resolve_program, split_command
from arena.host.entrants import Entrant
from arena.host.folders import (
    BotCopy,
    check_bot_unreadable,
    check_build_result,
    check_copyable,
    make_readable,
    seal_copy,
)
from arena.host.player_factories import ProgramFactory
from arena.plugins import Game
from arena.rules import UserError

if TYPE_CHECKING:
    from arena.sandbox import Sandbox


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
    else can change, and from which it is played. Raise BotError, or NoSandboxError where other
    programs in sandboxes could read its folder.
    """
    file, protocol, values = read_bot_folder(game.protocols, text, home, given)
    bot_copy = None
    if sandbox and not built:
        check_bot_unreadable(home, file.name)
        bot_copy = BotCopy.create(home)
    bot_folder = bot_copy.folder if bot_copy else home.absolute()
    if bot_copy:  # a link that its author has put in its place leads to no bot
        file, protocol, values = read_bot_folder(game.protocols, text, bot_folder, given)
    if file.build and not built:
        build_bot(bot_folder, file.build, sandbox, shown=home)
        if bot_copy:
            seal_copy(bot_folder, home)
        check_build_result(bot_folder, sandbox, home)
    if bot_copy:
        make_readable(bot_folder)
    words = partial(_build_command, game, file, values)
    try:
        found = words(bot_folder)
    except UserError as problem:
        raise BotError(f"{home / BOT_FILE}: {problem}") from None
    ends_now = file.end == END_NOW
    plays_many = file.games == MANY_GAMES and sandbox is None
    works_in_copy = file.directory == BOT_DIRECTORY
    if works_in_copy:
        check_copyable(bot_folder, sandbox, home)
    program = ProgramFactory(
        game, found, protocol, sandbox, bot_folder, bot_copy, ends_now, plays_many,
        words if works_in_copy else None,
    )  # fmt: skip
    return Entrant(file.name, text, program)


def _build_command(
    game: Game, file: BotFile, values: Mapping[str, str], home: Path
) -> tuple[str, ...]:
    """Return the command of a bot whose folder is, or is copied to, this one."""
    words = split_command(file.command) if isinstance(file.command, str) else file.command
    return resolve_program(
        game, f"command {file.command_line}", fill_placeholders(words, values, home), home
    )
