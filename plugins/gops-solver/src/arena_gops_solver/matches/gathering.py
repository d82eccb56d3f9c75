"""Where recorded matches are found: in files, in folders of them, in tournaments."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define, evolve, frozen

from arena import UserError
from arena.cli.common import NUMBERS, needed
from arena.records import SUFFIX, Transcript, Unreadable, parse_text, read
from arena_gops_solver.matches.recorded import Recorded, recorded

if TYPE_CHECKING:
    from arena.tournament import Store

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
        """Read transcripts; raise UserError for one that is not of a solved game.

        A name that stands for several bots is given with the bot.
        """
        gathered = cls([])
        for one in found:
            match = recorded(one.transcript, one.where, one.deal, one.names)
            if match is None:
                gathered.unfinished += 1
            else:
                gathered.matches.append(match)
        gathered.matches = told_apart(gathered.matches)
        return gathered


def told_apart(matches: Sequence[Recorded]) -> list[Recorded]:
    """Return matches in which each name stands for one bot, such as `mine (hard)`."""
    bots: dict[str, set[str]] = defaultdict(set)
    for match in matches:
        for name, bot in zip(match.names, match.bots, strict=True):
            bots[name].add(bot)

    def called(match: Recorded) -> tuple[str, ...]:
        seats = zip(match.names, match.bots, strict=True)
        return tuple(f"{name} ({bot})" if len(bots[name]) > 1 else name for name, bot in seats)

    return [evolve(match, names=called(match)) for match in matches]


def transcripts(words: Iterable[str]) -> Iterator[Found]:
    """Return the transcripts in files, folders and tournaments; raise UserError if there are none.

    A tournament is named by its file, its database or a server's address. Those of its matches
    whose transcripts it does not keep are left out. What is named twice is given once.
    """
    given: set[str] = set()
    for word in words:
        some = _of_tournament(word) if _is_tournament(word) else _in_files(Path(word))
        first = next(some, None)
        if first is None:
            raise UserError(f"{word}: there are no transcripts")
        for one in chain([first], some):
            place = os.path.realpath(one.where)
            if place not in given:
                given.add(place)
                yield one


def _is_tournament(word: str) -> bool:
    """See by its name or its first bytes whether it is a tournament."""
    if word.endswith(".toml") or "://" in word:
        return True
    if not os.path.isfile(word):  # of a pipe the first bytes can be read but once
        return False
    try:
        with Path(word).open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:  # nothing that can be read: who reads it says why
        return False


def _in_files(path: Path) -> Iterator[Found]:
    """Return that of a file, or those of a folder; a match's seed stands for its deal."""
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
    """Return what each version of an entrant is called: by name, or if there are several, by id."""
    versions = Counter(entry.name for entry in store.entries())
    return {
        (entry.name, entry.version): entry.name if versions[entry.name] == 1 else entry.id
        for entry in store.entries()
    }


def _parsed(text: bytes, where: str) -> Transcript:
    try:
        return parse_text(text.decode())
    except (Unreadable, UnicodeDecodeError) as problem:
        raise Unreadable(f"{where}: {problem}") from None
