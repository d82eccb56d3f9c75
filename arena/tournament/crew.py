"""Having matches played by an executor, whatever becomes of its workers.

When a worker dies, nobody knows which of the matches under way has killed it. So each of
them is played again alone; one that is lost alone, too often, is void. A match that is void
is nobody's fault, and is played again as well. Where nothing but deaths is seen, the machine
is at fault, and the run ends.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from multiprocessing import active_children

from attrs import Factory, define, field

from arena.errors import Refusal, in_words
from arena.game import Game
from arena.outcome import End
from arena.tournament.jobs import Contestant, Job, Task, play, void
from arena.tournament.records import Done

ATTEMPTS = 3  # at a match that is void, or whose worker dies
DEATHS = 30  # of workers, one after the other, and not a match between them
TASK = 0.1  # seconds that one task should take at least: handing it over costs, too
LARGEST = 256  # matches of a task
MEMORY = 20  # matches that the pace is judged by

Jobs = tuple[Job, ...]


def usual(game: Game, contestants: Iterable[Contestant], table: int) -> int:
    """Give how many matches are played at once, where nobody says.

    As many as there are cores for the programs of a match that may think at once: more
    would cost them time. Bots in the workers' own processes think one after the other.
    """
    cores = len(os.sched_getaffinity(0))
    bundled = all(one.bundled(game) for one in contestants)
    return max(1, cores if bundled else cores // table)


@define
class Crew:
    """Workers, and the matches that are under way."""

    open: Callable[[], Executor]
    task: Callable[[Jobs], Task]
    workers: int
    clean: Callable[[], None]  # kills what dead workers have left running
    _executor: Executor = field(init=False)
    _waiting: deque[Job] = Factory(deque)
    _suspects: deque[Job] = Factory(deque)  # to be played alone
    _flying: dict[Future[list[Done]], Jobs] = Factory(dict)
    _attempts: Counter[str] = Factory(Counter)
    _alone: bool = False  # is a suspect under way?
    _broken: Exception | None = None  # how the executor has lost its workers, if it has
    _deaths: int = 0  # since a match was played
    _finishing: bool = False
    _pace: float = TASK  # seconds a match, lately

    def __attrs_post_init__(self) -> None:
        """Have the workers started."""
        self._executor = self._opened()

    @property
    def idle(self) -> bool:
        """Is everything done?"""
        return not (self._waiting or self._suspects or self._flying)

    def wants(self) -> bool:
        """Say whether it should be given more, so that no worker waits."""
        return len(self._waiting) < self._size * (self.workers + 1)

    def add(self, job: Job) -> None:
        """Take a match to be played."""
        self._waiting.append(job)

    def done(self, seconds: float) -> Iterator[Done]:
        """Hand matches over, wait so long at most, and give what is over."""
        self._hand_over()
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
        self._waiting.clear()
        self._suspects.clear()

    def close(self) -> None:
        """Let the workers go."""
        self._executor.shutdown(cancel_futures=True)

    def abandon(self) -> None:
        """End the workers in the middle of their matches."""
        for worker in active_children():
            worker.kill()
        self.clean()
        self.close()

    @property
    def _size(self) -> int:
        """Give how many matches go into one task."""
        return max(1, min(LARGEST, int(TASK / self._pace)))

    def _hand_over(self) -> None:
        """Give each worker something to do, and something to go on with."""
        if self._broken and not self._flying:
            self._rebuild()
        if self._suspects:
            if not self._flying:
                self._alone = True
                self._submit((self._suspects.popleft(),))
            return
        self._alone = False
        while not self._broken and len(self._flying) <= self.workers and (jobs := self._next()):
            self._submit(jobs)

    def _submit(self, jobs: Jobs) -> None:
        try:
            self._flying[self._executor.submit(play, self.task(jobs))] = jobs
        except Refusal:
            raise
        except Exception as problem:  # noqa: BLE001  # whatever an executor may raise
            self._broken = problem
            (self._suspects if self._alone else self._waiting).extendleft(reversed(jobs))

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
            raise Refusal(f"no worker can be started: {in_words(problem)}") from None

    def _rebuild(self) -> None:
        """Start other workers in place of those that died; raise Refusal if that is no use."""
        assert self._broken
        self._deaths += 1
        if self._deaths >= DEATHS:
            raise Refusal(f"workers die, whatever they are to play: {in_words(self._broken)}")
        self._executor.shutdown(cancel_futures=True)
        self.clean()
        self._executor, self._broken = self._opened(), None

    def _lost(self, jobs: Jobs, problem: Exception) -> Iterator[Done]:
        """Have the matches of a task that was lost played alone; count it where it was."""
        for job in jobs:
            if self._alone and not self._once_more(job):
                yield void(job, f"its worker died {ATTEMPTS} times: {in_words(problem)}")
            elif not self._finishing:
                self._suspects.append(job.renewed())

    def _judged(self, job: Job, done: Done) -> Iterator[Done]:
        self._deaths = 0
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
