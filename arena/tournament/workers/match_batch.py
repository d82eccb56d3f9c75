"""The matches that are handed to a worker: each with its entrants, and all with their settings."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from arena.host import Limits
from arena.tournament.deals import Key
from arena.tournament.entries import Id, ReadyEntry
from arena.tournament.kept_transcripts import KeptTranscripts


@frozen
class PlannedMatch:
    """One match: a rotation of a deal, with its entrants."""

    deal: int
    rotation: int
    ready_entries: tuple[
        ReadyEntry, ...
    ]  # one for each side, in order; without teams, for each seat
    # for entrants that may remember, which get another deal each time
    start: int = 0  # how often the deal had been started before
    retry: int = 0  # how often the match was begun since then

    @property
    def key(self) -> Key:
        """The deal and the rotation."""
        return self.deal, self.rotation

    @property
    def keepers(self) -> tuple[Id, ...]:
        """The entrants that keep a folder, and so may remember earlier deals."""
        return tuple(ready.id for ready in self.ready_entries if ready.entry.keeps)

    @property
    def ids(self) -> frozenset[Id]:
        """The ids of the entrants at the table."""
        return frozenset(ready.id for ready in self.ready_entries)

    def renew(self) -> PlannedMatch:
        """Return the match for a retry, with a new deal if an entrant may remember the old one."""
        return evolve(self, retry=self.retry + bool(self.keepers))

    @property
    def replay(self) -> tuple[int, ...]:
        """What the seeds of this attempt come from, and of no other that has the same deal."""
        return (self.start, self.retry) if self.start or self.retry else (0,)


class Wait(Enum):
    """Stands among planned matches where the next ones depend on results or entrants to come."""

    WAIT = "wait"


@frozen
class BatchSettings:
    """What all matches of a run have in common, whichever worker plays them."""

    game: str  #: by its name
    variant: Mapping[str, Any]  #: as JSON
    secret: str  #: the source of all seeds
    limits: Limits  #: of each player
    transcripts: KeptTranscripts
    home: Path  #: the folder for commands
    bots: Path  #: the folder of copies of bots
    kept_folders: Path  #: the folder for bots that keep one
    live: Path | None = None  #: the folder of live transcripts
    shows_hands: bool = (
        False  #: whether live transcripts may show all hands if no player can see them
    )
    table: int | None = None  #: how many seats a match has, or None for one for each entrant
    #: programs that come to the tables in turn, so that as many wait for their next match
    programs: int = 0


@frozen
class MatchBatch:
    """Matches that a worker plays one after the other, with all the data it needs."""

    matches: tuple[PlannedMatch, ...]  #: in playing order
    settings: BatchSettings
    #: the file that gets a byte for each match that is begun; None on other machines
    progress_file: Path | None = None
