"""Recorded matches of GOPS, as far as the solution can explain them."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena import End, UserError
from arena.extend import Transcript, verify
from arena_gops import GAME, Bids, Gops, Prize, Scoreboard
from arena_gops_solver.bots import check_solvable
from arena_gops_solver.positions import SolverPosition


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
