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
    Step.QUEUED: ("It waits", ""),
    Step.UNPACKING: ("It is being unpacked", ""),
    Step.BUILDING: (
        "It is being built",
        "The build command of its bot.toml runs, in the sandbox.",
    ),
    Step.CHECKING: (
        "It is being checked",
        "It plays bundled bots and is brought into hard situations, as by arena check.",
    ),
    Step.FIT: ("It passed", "It comes in with the next deals that are planned."),
    IN: ("It is in", "It takes part in all deals that are planned from now on."),
    Step.REFUSED: ("It is refused", ""),
    Step.FAILED: (
        "The hill could not check it",
        "That is not your bot's fault, and it counts nothing.",
    ),
    State.REPLACED: ("It was replaced", "A newer version of it has come in; its results stay."),
    State.WITHDRAWN: ("It was withdrawn", "Results that it has stay."),
    State.ASIDE: ("It was set aside", "It failed again and again, and plays no more."),
    State.UNFIT: ("It is unfit", "It did not start where it was to play."),
    State.FELL: (
        "It fell off the hill",
        "It was the lowest of more than there is place for. Its results stay; send a better one.",
    ),
}
"""What is said of a state: in a few words, and what it means."""


def said_of(stands: Standing) -> tuple[str, str]:
    """Return what is said of where a submission stands."""
    words, more = SAID[stands.state]
    if stands.state == Step.QUEUED:
        before = stands.position or 0
        more = f"{before} came before it." if before else "It is the next."
    return words, more
