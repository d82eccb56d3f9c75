"""Health checks for a host, and the addresses of these and of the metrics.

`/healthz` is for whoever starts things again, `/metrics` for Prometheus. Both say numbers only, and
are answered to this machine alone: to connections from it that no proxy has forwarded. Whatever a
header says of an address, it can only make a client a stranger.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path

from attrs import asdict, frozen
from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arena import UserError
from arena_hill.disk import find_disks, find_problem, identify_files
from arena_hill.heartbeat import MONITORED_PROCESSES, measure_silence
from arena_hill.hill import Hill
from arena_hill.hill_access import HillAccess
from arena_hill.submission_states import JUDGED_STATES, OPEN_STATES
from arena_hill.submission_status import STUCK_SECONDS
from arena_hill.web.metrics import CollectedMetrics, HillMetrics
from arena_hill.web.timed_reads import DEADLINE_SECONDS, TimedRead
from arena_web.server import LOOPBACK

HEALTH_PATH, METRICS_PATH = PATHS = ("/healthz", "/metrics")
SILENT_SECONDS = 60.0  # after which a part that shows no sign of life counts as dead
FORWARDING_HEADERS = frozenset({"forwarded", "via", "x-forwarded-for", "x-real-ip"})

HANG_MESSAGE = f"no answer within {DEADLINE_SECONDS:.0f} s"


def build_routes(access: HillAccess) -> list[BaseRoute]:
    """Return the routes of the health check and the metrics."""
    probe = HillProbe(access)

    async def healthz(request: Request) -> Response:
        """Return 200 if all is well, or 503 with the problems, within 15 seconds."""
        _require_local_client(request)
        report = await probe.examine()
        return JSONResponse(asdict(report), 200 if report.is_healthy else 503)

    async def metrics(request: Request) -> Response:
        """Return the metrics in Prometheus format, without those that take too long."""
        _require_local_client(request)
        registry = CollectorRegistry()
        registry.register(CollectedMetrics(await probe.list_metrics()))
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return [Route(HEALTH_PATH, healthz), Route(METRICS_PATH, metrics)]


def _require_local_client(request: Request) -> None:
    """Raise 404 unless the client is on this machine, and asks without a proxy."""
    direct = FORWARDING_HEADERS.isdisjoint(request.headers)
    if not direct or request.client is None or request.client.host != LOOPBACK:
        raise HTTPException(404)


@frozen
class DependencyProblem:
    """A problem with something that a hill depends on."""

    hill: str
    part: str  #: `disk`, `files`, `database` or `tournament`
    cause: str


@frozen
class HealthReport:
    """The faults of a hill."""

    problems: Sequence[DependencyProblem]
    silent: Sequence[str]  #: the processes without a sign of life
    stuck: Sequence[int]  #: the submissions without progress

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.problems or self.silent or self.stuck)


class HillProbe:
    """Examines a hill: what it depends on, its processes, its queue, and its metrics."""

    def __init__(self, access: HillAccess) -> None:
        self._hill = access.hill.name
        self._checks = {part: TimedRead(check) for part, check in list_checks(access)}
        self._silence = TimedRead(partial(measure_silence, access.hill))
        self._stuck = TimedRead(partial(list_stuck_submissions, access))
        metrics = HillMetrics(access)
        self._metrics = [
            TimedRead(partial(_run_collector, collect)) for collect in metrics.collectors
        ]

    async def examine(self) -> HealthReport:
        """Return a report on the hill as it is now."""
        problems, silent = await asyncio.gather(self.find_problems(), self.list_silent())
        # with a problem the databases may not answer
        return HealthReport(problems, silent, [] if problems else await self.list_stuck())

    async def find_problems(self) -> list[DependencyProblem]:
        """Return the problems with what the hill depends on."""
        causes = await asyncio.gather(*map(_find_cause, self._checks.values()))
        pairs = zip(self._checks, causes, strict=True)
        return [DependencyProblem(self._hill, part, cause) for part, cause in pairs if cause]

    async def list_silent(self) -> list[str]:
        """Return the processes without a sign of life; all if that cannot be read."""
        try:
            silence = await self._silence.run()
        except TimeoutError:
            return [*MONITORED_PROCESSES]
        return [part for part, seconds in silence.items() if seconds > SILENT_SECONDS]

    async def list_stuck(self) -> list[int]:
        """Return the submissions without progress; none if the database hangs: a check says so."""
        with suppress(TimeoutError):
            return await self._stuck.run()
        return []

    async def list_metrics(self) -> list[Metric]:
        """Return the metrics for Prometheus, without those that cannot be measured now."""
        return [*chain.from_iterable(await asyncio.gather(*map(_find_metrics, self._metrics)))]


async def _find_cause(read: TimedRead[str | None]) -> str:
    """Return the problem that a check finds, or ""; the error of a check is one, too."""
    try:
        return await read.run() or ""
    except TimeoutError:
        return HANG_MESSAGE
    except (UserError, OSError) as problem:
        return str(problem)


async def _find_metrics(read: TimedRead[list[Metric]]) -> list[Metric]:
    with suppress(UserError, OSError):  # or it hangs: `/healthz` says why
        return await read.run()
    return []


def _run_collector(collect: Callable[[], Iterator[Metric]]) -> list[Metric]:
    return [*collect()]


def list_stuck_submissions(access: HillAccess) -> list[int]:
    """Return the submissions without progress for too long; empty if the database fails."""
    now = access.store.now()
    try:
        on_their_way = access.store.submissions.select(states=OPEN_STATES)
    except UserError:  # then this is what is wrong, and a probe finds it
        return []
    # those that are not being judged wait for these
    judged = [submission for submission in on_their_way if submission.state in JUDGED_STATES]
    return [
        submission.id
        for submission in judged or on_their_way
        if now - submission.state_since > STUCK_SECONDS
    ]


def list_checks(access: HillAccess) -> Iterator[tuple[str, Callable[[], str | None]]]:
    """Yield the checks of a hill's disks, of which files are there, and of both databases, by part.

    A check returns its problem as text, or raises UserError or OSError.
    """
    files = identify_files(access.hill)
    yield "disk", partial(_check_disks, access)
    yield "files", files.check
    yield "database", access.store.transactions.check_writable
    yield "tournament", partial(_check_tournament, access.hill)


def _check_disks(access: HillAccess) -> str:
    return "; ".join(filter(None, map(_check_disk, find_disks(access.hill))))


def _check_disk(place: Path) -> str:
    cause = find_problem(place)
    return f"{place}: {cause}" if cause else ""


def _check_tournament(hill: Hill) -> None:
    """Raise StorageError if a tournament's database exists and cannot be written."""
    if hill.has_tournament():
        hill.tournament_address.check_writable()
