"""Health checks and metrics for a host.

`/healthz` is for whoever starts things again, `/metrics` for Prometheus. Both say numbers only, and
are answered to this machine alone: to connections from it that no proxy has forwarded. Whatever a
header says of an address, it can only make a client a stranger.

A disk on the network and a database's server may hang for ever when they are looked at. So each
look has a thread of its own and a timeout, and a second one does not begin while the first one
hangs.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import time

from anyio import CapacityLimiter, to_thread
from attrs import asdict, define, field, frozen
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arena import UserError
from arena.tournament.store import Store
from arena.tournament.store.connection import DatabaseAddress
from arena_hill.db.submissions import JUDGED_STATES, OPEN_STATES
from arena_hill.disk import DiskUsage, find_disks, find_problem, identify_files
from arena_hill.hill_access import HillAccess
from arena_hill.hill_paths import get_heartbeat_folder
from arena_hill.submission_status import STUCK_SECONDS
from arena_web.server import LOOPBACK

HEALTH_PATH, METRICS_PATH = PATHS = ("/healthz", "/metrics")
MONITORED_PROCESSES = ("coordinator", "judge")
SILENT_SECONDS = 60.0  # seconds after which a part that shows no sign of life counts as dead
FORWARDING_HEADERS = frozenset({"forwarded", "via", "x-forwarded-for", "x-real-ip"})

DEADLINE_SECONDS = 8.0  # shorter than any wait for a database
HANG_MESSAGE = f"no answer within {DEADLINE_SECONDS:.0f} s"


def build_routes(hills: Iterable[HillAccess]) -> list[BaseRoute]:
    """Return the routes of the health check and the metrics."""
    healths = [*map(HillHealth, hills)]
    probes = [probe for health in healths for probe in list_probes(health.access)]

    async def healthz(request: Request) -> Response:
        """Return 200 if all is well, or 503 with the problems, within 15 seconds."""
        _require_local_client(request)
        results = await asyncio.gather(*(probe.find_problem() for probe in probes))
        problems = [asdict(problem) for problem in results if problem]
        silent = {
            part: since for health in healths for part, since in health.measure_silence().items()
        }
        dead = [part for part, since in silent.items() if since > SILENT_SECONDS]
        stuck: list[int] = []
        if not problems:  # the database can be asked
            stuck = await run_in_threadpool(_list_stuck_submissions, healths)
        report = {"problems": problems, "silent": dead, "stuck": stuck}
        return JSONResponse(report, 503 if any(report.values()) else 200)

    async def metrics(request: Request) -> Response:
        """Return the metrics in Prometheus format."""
        _require_local_client(request)
        registry = CollectorRegistry()
        for health in healths:
            registry.register(HillMetricsCollector(health))
        text = await run_in_threadpool(generate_latest, registry)
        return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return [Route(HEALTH_PATH, healthz), Route(METRICS_PATH, metrics)]


def _list_stuck_submissions(healths: Iterable[HillHealth]) -> list[int]:
    return [number for health in healths for number in health.list_stuck_submissions()]


def _require_local_client(request: Request) -> None:
    """Raise 404 unless the client is on this machine, and asks without a proxy."""
    direct = FORWARDING_HEADERS.isdisjoint(request.headers)
    if not direct or request.client is None or request.client.host != LOOPBACK:
        raise HTTPException(404)


@frozen
class HillHealth:
    """The health of a hill."""

    access: HillAccess

    def measure_silence(self) -> dict[str, float]:
        """Return the seconds since each process was last seen; infinite if never."""
        return {part: self._measure_silence_of(part) for part in MONITORED_PROCESSES}

    def list_stuck_submissions(self) -> list[int]:
        """Return the submissions without progress for too long; empty if the database fails."""
        now = time()
        try:
            on_their_way = self.access.database.list_submissions(states=OPEN_STATES)
        except UserError:  # then this is what is wrong, and a probe finds it
            return []
        # those that are not being judged wait for these
        judged = [submission for submission in on_their_way if submission.state in JUDGED_STATES]
        return [
            submission.id
            for submission in judged or on_their_way
            if now - submission.state_since > STUCK_SECONDS
        ]

    def collect_metrics(self) -> Iterator[Metric]:
        """Yield the metrics for Prometheus, without those that cannot be measured now."""
        for ask in (
            self._collect_silence,
            self._collect_disk,
            self._collect_entrants,
            self._collect_submissions,
            self._collect_matches,
        ):
            with suppress(UserError, OSError):  # `/healthz` says why
                yield from [*ask()]

    def _collect_silence(self) -> Iterator[Metric]:
        silent = _build_gauge(
            "arena_silent_seconds", "Seconds since a process was last seen.", "part"
        )
        for part, seconds in self.measure_silence().items():
            silent.add_metric([self.access.name, part], seconds)
        yield silent

    def _collect_disk(self) -> Iterator[Metric]:
        disk = _build_gauge("arena_disk_bytes", "Bytes on the disk, used by kind, and free.", "of")
        for what, size in asdict(DiskUsage.of(self.access.spec)).items():
            disk.add_metric([self.access.name, what], size)
        yield disk

    def _collect_entrants(self) -> Iterator[Metric]:
        entrants = _build_gauge("arena_entrants", "Versions in the tournament, by state.", "state")
        for state, number in Counter(entry.state for entry in self.access.list_entries()).items():
            entrants.add_metric([self.access.name, state], number)
        yield entrants

    def _collect_submissions(self) -> Iterator[Metric]:
        submitted = _build_gauge("arena_submissions", "Submissions by state.", "state")
        queue = self.access.database.queue
        for state, number in queue.count_by_state().items():
            submitted.add_metric([self.access.name, state], number)
        yield submitted
        received = queue.find_oldest_open()
        waits = 0.0 if received is None else time() - received
        oldest = _build_gauge(
            "arena_oldest_waiting_seconds", "Seconds since the oldest open submission was received."
        )
        oldest.add_metric([self.access.name], waits)
        yield oldest

    def _collect_matches(self) -> Iterator[Metric]:
        with self.access.tournament.open() as store:
            counts = store.count_matches()
        matches = _build_gauge(
            "arena_matches", "Matches: played, void among these, and left.", "of"
        )
        numbers = {"stored": counts.stored, "void": counts.void, "left": counts.remaining}
        for kind, number in numbers.items():
            matches.add_metric([self.access.name, kind], number)
        yield matches

    def _measure_silence_of(self, part: str) -> float:
        try:
            return max(
                0.0, time() - (get_heartbeat_folder(self.access.spec) / part).stat().st_mtime
            )
        except OSError:
            return float("inf")


def _build_gauge(name: str, says: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, says, labels=["hill", *labels])


@frozen
class HillMetricsCollector(Collector):
    """A Prometheus collector for one hill."""

    health: HillHealth

    def collect(self) -> Iterator[Metric]:
        """Return the metrics."""
        return self.health.collect_metrics()


@frozen
class DependencyProblem:
    """A problem with something that a hill depends on."""

    hill: str
    part: str  #: `disk`, `files`, `database` or `tournament`
    cause: str


@define(eq=False)
class DependencyProbe:
    """A check of something; `check` returns its problem as text, or ""."""

    hill: str
    part: str
    check: Callable[[], str]
    _limiter: CapacityLimiter = field(init=False, factory=lambda: CapacityLimiter(1))
    _task: asyncio.Task[str] | None = field(init=False, default=None)

    async def find_problem(self) -> DependencyProblem | None:
        """Return the problem that the check finds, or None."""
        if self._task is None or self._task.done():
            work = to_thread.run_sync(self.check, limiter=self._limiter)
            self._task = asyncio.ensure_future(work)
        try:
            cause = await asyncio.wait_for(asyncio.shield(self._task), DEADLINE_SECONDS)
        except TimeoutError:
            cause = HANG_MESSAGE
        return DependencyProblem(self.hill, self.part, cause) if cause else None


def list_probes(access: HillAccess) -> Iterator[DependencyProbe]:
    """Return the probes of a hill's disks, of which files are there, and of both databases."""
    spec, files = access.spec, identify_files(access.spec)
    yield DependencyProbe(access.name, "disk", partial(_check_disks, access))
    yield DependencyProbe(access.name, "files", partial(_describe_error, files.check))
    yield DependencyProbe(
        access.name, "database", partial(_describe_error, access.database.check_writable)
    )
    check = partial(_check_tournament, spec.database)
    yield DependencyProbe(access.name, "tournament", partial(_describe_error, check))


def _check_disks(access: HillAccess) -> str:
    return "; ".join(filter(None, map(_check_disk, find_disks(access.spec))))


def _check_disk(place: Path) -> str:
    cause = find_problem(place)
    return f"{place}: {cause}" if cause else ""


def _check_tournament(database: str) -> None:
    """Raise StorageError if a tournament's database exists and cannot be written."""
    if Store.exists(database):
        DatabaseAddress.of(database).check_writable()


def _describe_error(check: Callable[[], None]) -> str:
    """Return the error of a check as text, or ""."""
    try:
        check()
    except (UserError, OSError) as problem:
        return str(problem)
    return ""
