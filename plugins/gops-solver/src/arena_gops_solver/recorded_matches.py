"""Recorded matches of GOPS, as far as the solution explains them, from files and tournaments."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define, evolve, frozen

from arena import End, UserError
from arena.cli.support.commands import TOURNAMENT_MODULES, require_modules
from arena.records import (
    SUFFIX,
    Transcript,
    UnreadableTranscriptError,
    parse_text,
    read_transcript,
    verify,
)
from arena_gops import GAME, Bids, Gops, Prize, Scoreboard
from arena_gops_solver.bots import check_solvable
from arena_gops_solver.positions import SolverPosition

if TYPE_CHECKING:
    from arena.tournament.store import Store

SQLITE = b"SQLite format 3\0"


@frozen
class RecordedMatch:
    """A finished match of two players."""

    where: str  # its file, or its tournament and key
    deal: str  # matches of one deal share its luck
    names: tuple[str, ...]
    bots: tuple[str, ...]  # the bots, as on a command line
    variant: Gops
    prizes: tuple[int, ...]
    bids: tuple[tuple[int, int], ...]

    @property
    def rounds(self) -> tuple[RecordedRound, ...]:
        """Return the rounds, in the order in which they were played."""
        suit = self.variant.suit
        place, rounds = SolverPosition(suit, suit, suit), []
        for prize, bids in zip(self.prizes, self.bids, strict=True):
            rounds.append(RecordedRound(place, prize, bids))
            place = rounds[-1].after
        return tuple(rounds)

    @property
    def difference(self) -> int:
        """The final lead of seat 0 in points."""
        return self.rounds[-1].after.difference


@frozen
class RecordedRound:
    """A prize and the bids for it; the position is as seat 0 sees it."""

    place: SolverPosition
    prize: int
    bids: tuple[int, int]  # of seat 0, of seat 1

    @property
    def after(self) -> SolverPosition:
        """Return the place after the bids."""
        return self.place.after(self.prize, *self.bids)

    @property
    def hands(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The hands of both players before they bid."""
        return self.place.mine, self.place.theirs

    @property
    def cell(self) -> tuple[int, int]:
        """The row and the column of the bids in the stage game."""
        (mine, theirs), (a, b) = self.hands, self.bids
        return mine.index(a), theirs.index(b)


def read_match(
    transcript: Transcript, where: str, deal: str, names: Sequence[str] = ()
) -> RecordedMatch | None:
    """Read a transcript; return None for a void or forfeited match.

    `names` are in place of its own. Raises UserError, which begins with `where`, for a match of
    another game or of one that is not solved, and where the transcript differs from the rules.
    """
    try:
        board = _replay_score(transcript)
    except UserError as problem:
        raise UserError(f"{where}: {problem}") from None
    if transcript.lines[-1].value["outcome"]["end"] != End.FINISHED:
        return None
    header = transcript.header
    bids = tuple((mine, theirs) for mine, theirs in board.bids)
    called = tuple(names) or header.names
    return RecordedMatch(where, deal, called, header.bots, board.variant, tuple(board.prizes), bids)


def _replay_score(transcript: Transcript) -> Scoreboard:
    """Replay a transcript; return its scoreboard."""
    header = transcript.header
    if header.game != GAME.name:
        raise UserError(f"a match of {header.game}; only matches of {GAME.name} can be explained")
    variant = header.read_variant(GAME)
    assert isinstance(variant, Gops)
    check_solvable(variant, transcript.seats)
    verify(GAME, transcript)
    board = Scoreboard(variant, transcript.seats)
    for line in transcript.lines:
        if "event" in line.value:
            event = GAME.vocabulary.unpack(line.value["event"])
            if isinstance(event, Prize | Bids):
                board.hear(event)
    return board


@define
class MatchCollection:
    """The matches that can be explained, and the number of those that cannot."""

    matches: list[RecordedMatch]
    unfinished: int = 0  # void or forfeited

    @classmethod
    def of(cls, found: Iterable[SourceTranscript]) -> MatchCollection:
        """Read transcripts; raise UserError for one of an unsupported game.

        The bot is added to names that stand for several bots.
        """
        gathered = cls([])
        for source in found:
            match = read_match(source.transcript, source.where, source.deal, source.names)
            if match is None:
                gathered.unfinished += 1
            else:
                gathered.matches.append(match)
        gathered.matches = disambiguate_bots(gathered.matches)
        return gathered


def disambiguate_bots(matches: Sequence[RecordedMatch]) -> list[RecordedMatch]:
    """Return matches with names that stand for one bot each, such as `mine (hard)`."""
    bots: dict[str, set[str]] = defaultdict(set)
    for match in matches:
        for name, bot in zip(match.names, match.bots, strict=True):
            bots[name].add(bot)

    def name_players(match: RecordedMatch) -> tuple[str, ...]:
        seats = zip(match.names, match.bots, strict=True)
        return tuple(f"{name} ({bot})" if len(bots[name]) > 1 else name for name, bot in seats)

    return [evolve(match, names=name_players(match)) for match in matches]


def find_transcripts(words: Iterable[str]) -> Iterator[SourceTranscript]:
    """Return the transcripts in files, folders and tournaments; raise UserError if there are none.

    A tournament is named by its file, its database or a server's address. Its matches without a
    stored transcript are left out. Duplicate names count once.
    """
    given: set[str] = set()
    for word in words:
        some = _read_tournament(word) if _is_tournament(word) else _read_files(Path(word))
        first = next(some, None)
        if first is None:
            raise UserError(f"{word}: contains no transcripts")
        for transcript in chain([first], some):
            place = os.path.realpath(transcript.where)
            if place not in given:
                given.add(place)
                yield transcript


@frozen
class SourceTranscript:
    """A transcript with its source, its deal, and names for its players if it has none."""

    where: str
    deal: str
    transcript: Transcript
    names: tuple[str, ...] = ()


def _is_tournament(word: str) -> bool:
    """Whether the name or the first bytes are those of a tournament."""
    if word.endswith(".toml") or "://" in word:
        return True
    if not os.path.isfile(word):  # the first bytes of a pipe can be read only once
        return False
    try:
        with Path(word).open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:  # unreadable: the reader reports the reason
        return False


def _read_files(path: Path) -> Iterator[SourceTranscript]:
    """Yield the transcripts of a file or a folder; the seed of a match identifies its deal."""
    for file in sorted(path.glob(f"*{SUFFIX}")) if os.path.isdir(path) else [path]:
        transcript = read_transcript(file)
        yield SourceTranscript(str(file), transcript.header.seed, transcript)


def _read_tournament(word: str) -> Iterator[SourceTranscript]:
    require_modules(TOURNAMENT_MODULES, "tournaments need", "tournament")
    from arena.tournament import TournamentResults

    with TournamentResults.open(word).open_store() as store:
        called = _name_versions(store)
        for match in store.matches.find_matches():
            text = store.transcripts.load(*match.key) if match.has_transcript else None
            if text is not None:
                where = f"{word}: match {match.match}"
                names = tuple(called[seat.name, seat.version] for seat in match.seats)
                yield SourceTranscript(where, f"{word} {match.deal}", _parse(text, where), names)


def _name_versions(store: Store) -> dict[tuple[str, str], str]:
    """Return the label of each version of an entrant: its name, or its id if there are several."""
    versions = Counter(entry.name for entry in store.entries.list_all())
    return {
        (entry.name, entry.version): entry.name if versions[entry.name] == 1 else entry.id
        for entry in store.entries.list_all()
    }


def _parse(text: bytes, where: str) -> Transcript:
    try:
        return parse_text(text.decode())
    except (UnreadableTranscriptError, UnicodeDecodeError) as problem:
        raise UnreadableTranscriptError(f"{where}: {problem}") from None
