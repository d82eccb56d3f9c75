"""How a worker plays the matches of a batch: each is hosted, and becomes a record."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from multiprocessing.util import Finalize
from pathlib import Path
from time import monotonic

from attrs import evolve, frozen

from arena.host import (
    Culprit,
    Entrant,
    HostConfig,
    ProgramPool,
    Result,
    Series,
    describe_shortage,
    find_culprit,
    host,
    is_bundled,
    seat_sides,
)
from arena.plugins import Game, MatchSpec, Observer, get_plugins
from arena.records import InMemoryFile, Recorder, pack_verdict
from arena.rules import (
    End,
    Outcome,
    Seat,
    Sides,
    Variant,
    average,
    derive_seed,
    describe_error,
    has_teams,
    name_seats,
    spread_over_seats,
)
from arena.tournament.bots.seatable_entrants import build_entrant
from arena.tournament.deals import format_match_key
from arena.tournament.entries import Entry
from arena.tournament.match_record import ReportedMatch, SeatRecord, VerdictRecord, VoidCause
from arena.tournament.workers.live import LiveFolder, LiveTranscript, LiveVisibility
from arena.tournament.workers.match_batch import (
    BatchSettings,
    MatchBatch,
    PlannedMatch,
)

KEY_HASH_DIGITS = 16  # hexadecimal digits of a hash of the match


def play_batch(batch: MatchBatch) -> list[ReportedMatch]:
    """Play the matches of a batch, and record the beginning of each."""
    with _record_beginnings(batch.progress_file) as record:
        results = []
        for match in batch.matches:
            record()
            results.append(MatchPlay(batch.settings, match).play())
        return results


@contextmanager
def _record_beginnings(path: Path | None) -> Iterator[Callable[[], object]]:
    """Yield a function that records that one more match has begun, by a byte in a file."""
    if path is None:
        yield lambda: None
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield partial(os.write, descriptor, b".")
    finally:
        os.close(descriptor)


@frozen
class MatchPlay:
    """A match of a batch, as it is played."""

    settings: BatchSettings
    match: PlannedMatch

    @property
    def game(self) -> Game:
        """The game that is played."""
        return get_plugins().find_game(self.settings.game)

    def play(self) -> ReportedMatch:
        """Play the match; return its record, which is void where it could not be played."""
        began = monotonic()
        try:
            return self._play()
        except Exception as problem:  # noqa: BLE001  # of a plugin, of the machine
            cause, seconds = find_cause(problem), monotonic() - began
            record = build_void_record(self.match, describe_error(problem), cause, seconds)
            return evolve(record, lacking=describe_shortage(problem))

    def _play(self) -> ReportedMatch:
        settings, game = self.settings, self.game
        began = monotonic()
        variant = game.read_variant(settings.variant)
        players = [
            build_entrant(settings.game, ready, settings.home, settings.bots)
            for ready in self.match.ready_entries
        ]
        series = Series(game, variant, tuple(players), "", settings.table)
        sides = series.sides
        entrants = seat_sides(sides, series.entrants)
        spec = self._build_spec(game, variant, entrants)
        file = InMemoryFile()
        with self._open_recorders(spec, file) as recorders:
            observers = [*get_plugins().build_observers(spec), *recorders]
            result = host(spec, entrants, self._build_config(sides), observers)
        record = self._build_record(sides, result, file.text)
        return evolve(record, seconds=monotonic() - began)

    def _build_spec(self, game: Game, variant: Variant, entrants: Sequence[Entrant]) -> MatchSpec:
        """Return the match with the seed of its deal and the key from which bots' seeds come.

        The key ends with a hash of the secret, so that no bot can work out another's seed.
        """
        secret, match = self.settings.secret, self.match
        deal = derive_seed(secret, "deal", match.deal, *match.replay)
        digits = derive_seed(secret, "match", match.deal, match.rotation, *match.replay)
        names = tuple(entrant.name for entrant in entrants)
        bots = tuple(entrant.bot for entrant in entrants)
        key = f"{format_match_key(match.key)}-{digits[:KEY_HASH_DIGITS]}"
        return MatchSpec(key, game, variant, deal, names, bots)

    def _build_config(self, sides: Sides) -> HostConfig:
        entries, settings = [ready.entry for ready in self.match.ready_entries], self.settings
        names = name_seats(sides, [entry.name for entry in entries])
        folders = name_seats(sides, [entry.id for entry in entries])
        keeps = spread_over_seats(sides, [entry.keeps for entry in entries])
        kept_folders = {
            name: settings.kept_folders / folder
            for name, folder, keep in zip(names, folders, keeps, strict=True)
            if keep
        }
        programs = open_programs()
        programs.make_room(settings.programs)
        return HostConfig(settings.limits, kept_folders, programs=programs)

    @contextmanager
    def _open_recorders(
        self, spec: MatchSpec, record: InMemoryFile
    ) -> Iterator[Sequence[Observer]]:
        """Yield the recorder of the match, if its transcript is kept, which also shows it live."""
        if not self.settings.transcripts.records(self.match.key):
            yield ()
        elif self.settings.live is None:
            yield (Recorder(spec, record),)
        else:
            key = format_match_key(self.match.key)
            transcript = LiveTranscript(
                spec, record, LiveFolder(self.settings.live), key, self._find_visibility
            )
            try:
                yield (transcript,)
            finally:
                transcript.close()

    def _find_visibility(self) -> LiveVisibility:
        """Return the facts that decide who may watch the match."""
        game = self.game
        deaf = all(
            ready.sandbox or all(is_bundled(game, member.bot) for member in ready.entry.members)
            for ready in self.match.ready_entries
        )
        return LiveVisibility(deaf, deaf and self.settings.shows_hands)

    def _build_record(self, sides: Sides, result: Result, text: str) -> ReportedMatch:
        outcome, match = result.outcome, self.match
        seats = tuple([
            _build_seat(ready.entry, sides, side, result)
            for ready, side in zip(match.ready_entries, sides, strict=True)
        ])  # fmt: skip
        is_void = outcome.end is End.VOID
        is_flawed = is_void or any(seat.failure for seat in seats)
        is_kept = bool(text) and self.settings.transcripts.keeps(is_flawed=is_flawed)
        return ReportedMatch(
            match.deal,
            match.rotation,
            outcome.end,
            outcome.rounds,
            seats,
            detail=outcome.detail,
            cause=find_cause(result.problem) if is_void else None,
            lacking=describe_shortage(result.problem),
            transcript=zlib.compress(text.encode()) if is_kept else None,
        )


def find_cause(problem: BaseException | None) -> VoidCause:
    """Return the cause of a match that is void by an exception.

    A mistake in the game or a plugin comes again. A bot that can no longer be seated was made ready
    by the host, so that is the host's affair, too.
    """
    return VoidCause.GAME if find_culprit(problem) is Culprit.CODE else VoidCause.HOST


def build_void_record(
    match: PlannedMatch, detail: str, cause: VoidCause, seconds: float = 0.0
) -> ReportedMatch:
    """Return the record of a match that could not be played, through no bot's fault."""
    seats = tuple(
        [SeatRecord(ready.entry.name, ready.entry.version) for ready in match.ready_entries]
    )
    return ReportedMatch(
        match.deal, match.rotation, End.VOID, 0, seats, seconds=seconds, detail=detail, cause=cause
    )


@cache
def open_programs() -> ProgramPool:
    """Open the pool of this process; its programs play match after match, and end with it."""
    pool = ProgramPool()
    Finalize(pool, pool.close, exitpriority=1)
    return pool


def _build_seat(entry: Entry, sides: Sides, side: Sequence[Seat], result: Result) -> SeatRecord:
    """Return the record of a side: the mean score, all its time and its first verdict."""
    outcome, seat = result.outcome, _find_failed_seat(side, result.outcome)
    return SeatRecord(
        name=entry.name,
        version=entry.version,
        place=outcome.places[side[0]] if outcome.places else None,
        score=float(average([outcome.scores[seat] for seat in side])) if outcome.scores else None,
        seconds=sum(outcome.seconds[seat] for seat in side),
        failure=None if seat is None else _build_verdict(result, sides, seat),
        stderr="" if seat is None else outcome.verdicts[seat].errors,
        sandbox=result.sandboxes[side[0]] if result.sandboxes else None,
        earlier_matches=result.earlier_matches[side[0]] if result.earlier_matches else None,
    )


def _find_failed_seat(side: Sequence[Seat], outcome: Outcome) -> Seat | None:
    """Return the seat of a side that was the first to fail, or None."""
    seats = [seat for seat in side if seat in outcome.verdicts]
    return min(seats, key=lambda seat: outcome.verdicts[seat].ask, default=None)


def _build_verdict(result: Result, sides: Sides, seat: Seat) -> VerdictRecord:
    """Return the record of a verdict, with its seat where its side has several."""
    verdict = VerdictRecord.parse(pack_verdict(result.spec.game, result.outcome.verdicts[seat]))
    return evolve(verdict, seat=seat) if has_teams(sides) else verdict
