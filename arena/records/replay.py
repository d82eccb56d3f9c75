"""Transcripts in words: for a spectator, or from a seat's perspective.

Through a seat's eyes nothing is shown but what the seat was told and asked, and what it
answered itself: not even the other players' names, which no wire gives.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.plugins import Game
from arena.records.perspective import iterate_steps
from arena.records.transcript import Transcript
from arena.rules import Seat


def replay_for_spectator(game: Game, transcript: Transcript) -> Iterator[str]:
    """Return the lines for a spectator who may see everything."""
    for step in iterate_steps(game, transcript):
        yield from step.words


def replay_for_seat(game: Game, transcript: Transcript, seat: Seat) -> Iterator[str]:
    """Return the lines that a person at this seat would have seen."""
    names = [f"seat {number}" for number in range(transcript.seats)]
    for step in iterate_steps(game, transcript, seat, names):
        yield from step.words
