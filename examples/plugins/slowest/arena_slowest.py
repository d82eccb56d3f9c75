"""Tells after each match who took longest for an answer."""

from __future__ import annotations

import click

from arena import AcceptedAnswer, MatchSpec, Observer, Outcome, hookimpl


class Slowest(Observer):
    """Remembers the slowest answer of a match."""

    def __init__(self, spec: MatchSpec) -> None:
        self.names = spec.names
        self.name, self.seconds = "nobody", -1.0

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Compare the answer with the slowest one so far."""
        if answer.seconds > self.seconds:
            self.name, self.seconds = self.names[answer.seat], answer.seconds

    def on_outcome(self, outcome: Outcome) -> None:
        """Tell whose answer it was."""
        click.echo(f"{self.name} was the slowest", err=True)


@hookimpl
def arena_observer(spec: MatchSpec) -> Observer:
    """Watch every match."""
    return Slowest(spec)


@click.command()
def slowly() -> None:
    """Give some advice."""
    click.echo("Take your time.")
