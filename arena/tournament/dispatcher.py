"""Having matches played by an executor, whatever becomes of its workers.

When a worker dies, nobody knows which of the matches under way has killed it. So each of
them is played again alone; one that is lost alone, too often, is put off until it can be told
who has killed its worker, or until nothing else is left. A match that is void is nobody's
fault, and is played again as well. Where nothing but deaths is seen, the machine is at fault,
and the run ends. Where the machine has no more processes or the like, nothing is begun for a
while, and after some time the run ends.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from multiprocessing import active_children

from attrs import Factory, define, field

from arena.host import short_of
from arena.players import deferred
from arena.plugins import Game
from arena.rules import End, UserError, in_words
from arena.tournament.jobs import Contestant, Job, Task, play, void
from arena.tournament.lull import Lull
from arena.tournament.plan import Id
from arena.tournament.records import MatchResult

ATTEMPTS = 3  # at a match that is void, or whose worker dies
DEATHS = 30  # of workers, one after the other, and not a match between them
TASK = 0.1  # seconds that one task should take at least: handing it over costs, too
LARGEST = 256  # matches of a task
MEMORY = 20  # matches that the pace is judged by

KILLED = f"its worker was killed {ATTEMPTS} times"  # the beginning of what the store keeps of it
Jobs = tuple[Job, ...]


def usual(game: Game, contestants: Iterable[Contestant], table: int) -> int:
    """Return how many matches are played at once, where nobody says.

    As many as there are cores for the programs of a match that may think at once: more
    would cost them time. Bots in the workers' own processes think one after the other.
    """
    cores = len(os.sched_getaffinity(0))
    in_process = all(one.in_process(game) for one in contestants)
    return max(1, cores if in_process else cores // table)


@define
class Dispatcher:
    """Workers, and the matches that are under way."""

    open: Callable[[], Executor]
    task: Callable[[Jobs], Task]
    workers: int
    clean: Callable[[], None]  # kills what dead workers have left running
    _executor: Executor = field(init=False)
    postponed: list[Job] = Factory(list)  # whose worker was killed each time
    _waiting: deque[Job] = Factory(deque)
    _suspects: deque[Job] = Factory(deque)  # to be played alone
    _flying: dict[Future[list[MatchResult]], Jobs] = Factory(dict)
    _attempts: Counter[str] = Factory(Counter)
    _alone: bool = False  # is a suspect under way?
    _broken: Exception | None = None  # how the executor has lost its workers, if it has
    _deaths: int = 0  # since a match was played
    _lull: Lull = Factory(Lull)
    _finishing: bool = False
    _pace: float = TASK  # seconds a match, lately

    def __attrs_post_init__(self) -> None:
        """Have the workers started."""
        self._executor = self._opened()

    @property
    def idle(self) -> bool:
        """Is everything done?"""
        return not (self._waiting or self._suspects or self._flying or self.postponed)

    @property
    def stuck(self) -> bool:
        """Is nothing left but what was put off?"""
        return not (self._waiting or self._suspects or self._flying)

    def wants(self) -> bool:
        """Say whether it should be given more, so that no worker waits."""
        return len(self._waiting) < self._size * (self.workers + 1)

    def add(self, job: Job) -> None:
        """Take a match to be played."""
        self._waiting.append(job)

    def done(self, seconds: float) -> Iterator[MatchResult]:
        """Hand matches over, wait at most `seconds`, and return what is over."""
        if not self._lull.lasts:
            self._hand_over()
        if not self._flying:
            self._lull.wait(seconds)
        finished, _ = wait(self._flying, seconds, FIRST_COMPLETED)
        for future in [one for one in self._flying if one in finished]:  # in their order
            jobs = self._flying.pop(future)
            try:
                pairs = zip(jobs, future.result(), strict=True)
            except Exception as problem:  # noqa: BLE001  # whatever an executor may raise
                if isinstance(problem, BrokenExecutor):
                    self._broken = problem
                yield from self._lost(jobs, problem)
            else:
                for job, done in pairs:
                    yield from self._judged(job, done)

    def finish(self) -> None:
        """Begin nothing more; what is under way goes on, and is not played again."""
        self._finishing = True
        for future in [future for future in self._flying if future.cancel()]:
            del self._flying[future]
        for jobs in (self._waiting, self._suspects, self.postponed):
            jobs.clear()

    def drop(self, one: Id) -> list[Job]:
        """Return all matches of an entrant that are not under way, which will not be played."""
        dropped: list[Job] = []
        for jobs in (self._waiting, self._suspects, self.postponed):
            dropped += [job for job in jobs if one in job.table]
            staying = [job for job in jobs if one not in job.table]
            jobs.clear()
            jobs.extend(staying)
        return dropped

    def give_up(self) -> Iterator[MatchResult]:
        """Return what was put off as void: who has killed its workers cannot be told."""
        while self.postponed:
            job = self.postponed.pop(0)
            yield void(job, f"{KILLED}, and whose doing that is cannot be told")

    def close(self) -> None:
        """Let the workers go, as far as they could be started."""
        with suppress(RuntimeError):  # Python's own cannot end where its thread did not begin
            self._executor.shutdown(cancel_futures=True)

    def abandon(self) -> None:
        """End the workers in the middle of their matches; one more interrupt waits for that."""
        with deferred():
            for worker in active_children():
                worker.kill()
            self.close()  # which leaves descriptors, where there were too few
            self.clean()

    @property
    def _size(self) -> int:
        """Return how many matches go into one task."""
        return max(1, min(LARGEST, int(TASK / self._pace)))

    def _hand_over(self) -> None:
        """Hand each worker something to do, and something to go on with."""
        if self._broken and not self._flying:
            self._rebuild()
        if self._flying and (self._alone or self._suspects):
            return
        self._alone = bool(self._suspects)
        if self._alone:
            self._submit((self._suspects.popleft(),))
            return
        while not self._broken and len(self._flying) <= self.workers and (jobs := self._next()):
            self._submit(jobs)

    def _submit(self, jobs: Jobs) -> None:
        try:
            self._flying[self._executor.submit(play, self.task(jobs))] = jobs
        except UserError:
            raise
        except Exception as problem:  # noqa: BLE001  # whatever an executor may raise
            self._broken = problem
            (self._suspects if self._alone else self._waiting).extendleft(reversed(jobs))
            if lacking := short_of(problem):
                self._lull.begin(lacking)

    def _next(self) -> Jobs:
        """Take the next matches whose entrants are free: who keeps a folder plays one at a time."""
        busy = {one.id for jobs in self._flying.values() for job in jobs for one in job.kept}
        chosen: list[Job] = []
        held: list[Job] = []
        while self._waiting and len(chosen) < self._size:
            job = self._waiting.popleft()
            (held if any(one.id in busy for one in job.kept) else chosen).append(job)
        self._waiting.extendleft(reversed(held))
        return tuple(chosen)

    def _opened(self) -> Executor:
        try:
            return self.open()
        except OSError as problem:
            why = short_of(problem) or in_words(problem)
            raise UserError(f"no worker can be started: {why}") from None

    def _rebuild(self) -> None:
        """Start other workers in place of those that died; raise UserError if that is no use."""
        assert self._broken
        self._deaths += not short_of(self._broken)
        if self._deaths >= DEATHS:
            raise UserError(f"workers die, whatever they are to play: {in_words(self._broken)}")
        self.close()
        self.clean()
        self._executor, self._broken = self._opened(), None

    def _lost(self, jobs: Jobs, problem: Exception) -> Iterator[MatchResult]:
        """Have the matches of a task that was lost played alone; count it where it was."""
        if lacking := short_of(problem):
            self._short(jobs, lacking)
            return
        for job in jobs:
            if self._alone and not self._again(job):
                if isinstance(problem, BrokenExecutor):
                    self._postpone(job)
                else:
                    yield void(job, f"it was lost {ATTEMPTS} times: {in_words(problem)}")
            elif not self._finishing:
                self._suspects.append(job.renewed())

    def _again(self, job: Job) -> bool:
        """Say whether a match is tried once more: not where these have killed before."""
        known = any(job.table == other.table for other in self.postponed)
        return not known and self._once_more(job)

    def _postpone(self, job: Job) -> None:
        self._attempts.pop(job.key, None)
        if not self._finishing:
            self.postponed.append(job)

    def _short(self, jobs: Jobs, lacking: str) -> None:
        """Have matches for which the machine lacked something played alone, after a while."""
        self._lull.begin(lacking)
        if not self._finishing:
            self._suspects.extend(job.renewed() for job in jobs)

    def _judged(self, job: Job, done: MatchResult) -> Iterator[MatchResult]:
        if done.lacking:
            self._short((job,), done.lacking)
            return
        self._deaths = 0
        self._lull = Lull()
        self._pace += (done.seconds - self._pace) / MEMORY
        if done.end is End.VOID and self._once_more(job):
            if not self._finishing:
                self._waiting.append(job.renewed())
        else:
            self._attempts.pop(job.key, None)
            yield done

    def _once_more(self, job: Job) -> bool:
        self._attempts[job.key] += 1
        return self._attempts[job.key] < ATTEMPTS
