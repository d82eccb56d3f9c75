"""The progress of a submission as a row of stages."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from arena.tournament import State
from arena_hill.db.submissions import JudgingState, Submission
from arena_hill.submission_status import IN_STATE, SubmissionStatus

STAGES = ("received", "unpacked", "built", "checked", "entered")
STAGE_INDEXES: Mapping[str, int] = {
    JudgingState.QUEUED: 1,
    JudgingState.UNPACKING: 1,
    JudgingState.BUILDING: 2,
    JudgingState.CHECKING: 3,
    JudgingState.ACCEPTED: 4,
}
"""The index of the stage in progress, by state."""


@frozen
class SubmissionStage:
    """A stage on the way into a tournament."""

    name: str
    mark: str  #: `done`, `now`, `wrong`, or `open`


def list_stages(submission: Submission, *, over: bool) -> list[SubmissionStage]:
    """Return the stages of a submission; `over` says that it is final."""
    reached, mark = _find_stage(submission), "now"
    if over:
        mark = "done" if submission.state is JudgingState.ACCEPTED else "wrong"
    return [
        SubmissionStage(name, mark if at == reached else "done" if at < reached else "open")
        for at, name in enumerate(STAGES)
    ]


def _find_stage(submission: Submission) -> int:
    """Return the stage of a submission, or the one at which it was rejected."""
    if submission.state in STAGE_INDEXES:
        return STAGE_INDEXES[submission.state]
    if submission.report is not None:
        return (
            STAGE_INDEXES[JudgingState.ACCEPTED]
            if submission.report["passed"]
            else STAGE_INDEXES[JudgingState.CHECKING]
        )
    return (
        STAGE_INDEXES[JudgingState.BUILDING]
        if submission.version
        else STAGE_INDEXES[JudgingState.UNPACKING]
    )


STATE_TEXTS: Mapping[str, tuple[str, str]] = {
    JudgingState.QUEUED: ("Waiting", ""),
    JudgingState.UNPACKING: ("Being unpacked", ""),
    JudgingState.BUILDING: (
        "Being built",
        "The build command of bot.toml runs in the sandbox.",
    ),
    JudgingState.CHECKING: (
        "Being checked",
        "It plays bundled bots and faces difficult situations, as in arena check.",
    ),
    JudgingState.ACCEPTED: ("Accepted", "It takes part from the next deal on."),
    IN_STATE: ("In", "It takes part in every new deal."),
    JudgingState.REJECTED: ("Rejected", ""),
    JudgingState.FAILED: (
        "Check failed",
        "The hill had a problem. This is not your bot's fault and does not count as a submission.",
    ),
    State.REPLACED: ("Replaced", "A newer version took its place; its results stay."),
    State.WITHDRAWN: ("Withdrawn", "It no longer plays; its results stay."),
    State.ASIDE: ("Set aside", "It failed repeatedly and no longer plays."),
    State.UNFIT: ("Unfit", "It was accepted, but did not start when it was its turn to play."),
    State.WAITING: (
        "Waiting for a place",
        "It was rated lowest on a full hill, and comes back when there is room. Its results stay.",
    ),
}
"""The title and the explanation of each state."""


def describe_status(stands: SubmissionStatus) -> tuple[str, str]:
    """Return a status as text: a few words, and their meaning."""
    words, more = STATE_TEXTS[stands.state]
    if stands.state == JudgingState.QUEUED:
        before = stands.position or 0
        more = f"{before} ahead of it." if before else "It is next."
    return words, more
