"""The dispatcher, which hands matches to an executor, even if its workers die.

When a worker dies, any match in progress may have killed it. So each of them is played once more,
alone, with a single worker. If that worker dies, too, the match is void, and its entrants are
named. If a worker dies before it has begun a match, the host is at fault: no match starts for a
while, and after a few such deaths in a row the run ends, as it does if the machine lacks processes
or another resource. A match that is void for another reason is played again, too.

An entrant is set aside for killing workers by a rule that blames nobody for a host in trouble. A
worker that was killed does not reveal its killer. So every death of a worker clears the entrants
that were in none of the matches it may have been playing, and a worker that dies without a match
clears everybody. Only a match that dies twice, the second time alone, counts against those in it,
and only once until a match without them has ended, which shows that workers live without them.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from itertools import count
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from time import monotonic, sleep

from attrs import Factory, define, evolve, field

from arena.host import describe_shortage
from arena.players import defer_signals
from arena.plugins import Game
from arena.rules import UserError, describe_error
from arena.tournament.leftovers import RunMark
from arena.tournament.local_workers import describe_end
from arena.tournament.match_record import MatchRecord
from arena.tournament.models import Entry, Id, VoidCause, get_name
from arena.tournament.workers import (
    MatchBatch,
    PlannedMatch,
    build_void_record,
    play_batch,
    runs_in_process,
)

MAX_ATTEMPTS = 3  # at a match that is void by the host or the rules
MAX_LOSSES = 2  # of a match: the second time it was played alone
MAX_CRASHES = 3  # different matches; then an entrant is set aside
MAX_DEATHS = 30  # consecutive ones, without a finished match
MAX_FAILED_STARTS = 3  # consecutive ones, if no worker of the run has ever begun a match
BATCH_SECONDS = 0.1  # the minimum duration of a batch, because of its overhead
MAX_BATCH_MATCHES = 256  # in one batch
PACE_MATCHES = 20  # for the moving average of the pace
MIN_SECONDS, MAX_SECONDS = 0.5, 8.0  # each pause is twice as long as the last
GIVE_UP_SECONDS = 30.0  # in pauses without a match between them

PlannedMatches = tuple[PlannedMatch, ...]


@define
class Backoff:
    """Consecutive pauses without a finished match between them."""

    _until: float = 0.0
    _next: float = field(factory=lambda: MIN_SECONDS)
    _sum: float = 0.0

    @property
    def is_active(self) -> bool:
        """Whether a pause is in progress."""
        return monotonic() < self._until

    def begin(self, lacking: str) -> None:
        """Begin a pause; raise UserError if pauses have not helped for too long."""
        if self.is_active:  # running matches meet the same limit
            return
        if self._sum >= GIVE_UP_SECONDS:
            raise UserError(f"{lacking}; run this again to play the remaining matches")
        self._until = monotonic() + self._next
        self._sum += self._next
        self._next = min(MAX_SECONDS, 2 * self._next)

    def wait(self, seconds: float) -> None:
        """Wait for the end of the pause, at most `seconds`."""
        sleep(max(0.0, min(seconds, self._until - monotonic())))


@define
class CrashRecord:
    """The matches that count against each entrant."""

    _crashes: defaultdict[Id, set[str]] = Factory(lambda: defaultdict(set))  # keys of matches
    _unproven: set[Id] = Factory(set)  # no match without it has ended since its last crash

    def count_death(self, entrants: Collection[Id]) -> None:
        """Count the death of a worker; `entrants` are those of all matches it may have played."""
        for entrant in [entrant for entrant in self._crashes if entrant not in entrants]:
            del self._crashes[entrant]
            self._unproven.discard(entrant)

    def count_crash(self, key: str, entrants: Collection[Id]) -> None:
        """Count a match whose worker died twice."""
        for entrant in entrants:
            if entrant not in self._unproven:
                self._crashes[entrant].add(key)
                self._unproven.add(entrant)

    def count_end(self, entrants: Collection[Id]) -> None:
        """Count a match that came to its end."""
        self._unproven.intersection_update(entrants)

    def pop_culprits(self) -> Iterator[tuple[Id, tuple[str, ...]]]:
        """Yield each entrant that is to be set aside with its matches, and forget it."""
        for entrant, keys in [*self._crashes.items()]:
            if len(keys) >= MAX_CRASHES and entrant not in self._unproven:
                del self._crashes[entrant]
                yield entrant, tuple(sorted(keys))


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
    if batch.begun is None:
        return (), (), matches
    number = batch.begun.stat().st_size if batch.begun.exists() else 0
    last = max(0, number - 1)
    return matches[:last], matches[last:number], matches[number:]


def choose_concurrency(game: Game, entrants: Iterable[Entry], table: int) -> int:
    """Return the default number of matches to play at once.

    The number is chosen so that each program that thinks at the same time has a core; more matches
    would cost the programs time. Bots in the workers' own processes think one after the other.
    """
    cores = len(os.sched_getaffinity(0))
    in_process = all(runs_in_process(game, entry) for entry in entrants)
    return max(1, cores if in_process else cores // table)


@define
class Dispatcher:
    """The workers and the matches in progress."""

    open: Callable[[int], Executor]  # with this number of workers
    build_batch: Callable[[PlannedMatches], MatchBatch]
    workers: int
    mark: RunMark  # of all programs of the workers
    remote: bool = False  # whether workers have other disks
    crashes: CrashRecord = Factory(CrashRecord)
    _others: set[BaseProcess] = field(factory=lambda: {*active_children()})  # that are not ours
    _executor: Executor | None = None
    _opened: int = 0  # the number of workers of the executor
    _waiting: deque[PlannedMatch] = Factory(deque)
    _suspects: deque[PlannedMatch] = Factory(deque)  # to be played alone
    _running: dict[Future[list[MatchRecord]], MatchBatch] = Factory(dict)
    _numbers: Iterator[int] = Factory(count)  # of batches
    _attempts: Counter[str] = Factory(Counter)  # at a match that is void
    _losses: Counter[str] = Factory(Counter)  # of a match with its worker
    _alone: bool = False  # whether a suspect is running
    _broken: Exception | None = None  # the error that lost the executor its workers
    _playing: set[Id] = Factory(set)  # the entrants of the matches that were lost with these
    _has_begun: bool = False  # whether a worker of this run has begun a match
    _failed_starts: int = 0  # of workers
    _deaths: int = 0  # in matches, since the last finished match
    _backoff: Backoff = Factory(Backoff)
    _finishing: bool = False
    _pace: float = BATCH_SECONDS  # average seconds per match

    @property
    def idle(self) -> bool:
        """Whether all work is done."""
        return not (self._waiting or self._suspects or self._running)

    def needs_matches(self) -> bool:
        """Return whether more matches are needed so that no worker waits."""
        return len(self._waiting) < self._size * (self.workers + 1)

    def add(self, match: PlannedMatch) -> None:
        """Queue a match."""
        self._waiting.append(match)

    def collect(self, seconds: float) -> Iterator[MatchRecord]:
        """Hand matches over, wait at most `seconds`, and yield the finished matches."""
        if not self._backoff.is_active:
            self._hand_over()
        if not self._running:
            self._backoff.wait(seconds)
        finished, _ = wait(self._running, seconds, FIRST_COMPLETED)
        for future in [future for future in self._running if future in finished]:  # in order
            batch = self._running.pop(future)
            try:
                pairs = zip(batch.matches, future.result(), strict=True)
            except Exception as problem:  # noqa: BLE001  # whatever an executor may raise
                yield from self._retry_lost_batch(batch, problem)
            else:
                for match, done in pairs:
                    yield from self._accept_result(match, done)
            if batch.begun is not None:
                batch.begun.unlink(missing_ok=True)
        if self._broken and not self._running:
            self._bury_workers(self._broken)

    def _hand_over(self) -> None:
        """Give each worker a batch, and queue one more."""
        if self.idle or (self._running and (self._broken or self._alone or self._suspects)):
            return
        self._alone = bool(self._suspects)
        executor = self._provide_workers(1 if self._alone and not self.remote else self.workers)
        if self._alone:
            self._submit(executor, (self._suspects.popleft(),))
            return
        while (
            not self._broken
            and len(self._running) <= self.workers
            and (matches := self._choose_matches())
        ):
            self._submit(executor, matches)

    def _provide_workers(self, workers: int) -> Executor:
        """Return an executor with at least this number of workers, another one if need be."""
        if self._executor is None or self._opened < workers:
            self.close()
            try:
                self._executor, self._opened = self.open(workers), workers
            except OSError as problem:
                why = describe_shortage(problem) or describe_error(problem)
                raise UserError(f"cannot start a worker: {why}") from None
        return self._executor

    def _choose_matches(self) -> PlannedMatches:
        """Take the next matches; entrants that keep a folder play one match at a time."""
        busy = self._find_busy_keepers()
        chosen: list[PlannedMatch] = []
        held: list[PlannedMatch] = []
        while self._waiting and len(chosen) < self._size:
            match = self._waiting.popleft()
            is_held = any(entry.id in busy for entry in match.keepers)
            (held if is_held else chosen).append(match)
        self._waiting.extendleft(reversed(held))
        return tuple(chosen)

    @property
    def _size(self) -> int:
        """Return the number of matches in one batch."""
        return max(1, min(MAX_BATCH_MATCHES, int(BATCH_SECONDS / self._pace)))

    def _find_busy_keepers(self) -> set[Id]:
        """Return the entrants whose kept folder a running match uses."""
        running = (match for batch in self._running.values() for match in batch.matches)
        return {entry.id for match in running for entry in match.keepers}

    def _submit(self, executor: Executor, matches: PlannedMatches) -> None:
        batch = self.build_batch(matches)
        if not self.remote:
            begun = self.mark.make_scratch_folder() / f"begun-{next(self._numbers)}"
            batch = evolve(batch, begun=begun)
        try:
            future = executor.submit(play_batch, batch)
        except UserError:
            raise
        except Exception as problem:  # noqa: BLE001  # whatever an executor may raise
            self._broken = problem
            (self._suspects if self._alone else self._waiting).extendleft(reversed(matches))
            if lacking := describe_shortage(problem):
                self._backoff.begin(lacking)
        else:
            self._running[future] = batch

    def _accept_result(self, match: PlannedMatch, done: MatchRecord) -> Iterator[MatchRecord]:
        if done.lacking:
            self._wait_for_resources((match,), done.lacking)
            return
        self._deaths = 0
        self._has_begun = True
        self._losses.pop(match.key, None)
        self._backoff = Backoff()
        self.crashes.count_end(match.entrants)
        self._pace += (done.seconds - self._pace) / PACE_MATCHES
        if done.is_void and self._count_attempt(match):
            if not self._finishing:
                self._waiting.append(match.renew())
        else:
            self._attempts.pop(match.key, None)
            yield done

    def _count_attempt(self, match: PlannedMatch) -> bool:
        self._attempts[match.key] += 1
        return self._attempts[match.key] < MAX_ATTEMPTS

    def _retry_lost_batch(self, batch: MatchBatch, problem: Exception) -> Iterator[MatchRecord]:
        """Play the matches of a lost batch again, alone if they may be the cause of the loss."""
        is_death = isinstance(problem, BrokenExecutor)
        if is_death:
            self._broken = problem
        if lacking := describe_shortage(problem):
            self._wait_for_resources(batch.matches, lacking)
            return
        ended, begun, rest = split_lost_batch(batch, problem)
        self._has_begun |= bool(begun)
        if not self._finishing:
            again = [*(match.renew() for match in ended), *rest]
            (self._suspects if self._alone else self._waiting).extendleft(reversed(again))
        for match in begun:
            if is_death:
                self._playing |= match.entrants
            self._losses[match.key] += 1
            if self._losses[match.key] == MAX_LOSSES:
                yield self._give_up(match, problem)
            elif not self._finishing:
                self._suspects.append(match.renew())

    def _wait_for_resources(self, matches: PlannedMatches, lacking: str) -> None:
        """Retry matches for which the machine lacked resources, each alone, after a pause."""
        self._backoff.begin(lacking)
        if not self._finishing:
            self._suspects.extend(match.renew() for match in matches)

    def _give_up(self, match: PlannedMatch, problem: Exception) -> MatchRecord:
        """Return the void result of a match that was lost each time."""
        del self._losses[match.key]
        names = " and ".join(sorted(map(get_name, match.entrants)))
        detail = f"it was lost twice, with {names} at the table: {describe_error(problem)}"
        if isinstance(problem, BrokenExecutor):
            self.crashes.count_crash(match.key, match.entrants)
            detail = f"its worker died twice, with {names} at the table"
        return build_void_record(match, detail, VoidCause.WORKER)

    def _bury_workers(self, problem: Exception) -> None:
        """Remove workers that died; raise UserError if they keep dying."""
        assert self._executor is not None
        self.close()
        self.mark.kill_programs()
        how = describe_end(self._executor) or describe_error(problem)
        playing, self._playing = self._playing, set()
        self._executor, self._broken = None, None
        if describe_shortage(problem):
            return
        self.crashes.count_death(playing)
        if playing:
            self._deaths += 1
            if self._deaths >= MAX_DEATHS:
                raise UserError(f"every worker dies, whatever it plays: {describe_error(problem)}")
            return
        self._failed_starts += 1
        line = f"no worker starts ({how})"
        if not self._has_begun and self._failed_starts >= MAX_FAILED_STARTS:
            raise UserError(f"{line}; put that right, and run this again")
        self._backoff.begin(line)

    def finish(self) -> None:
        """Start no further matches; matches in progress continue and are not retried."""
        self._finishing = True
        for future in [future for future in self._running if future.cancel()]:
            del self._running[future]
        self._waiting.clear()
        self._suspects.clear()

    def drop(self, entrant: Id) -> list[PlannedMatch]:
        """Remove and return all matches of an entrant that are not in progress."""
        dropped: list[PlannedMatch] = []
        for matches in (self._waiting, self._suspects):
            dropped += [match for match in matches if entrant in match.entrants]
            staying = [match for match in matches if entrant not in match.entrants]
            matches.clear()
            matches.extend(staying)
        return dropped

    def close(self) -> None:
        """Shut the workers down, as far as they could be started."""
        if self._executor is not None:
            with suppress(RuntimeError):  # a pool cannot shut down if its thread never started
                self._executor.shutdown(cancel_futures=True)

    def abandon(self) -> None:
        """Kill the workers in the middle of their matches; a further interrupt waits for that."""
        with defer_signals():
            for worker in {*active_children()} - self._others:
                worker.kill()
            self.close()  # frees descriptors, in case there were too few
            self.mark.kill_programs()
