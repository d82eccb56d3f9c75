"""`arena replay`, `arena verify`: looking at recorded matches again."""

from __future__ import annotations

import os
from pathlib import Path

import click

from arena.cli.common import the_game
from arena.cli.complaints import complain
from arena.cli.lazy import Examples
from arena.rules import UserError

a_file = click.Path(path_type=Path)


@click.command(
    cls=Examples,
    short_help="Show a recorded match.",
    examples=("replay match.jsonl", "replay match.jsonl --as 1"),
)
@click.argument("file", type=a_file)
@click.option("--as", "seat", type=click.IntRange(0), help="Through this seat's eyes only.")
def replay(file: Path, seat: int | None) -> None:
    """Show the match that FILE (- for standard input) records.

    With --as you see what that seat was told and asked, and what it answered: nothing
    that it was not shown. Seats are counted from 0.
    """
    from arena.records import Unreadable, read, through, watch

    transcript = read(file)
    game = the_game(transcript.header.game)
    if seat is not None and seat >= transcript.seats:
        raise click.UsageError(f"--as {seat}: the seats are 0 to {transcript.seats - 1}")
    lines = watch(game, transcript) if seat is None else through(game, transcript, seat)
    try:
        for line in lines:
            click.echo(line)
    except Unreadable as problem:
        raise Unreadable(f"{file}: {problem}") from None


@click.command(
    cls=Examples,
    short_help="Play recorded matches again by the rules.",
    examples=("verify match.jsonl", "verify transcripts/"),
)
@click.argument("files", nargs=-1, required=True, type=a_file, metavar="FILE...")
def verify(files: tuple[Path, ...]) -> int:
    """Play the rules again on the recorded answers of each FILE (or folder; - is standard input).

    Says which line first differs. Exit status: 0 all hold, 1 one differs or is broken.
    """
    paths = [path for file in files for path in _found(file)]
    if not paths:
        raise UserError(f"there are no transcripts in {', '.join(map(str, files))}")
    wrong = [complaint for path in paths if (complaint := _complaint(path))]
    for complaint in wrong:
        complain(complaint)
    click.echo(f"{len(paths) - len(wrong)} of {len(paths)} transcripts hold")
    return 1 if wrong else 0


def _found(path: Path) -> list[Path]:
    return sorted(path.glob("*.jsonl")) if os.path.isdir(path) else [path]


def _complaint(path: Path) -> str | None:
    from arena.records import Unreadable, read
    from arena.records import verify as verified

    try:
        transcript = read(path)
        verified(the_game(transcript.header.game), transcript)
    except Unreadable as problem:
        return str(problem)
    except UserError as problem:
        return f"{path}: {problem}"
    return None
