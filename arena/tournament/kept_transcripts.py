"""Of which matches a tournament keeps the transcripts."""

from __future__ import annotations

from enum import StrEnum

from arena.rules import derive_seed
from arena.tournament.deals import Key, format_match_key

SAMPLE_INTERVAL = 10  # matches, of which `sample` keeps one


class KeptTranscripts(StrEnum):
    """Of which matches the transcripts are kept."""

    ALL = "all"
    VERDICTS = "verdicts"  #: those with a verdict, and void ones
    SAMPLE = "sample"  #: one in ten
    NONE = "none"

    def records(self, key: Key) -> bool:
        """Return whether a match has to be recorded, as far as its key tells."""
        if self is KeptTranscripts.SAMPLE:
            digits = derive_seed("sample", format_match_key(key))[:8]
            return int(digits, 16) % SAMPLE_INTERVAL == 0
        return self is not KeptTranscripts.NONE

    def keeps(self, *, is_flawed: bool) -> bool:
        """Return whether the record of a match is kept, which may be void or have verdicts."""
        return is_flawed or self is not KeptTranscripts.VERDICTS
