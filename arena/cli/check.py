"""`arena check`: what a bot does wrong, and where, before a tournament finds out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from shutil import get_terminal_size
from textwrap import wrap

import click

from arena.check import USUAL, Facts, Finding, Part, Report, check
from arena.cli.common import (
    Examples,
    all_fit,
    fits,
    option_option,
    the_game,
    the_variant,
)
from arena.cli.match import MORE_THAN_NOTHING, OR_NOTHING
from arena.clock import Limits
from arena.entrants import entrant
from arena.printable import printable

FAULTS = 1
MANY = 10  # lines that are shown
LONGEST = 240  # characters of a line that are shown
UNBUFFERED = "PYTHONUNBUFFERED"  # would hide that a program does not flush, here and not there
COLOURS = {"ok": "green", "mind": "yellow", "wrong": "red"}


@click.command(
    name="check",
    cls=Examples,
    short_help="Say what a bot does wrong, and where.",
    examples=(
        "check {game} {bot}",
        'check {game} "ruby bots/mine.rb" --players 3',
        "check {game} program:{bot} --json",
    ),
)
@click.argument("game")
@click.argument("bot")
@option_option
@click.option(
    "--players",
    type=click.IntRange(1),
    multiple=True,
    help="Only matches of so many players; may be repeated.",
)
@click.option("--seed", metavar="TEXT", help="Check again as from this seed.")
@click.option(
    "--move-time",
    type=MORE_THAN_NOTHING,
    default=USUAL.move,
    show_default=True,
    help="For each answer.",
)
@click.option(
    "--start-time",
    type=OR_NOTHING,
    default=USUAL.start,
    show_default=True,
    help="More for the first answer.",
)
@click.option("--quick", is_flag=True, help="One match a table, and no situations.")
@click.option("--json", "as_json", is_flag=True, help="For programs: one JSON object.")
def check_bot(game: str, bot: str, options: tuple[str, ...], players: tuple[int, ...],
              seed: str | None, move_time: float, start_time: float, quick: bool,
              as_json: bool) -> int:  # fmt: skip
    """Try BOT in GAME: say what it does wrong, where, and what to do about it.

    BOT plays bundled bots at tables of several sizes, in every seat, then in the hard
    situations that the game names, and its input ends early. A BOT is written as for `arena
    match`. Exit status: 0 no match would hold anything against it, 1 faults, 2 usage.
    """
    rules = the_game(game)
    variant = the_variant(rules, options)
    for size in players:
        fits(rules, size)
    entered = entrant(rules, bot)
    all_fit([entered], variant, rules.seats[0])
    os.environ.pop(UNBUFFERED, None)
    if not as_json:
        click.echo(f"{entered.name}, as a player of {game}\n")
    report = check(
        rules,
        entered,
        variant,
        sizes=sorted({*players}) or None,
        limits=Limits(move_time, start_time),
        seed=seed,
        quick=quick,
        show=_nothing if as_json else _show_part,
    )
    if as_json:
        click.echo(json.dumps(report.pack()))
    else:
        _show_rest(report)
    return 0 if report.passed else FAULTS


def _nothing(part: Part) -> None:
    """Wait for the whole."""


def _show_part(part: Part) -> None:
    """Show a part as soon as it is done."""
    kinds = ", ".join(dict.fromkeys(finding.kind for finding in part.findings))
    state = click.style(f"{part.state:<6}", COLOURS[part.state])
    click.echo(f"  {state} {part.name}{f': {kinds}' * bool(kinds)}")


def _show_rest(report: Report) -> None:
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
    """Give the last of some lines, the first of them behind a heading."""
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
