"""The language in which a bot is written, as far as its command or its build says it.

What an entrant was named by is never shown: a page shows a name of this closed list, or nothing.
"""

from __future__ import annotations

import re
import shlex
from functools import lru_cache
from pathlib import Path

from arena import UserError
from arena.host import BOT_FILE, load_bot_file, split_team
from arena.plugins import get_plugins

BUNDLED = "Python (bundled)"
PROGRAMS = {
    "python": "Python", "pypy": "Python", "ruby": "Ruby", "node": "JavaScript",
    "deno": "JavaScript",
    "java": "Java", "perl": "Perl", "bash": "Bash", "sh": "Shell", "dotnet": "C#", "lua": "Lua",
    "php": "PHP", "guile": "Scheme", "awk": "Awk", "gcc": "C", "cc": "C", "clang": "C",
    "g++": "C++",
    "c++": "C++", "clang++": "C++", "cargo": "Rust", "rustc": "Rust", "go": "Go", "javac": "Java",
    "ghc": "Haskell", "swiftc": "Swift",
}  # fmt: skip
SUFFIXES = {
    ".py": "Python", ".rb": "Ruby", ".js": "JavaScript", ".pl": "Perl", ".sh": "Shell",
    ".jar": "Java", ".java": "Java", ".lua": "Lua", ".php": "PHP",
}  # fmt: skip


@lru_cache(maxsize=1024)
def find_language(bot: str, game: str) -> str:
    """Return the language of an entrant, or "" where nothing says it.

    Args:
        bot: what it was named by, as the tournament keeps it.
        game: the name of the game.
    """
    if bots := split_team(bot):
        languages = dict.fromkeys(find_language(partner, game) for partner in bots)
        return " and ".join(filter(None, languages))
    own = bot.partition("=")[2] if re.match(r"[A-Za-z0-9_]{1,32}=", bot) else bot
    own = own.removeprefix("json:").removeprefix("program:")
    game_part = get_plugins().games.get(game)
    if game_part and own.partition(":")[0] in game_part.bots:
        return BUNDLED
    folder = Path(own.partition(":")[0])
    try:
        if (folder / BOT_FILE).exists():
            file = load_bot_file(folder)
            return _read_command(file.command_line) or _read_command(file.build or "")
    except (OSError, ValueError, UserError):  # it is gone, or was never a folder
        return ""
    return _read_command(own)


def find_bundled_bot(bot: str, game: str) -> str:
    """Return the name of a bundled bot if an entrant is one with its usual options, or "".

    >>> find_bundled_bot("./secret", "gops")
    ''
    """
    game_part = get_plugins().games.get(game)
    return bot if game_part and bot in game_part.bots else ""


def _read_command(line: str) -> str:
    """Return the language of the first word of a command that tells one.

    >>> _read_command("ruby mine.rb"), _read_command("./bot"), _read_command("python3.11 -u x")
    ('Ruby', '', 'Python')
    """
    try:
        words = shlex.split(line)
    except ValueError:
        return ""
    for word in words:
        path = Path(word.partition(":")[0])
        program = re.sub(r"[\d.]+$", "", path.name)
        if language := PROGRAMS.get(program) or SUFFIXES.get(path.suffix):
            return language
    return ""
