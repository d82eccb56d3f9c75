"""The arena's own commands: where each of them is, and what it is for."""

from __future__ import annotations

import re

from arena.cli.support.commands import LazyCommand
from arena.rules import DISTRIBUTION, format_install_command

BUILTIN_COMMANDS = {
    "bots": LazyCommand("arena.cli.games:bots", "List a game's bundled bots."),
    "check": LazyCommand("arena.cli.check:check_bot", "Test a bot and report its mistakes."),
    "demo": LazyCommand("arena.cli.demo:demo", "Watch example matches."),
    "doctor": LazyCommand("arena.cli.doctor:doctor", "Show which sandboxes work on this machine."),
    "duel": LazyCommand("arena.cli.duel:duel", "Find out which of two bots is better."),
    "examples": LazyCommand(
        "arena.cli.scaffold:write_examples", "Copy the examples into a folder."
    ),
    "export": LazyCommand("arena.cli.results:export", "Export a tournament's results."),
    "fuzz": LazyCommand(
        "arena.cli.game_tests:fuzz", "Try to break a game's rules, wires and narrator."
    ),
    "games": LazyCommand("arena.cli.games:games", "List the games."),
    "golden": LazyCommand("arena.cli.game_tests:golden", "Write golden playthroughs of a game."),
    "insights": LazyCommand("arena.cli.insights:insights", "Show playing styles."),
    "match": LazyCommand("arena.cli.match:match", "Play matches between bots."),
    "matches": LazyCommand("arena.cli.results:matches", "List matches of a tournament."),
    "new-bot": LazyCommand("arena.cli.scaffold:write_bot", "Create a bot that already plays."),
    "new-game": LazyCommand(
        "arena.cli.scaffold:write_game", "Create a small game that already works."
    ),
    "play": LazyCommand("arena.cli.play:play", "Play against bots at the terminal."),
    "replay": LazyCommand("arena.cli.replay:replay", "Show a recorded match."),
    "standings": LazyCommand("arena.cli.standings:standings", "Rank the entrants of a tournament."),
    "tournament": LazyCommand(
        "arena.cli.tournament:tournament",
        "Run tournaments: many bots, many matches, a ranking.",
    ),
    "transcript": LazyCommand("arena.cli.results:transcript", "Print a match's transcript."),
    "verify": LazyCommand("arena.cli.replay:verify", "Verify recorded matches against the rules."),
}
"""The short helps are the commands' own, which a test compares."""
HELP_SECTIONS = {
    "Play": ("demo", "play", "match", "games", "bots"),
    "Host": ("tournament", "hill", "web", "site", "doctor"),
    "Study": (
        "standings",
        "matches",
        "duel",
        "insights",
        "replay",
        "transcript",
        "verify",
        "export",
    ),
    "Write bots": ("new-bot", "examples", "check", "tune", "submit"),
    "Write games": ("new-game", "fuzz", "golden"),
}
"""The sections of `arena --help`, with the commands that packages of this project add."""
PLUGIN_COMMANDS = {
    "hill": format_install_command("hill"),
    "site": format_install_command("web"),
    "submit": "pip install arena-hill",
    "tune": format_install_command("tune"),
    "web": format_install_command("web"),
}
"""How to install the commands that packages of this project add."""
REQUIREMENT_OF_EXTRA = re.compile(r"arena-([a-z0-9]+)-.*extra == ['\"]([a-z]+)['\"]")
"""A package that belongs to a game, the command of which has the name of the game."""


def find_install_advice(command: str) -> str | None:
    """Return the line that installs a command of this project, or None if there is no such one.

    A command with the name of a game comes from a package that only that game has: which extra
    installs the package stands in the metadata of this distribution.
    """
    from importlib.metadata import requires

    for requirement in requires(DISTRIBUTION) or ():
        found = REQUIREMENT_OF_EXTRA.match(requirement)
        if found and found[1] == command and found[2] != "all":
            return format_install_command(found[2])
    return PLUGIN_COMMANDS.get(command)
