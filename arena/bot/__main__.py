"""Runs a bundled bot as a program: `python -m arena.bot GAME BOT`."""

from __future__ import annotations

import sys
from functools import partial

from arena.bot import run
from arena.players import SEARCHES_HERE, limit_library_threads
from arena.plugins import get_plugins, load_game, parse_bundled_bot


def main(game: str, bot: str) -> None:
    """Play to the end of input."""
    limit_library_threads()  # the sandbox may allow this program few
    rules = load_game(game)
    if bot.partition(":")[0] not in rules.bots:  # another plugin brings it
        rules = get_plugins().find_game(game)
    kind, parameters = parse_bundled_bot(rules, bot)
    if kind.searches:
        sys.exit(f"arena: {bot} cannot be a program: {SEARCHES_HERE}")
    run(partial(kind, **parameters))


if __name__ == "__main__":
    main(*sys.argv[1:])
