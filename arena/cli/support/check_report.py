"""The report of `arena check` for people."""

from __future__ import annotations

from collections.abc import Iterator
from shutil import get_terminal_size
from textwrap import wrap

import click

from arena.check import BotFacts, CheckReport, CheckStage, Finding
from arena.check.trials import choose_table_sizes
from arena.plugins import Game
from arena.rules import format_choices, join_words
from arena.wires import to_printable

MAX_LINES = 10  # longer lists are shortened
MAX_LINE_LENGTH = 240  # characters; longer lines are shortened
COLOURS = {"ok": "green", "warn": "yellow", "wrong": "red"}
"""The colour of each kind of result."""


def describe_table_sizes(seats: range) -> str:
    """Return a line that says which table sizes are tried, or "" where it is every size.

    >>> describe_table_sizes(range(2, 11))
    'With 2, 4 and 6 of 2 to 10 players: the fewest, some, and 6; `--players` tries others.'
    """
    sizes = choose_table_sizes(seats)
    if len(sizes) == len(seats):
        return ""
    listed = join_words(map(str, sizes))
    rule = "the fewest" if len(sizes) == 1 else f"the fewest, some, and {sizes[-1]}"
    return f"With {listed} of {format_choices(seats)} players: {rule}; `--players` tries others."


def show_heading(name: str, game: Game, *, default_sizes: bool) -> None:
    """Print whom the check is about, and which table sizes it tries unless they are given."""
    sizes = describe_table_sizes(game.seats) if default_sizes else ""
    click.echo("\n".join([f"{name}, as a player of {game.name}", *[sizes] * bool(sizes), ""]))


def show_part(part: CheckStage) -> None:
    """Print a part of the check when it is finished."""
    kinds = ", ".join(dict.fromkeys(finding.kind for finding in part.findings))
    state = click.style(f"{part.state:<6}", COLOURS[part.state])
    click.echo(f"  {state} {part.name}{f': {kinds}' * bool(kinds)}")


def show_rest(report: CheckReport) -> None:
    """Print the findings, the facts and the result of a finished check."""
    if report.left_out:
        click.echo(f"  The rest was skipped: {report.left_out}.")
    for number, finding in enumerate(report.findings, 1):
        click.echo()
        for line in _describe_finding(number, finding, report.facts.matches):
            click.echo(to_printable(line))
    click.echo()
    for line in (*_describe_facts(report.facts), _summarize(report)):
        click.echo(line)


def _describe_finding(number: int, finding: Finding, matches: int) -> Iterator[str]:
    """Describe a kind of mistake."""
    times = "once" if finding.times == 1 else f"{finding.times} times"
    often = times if finding.seat is None or matches == 1 else f"{times} in {matches} matches"
    yield from _wrap(f"{number}. {finding.kind}, {often}: {finding.detail}")
    yield f"   {_describe_place(finding)}"
    yield from _format_lines("received", list(finding.sent))
    if finding.ask is not None:
        said = "nothing" if finding.answered is None else _quote(finding.answered)
        yield from _format_lines("answered", [said])
        yield from _format_lines("allowed", [finding.allowed])
    elif finding.answered:
        yield from _format_lines("wrote", finding.answered.splitlines())
    yield from _format_lines("stderr", finding.stderr.splitlines())
    yield from _wrap(f"   {finding.advice}")
    if finding.again:
        yield f"   Play it again: {finding.again}"


def _wrap(text: str) -> list[str]:
    return wrap(text, get_terminal_size().columns, subsequent_indent="   ")


def _describe_place(finding: Finding) -> str:
    where = [finding.situation]
    if finding.seat is not None:
        where.append(f"seat {finding.seat}")
    if finding.ask is not None:
        where.append(f"ask {finding.ask}")
    return f"{'First seen' if finding.times > 1 else 'Seen'}: {', '.join(where)}"


def _format_lines(heading: str, lines: list[str]) -> Iterator[str]:
    """Return the last of some lines, with a heading before the first."""
    if len(lines) > MAX_LINES:
        lines = [f"({len(lines) - MAX_LINES} lines)", *lines[-MAX_LINES:]]
    for number, line in enumerate(lines):
        short = line if len(line) <= MAX_LINE_LENGTH else f"{line[:MAX_LINE_LENGTH]}..."
        yield f"     {'' if number else heading:<12} {short}".rstrip()


def _quote(line: str) -> str:
    """Return a line with visible blanks at its ends."""
    return line if line and line == line.strip() else repr(line)


def _summarize(report: CheckReport) -> str:
    faults = sum(finding.fault for finding in report.findings)
    if not faults:
        return f"Passed{', with remarks' * bool(report.findings)}."
    return f"Failed: {'one mistake' if faults == 1 else f'{faults} mistakes'}."


def _describe_facts(facts: BotFacts) -> Iterator[str]:
    if facts.first_answer is not None:
        yield f"The first answer took at most {facts.first_answer:.3f} seconds, start included."
    if facts.slowest_answer is not None:
        yield f"Other answers took at most {facts.slowest_answer:.3f} seconds."
    if facts.alike is not None:
        how = "the same" if facts.alike else "differently"
        yield f"Given the same lines again, it answers {how}."
    if facts.many_games:
        yield 'Its process plays match after match (games = "many"), and never one deal twice.'
    for advice in facts.slow_start:
        yield from _wrap(f"Its start is slow: {to_printable(advice)}.")
