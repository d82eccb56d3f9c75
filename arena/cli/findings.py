"""What `arena check` has found, as people read it."""

from __future__ import annotations

from collections.abc import Iterator
from shutil import get_terminal_size
from textwrap import wrap

import click

from arena.check import Facts, Finding, Part, Report
from arena.wires import printable

MANY = 10  # lines that are shown
LONGEST = 240  # characters of a line that are shown
COLOURS = {"ok": "green", "warn": "yellow", "wrong": "red"}


def nothing(part: Part) -> None:
    """Wait for the whole."""


def show_part(part: Part) -> None:
    """Show a part as soon as it is done."""
    kinds = ", ".join(dict.fromkeys(finding.kind for finding in part.findings))
    state = click.style(f"{part.state:<6}", COLOURS[part.state])
    click.echo(f"  {state} {part.name}{f': {kinds}' * bool(kinds)}")


def show_rest(report: Report) -> None:
    """Show what is known when all is done."""
    if report.left_out:
        click.echo(f"  The rest was left out: {report.left_out}.")
    for number, finding in enumerate(report.findings, 1):
        click.echo()
        for line in _in_words(number, finding, report.facts.matches):
            click.echo(printable(line))
    click.echo()
    for line in (*_facts(report.facts), _result(report)):
        click.echo(line)


def _in_words(number: int, finding: Finding, matches: int) -> Iterator[str]:
    """Say one kind of mistake as to a colleague."""
    times = "once" if finding.times == 1 else f"{finding.times} times"
    often = times if finding.seat is None or matches == 1 else f"{times} in {matches} matches"
    yield from _wrapped(f"{number}. {finding.kind}, {often}: {finding.detail}")
    yield f"   {_where(finding)}"
    yield from _lines("it was sent", list(finding.sent))
    if finding.ask is not None:
        said = "nothing" if finding.answered is None else _quoted(finding.answered)
        yield from _lines("it answered", [said])
        yield from _lines("allowed", [finding.allowed])
    elif finding.answered:
        yield from _lines("it said", finding.answered.splitlines())
    yield from _lines("stderr", finding.stderr.splitlines())
    yield from _wrapped(f"   {finding.advice}")
    if finding.again:
        yield f"   The same match: {finding.again}"


def _wrapped(text: str) -> list[str]:
    return wrap(text, get_terminal_size().columns, subsequent_indent="   ")


def _where(finding: Finding) -> str:
    where = [finding.situation]
    if finding.seat is not None:
        where.append(f"on seat {finding.seat}")
    if finding.ask is not None:
        where.append(f"at ask {finding.ask}")
    return f"{'First where' if finding.times > 1 else 'Where'} {', '.join(where)}:"


def _lines(heading: str, lines: list[str]) -> Iterator[str]:
    """Return the last of some lines, the first of them behind a heading."""
    if len(lines) > MANY:
        lines = [f"({len(lines) - MANY} lines)", *lines[-MANY:]]
    for number, line in enumerate(lines):
        short = line if len(line) <= LONGEST else f"{line[:LONGEST]}..."
        yield f"     {'' if number else heading:<12} {short}".rstrip()


def _quoted(line: str) -> str:
    """Show blanks at the ends, which would not be seen otherwise."""
    return line if line and line == line.strip() else repr(line)


def _result(report: Report) -> str:
    faults = sum(finding.fault for finding in report.findings)
    if not faults:
        return f"It passes{', with something to mind' * bool(report.findings)}."
    return f"It does not pass: {'one mistake' if faults == 1 else f'{faults} mistakes'}."


def _facts(facts: Facts) -> Iterator[str]:
    if facts.first_answer is not None:
        yield f"Its first answer took {facts.first_answer:.3f} seconds at most, its start included."
    if facts.slowest_answer is not None:
        yield f"Any other answer took {facts.slowest_answer:.3f} seconds at most."
    if facts.alike is not None:
        yield f"Sent the same lines again, it answers {'alike' if facts.alike else 'otherwise'}."
