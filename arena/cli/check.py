"""`arena check`: find a bot's mistakes before a tournament does."""

from __future__ import annotations

import json

import click

from arena.cli.support.commands import (
    ExampleCommand,
    check_player_count,
    check_support,
    choose_sandbox,
    find_game,
    option_option,
    parse_variant,
    sandbox_option,
)
from arena.cli.support.time_options import answer_time_options

FAULTS_STATUS = 1


@click.command(
    name="check",
    cls=ExampleCommand,
    short_help="Test a bot and report its mistakes.",
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
    help="Only play matches with this many players; may be repeated.",
)
@click.option("--seed", metavar="TEXT", help="Repeat the check with this seed.")
@answer_time_options(5)
@sandbox_option
@click.option(
    "--quick", is_flag=True, help="Play one match per number of players, and skip the scenarios."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check_bot(game: str, bot: str, options: tuple[str, ...], players: tuple[int, ...],
              seed: str | None, move_time: float, start_time: float, sandbox: str, quick: bool,
              as_json: bool) -> int:  # fmt: skip
    """Test BOT in GAME: report each mistake, where it happens, and how to fix it.

    BOT plays against bundled bots in every seat: with the fewest players that the game allows, with
    six (or the most, if that is less) and with a number in between. It also plays the game's
    scenarios, and its input ends early. Write BOT as for `arena match`. Exit status: 0 if the bot
    passes, 1 if it has faults, 2 for usage errors.
    """
    from arena.check import check, show_nothing
    from arena.cli.support.check_report import show_heading, show_part, show_rest
    from arena.host import Limits, parse_entrant

    rules = find_game(game)
    variant = parse_variant(rules, options)
    for size in players:
        check_player_count(rules, size)
    entrant = parse_entrant(rules, bot, choose_sandbox(sandbox))
    check_support([entrant], variant, rules.seats[0])
    if not as_json:
        show_heading(entrant.name, rules, default_sizes=not players)
    report = check(
        rules,
        entrant,
        variant,
        sizes=sorted({*players}) or None,
        limits=Limits(move_time, start_time),
        seed=seed,
        quick=quick,
        show=show_nothing if as_json else show_part,
    )
    if as_json:
        click.echo(json.dumps(report.pack()))
    else:
        show_rest(report)
    return 0 if report.passed else FAULTS_STATUS
