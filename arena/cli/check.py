"""`arena check`: what a bot does wrong, and where, before a tournament finds out."""

from __future__ import annotations

import json

import click

from arena.cli.common import (
    all_fit,
    contained,
    fits,
    option_option,
    sandbox_option,
    the_game,
    the_variant,
)
from arena.cli.lazy import Examples
from arena.cli.match import MORE_THAN_NOTHING, OR_NOTHING

FAULTS = 1


@click.command(
    name="check",
    cls=Examples,
    short_help="Say what a bot does wrong, and where.",
    examples=(
        "check {game} {bot}",
        'check {game} "ruby bots/mine.rb" --players 3',
        "check {game} program:{bot} --json",
    ),
)
@click.argument("game")
@click.argument("bot")
@option_option
@click.option(
    "--players",
    type=click.IntRange(1),
    multiple=True,
    help="Only matches of so many players; may be repeated.",
)
@click.option("--seed", metavar="TEXT", help="Check again as from this seed.")
@click.option(
    "--move-time",
    type=MORE_THAN_NOTHING,
    default=5.0,
    show_default=True,
    help="For each answer.",
)
@click.option(
    "--start-time",
    type=OR_NOTHING,
    default=10.0,
    show_default=True,
    help="More for the first answer.",
)
@sandbox_option
@click.option("--quick", is_flag=True, help="One match a table, and no situations.")
@click.option("--json", "as_json", is_flag=True, help="For programs: one JSON object.")
def check_bot(game: str, bot: str, options: tuple[str, ...], players: tuple[int, ...],
              seed: str | None, move_time: float, start_time: float, sandbox: str, quick: bool,
              as_json: bool) -> int:  # fmt: skip
    """Try BOT in GAME: say what it does wrong, where, and what to do about it.

    BOT plays bundled bots at tables of several sizes, in every seat, then in the hard
    situations that the game names, and its input ends early. A BOT is written as for `arena
    match`. Exit status: 0 no match would hold anything against it, 1 faults, 2 usage.
    """
    from arena.check import check
    from arena.cli.findings import nothing, show_part, show_rest
    from arena.host import Limits, entrant

    rules = the_game(game)
    variant = the_variant(rules, options)
    for size in players:
        fits(rules, size)
    entered = entrant(rules, bot, contained(sandbox))
    all_fit([entered], variant, rules.seats[0])
    if not as_json:
        click.echo(f"{entered.name}, as a player of {game}\n")
    report = check(
        rules,
        entered,
        variant,
        sizes=sorted({*players}) or None,
        limits=Limits(move_time, start_time),
        seed=seed,
        quick=quick,
        show=nothing if as_json else show_part,
    )
    if as_json:
        click.echo(json.dumps(report.pack()))
    else:
        show_rest(report)
    return 0 if report.passed else FAULTS
