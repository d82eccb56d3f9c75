"""The dispatcher, which hands matches to workers, even if these die.

When a worker dies, any match in progress may have killed it. So each of them is played once more,
alone, with a single worker. If that worker dies, too, the match is void, and its entrants are
named. A match that is void for another reason is played again, too.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from itertools import count

from attrs import Factory, define

from arena.host import describe_shortage
from arena.plugins import Game
from arena.rules import describe_error
from arena.tournament.bots.seatable_entrants import runs_in_process
from arena.tournament.deals import Key
from arena.tournament.entries import Id, ReadyEntry, get_name
from arena.tournament.match_record import ReportedMatch, VoidCause
from arena.tournament.reasons import LOST, LOST_WITH_WORKER, NAME_JOINT
from arena.tournament.workers.backoff import Backoff
from arena.tournament.workers.loss_record import LossRecord
from arena.tournament.workers.match_batch import BatchSettings, MatchBatch, PlannedMatch, Wait
from arena.tournament.workers.match_play import build_void_record
from arena.tournament.workers.run_workers import RunWorkers

POLL_SECONDS = 0.25  # for which one waits for results
MAX_ATTEMPTS = 3  # at a match that is void by the host or the rules
BATCH_SECONDS = 0.1  # the minimum duration of a batch, because of its overhead
MAX_BATCH_MATCHES = 256  # in one batch
PACE_MATCHES = 20  # for the moving average of the pace

PlannedMatches = tuple[PlannedMatch, ...]


def split_lost_batch(
    batch: MatchBatch, problem: Exception
) -> tuple[PlannedMatches, PlannedMatches, PlannedMatches]:
    """Return the matches whose results were lost, those that may be the cause, and the rest.

    The rest was not begun. On other machines workers that die are told apart from a connection
    that is lost, which is no match's affair.
    """
    matches = batch.matches
    if not isinstance(problem, BrokenExecutor):
        return (), matches, ()
    if batch.progress_file is None:
        return (), (), matches
    number = batch.progress_file.stat().st_size if batch.progress_file.exists() else 0
    last = max(0, number - 1)
    return matches[:last], matches[last:number], matches[number:]


def build_lost_record(match: PlannedMatch, problem: Exception) -> ReportedMatch:
    """Return the void result of a match that was lost each time, the last time by this error."""
    names = NAME_JOINT.join(sorted(map(get_name, match.ids)))
    detail = LOST.fill(entrants=names, text=describe_error(problem))
    if isinstance(problem, BrokenExecutor):
        detail = LOST_WITH_WORKER.fill(entrants=names)
    return build_void_record(match, detail, VoidCause.WORKER)


def choose_concurrency(game: Game, ready_entries: Iterable[ReadyEntry], table: int) -> int:
    """Return the default number of matches to play at once.

    The number is chosen so that each program that thinks at the same time has a core; more matches
    would cost the programs time. Bots in the workers' own processes think one after the other.
    """
    cores = len(os.sched_getaffinity(0))
    in_process = all(runs_in_process(game, ready.entry) for ready in ready_entries)
    return max(1, cores if in_process else cores // table)


@define
class Dispatcher:
    """The matches that wait for workers, and those in progress."""

    workers: RunWorkers
    settings: BatchSettings
    concurrency: int  # matches at once
    _losses: LossRecord = Factory(LossRecord)
    _backoff: Backoff = Factory(Backoff)
    _waiting: deque[PlannedMatch] = Factory(deque)
    _to_play_alone: deque[PlannedMatch] = Factory(deque)  # may have killed a worker
    _running: dict[Future[list[ReportedMatch]], MatchBatch] = Factory(dict)
    _numbers: Iterator[int] = Factory(count)  # of batches
    _attempts: Counter[Key] = Factory(Counter)  # at a match that is void
    _alone: bool = False  # whether a suspect is running
    _finishing: bool = False
    # none of whose matches waits, but for those to play again
    _absentees: AbstractSet[Id] = frozenset()
    _has_retries: bool = False  # whether matches were queued again after `drop`
    _pace: float = BATCH_SECONDS  # average seconds per match

    def play(self, matches: Iterable[PlannedMatch]) -> Iterator[list[ReportedMatch]]:
        """Play all these matches; yield those that end together, again and again, perhaps none."""
        waiting, more = iter(matches), True
        while more or not self.idle:
            more = more and self.fill(waiting)
            yield [*self.collect(POLL_SECONDS)]

    def fill(self, matches: Iterator[PlannedMatch | Wait]) -> bool:
        """Queue as many matches as are needed, up to a `Wait`; return whether there may be more."""
        if not self.needs_matches():
            return True
        for match in matches:
            if match is Wait.WAIT:
                return True
            self.add(match)
            if not self.needs_matches():
                return True
        return False

    @property
    def idle(self) -> bool:
        """Whether all work is done."""
        return not (self._waiting or self._to_play_alone or self._running)

    def needs_matches(self) -> bool:
        """Return whether more matches are needed so that no worker waits."""
        return len(self._waiting) < self._size * (self.concurrency + 1)

    def add(self, match: PlannedMatch) -> None:
        """Queue a match."""
        self._waiting.append(match)

    def collect(self, seconds: float) -> Iterator[ReportedMatch]:
        """Hand matches over, wait at most `seconds`, and yield the finished matches."""
        if not self._backoff.is_active:
            self._hand_over()
        if not self._running:
            self._backoff.wait(seconds)
        ready, _ = wait(self._running, seconds, FIRST_COMPLETED)
        for future in [future for future in self._running if future in ready]:  # in order
            batch = self._running.pop(future)
            try:
                pairs = zip(batch.matches, future.result(), strict=True)
            except Exception as problem:  # noqa: BLE001  # whatever an executor may raise
                yield from self._retry_lost_batch(batch, problem)
            else:
                for match, record in pairs:
                    yield from self._accept_result(match, record)
            if batch.progress_file is not None:
                batch.progress_file.unlink(missing_ok=True)
        if not self.workers.can_take_more and not self._running:
            self._bury_workers()

    def _bury_workers(self) -> None:
        """Remove workers that were lost; raise UserError if that happens again and again."""
        problem, end = self.workers.bury()
        if describe_shortage(problem):
            self._losses.forgive()
        elif reason := self._losses.count_death(problem, end):
            self._backoff.begin(reason)

    def _hand_over(self) -> None:
        """Give each worker a batch, and queue one more."""
        workers = self.workers
        is_held = not workers.can_take_more or self._alone or self._to_play_alone
        if self.idle or (self._running and is_held):
            return
        self._alone = bool(self._to_play_alone)
        workers.provide(1 if self._alone and not workers.remote else self.concurrency)
        if self._alone:
            self._submit((self._to_play_alone.popleft(),))
            return
        while (
            workers.can_take_more
            and len(self._running) <= self.concurrency
            and (matches := self._choose_matches())
        ):
            self._submit(matches)

    def _choose_matches(self) -> PlannedMatches:
        """Take the next matches; entrants that keep a folder play one match at a time."""
        busy = self._find_busy_keepers()
        choice: list[PlannedMatch] = []
        later: list[PlannedMatch] = []
        while self._waiting and len(choice) < self._size:
            match = self._waiting.popleft()
            if busy.isdisjoint(match.keepers):
                choice.append(match)
            else:
                later.append(match)
        self._waiting.extendleft(reversed(later))
        return tuple(choice)

    @property
    def _size(self) -> int:
        """The number of matches in one batch."""
        return max(1, min(MAX_BATCH_MATCHES, int(BATCH_SECONDS / self._pace)))

    def _find_busy_keepers(self) -> set[Id]:
        """Return the entrants whose kept folder a running match uses."""
        running = (match for batch in self._running.values() for match in batch.matches)
        return {entrant for match in running for entrant in match.keepers}

    def _submit(self, matches: PlannedMatches) -> None:
        progress_file = None
        if not self.workers.remote:
            progress_file = self.workers.mark.make_scratch_folder() / f"begun-{next(self._numbers)}"
        batch = MatchBatch(matches, self.settings, progress_file)
        future = self.workers.submit(batch)
        if future:
            self._running[future] = batch
        else:
            self._put_back(matches)
            if lacking := describe_shortage(self.workers.failure):
                self._backoff.begin(lacking)

    def _put_back(self, matches: Sequence[PlannedMatch]) -> None:
        """Return matches to the front of the queue from which they came."""
        queue = self._to_play_alone if self._alone else self._waiting
        queue.extendleft(reversed(matches))

    def _accept_result(self, match: PlannedMatch, record: ReportedMatch) -> Iterator[ReportedMatch]:
        if record.lacking:
            self._wait_for_resources((match,), record.lacking)
            return
        self._backoff = Backoff()  # the machine has what a match needs
        self._losses.count_end(match)
        self._pace += (record.seconds - self._pace) / PACE_MATCHES
        if record.is_void and self._count_attempt(match):
            self._play_again(self._waiting, (match,))
        else:
            self._attempts.pop(match.key, None)
            yield record

    def _count_attempt(self, match: PlannedMatch) -> bool:
        self._attempts[match.key] += 1
        return self._attempts[match.key] < MAX_ATTEMPTS

    def _retry_lost_batch(self, batch: MatchBatch, problem: Exception) -> Iterator[ReportedMatch]:
        """Play the matches of a lost batch again, alone if they may be the cause of the loss."""
        self.workers.record_failure(problem)
        if lacking := describe_shortage(problem):
            self._wait_for_resources(batch.matches, lacking)
            return
        complete, suspects, rest = split_lost_batch(batch, problem)
        if not self._finishing:
            self._put_back([*(match.renew() for match in complete), *rest])
            self._has_retries = True
        for match in suspects:
            if self._losses.count_loss(match, problem):
                yield build_lost_record(match, problem)
            else:
                self._play_again(self._to_play_alone, (match,))

    def _wait_for_resources(self, matches: PlannedMatches, lacking: str) -> None:
        """Retry matches for which the machine lacked resources, each alone, after a pause."""
        self._backoff.begin(lacking)
        self._play_again(self._to_play_alone, matches)

    def _play_again(self, queue: deque[PlannedMatch], matches: Iterable[PlannedMatch]) -> None:
        """Queue matches that were begun, unless the run is finishing."""
        if not self._finishing:
            queue.extend(match.renew() for match in matches)
            self._has_retries = True

    def pop_culprits(self) -> Iterator[tuple[Id, tuple[str, ...]]]:
        """Yield each entrant whose matches kill workers, with these matches, and forget it."""
        return self._losses.crashes.pop_culprits()

    def finish(self) -> None:
        """Start no further matches; matches in progress continue and are not retried."""
        self._finishing = True
        for future in [future for future in self._running if future.cancel()]:
            del self._running[future]
        self._waiting.clear()
        self._to_play_alone.clear()

    def drop(self, absentees: AbstractSet[Id]) -> list[PlannedMatch]:
        """Remove and return all matches with any of these entrants that are not in progress.

        A match in progress may have to be played again, so call this before each `collect`. Those
        of the batch that was handed over beforehand are in progress, too: a pool of processes can
        give back no call that it has put in its queue.
        """
        if absentees == self._absentees and not self._has_retries:
            return []
        self._absentees, self._has_retries = frozenset(absentees), False
        dropped: list[PlannedMatch] = []
        for matches in (self._waiting, self._to_play_alone):
            staying: list[PlannedMatch] = []
            for match in matches:
                if match.ids.isdisjoint(absentees):
                    staying.append(match)
                else:
                    dropped.append(match)
            matches.clear()
            matches.extend(staying)
        return dropped
