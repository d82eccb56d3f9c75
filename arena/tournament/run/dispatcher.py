"""The dispatcher, which hands matches to an executor, even if its workers die.

When a worker dies, any of the running matches may have killed it. So each of them is replayed
alone; one that is lost alone too often is postponed until the killer is identified, or nothing else
is left. A void match is nobody's fault, and is replayed as well. If there are only deaths, the
machine is at fault, and the run ends. If the machine lacks processes or another resource, no match
starts for a while, and after some time the run ends.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from multiprocessing import active_children

from attrs import Factory, define, field

from arena.host import describe_shortage
from arena.players import defer_signals
from arena.plugins import Game
from arena.rules import End, UserError, describe_error
from arena.tournament.models.records import MatchResult
from arena.tournament.models.schedule import Id
from arena.tournament.run.backoff import Backoff
from arena.tournament.worker.jobs import Contestant, Job, Task, build_void_result, play_task

MAX_ATTEMPTS = 3  # at a void match, or one whose worker dies
MAX_DEATHS = 30  # consecutive ones, without a finished match
TASK_SECONDS = 0.1  # the minimum duration of a task, because of its overhead
MAX_TASK_MATCHES = 256  # in one task
PACE_MATCHES = 20  # for the moving average of the pace

KILLED = f"its worker was killed {MAX_ATTEMPTS} times"
"""The prefix of the stored detail of a match whose workers were killed."""

Jobs = tuple[Job, ...]


def choose_concurrency(game: Game, contestants: Iterable[Contestant], table: int) -> int:
    """Return the default number of matches to play at once.

    The number is chosen so that each program that thinks at the same time has a core; more matches
    would cost the programs time. Bots in the workers' own processes think one after the other.
    """
    cores = len(os.sched_getaffinity(0))
    in_process = all(contestant.runs_in_process(game) for contestant in contestants)
    return max(1, cores if in_process else cores // table)


@define
class Dispatcher:
    """The workers and the matches in progress."""

    open: Callable[[], Executor]
    task: Callable[[Jobs], Task]
    workers: int
    clean: Callable[[], None]  # kills programs of dead workers
    _executor: Executor = field(init=False)
    postponed: list[Job] = Factory(list)  # their workers were killed each time
    _waiting: deque[Job] = Factory(deque)
    _suspects: deque[Job] = Factory(deque)  # to be played alone
    _running: dict[Future[list[MatchResult]], Jobs] = Factory(dict)
    _attempts: Counter[str] = Factory(Counter)
    _alone: bool = False  # whether a suspect is running
    _broken: Exception | None = None  # the error that lost the executor its workers
    _deaths: int = 0  # since the last finished match
    _backoff: Backoff = Factory(Backoff)
    _finishing: bool = False
    _pace: float = TASK_SECONDS  # average seconds per match

    def __attrs_post_init__(self) -> None:
        """Start the workers."""
        self._executor = self._open_executor()

    @property
    def idle(self) -> bool:
        """Whether all work is done."""
        return not (self._waiting or self._suspects or self._running or self.postponed)

    @property
    def has_only_postponed_jobs(self) -> bool:
        """Whether nothing is left but postponed jobs."""
        return not (self._waiting or self._suspects or self._running)

    def needs_jobs(self) -> bool:
        """Return whether more jobs are needed so that no worker waits."""
        return len(self._waiting) < self._size * (self.workers + 1)

    def add(self, job: Job) -> None:
        """Queue a match."""
        self._waiting.append(job)

    def collect(self, seconds: float) -> Iterator[MatchResult]:
        """Hand matches over, wait at most `seconds`, and yield the finished matches."""
        if not self._backoff.is_active:
            self._hand_over()
        if not self._running:
            self._backoff.wait(seconds)
        finished, _ = wait(self._running, seconds, FIRST_COMPLETED)
        for future in [future for future in self._running if future in finished]:  # in order
            jobs = self._running.pop(future)
            try:
                pairs = zip(jobs, future.result(), strict=True)
            except Exception as problem:  # noqa: BLE001  # whatever an executor may raise
                if isinstance(problem, BrokenExecutor):
                    self._broken = problem
                yield from self._retry_lost_task(jobs, problem)
            else:
                for job, done in pairs:
                    yield from self._accept_result(job, done)

    def finish(self) -> None:
        """Start no further matches; matches in progress continue and are not retried."""
        self._finishing = True
        for future in [future for future in self._running if future.cancel()]:
            del self._running[future]
        for jobs in (self._waiting, self._suspects, self.postponed):
            jobs.clear()

    def drop(self, entrant: Id) -> list[Job]:
        """Remove and return all matches of an entrant that are not in progress."""
        dropped: list[Job] = []
        for jobs in (self._waiting, self._suspects, self.postponed):
            dropped += [job for job in jobs if entrant in job.entrants]
            staying = [job for job in jobs if entrant not in job.entrants]
            jobs.clear()
            jobs.extend(staying)
        return dropped

    def give_up(self) -> Iterator[MatchResult]:
        """Yield the postponed jobs as void results, since the killer cannot be identified."""
        while self.postponed:
            job = self.postponed.pop(0)
            yield build_void_result(job, f"{KILLED}, and it is unclear which bot did that")

    def close(self) -> None:
        """Shut the workers down, as far as they could be started."""
        with suppress(RuntimeError):  # a process pool cannot shut down if its thread never started
            self._executor.shutdown(cancel_futures=True)

    def abandon(self) -> None:
        """Kill the workers in the middle of their matches; a further interrupt waits for that."""
        with defer_signals():
            for worker in active_children():
                worker.kill()
            self.close()  # frees descriptors, in case there were too few
            self.clean()

    @property
    def _size(self) -> int:
        """Return the number of matches in one task."""
        return max(1, min(MAX_TASK_MATCHES, int(TASK_SECONDS / self._pace)))

    def _hand_over(self) -> None:
        """Give each worker a task, and queue one more."""
        if self._broken and not self._running:
            self._rebuild()
        if self._running and (self._alone or self._suspects):
            return
        self._alone = bool(self._suspects)
        if self._alone:
            self._submit((self._suspects.popleft(),))
            return
        while (
            not self._broken
            and len(self._running) <= self.workers
            and (jobs := self._choose_jobs())
        ):
            self._submit(jobs)

    def _submit(self, jobs: Jobs) -> None:
        try:
            self._running[self._executor.submit(play_task, self.task(jobs))] = jobs
        except UserError:
            raise
        except Exception as problem:  # noqa: BLE001  # whatever an executor may raise
            self._broken = problem
            (self._suspects if self._alone else self._waiting).extendleft(reversed(jobs))
            if lacking := describe_shortage(problem):
                self._backoff.begin(lacking)

    def _choose_jobs(self) -> Jobs:
        """Take the next matches; entrants that keep a folder play one match at a time."""
        busy = self._find_busy_keepers()
        chosen: list[Job] = []
        held: list[Job] = []
        while self._waiting and len(chosen) < self._size:
            job = self._waiting.popleft()
            is_held = any(contestant.id in busy for contestant in job.keepers)
            (held if is_held else chosen).append(job)
        self._waiting.extendleft(reversed(held))
        return tuple(chosen)

    def _find_busy_keepers(self) -> set[Id]:
        """Return the entrants whose kept folder a running match uses."""
        running = (job for jobs in self._running.values() for job in jobs)
        return {contestant.id for job in running for contestant in job.keepers}

    def _open_executor(self) -> Executor:
        try:
            return self.open()
        except OSError as problem:
            why = describe_shortage(problem) or describe_error(problem)
            raise UserError(f"cannot start a worker: {why}") from None

    def _rebuild(self) -> None:
        """Replace workers that died; raise UserError if they keep dying."""
        assert self._broken
        self._deaths += not describe_shortage(self._broken)
        if self._deaths >= MAX_DEATHS:
            raise UserError(f"every worker dies, whatever it plays: {describe_error(self._broken)}")
        self.close()
        self.clean()
        self._executor, self._broken = self._open_executor(), None

    def _retry_lost_task(self, jobs: Jobs, problem: Exception) -> Iterator[MatchResult]:
        """Retry the matches of a lost task, each alone; count a match that was already alone."""
        if lacking := describe_shortage(problem):
            self._wait_for_resources(jobs, lacking)
            return
        for job in jobs:
            if self._alone and not self._may_retry(job):
                yield from self._set_aside(job, problem)
            elif not self._finishing:
                self._suspects.append(job.renew())

    def _set_aside(self, job: Job, problem: Exception) -> Iterator[MatchResult]:
        """Postpone a match that killed its worker; yield a void result if it was lost otherwise."""
        if isinstance(problem, BrokenExecutor):
            self._postpone(job)
            return
        attempts = f"it was lost {MAX_ATTEMPTS} times"
        yield build_void_result(job, f"{attempts}: {describe_error(problem)}")

    def _may_retry(self, job: Job) -> bool:
        """Return whether to retry a match: not if the same entrants have killed a worker before."""
        known = any(job.entrants == other.entrants for other in self.postponed)
        return not known and self._count_attempt(job)

    def _postpone(self, job: Job) -> None:
        self._attempts.pop(job.key, None)
        if not self._finishing:
            self.postponed.append(job)

    def _wait_for_resources(self, jobs: Jobs, lacking: str) -> None:
        """Retry matches for which the machine lacked resources, each alone, after a pause."""
        self._backoff.begin(lacking)
        if not self._finishing:
            self._suspects.extend(job.renew() for job in jobs)

    def _accept_result(self, job: Job, done: MatchResult) -> Iterator[MatchResult]:
        if done.lacking:
            self._wait_for_resources((job,), done.lacking)
            return
        self._deaths = 0
        self._backoff = Backoff()
        self._pace += (done.seconds - self._pace) / PACE_MATCHES
        if done.end is End.VOID and self._count_attempt(job):
            if not self._finishing:
                self._waiting.append(job.renew())
        else:
            self._attempts.pop(job.key, None)
            yield done

    def _count_attempt(self, job: Job) -> bool:
        self._attempts[job.key] += 1
        return self._attempts[job.key] < MAX_ATTEMPTS
