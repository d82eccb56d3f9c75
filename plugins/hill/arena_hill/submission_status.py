"""The status of a submission as its author sees it: in words, and as a row of stages.

Until a bot is accepted, its state is in the hill's database; afterwards, in the tournament's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from attrs import evolve, frozen

from arena.tournament import State
from arena.tournament.commands import CoordinatorCommand, EntryCommand, WithdrawalCommand
from arena.tournament.entries import Entry
from arena_hill.api_format import SubmissionStatus
from arena_hill.db.commands import list_commands
from arena_hill.db.judging_queue import JudgingOrder
from arena_hill.db.store import HillStore
from arena_hill.db.submissions import Submission, SubmissionResults
from arena_hill.disk import find_hill_shortage
from arena_hill.hill import Hill
from arena_hill.redaction import redact_paths
from arena_hill.submission_states import OPEN_STATES, SubmissionState

STUCK_SECONDS = 15 * 60  # in which something should have moved
DELAY_MESSAGE = (
    "there has been no progress for {:.0f} minutes; this is the hill's fault, not your bot's"
)
DISK_FULL_QUEUED_MESSAGE = (
    "this hill's disk is nearly full, and its host can see that; your bot waits, and is checked as"
    " soon as there is room"
)


@frozen
class StatusReading:
    """What the statuses of submissions depend on, as it was read from both databases."""

    hill: Hill
    entries: Mapping[str, Entry]  #: the tournament's, by their ids
    positions: Mapping[int, int]  #: how many come before each submission that is on its way
    entering: frozenset[str]  #: the ids of those that the coordinator has yet to let in
    leaving: Mapping[str, WithdrawalCommand]  #: by the ids of those that it has yet to let leave
    now: float  #: seconds since 1970
    hold_reason: str = ""  #: why nobody's turn comes now

    @classmethod
    def of(cls, hill: Hill, store: HillStore) -> Self:
        """Read both databases of a hill; raise StorageError."""
        versions, last = hill.query_tournament(
            lambda tournament: (tournament.entries.list_all(), tournament.facts.last_command)
        ) or ((), 0)
        with store.transactions.begin_read() as snapshot:
            commands = list_commands(snapshot, last)
            order = JudgingOrder.read(snapshot)
        entering, leaving = _read_commands(commands, versions)
        return cls(
            hill=hill,
            entries={entry.id: entry for entry in versions},
            positions=order.compute_positions(),
            entering=entering,
            leaving=leaving,
            now=snapshot.now,
            hold_reason=DISK_FULL_QUEUED_MESSAGE if find_hill_shortage(hill) else "",
        )

    @property
    def current(self) -> set[str]:
        """The ids of the entrants that take part, or wait for a place or for their next deal."""
        current = {entry.id for entry in self.entries.values() if entry.state.is_current}
        return current - self.leaving.keys() | self.entering

    @property
    def active(self) -> set[str]:
        """The ids of the entrants that take part."""
        active = {entry.id for entry in self.entries.values() if entry.state is State.ACTIVE}
        return active - self.entering - self.leaving.keys()

    def compute_all(self, submissions: Iterable[Submission]) -> Mapping[int, SubmissionStatus]:
        """Return the statuses of submissions by their ids, as their authors read them."""
        return {submission.id: self.compute_for_author(submission) for submission in submissions}

    def compute_for_author(self, submission: Submission) -> SubmissionStatus:
        """Return the status of a submission, as its author reads it."""
        return redact_status(self.compute(submission), self.hill)

    def compute(self, submission: Submission) -> SubmissionStatus:
        """Return the status of a submission, with the host's paths."""
        state, why = submission.state, submission.why
        if state is SubmissionState.ACCEPTED:
            if withdrawal := self.leaving.get(submission.entrant):
                return SubmissionStatus(SubmissionState.WITHDRAWN, withdrawal.why, over=True)
            entry = self.entries.get(submission.entrant)
            if entry is None or entry.id in self.entering:
                return SubmissionStatus(
                    SubmissionState.ACCEPTED, why or self._describe_delay(submission)
                )
            return SubmissionStatus(get_entrant_state(entry.state), entry.why, over=True)
        if state in OPEN_STATES:
            position = self.positions.get(submission.id, 0)  # it may have moved on meanwhile
            waits = self.hold_reason if state is SubmissionState.QUEUED else ""
            delay = "" if position else self._describe_delay(submission)
            return SubmissionStatus(state, waits or why or delay, position)
        return SubmissionStatus(state, why, over=True)

    def _describe_delay(self, submission: Submission) -> str:
        """Describe the delay if there has been no progress for too long; else return ""."""
        seconds = self.now - submission.state_since
        return DELAY_MESSAGE.format(seconds / 60) if seconds > STUCK_SECONDS else ""


def _read_commands(
    commands: Iterable[CoordinatorCommand], entries: Iterable[Entry]
) -> tuple[frozenset[str], Mapping[str, WithdrawalCommand]]:
    """Return which versions commands let in, and by which command each of the others leaves.

    `entries` are those of the tournament before these commands.
    """
    entering: dict[str, str] = {}  # names by ids
    leaving: dict[str, WithdrawalCommand] = {}
    current = {entry.id: entry.name for entry in entries if entry.state.is_current}
    for command in commands:
        match command:
            case EntryCommand(entry=entry):
                entering[entry.id] = entry.name
                leaving.pop(entry.id, None)
            case WithdrawalCommand(name=name):
                versions = (current | entering).items()
                leaving |= {id_: command for id_, version_of in versions if version_of == name}
                entering = {id_: other for id_, other in entering.items() if other != name}
    return frozenset(entering), leaving


def redact_status(status: SubmissionStatus, hill: Hill) -> SubmissionStatus:
    """Return a status without the host's paths."""
    return evolve(status, why=redact_paths(status.why, hill))


def get_entrant_state(state: State) -> SubmissionState:
    """Return the state of a submission that came in, by the state of its entrant."""
    return SubmissionState.IN if state is State.ACTIVE else SubmissionState(state)


STATE_TEXTS: Mapping[SubmissionState, tuple[str, str]] = {
    SubmissionState.QUEUED: ("Waiting", ""),
    SubmissionState.UNPACKING: ("Being unpacked", ""),
    SubmissionState.BUILDING: (
        "Being built",
        "The build command of bot.toml runs in the sandbox.",
    ),
    SubmissionState.CHECKING: (
        "Being checked",
        "It plays bundled bots and faces difficult situations, as in arena check.",
    ),
    SubmissionState.ACCEPTED: ("Accepted", "It takes part from the next deal on."),
    SubmissionState.IN: ("In", "It takes part in every new deal."),
    SubmissionState.REJECTED: ("Rejected", ""),
    SubmissionState.FAILED: (
        "Check failed",
        "The hill had a problem. This is not your bot's fault and does not count as a submission.",
    ),
    SubmissionState.REPLACED: ("Replaced", "A newer version took its place; its results stay."),
    SubmissionState.WITHDRAWN: ("Withdrawn", "It no longer plays; its results stay."),
    SubmissionState.ARCHIVED: (
        "Archived",
        "It left long ago; the host has moved its matches to a file.",
    ),
    SubmissionState.ASIDE: ("Set aside", "It failed repeatedly and no longer plays."),
    SubmissionState.UNFIT: (
        "Unfit",
        "It was accepted, but did not start when it was its turn to play.",
    ),
    SubmissionState.WAITING: (
        "Waiting for a place",
        "It was rated lowest on a full hill, and comes back when there is room. Its results stay.",
    ),
}
"""The title and the explanation of each state."""


def describe_status(status: SubmissionStatus) -> tuple[str, str]:
    """Return a status as text: a few words, and their meaning."""
    title, explanation = STATE_TEXTS[status.state]
    if status.state is SubmissionState.QUEUED:
        explanation = f"{status.position} ahead of it." if status.position else "It is next."
    return title, explanation


STAGES = ("received", "unpacked", "built", "checked", "entered")
STAGE_INDEXES: Mapping[SubmissionState, int] = {
    SubmissionState.QUEUED: 1,
    SubmissionState.UNPACKING: 1,
    SubmissionState.BUILDING: 2,
    SubmissionState.CHECKING: 3,
    SubmissionState.ACCEPTED: 4,
}
"""The index of the stage in progress, by state."""


@frozen
class SubmissionStage:
    """A stage on the way into a tournament."""

    name: str
    mark: str  #: `done`, `now`, `wrong`, or `open`


def list_stages(
    submission: Submission, results: SubmissionResults, status: SubmissionStatus
) -> list[SubmissionStage]:
    """Return the stages of a submission, by its own state and by its status."""
    reached, mark = _find_stage(submission, results.report), "now"
    if status.over:
        accepted = submission.state is SubmissionState.ACCEPTED
        mark = "done" if accepted and status.state is not SubmissionState.UNFIT else "wrong"
    return [
        SubmissionStage(name, mark if at == reached else "done" if at < reached else "open")
        for at, name in enumerate(STAGES)
    ]


def _find_stage(submission: Submission, report: Mapping[str, Any] | None) -> int:
    """Return the stage of a submission, or the one at which it was rejected."""
    state = submission.state
    if state not in STAGE_INDEXES:  # it has ended; what is known of it says where
        if report is None:
            state = SubmissionState.BUILDING if submission.version else SubmissionState.UNPACKING
        else:
            state = SubmissionState.ACCEPTED if report["passed"] else SubmissionState.CHECKING
    return STAGE_INDEXES[state]
