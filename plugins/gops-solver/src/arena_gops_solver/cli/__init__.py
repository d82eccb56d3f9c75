"""`arena gops`: solve the game, show strategies, and explain matches."""

from __future__ import annotations

import click

from arena.cli.support.commands import CommandLocation, ExampleGroup

PLACES = {
    name: CommandLocation(f"arena_gops_solver.cli.{module}:{name}", summary)
    for name, (module, summary) in {
        "analyse": ("analyse", "Explain matches by the exact solution."),
        "exploit": ("exploit", "Compute how much a best reply wins against a bot."),
        "explore": ("solved_game", "Explore the positions of the solved game."),
        "solve": ("solved_game", "Solve the game into a table."),
        "strategy": ("solved_game", "Show the exact strategy of a position."),
    }.items()
}


@click.group(
    cls=ExampleGroup,
    lazy_commands=PLACES,
    examples=(
        "gops solve --cards 13",
        "gops strategy --mine 1,3,5 --theirs 2,4,5 --prizes 1,2,6 --prize 6",
        "gops explore --cards 4",
    ),
)
def gops() -> None:
    """Solve GOPS exactly, for two players with the same cards and shuffled prizes."""
    from arena_gops_solver.cli.shared import replace_unencodable

    replace_unencodable()
