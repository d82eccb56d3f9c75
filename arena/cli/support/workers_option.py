"""The option `--workers` of commands that play many matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from arena.host import MAX_WORKERS

F = TypeVar("F", bound=Callable[..., Any])


def workers_option(default: int | None = None) -> Callable[[F], F]:
    """Return the option; without a default, the command chooses by the cores of the machine."""
    chosen = "" if default else " [default: by the number of cores]"
    return click.option(
        "--workers",
        type=click.IntRange(1, MAX_WORKERS),
        default=default,
        show_default=default is not None,
        help=f"Number of parallel matches.{chosen}",
    )
