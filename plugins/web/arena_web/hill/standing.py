"""Where a submission stands, as its author sees it: on its way, refused, in, or not any more.

Until it is fit its state is the register's, and from then on the tournament's; none is kept twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Mapping, Sequence
from time import time
from typing import Any

from attrs import asdict, frozen

from arena.tournament import Entry, State
from arena_web.hill.submissions import OPEN, Step, Submission

IN = "in"
STUCK = 15 * 60  # seconds in which something should have moved
SLOW = "there has been no progress for {:.0f} minutes, which is the hill's fault"


@frozen
class Standing:
    """Where a submission stands."""

    state: str  #: a `Step`, or from when it was fit: `in`, or a tournament's `State`
    why: str = ""
    position: int | None = None  #: how many are before it, while it is on its way
    over: bool = False  #: will nothing more come of it, or is it in?

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


def standing_of(
    submission: Submission,
    entries: Mapping[str, Entry],
    waiting: Sequence[int],
    ordered: Container[str],
    held: str = "",
) -> Standing:
    """Return where a submission stands.

    `entries` are the tournament's, by their ids, `waiting` the numbers of the submissions that
    are on their way, in order, `ordered` the ids of who is to be let in, `held` why nobody's turn
    comes now.
    """
    state, why = submission.state, submission.why
    if state is Step.FIT:
        entry = entries.get(submission.entrant)
        if entry is None or entry.id in ordered:
            return Standing(state, why or _slow(submission))
        named = IN if entry.state is State.ACTIVE else str(entry.state)
        return Standing(named, entry.why, over=True)
    if state in OPEN:
        position = bisect_left(waiting, submission.id)
        waits = held if state is Step.QUEUED else ""
        return Standing(state, waits or why or ("" if position else _slow(submission)), position)
    return Standing(state, why, over=True)


def _slow(submission: Submission) -> str:
    """Say for how long nothing has moved, if that is too long."""
    seconds = time() - submission.moved
    return SLOW.format(seconds / 60) if seconds > STUCK else ""
