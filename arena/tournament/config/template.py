"""The file that `arena tournament new` writes: a small tournament, with all else in comments."""

from __future__ import annotations

from attrs import NOTHING, fields

from arena.plugins import Game
from arena.wires import dump

TEXT = """\
# A tournament of the arena. Run it, and go on with it:  arena tournament run {file}
# A line that begins with '# ' and a name says what else could be said.

game = "{game}"
format = "{format}"
# format: king-of-the-hill, round-robin, gauntlet, swiss, elimination, ladder; some have
# parameters: "swiss:rounds=7", "elimination:losses=2", "gauntlet:challenger=mine"
table = {table}                    # seats of a match
matches = {matches}
# stop = "matches"           # "resolved": earlier, when the order of places is settled
# level = 0.95               # of intervals, and of what counts as settled
# duplicate = {duplicate:<14} # every deal once with everybody in every seat
# seed = "42"                # to play the same tournament again; else 128 bits are drawn.
                             # A bot that guesses a short one can work out every deal
# database = {database:<15} # beside this file; or "postgresql://user@host/name"
# executor = "local"         # "dask:address=tcp://HOST:8786": a cluster, with arena-dask
# workers = 2                # matches at once; as many as leave each program a core
# transcripts = "all"        # "verdicts", "sample" (one in ten), "none"
# check = true               # see every bot play before the start
# unfit = "leave-out"        # who fails that; "stop": nobody plays then
# sandbox = "auto"           # "namespaces", "landlock", "trusted": where programs run;
                             # untrusted ones are in a sandbox anyway (arena doctor tells)

[options]                    # of the game
{options}
[time]                       # seconds
# move = 30.0                # for each answer
# start = 10.0               # more for the first
# bank = 120.0               # for all answers of a match together; else there is no such limit
# increment = 0.0            # into the bank for each answer

[resources]                  # of each program in a sandbox
# memory_mb = 1024           # with all that it starts
# cpu_seconds = 60.0         # of a match, of all cores; else there is no such limit
# processes = 128            # and threads
# disk_mb = 256
# files = 10000
# still = true               # stopped while it is not asked

{entrants}
# [[entrant]]
# name = "mine"
# bot = "ruby bots/mine.rb"  # a command, a file, or a folder with a bot.toml
# keeps = true               # its folder stays between its matches
# untrusted = true           # you do not know who has written it
# sandbox = "landlock"       # its own
# resources = {{ memory_mb = 2048 }}

# [[entrant]]
# folder = "bots"            # each folder in it that holds a bot.toml
"""


MAX_BUNDLED_BOTS = 4  # bundled bots that are entered, and sit at a table, if there are so many


def render_template(game: Game, stem: str) -> str:
    """Return the text of a new tournament of this game."""
    bots = list(dict.fromkeys([*game.demo, *game.bots]))[: max(MAX_BUNDLED_BOTS, game.seats[0])]
    table = max(game.seats[0], min(MAX_BUNDLED_BOTS, len(bots), game.seats[-1]))
    entrants = "".join(f'[[entrant]]\nbot = "{bot}"\n\n' for bot in bots)
    return TEXT.format(
        file=f"{stem}.toml",
        database=dump(f"{stem}.db"),
        game=game.name,
        format="king-of-the-hill" if table > 2 else "round-robin",  # noqa: PLR2004
        table=table,
        matches=1000,
        duplicate=str(game.deals_hands).lower(),
        options=_render_options(game),
        entrants=entrants.rstrip("\n") + "\n",
    )


def _render_options(game: Game) -> str:
    given = [field for field in fields(game.variant) if field.default is not NOTHING]
    return "".join(f"# {field.name} = {dump(field.default)}\n" for field in given)
