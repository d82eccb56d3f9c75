"""Where recorded matches are found: in files, in folders of them, in tournaments."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define, frozen

from arena import Refusal
from arena.cli.common import NUMBERS, needed
from arena.transcript import SUFFIX, Transcript, Unreadable, parse, read
from arena_gops_solver.matches.recorded import Recorded, recorded

if TYPE_CHECKING:
    from arena.tournament.store import Store

SQLITE = b"SQLite format 3\0"


@frozen
class Found:
    """A transcript: where it is from, its deal, and what its players are called, if not there."""

    where: str
    deal: str
    transcript: Transcript
    names: tuple[str, ...] = ()


@define
class Gathered:
    """The matches that can be explained, and how many cannot."""

    matches: list[Recorded]
    unfinished: int = 0  # void or forfeited

    @classmethod
    def of(cls, found: Iterable[Found]) -> Gathered:
        """Read transcripts; raise Refusal for one that is not of a solved game."""
        gathered = cls([])
        for one in found:
            match = recorded(one.transcript, one.where, one.deal, one.names)
            if match is None:
                gathered.unfinished += 1
            else:
                gathered.matches.append(match)
        return gathered


def transcripts(words: Iterable[str]) -> Iterator[Found]:
    """Give the transcripts in files, folders and tournaments; raise Refusal where there are none.

    A tournament is named by its file, its database or a server's address. Those of its matches
    whose transcripts it does not keep are left out.
    """
    for word in words:
        some = _of_tournament(word) if _is_tournament(word) else _in_files(Path(word))
        first = next(some, None)
        if first is None:
            raise Refusal(f"{word}: there are no transcripts")
        yield first
        yield from some


def _is_tournament(word: str) -> bool:
    """See by its name or its first bytes whether it is a tournament."""
    if word.endswith(".toml") or "://" in word:
        return True
    try:
        with Path(word).open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:  # a folder, or nothing that can be read: who reads it says why
        return False


def _in_files(path: Path) -> Iterator[Found]:
    """Give that of a file, or those of a folder; a match's seed stands for its deal."""
    for file in sorted(path.glob(f"*{SUFFIX}")) if os.path.isdir(path) else [path]:
        transcript = read(file)
        yield Found(str(file), transcript.header.seed, transcript)


def _of_tournament(word: str) -> Iterator[Found]:
    needed(NUMBERS, "tournaments need", "tournament")
    from arena.cli.stored import the_store

    with the_store(word) as store:
        called = _called(store)
        for match in store.matches():
            deal, _, turn = match["match"].partition(".")
            text = store.transcript(int(deal), int(turn)) if match["transcript"] else None
            if text is not None:
                where = f"{word}: match {match['match']}"
                names = tuple(called[seat["name"], seat["version"]] for seat in match["seats"])
                yield Found(where, f"{word} {deal}", _parsed(text, where), names)


def _called(store: Store) -> dict[tuple[str, str], str]:
    """Give what each version of an entrant is called: by name, or if there are several, by id."""
    versions = Counter(entry.name for entry in store.entries())
    return {
        (entry.name, entry.version): entry.name if versions[entry.name] == 1 else entry.id
        for entry in store.entries()
    }


def _parsed(text: bytes, where: str) -> Transcript:
    try:
        return parse(text.decode().removesuffix("\n").split("\n"))
    except (Unreadable, UnicodeDecodeError) as problem:
        raise Unreadable(f"{where}: {problem}") from None
