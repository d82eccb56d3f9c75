"""`arena doctor`: test which protections from untrusted programs work on this machine."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from arena.cli.support.commands import ExampleCommand, json_option

NO_SANDBOX_STATUS = 1
ROOT_WARNING = (
    "You are root: each program in a sandbox runs as its own user, but trusted programs and"
    " arena itself may do anything. Run arena as an ordinary user."
)

STRONG_PROTECTION = {
    "users": "\nEach program in a sandbox runs as its own user.",
    "folders": "The kernel limits how much a program writes.",
    "limits": "The kernel limits a program's memory, processes and CPU time.",
}
WEAK_PROTECTION = {
    "users": "\nPrograms in sandboxes run as your user and can disturb each other: {}",
    "folders": "Disk use is checked only once a second, and behind Landlock a build may"
    " change times, and the mode to 0700, of your user's files: {}",
    "limits": "Memory, processes and CPU time are checked only four times a second, and the"
    " kernel's own memory only in part: {}",
}
"""Descriptions of a sandbox's shortcomings, by the fields of `Shortcomings`."""

SLOW_START_HEADING = "Slow starts:"


@click.command(
    cls=ExampleCommand,
    short_help="Show which sandboxes work on this machine.",
    examples=("doctor", "doctor --json"),
)
@json_option
def doctor(as_json: bool) -> int:
    """Test each sandbox with a program that attacks it, and show which protections held.

    Missing requirements are listed, with the commands that install them. So are the causes of slow
    starts in some languages on this machine, and what to do about them. Exit status: 0 if a sandbox
    works, 1 if none does.
    """
    from arena.check import advise_on_machine
    from arena.sandbox import TIERS, TRUSTED, describe_temporary_exposure, find_shortcomings
    from arena.wires import to_printable

    found = {tier: _examine_tier(tier) for tier in TIERS}
    slow = [*advise_on_machine()]
    best = next(tier for tier, found_tier in found.items() if not found_tier["missing"])
    weak = {} if best == TRUSTED else dict(find_shortcomings())
    exposed = "" if best == TRUSTED else describe_temporary_exposure()
    if as_json:
        report = {"auto": best, "tiers": found, "shortcomings": weak, "starts": slow}
        click.echo(json.dumps({**report, "exposed": exposed}))
    else:
        for tier, found_tier in found.items():
            _print_tier(tier, found_tier)
        for counted, lacking in weak.items():
            click.echo(
                WEAK_PROTECTION[counted].format(lacking) if lacking else STRONG_PROTECTION[counted]
            )
        for advice in slow:
            click.echo(f"{SLOW_START_HEADING} {to_printable(advice)}.")
        if os.getuid() == 0:
            click.echo(ROOT_WARNING)
        choice = f"fails here: {exposed}" if exposed else f"selects {best} here"
        click.echo(f'\nsandbox = "auto" {choice}.')
    return NO_SANDBOX_STATUS if best == TRUSTED or exposed else 0


def _examine_tier(tier: str) -> dict[str, Any]:
    """Return the obstacle to a tier, or its protections, as JSON."""
    from attrs import asdict

    from arena.sandbox import TRUSTED, find_obstacle, probe_tier

    missing = "" if tier == TRUSTED else find_obstacle(tier)
    found = [] if missing else probe_tier(tier)
    return {"missing": missing, "protections": [asdict(result) for result in found]}


def _print_tier(tier: str, found: dict[str, Any]) -> None:
    missing = f": {found['missing']}" if found["missing"] else ""
    click.echo(click.style(tier, bold=True) + missing)
    for protection in found["protections"]:
        state, colour = ("held  ", "green") if protection["held"] else ("FAILED", "red")
        detail = f": {protection['detail']}" if protection["detail"] else ""
        click.echo(f"  {click.style(state, fg=colour)} {protection['protection']}{detail}")
