"""The states of submissions: each that the hill or its tournament has is one that its author reads."""

from __future__ import annotations

import pytest

from arena.tournament import State
from arena_hill.api_format import SubmissionStatus
from arena_hill.submission_states import SubmissionState
from arena_hill.submission_status import describe_status, get_entrant_state


@pytest.mark.parametrize("state", SubmissionState)
def test_every_state_has_a_text(state: SubmissionState) -> None:
    """The page of a submission has words for whatever becomes of it."""
    title, _ = describe_status(SubmissionStatus(state))
    assert title


def test_every_state_is_one_that_authors_read() -> None:
    """Judging and the tournament have no state that the API lacks, and the API has no other."""
    judged, entered = map(SubmissionState, SubmissionState), map(get_entrant_state, State)
    assert {*judged, *entered} == {*SubmissionState}
