"""A hill's report of a check, shown as `arena check` shows its own; it comes from strangers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from arena.check import Facts, Finding, Part, Report
from arena.cli.findings import COLOURS, show_rest
from arena.rules import UserError
from arena.wires import Wrong, printable, read


def show_report(packed: Mapping[str, Any]) -> None:
    """Show a report as `Report.pack` packs it; raise UserError where it is none."""
    try:
        report, parts = _unpacked(packed)
    except (KeyError, TypeError, Wrong):
        raise UserError("the hill's report is none that this arena understands") from None
    for name, state in parts:
        click.echo(f"  {click.style(f'{state:<6}', COLOURS[state])} {name}")
    show_rest(report)


def _unpacked(packed: Mapping[str, Any]) -> tuple[Report, list[tuple[str, str]]]:
    """Return a report, with its findings as of one part, and the parts with their states."""
    findings = tuple(read(one, Finding) for one in packed["findings"])
    game, bot, left_out = (printable(str(packed[key])) for key in ("game", "bot", "left_out"))
    whole = Part("check", findings)
    report = Report(game, bot, (whole,), read(packed["facts"], Facts), left_out)
    parts = [(printable(str(one["name"])), str(one["state"])) for one in packed["parts"]]
    if not {state for _, state in parts} <= {*COLOURS}:
        raise TypeError
    return report, parts
