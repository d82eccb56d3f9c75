"""What is found out of transcripts is remembered until a preparation ends."""

from __future__ import annotations

from arena.host import play_match
from arena.records import Transcript
from arena_web.matches.remembered import remember
from arena_web.preparations import Preparation, Preparations


def test_a_match_is_looked_at_again_once_something_was_prepared() -> None:
    """A solution may say more of the same match; until then each seat is looked at once."""
    preparations, looked = Preparations(), list[int]()

    def find(transcript: Transcript, seat: int) -> str:
        looked.append(seat)
        return transcript.header.match

    remembered = remember(find, preparations)
    transcript = play_match("kuhn", ["random", "random"], seed="1").transcript
    for seat in (0, 0, 1, 1):
        assert remembered(transcript, seat) == transcript.header.match
    assert looked == [0, 1]
    preparations.start(Preparation("kuhn", ""), lambda report: report(1.0))
    preparations.join()
    remembered(transcript, 0)
    remembered(transcript, 0)
    assert looked == [0, 1, 0]
