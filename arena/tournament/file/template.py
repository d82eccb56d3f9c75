"""The text of a new tournament file, with every setting and what it means."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

from attrs import NOTHING, fields

from arena.plugins import Game, get_plugins
from arena.wires import dump

MAX_BUNDLED_BOTS = 4  # the most bundled bots to enter, and to seat at a table
COMMENT_WIDTH = 95  # characters of a line that lists names
FEWEST_PLAYOUTS = 20  # of the first search that is entered; the second has twice as many, and so on

TEMPLATE = """\
# A tournament of arena. To run it, or to resume it:  arena tournament run {file}
# Remove the '# ' in front of a setting to change it.

game = "{game}"
format = "{format}"
{formats}
# some have parameters: "swiss:rounds=7", "elimination:losses=2", "gauntlet:challenger=mine"
table = {table}                    # seats of a match
matches = {matches}
# stop = "matches"           # "resolved": earlier, once the ranking is statistically certain
# level = 0.95               # confidence level, of intervals and for "resolved"
# anchor = "NAME = 0"        # an entrant with a fixed rating; by default, the mean is 0
# rating = "bradley-terry"   # the model of the ratings; by default, the one that suits the table
# partners = "own"           # in a game of teams: a bot has all seats of one; or "drawn"
# duplicate = {duplicate:<14} # play each deal once in every rotation of the seats
# seed = 42                  # to repeat a tournament; by default, 128 random bits.
                             # A bot that guesses a short seed can predict every deal
# database = {database:<15} # next to this file; or "postgresql://user@host/name"
# executor = "local"         # "dask:address=tcp://HOST:8786" (arena-dask) for a cluster
# workers = 2                # matches at once; by default, one core for each program
# transcripts = "all"        # "verdicts", "sample" (one in ten), "none"
# live = "announced"         # how much of a live match is shown; "all": all hands, if no player
                             # can see them
# check = true               # check that every bot can play before the start
# unfit = "leave-out"        # what to do with bots that fail; "stop": play nothing
# sandbox = "auto"           # or "namespaces", "landlock", "trusted" (no sandbox);
                             # untrusted bots always run in one (see arena doctor)

[options]                    # of the game
{options}
[time]                       # seconds
# move = 30.0                # for each answer
# start = 10.0               # added for the first answer
# bank = 120.0               # for all answers of a match; no limit by default
# increment = 0.0            # added to the bank for each answer

[resources]                  # limits of each program in a sandbox
# memory_mb = 1024           # including the processes that it starts
# cpu_seconds = 60.0         # for each match, over all cores; no limit by default
# processes = 128            # including threads
# disk_mb = 256
# files = 10000
# still = true               # pause the program while it is not its turn

{entrants}
# [[entrant]]
# name = "mine"
# title = "Zoë's bot"        # what tables and pages call it
# bot = "ruby bots/mine.rb"  # a command, a file, or a folder with a bot.toml
# keeps = true               # keep its working folder between matches
# untrusted = true           # you do not know who wrote it
# sandbox = "landlock"       # for this bot only
# resources = {{ memory_mb = 2048 }}

# [[entrant]]
# bots = ["counter", "ruby bots/mine.rb"]  # in a game of teams: a bot for each seat of a team

# [[entrant]]
# folder = "bots"            # enter each folder in it that has a bot.toml
"""


def render_template(game: Game, file: Path) -> str:
    """Return the text of a new tournament file for this game."""
    quick = [name for name, kind in game.bots.items() if not kind.searches]
    bots = list(dict.fromkeys([*game.presentation.demo, *quick]))
    bots = bots[: max(MAX_BUNDLED_BOTS, game.seats[0])]
    table = max(game.seats[0], min(MAX_BUNDLED_BOTS, len(bots), game.seats[-1]))
    entrants = "".join(f'[[entrant]]\nbot = "{bot}"\n\n' for bot in bots)
    missing = max(2, table) - len(bots)  # in a game without bots of its own
    for playouts in range(FEWEST_PLAYOUTS, FEWEST_PLAYOUTS * (missing + 1), FEWEST_PLAYOUTS):
        bot = f"search:playouts={playouts}"
        entrants += f'[[entrant]]\nname = "search_{playouts}"\nbot = "{bot}"\n\n'
    return TEMPLATE.format(
        file=file.name,
        database=dump(f"{file.stem}.db"),
        game=game.name,
        format="king-of-the-hill" if table > 2 else "round-robin",  # noqa: PLR2004
        formats=_render_formats(),
        table=table,
        matches=100 if missing > 0 else 1000,  # searches take longer
        duplicate=str(game.deals_hands).lower(),
        options=_render_options(game),
        entrants=entrants.rstrip("\n") + "\n",
    )


def _render_formats() -> str:
    """Return the names of all formats as a comment."""
    names = f"# formats: {', '.join(get_plugins().formats)};"
    return fill(names, COMMENT_WIDTH, subsequent_indent="# ", break_on_hyphens=False)


def _render_options(game: Game) -> str:
    options = [field for field in fields(game.variant) if field.default is not NOTHING]
    return "".join(f"# {field.name} = {dump(field.default)}\n" for field in options)
