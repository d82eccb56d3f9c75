"""The replay of a match: what its page asks for, eye by eye."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.plugins import plugins
from arena.records import Sight, Spectator, Steps, Transcript
from arena.rules import UserError
from arena.wires import printable


def eyes_of(names: Sequence[str]) -> list[str]:
    """Return all eyes of a match as its page lists them: `all`, `public`, and `SEAT: NAME`."""
    seats = [f"{seat}: {printable(name)}" for seat, name in enumerate(names)]
    return [*(spectator.value for spectator in Spectator), *seats]


def sight_of(eye: str, seats: int) -> Sight:
    """Return whose eyes are meant: `all`, `public`, or a seat's number.

    Raises:
        UserError: if it is none of these.
    """
    if eye in [*Spectator]:
        return Spectator(eye)
    numbers = [str(seat) for seat in range(seats)]
    if eye not in numbers:
        raise UserError(f"no such eye: it is all, public, or a seat (0 to {seats - 1})")
    return numbers.index(eye)


def replay_json(
    transcript: Transcript, eye: str = Spectator.ALL, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return all steps of one eye, and who sat there; `names` are others than the transcript's.

    Raises:
        UserError: if there is no such eye, or a line cannot be shown.
    """
    known = names or transcript.header.names
    return {
        "names": [printable(name) for name in known],
        "steps": steps_of(transcript, [eye], known)[eye],
    }


def steps_of(
    transcript: Transcript, eyes: Sequence[str], names: Sequence[str] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Return all steps of several eyes; each line is read once for all of them.

    Raises:
        UserError: if there is no such eye, or a line cannot be shown.
    """
    sights = [sight_of(eye, transcript.seats) for eye in eyes]
    looking = Steps.of(plugins().game(transcript.header.game), transcript.header, sights, names)
    seen = [[step.packed] for step in looking.begin()]
    for line in transcript.lines:
        for packed, step in zip(seen, looking.take(line), strict=False):
            if step:
                packed.append(step.packed)
    return dict(zip(eyes, seen, strict=True))
