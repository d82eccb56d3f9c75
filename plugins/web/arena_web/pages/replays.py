"""The replay of a match as JSON, by viewer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import UserError
from arena.extend import Replayer, Spectator, Transcript, Viewer, get_plugins, to_printable


def list_eyes(names: Sequence[str]) -> list[str]:
    """Return the viewers of a match as its page lists them: `all`, `public`, `SEAT: NAME`."""
    seats = [f"{seat}: {to_printable(name)}" for seat, name in enumerate(names)]
    return [*(spectator.value for spectator in Spectator), *seats]


def parse_eye(eye: str, seats: int) -> Viewer:
    """Return the viewer that `all`, `public` or a seat's number names.

    Raises:
        UserError: if it is none of these.
    """
    if eye in [*Spectator]:
        return Spectator(eye)
    numbers = [str(seat) for seat in range(seats)]
    if eye not in numbers:
        raise UserError(f"no such view: choose all, public or a seat (0 to {seats - 1})")
    return numbers.index(eye)


def build_replay(
    transcript: Transcript, eye: str = Spectator.ALL, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the steps of one viewer; `names` replace those of the transcript.

    Raises:
        UserError: if there is no such eye, or a line cannot be shown.
    """
    known = names or transcript.header.names
    return {
        "names": [to_printable(name) for name in known],
        "steps": list_steps(transcript, [eye], known)[eye],
    }


def list_steps(
    transcript: Transcript, eyes: Sequence[str], names: Sequence[str] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Return the steps of several viewers, reading each line once.

    Raises:
        UserError: if there is no such eye, or a line cannot be shown.
    """
    sights = [parse_eye(eye, transcript.seats) for eye in eyes]
    game = get_plugins().find_game(transcript.header.game)
    looking = Replayer.of(game, transcript.header, sights, names, narrated=True)
    seen = [[step.json] for step in looking.begin()]
    for line in transcript.lines:
        for packed, step in zip(seen, looking.take(line), strict=False):
            if step:
                packed.append(step.json)
    return dict(zip(eyes, seen, strict=True))
