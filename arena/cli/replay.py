"""`arena replay`, `arena verify`: show and verify recorded matches."""

from __future__ import annotations

import os
from pathlib import Path

import click

from arena.cli.support.commands import ExampleCommand, find_game, print_error
from arena.rules import UserError

FILE_TYPE = click.Path(path_type=Path)


@click.command(
    cls=ExampleCommand,
    short_help="Show a recorded match.",
    examples=("replay match.jsonl", "replay match.jsonl --as 1"),
)
@click.argument("file", type=FILE_TYPE)
@click.option("--as", "seat", type=click.IntRange(0), help="Show the match as this seat saw it.")
def replay(file: Path, seat: int | None) -> None:
    """Show the recorded match in FILE (- for standard input).

    With --as you see only what that seat saw: its events, its questions and its answers.
    Seats are counted from 0.
    """
    from arena.records import (
        UnreadableTranscriptError,
        read_transcript,
        replay_for_seat,
        replay_for_spectator,
    )

    transcript = read_transcript(file)
    game = find_game(transcript.header.game)
    if seat is not None and seat >= transcript.seats:
        raise click.UsageError(f"--as {seat}: the seats are 0 to {transcript.seats - 1}")
    lines = (
        replay_for_spectator(game, transcript)
        if seat is None
        else replay_for_seat(game, transcript, seat)
    )
    try:
        for line in lines:
            click.echo(line)
    except UnreadableTranscriptError as problem:
        raise UnreadableTranscriptError(f"{file}: {problem}") from None


@click.command(
    cls=ExampleCommand,
    short_help="Verify recorded matches against the rules.",
    examples=("verify match.jsonl", "verify transcripts/"),
)
@click.argument("files", nargs=-1, required=True, type=FILE_TYPE, metavar="FILE...")
def verify(files: tuple[Path, ...]) -> int:
    """Play the recorded answers of each FILE (a file, a folder or -) by the rules again.

    The first line that differs is printed. Exit status: 0 if all transcripts are verified,
    1 if one differs or cannot be read.
    """
    paths = [path for file in files for path in _find_transcripts(file)]
    if not paths:
        raise UserError(f"no transcripts in {', '.join(map(str, files))}")
    wrong = [complaint for path in paths if (complaint := _find_problem(path))]
    for complaint in wrong:
        print_error(complaint)
    click.echo(f"{len(paths) - len(wrong)} of {len(paths)} transcripts verified")
    return 1 if wrong else 0


def _find_transcripts(path: Path) -> list[Path]:
    return sorted(path.glob("*.jsonl")) if os.path.isdir(path) else [path]


def _find_problem(path: Path) -> str | None:
    from arena.records import UnreadableTranscriptError, read_transcript
    from arena.records import verify as verified

    try:
        transcript = read_transcript(path)
        verified(find_game(transcript.header.game), transcript)
    except UnreadableTranscriptError as problem:
        return str(problem)
    except UserError as problem:
        return f"{path}: {problem}"
    return None
