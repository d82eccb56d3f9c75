"""The reports that `arena submit` shows: of a bot's check here, and of its check on the hill."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from arena import UserError
from arena.check import BotFacts, CheckReport, CheckStage, Finding, check, show_nothing
from arena.cli.support.check_report import COLOURS, show_part, show_rest
from arena.host import check_seat_count, parse_entrant
from arena.plugins import get_plugins
from arena.wires import ValidationError, read, to_printable
from arena_hill.api_format import HillDocument


def check_bot(folder: Path, hill: HillDocument, *, quiet: bool) -> CheckReport:
    """Run a quick check of a bot with a hill's settings, and show it unless it is to be quiet.

    Raises UserError if the bot cannot be checked, or the hill plays by rules that no game has here.
    """
    game = get_plugins().find_game(hill.game)
    try:
        variant = game.read_variant(hill.options)
    except ValidationError as problem:
        raise UserError(
            f"the hill's options cannot be read by this version of {game.name}:"
            f" {to_printable(problem.lines[0])}"
        ) from None
    check_seat_count(game, hill.table)
    report = check(
        game,
        parse_entrant(game, str(folder)),
        variant,
        sizes=[hill.table],
        limits=hill.time,
        quick=True,
        show=show_nothing if quiet else show_part,
    )
    if not quiet:
        show_rest(report)
        click.echo()
    return report


def show_hill_report(packed: Mapping[str, Any]) -> None:
    """Print a packed `CheckReport` as `arena check` does; raise UserError if it is not valid."""
    try:
        report, parts = _parse_report(packed)
    except (KeyError, TypeError, ValidationError):
        raise UserError("the hill's report cannot be read by this version of arena") from None
    for name, state in parts:
        click.echo(f"  {click.style(f'{state:<6}', COLOURS[state])} {name}")
    show_rest(report)


def _parse_report(packed: Mapping[str, Any]) -> tuple[CheckReport, list[tuple[str, str]]]:
    """Return the report, and its parts with their states."""
    findings = tuple(read(finding, Finding) for finding in packed["findings"])
    game, bot, left_out = (to_printable(str(packed[key])) for key in ("game", "bot", "left_out"))
    whole = CheckStage("check", findings)
    report = CheckReport(game, bot, (whole,), read(packed["facts"], BotFacts), left_out)
    parts = [(to_printable(str(part["name"])), str(part["state"])) for part in packed["parts"]]
    if not {state for _, state in parts} <= {*COLOURS}:
        raise TypeError
    return report, parts
