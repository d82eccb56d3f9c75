"""The options that limit the time of players, of all commands that host matches."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

import click

from arena.cli.support.commands import F


class SecondsType(click.FloatRange):
    """A number of seconds; `inf` means no limit."""

    name = "seconds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds, or fail."""
        seconds = super().convert(value, param, ctx)
        if isnan(seconds):
            self.fail(f"{value} is not a number of seconds", param, ctx)
        return float(seconds)


POSITIVE_SECONDS = SecondsType(min=0, min_open=True)
NON_NEGATIVE_SECONDS = SecondsType(min=0)


def answer_time_options(move_time: float) -> Callable[[F], F]:
    """Return a decorator that adds the limits of an answer, with this default in seconds."""
    move = click.option(
        "--move-time",
        type=POSITIVE_SECONDS,
        default=move_time,
        show_default=True,
        help="Time limit for each answer, in seconds.",
    )
    start = click.option(
        "--start-time",
        type=NON_NEGATIVE_SECONDS,
        default=10,
        show_default=True,
        help="Additional time for the first answer, in seconds.",
    )

    def decorate(command: F) -> F:
        return move(start(command))

    return decorate


def time_options(command: F) -> F:
    """Add the limits of an answer, and those of a chess clock."""
    bank = click.option(
        "--bank",
        type=POSITIVE_SECONDS,
        help="Time limit for all answers together, in seconds (chess clock).",
    )
    increment = click.option(
        "--increment",
        type=NON_NEGATIVE_SECONDS,
        default=0,
        show_default=True,
        help="Seconds added to the bank for each answer.",
    )
    return answer_time_options(30)(bank(increment(command)))
