"""Archiving: matches of versions that left long ago are moved from a hill's database to a file.

Only versions whose results no longer count for ratings are moved. A line of each of their matches
stays in the database, like that of a cancelled match: no deal is played again, and no key is used
twice.

The file is complete and on the disk before anything is removed, and one transaction removes
everything. So whatever is killed, each match is in the database, in the file, or in both.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from attrs import frozen

from arena import UserError
from arena.files import write_durably
from arena.rules import StorageError, describe_error
from arena.tournament.deals import Key, format_match_key
from arena.tournament.entries import Id
from arena.tournament.reasons import ARCHIVED
from arena.tournament.results.exported_results import build_rows
from arena.tournament.results.stored_ratings import StoredRatings
from arena.tournament.run.tournament_run import TournamentRun
from arena.tournament.store import Store
from arena_hill.hill import Hill

RESULTS_FILE = "results.jsonl"
PAGE_MATCHES = 500  # that are read at once


@frozen
class OldMatches:
    """What can be archived, or was."""

    versions: Sequence[Id]
    keys: Sequence[Key]  #: of the matches in which one of them sat
    transcripts: int
    transcript_bytes: int  #: compressed

    @classmethod
    def find(cls, store: Store, days: float) -> OldMatches:
        """Find the versions that count no more and whose last match is so many days ago."""
        deadline = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        versions = [
            version
            for version in StoredRatings(store).find_uncounted_entrants()
            if (store.progress.find_last_time(version) or "") < deadline
        ]
        return cls(versions, *store.matches.find_keys(versions))

    def pack(self) -> dict[str, int]:
        """Return the figures as JSON."""
        return {
            "versions": len(self.versions), "matches": len(self.keys),
            "transcripts": self.transcripts, "transcript_bytes": self.transcript_bytes,
        }  # fmt: skip


def archive_matches(hill: Hill, out: Path, days: float, *, pretend: bool) -> OldMatches:
    """Move old matches to a new zip file, unless that is only pretended; return what they are.

    Raises:
        UserError: if the hill runs or never ran, the file is there already, or it cannot be
            written. Then nothing has changed. Or if the database cannot be made smaller, which the
            message says.
    """
    if out.exists():
        raise UserError(f"{out} already exists; name a new file for the archive")
    if pretend:
        with Store.open(hill.spec.database, write=False) as store:
            return OldMatches.find(store, days)
    Store.open(hill.spec.database, write=False).close()  # which is not created here
    with TournamentRun.claim(hill.spec) as run:
        store = run.store
        old = OldMatches.find(store, days)
        if old.versions:
            _write_file(store, old, out)
            store.matches.archive(old.versions, old.keys, ARCHIVED.fill(text=out.name))
            _shrink(store, out)
        return old


def _shrink(store: Store, out: Path) -> None:
    """Give the space of archived matches back to the disk; raise StorageError if that fails."""
    try:
        store.shrink()
    except StorageError as problem:
        raise StorageError(
            f"the matches are archived in {out}, but the database is as large as before: {problem}"
        ) from None


def _write_file(store: Store, old: OldMatches, out: Path) -> None:
    """Write results and transcripts, whole or not at all."""
    try:
        with write_durably(out) as file, ZipFile(file, "w", ZIP_DEFLATED) as packed:
            with packed.open(RESULTS_FILE, "w") as results:
                for start in range(0, len(old.keys), PAGE_MATCHES):
                    matches = store.matches.load_matches(old.keys[start : start + PAGE_MATCHES])
                    for row in build_rows(matches):
                        results.write(f"{json.dumps(row)}\n".encode())
            for key in old.keys:
                if text := store.transcripts.load(*key):
                    packed.writestr(f"transcripts/{format_match_key(key)}.jsonl", text)
    except OSError as problem:
        raise StorageError(f"{out} cannot be written: {describe_error(problem)}") from None
