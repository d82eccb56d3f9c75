"""`arena doctor`: which protections from strangers' programs hold on this machine."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from arena.cli.common import json_option
from arena.cli.lazy import Examples

NOTHING_HOLDS = 1
AS_ROOT = (
    "You are root: in a sandbox each program runs as a user of its own, but trusted ones, and"
    " the arena itself, may do anything. Host as an ordinary user."
)

FULL = {
    "users": "\nEach program in a sandbox runs as a user of its own.",
    "folders": "The kernel bounds what a program writes.",
    "limits": "The kernel counts a program's memory, processes and processor time.",
}
WEAKER = {
    "users": "\nPrograms in sandboxes share your user and can disturb each other: {}",
    "folders": "What a program writes is counted once a second, and behind Landlock a build may"
    " set times, and the mode 0700, of files of its user: {}",
    "limits": "Memory, processes and processor time are counted four times a second, and the"
    " kernel's own memory only in part: {}",
}
"""What a sandbox is like here, by the names of `Shortcomings`."""


@click.command(
    cls=Examples,
    short_help="Say which sandboxes hold on this machine.",
    examples=("doctor", "doctor --json"),
)
@json_option
def doctor(as_json: bool) -> int:
    """Try each sandbox with a program that attacks, and say what held.

    What is missing is named, and how to get it. Exit status: 0 a sandbox holds, 1 none does.
    """
    from arena.sandbox import TIERS, TRUSTED, shortcomings

    found = {tier: _examined(tier) for tier in TIERS}
    best = next(tier for tier, one in found.items() if not one["missing"])
    weak = {} if best == TRUSTED else dict(shortcomings())
    if as_json:
        click.echo(json.dumps({"auto": best, "tiers": found, "shortcomings": weak}))
    else:
        for tier, one in found.items():
            _show(tier, one)
        for counted, lacking in weak.items():
            click.echo(WEAKER[counted].format(lacking) if lacking else FULL[counted])
        click.echo(f'\nsandbox = "auto" is {best} here.')
        if os.getuid() == 0:
            click.echo(AS_ROOT)
    return NOTHING_HOLDS if best == TRUSTED else 0


def _examined(tier: str) -> dict[str, Any]:
    """Return why a tier does not hold, or what it protects from, as JSON."""
    from attrs import asdict

    from arena.sandbox import TRUSTED, examine, why_not

    missing = "" if tier == TRUSTED else why_not(tier)
    found = [] if missing else examine(tier)
    return {"missing": missing, "protections": [asdict(one) for one in found]}


def _show(tier: str, found: dict[str, Any]) -> None:
    missing = f": {found['missing']}" if found["missing"] else ""
    click.echo(click.style(tier, bold=True) + missing)
    for one in found["protections"]:
        state, colour = ("held  ", "green") if one["held"] else ("FAILED", "red")
        detail = f": {one['detail']}" if one["detail"] else ""
        click.echo(f"  {click.style(state, fg=colour)} {one['protection']}{detail}")
