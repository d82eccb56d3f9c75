"""How far a submission has come, as a row of stages."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from arena.tournament import State
from arena_web.hill.standing import IN, Standing
from arena_web.hill.submissions import Step, Submission

STAGES = ("received", "unpacked", "built", "checked", "entered")
AT: Mapping[str, int] = {
    Step.QUEUED: 1,
    Step.UNPACKING: 1,
    Step.BUILDING: 2,
    Step.CHECKING: 3,
    Step.FIT: 4,
}
"""Which stage a state is before the end of."""


@frozen
class Stage:
    """A part of the way into a tournament."""

    name: str
    mark: str  #: `done`, `now`, `wrong`, or `open`


def stages_of(one: Submission, *, over: bool) -> list[Stage]:
    """Return the stages of a submission; `over` says that no more comes of it."""
    reached, mark = _reached(one), "now"
    if over:
        mark = "done" if one.state is Step.FIT else "wrong"
    return [
        Stage(name, mark if at == reached else "done" if at < reached else "open")
        for at, name in enumerate(STAGES)
    ]


def _reached(one: Submission) -> int:
    """Return the stage at which it is, or was when it was turned away: by what is known of it."""
    if one.state in AT:
        return AT[one.state]
    if one.report is not None:
        return AT[Step.FIT] if one.report["passed"] else AT[Step.CHECKING]
    return AT[Step.BUILDING] if one.version else AT[Step.UNPACKING]


SAID: Mapping[str, tuple[str, str]] = {
    Step.QUEUED: ("Waiting", ""),
    Step.UNPACKING: ("Being unpacked", ""),
    Step.BUILDING: (
        "Being built",
        "The build command of its bot.toml runs in the sandbox.",
    ),
    Step.CHECKING: (
        "Being checked",
        "It plays bundled bots and is put into hard situations, as by arena check.",
    ),
    Step.FIT: ("Accepted", "It takes part from the next deals that are planned."),
    IN: ("In", "It takes part in all deals that are planned from now on."),
    Step.REFUSED: ("Refused", ""),
    Step.FAILED: (
        "The hill could not check it",
        "This is not your bot's fault, and uses none of your submissions.",
    ),
    State.REPLACED: ("Replaced", "A newer version has taken its place; its results stay."),
    State.WITHDRAWN: ("Withdrawn", "It plays no more; its results stay."),
    State.ASIDE: ("Set aside", "It failed again and again, and plays no more."),
    State.UNFIT: ("Unfit", "It was accepted, but did not start when it was to play."),
    State.FELL: (
        "Fell off the hill",
        "It was the lowest when the hill was full. Its results stay; submit a better version.",
    ),
}
"""What is said of a state: in a few words, and what it means."""


def said_of(stands: Standing) -> tuple[str, str]:
    """Return what is said of where a submission stands."""
    words, more = SAID[stands.state]
    if stands.state == Step.QUEUED:
        before = stands.position or 0
        more = f"{before} ahead of it." if before else "It is next."
    return words, more
