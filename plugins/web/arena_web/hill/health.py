"""What a host looks at: is everything alive, and how much is there of what?

`/healthz` is for whoever starts things again, `/metrics` for Prometheus. Both say numbers only, and
are answered to this machine alone.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from time import time

from attrs import asdict, frozen
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arena.rules import UserError
from arena_web.hill.disk_usage import DiskUsage
from arena_web.hill.office import Office
from arena_web.hill.places import alive_of
from arena_web.hill.probes import probes_of
from arena_web.hill.standing import STUCK
from arena_web.hill.submissions import AT_WORK, OPEN

PARTS = ("coordinator", "porter")
SILENT = 60.0  # seconds after which a part that shows no sign of life counts as dead
HERE = frozenset({"127.0.0.1", "::1"})


@frozen
class Health:
    """How a hill is."""

    office: Office

    def silent(self) -> dict[str, float]:
        """Return the seconds since each part was last seen at work; infinite if never."""
        return {part: self._since(part) for part in PARTS}

    def stuck(self) -> list[int]:
        """Return the submissions that have been at one step for too long, as far as is known."""
        now = time()
        try:
            on_their_way = self.office.register.submissions(states=OPEN)
        except UserError:  # then this is what is wrong, and a probe finds it
            return []
        judged = [one for one in on_their_way if one.state in AT_WORK]  # the others wait for these
        return [one.id for one in judged or on_their_way if now - one.moved > STUCK]

    def figures(self) -> Iterator[Metric]:
        """Return what Prometheus is told, as far as the disk and the databases say it."""
        for ask in (self._silent, self._disk, self._entrants, self._submissions, self._matches):
            with suppress(UserError, OSError):  # `/healthz` says why
                yield from [*ask()]

    def _silent(self) -> Iterator[Metric]:
        silent = _gauge("arena_silent_seconds", "Since a part was last seen at work.", "part")
        for part, seconds in self.silent().items():
            silent.add_metric([self.office.name, part], seconds)
        yield silent

    def _disk(self) -> Iterator[Metric]:
        disk = _gauge("arena_disk_bytes", "Room on the disk: what takes it, and free.", "of")
        for what, size in asdict(DiskUsage.of(self.office.spec)).items():
            disk.add_metric([self.office.name, what], size)
        yield disk

    def _entrants(self) -> Iterator[Metric]:
        entrants = _gauge("arena_entrants", "Versions that have entered, by state.", "state")
        for state, number in Counter(one.state for one in self.office.entries()).items():
            entrants.add_metric([self.office.name, state], number)
        yield entrants

    def _submissions(self) -> Iterator[Metric]:
        submitted = _gauge("arena_submissions", "Submissions by state.", "state")
        sent = self.office.register.submissions()
        for step, number in Counter(one.state for one in sent).items():
            submitted.add_metric([self.office.name, step], number)
        yield submitted
        now = time()
        waits = max((now - one.received for one in sent if one.state in OPEN), default=0.0)
        oldest = _gauge("arena_oldest_waiting_seconds", "Since the oldest open one was received.")
        oldest.add_metric([self.office.name], waits)
        yield oldest

    def _matches(self) -> Iterator[Metric]:
        with self.office.contest.open() as store:
            counts = store.counts()
        matches = _gauge("arena_matches", "Matches: over, void of these, and still to play.", "of")
        for kind in ("stored", "void", "left"):
            matches.add_metric([self.office.name, kind], getattr(counts, kind))
        yield matches

    def _since(self, part: str) -> float:
        try:
            return max(0.0, time() - (alive_of(self.office.spec) / part).stat().st_mtime)
        except OSError:
            return float("inf")


@frozen
class Figures(Collector):
    """Collects the figures of one hill."""

    health: Health

    def collect(self) -> Iterator[Metric]:
        """Return them."""
        return self.health.figures()


def routes(offices: Iterable[Office]) -> list[BaseRoute]:
    """Return the routes of what a host looks at."""
    healths = [*map(Health, offices)]
    probes = [probe for health in healths for probe in probes_of(health.office)]

    async def healthz(request: Request) -> Response:
        """Say whether all is well: 200, or 503 with what is not; within a quarter of a minute."""
        _from_here(request)
        found = await asyncio.gather(*(probe.find_problem() for probe in probes))
        problems = [asdict(problem) for problem in found if problem]
        silent = {part: since for health in healths for part, since in health.silent().items()}
        dead = [part for part, since in silent.items() if since > SILENT]
        stuck = [] if problems else await run_in_threadpool(_stuck, healths)  # it asks a database
        said = {"problems": problems, "silent": dead, "stuck": stuck}
        return JSONResponse(said, 503 if any(said.values()) else 200)

    async def metrics(request: Request) -> Response:
        """Return the figures as Prometheus reads them."""
        _from_here(request)
        registry = CollectorRegistry()
        for health in healths:
            registry.register(Figures(health))
        text = await run_in_threadpool(generate_latest, registry)
        return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return [Route("/healthz", healthz), Route("/metrics", metrics)]


def _stuck(healths: Iterable[Health]) -> list[int]:
    return [number for health in healths for number in health.stuck()]


def _from_here(request: Request) -> None:
    """See that somebody on this machine asks."""
    if request.client is None or request.client.host not in HERE:
        raise HTTPException(404)


def _gauge(name: str, says: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, says, labels=["hill", *labels])
