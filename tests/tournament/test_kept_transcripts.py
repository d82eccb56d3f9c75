"""Of which matches the transcripts are kept, as far as their keys and their ends tell."""

from __future__ import annotations

import pytest

from arena.tournament.kept_transcripts import KeptTranscripts


def test_a_sample_is_one_match_in_ten_whatever_came_of_it() -> None:
    """The key alone decides, so that nothing about the match can be learned from the choice."""
    keys = [(deal, rotation) for deal in range(1000) for rotation in range(2)]
    chosen = [*filter(KeptTranscripts.SAMPLE.records, keys)]
    assert len(keys) / 12 < len(chosen) < len(keys) / 8
    assert all(KeptTranscripts.SAMPLE.keeps(is_flawed=flawed) for flawed in (True, False))


@pytest.mark.parametrize(
    ("kept", "flawed", "others"),
    [
        (KeptTranscripts.ALL, True, True),
        (KeptTranscripts.VERDICTS, True, False),
        (KeptTranscripts.NONE, False, False),
    ],
)
def test_others_go_by_what_came_of_a_match(
    kept: KeptTranscripts, flawed: bool, others: bool
) -> None:
    """All are kept, those with verdicts and void ones, or none."""
    records = kept.records((17, 0))
    assert (records and kept.keeps(is_flawed=True)) == flawed
    assert (records and kept.keeps(is_flawed=False)) == others
