"""Texts that name bots, on a command line or in a file, and the entrants that they become.

A bot is a bundled bot's name or a folder with a `bot.toml`, either perhaps with parameters
(`ordered:start=7`); a class of a file, `PATH.py:CLASS`, with parameters like these; a program;
or a command line. `name=BOT` names it, `json:COMMAND` speaks JSON lines, `program:NAME` runs a
bundled bot as a program, and `team:BOT BOT` is a team of several, one for each of its seats.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from arena.host.bot_file import NAME_PATTERN, BotError
from arena.host.command_lines import build_run_command, prefer_path, resolve_program, split_command
from arena.host.entrants import Entrant, clean_name, make_names_unique
from arena.host.player_factories import BotClassFactory, ProgramFactory
from arena.players import SEARCHES_HERE, build_module_command
from arena.plugins import JSON, Game, parse_bundled_bot

if TYPE_CHECKING:
    from arena.sandbox import Sandbox


def parse_entrants(
    game: Game, texts: Iterable[str], sandbox: Sandbox | None = None
) -> tuple[Entrant, ...]:
    """Read several, built and ready, each with a name of its own."""
    return make_names_unique([parse_entrant(game, text, sandbox) for text in texts])


def parse_opponents(game: Game, texts: Iterable[str]) -> tuple[Entrant, ...]:
    """Read the partners or the opponents of a person, which may be separated by commas."""
    bots = [bot.strip() for bot in ",".join(texts).split(",") if bot.strip()]
    return parse_entrants(game, bots)


def parse_entrant(game: Game, text: str, sandbox: Sandbox | None = None) -> Entrant:
    """Read one, built and ready; raise BotError or UnknownNameError in one line.

    In a sandbox its program is built and runs there. Bundled bots are the host's own
    software; any other class that would play in this process is refused.
    """
    name, bot = split_bot_name(text)
    if bots := split_team(bot):
        found = _build_team(bot, [parse_entrant(game, partner, sandbox) for partner in bots])
    else:
        found = _parse_unnamed(game, bot, sandbox)
    return evolve(found, name=name) if name else found


def _parse_unnamed(game: Game, text: str, sandbox: Sandbox | None) -> Entrant:
    head, _, rest = text.partition(":")
    if home := find_bot_folder(game, text):
        # here, and below: most matches start without folders of bots and classes of files
        from arena.host.folder_entrants import build_folder_entrant

        return build_folder_entrant(
            game, text, home, split_folder_parameters(text)[1], sandbox=sandbox
        )
    if head == "json":
        return _build_command_entrant(game, text, rest, JSON, sandbox)
    if head == "program":
        return _build_bundled_program(game, text, rest)
    if head in game.bots or head in game.bots_elsewhere:
        factory = BotClassFactory(*parse_bundled_bot(game, text))
        if factory.kind.searches and sandbox:
            raise BotError(f"{text} cannot run in a sandbox: {SEARCHES_HERE}")
        return Entrant(clean_name(head), text, factory, factory.create_bot)
    from arena.host.class_files import ClassReference

    if named := ClassReference.parse(text):
        if sandbox:
            raise BotError(
                f"{text} would run inside the host's process, where no sandbox holds;"
                " run it as a program"
            )
        factory = BotClassFactory(*named.read())
        return Entrant(clean_name(named.name), text, factory, factory.create_bot)
    return _build_command_entrant(game, text, text, sandbox=sandbox)


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


TEAM = "team:"
"""Stands before the bots of a team."""


def split_team(bot: str) -> tuple[str, ...]:
    """Return the bots of `team:BOT BOT`, each quoted where a shell would; of others nothing.

    >>> split_team("team:counter 'ruby mine.rb'"), split_team("counter")
    (('counter', 'ruby mine.rb'), ())
    """
    if not bot.startswith(TEAM):
        return ()
    bots = split_command(bot.removeprefix(TEAM))
    if len(bots) < 2:  # noqa: PLR2004
        raise BotError(f"{bot!r} is no team: name a bot for each of its seats")
    if any(split_team(split_bot_name(partner)[1]) for partner in bots):
        raise BotError(f"{bot!r} has a team in a team")
    return bots


def join_team(bots: Iterable[str]) -> str:
    """Return a team of these bots, as `split_team` reads it."""
    return TEAM + shlex.join(bots)


def name_team(names: Iterable[str]) -> str:
    """Return the name of a team that is given none: those of its bots.

    >>> name_team(["counter", "thrifty"])
    'counter_thrifty'
    """
    return clean_name("_".join(names))


def _build_team(text: str, partners: Sequence[Entrant]) -> Entrant:
    first = partners[0]  # stands for all where nobody is seated yet
    name = name_team([partner.name for partner in partners])
    return Entrant(name, text, first.factory, partners=tuple(partners))


def is_bundled(game: Game, bot: str) -> bool:
    """Return whether a bot, perhaps with parameters, comes with its game and plays in process."""
    return bot.partition(":")[0] in game.bots


def find_bot_folder(game: Game, bot: str) -> Path | None:
    """Return the folder that a bot without a name before it is, if it is one."""
    home, _ = split_folder_parameters(bot)
    return Path(home) if not is_bundled(game, bot) and os.path.isdir(home) else None


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


def _build_bundled_program(game: Game, text: str, name: str) -> Entrant:
    # read now, rather than when the program starts
    kind, parameters = parse_bundled_bot(game, name)
    if kind.searches:
        raise BotError(f"{text} cannot be a program: {SEARCHES_HERE}; write {name}")
    make_bot = BotClassFactory(kind, parameters).create_bot
    words = build_module_command("arena.bot", game.name, name)
    return Entrant(
        clean_name(name.partition(":")[0]), text, ProgramFactory(game, words, JSON), make_bot
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


def derive_name(path: Path) -> str:
    """Name a bot after its file, or after its folder where every bot's file is called so."""
    return clean_name(path.parent.name if path.stem == "bot" else path.stem)
