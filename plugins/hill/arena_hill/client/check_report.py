"""A hill's check report, shown as `arena check` shows its own; its content is untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from arena import UserError
from arena.extend import (
    COLOURS,
    BotFacts,
    CheckReport,
    CheckStage,
    Finding,
    ValidationError,
    read,
    show_rest,
    to_printable,
)


def show_report(packed: Mapping[str, Any]) -> None:
    """Print a report packed by `Report.pack`; raise UserError if it is not valid."""
    try:
        report, parts = _unpack(packed)
    except (KeyError, TypeError, ValidationError):
        raise UserError("the hill's report cannot be read by this version of arena") from None
    for name, state in parts:
        click.echo(f"  {click.style(f'{state:<6}', COLOURS[state])} {name}")
    show_rest(report)


def _unpack(packed: Mapping[str, Any]) -> tuple[CheckReport, list[tuple[str, str]]]:
    """Return the report, and its parts with their states."""
    findings = tuple(read(finding, Finding) for finding in packed["findings"])
    game, bot, left_out = (to_printable(str(packed[key])) for key in ("game", "bot", "left_out"))
    whole = CheckStage("check", findings)
    report = CheckReport(game, bot, (whole,), read(packed["facts"], BotFacts), left_out)
    parts = [(to_printable(str(part["name"])), str(part["state"])) for part in packed["parts"]]
    if not {state for _, state in parts} <= {*COLOURS}:
        raise TypeError
    return report, parts
