"""The metrics of a hill for Prometheus, each read from a different source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from attrs import Factory, asdict, field, frozen
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from arena_hill.disk_usage import DiskMeter
from arena_hill.heartbeat import measure_silence
from arena_hill.hill_access import HillAccess


@frozen
class HillMetrics:
    """Collects the metrics of a hill."""

    access: HillAccess
    _disk: DiskMeter = field(
        default=Factory(lambda self: DiskMeter(self.access.hill), takes_self=True), init=False
    )

    @property
    def collectors(self) -> Sequence[Callable[[], Iterator[Metric]]]:
        """The functions that yield the metrics for Prometheus; each reads a different source."""
        return (
            self._collect_silence,
            self._collect_disk,
            self._collect_entrants,
            self._collect_submissions,
            self._collect_matches,
        )

    def _collect_silence(self) -> Iterator[Metric]:
        silent = _build_gauge(
            "arena_silent_seconds", "Seconds since a process was last seen.", "part"
        )
        for part, seconds in measure_silence(self.access.hill).items():
            silent.add_metric([self.access.hill.name, part], seconds)
        yield silent

    def _collect_disk(self) -> Iterator[Metric]:
        disk = _build_gauge("arena_disk_bytes", "Bytes on the disk, used by kind, and free.", "of")
        for kind, size in asdict(self._disk.measure()).items():
            disk.add_metric([self.access.hill.name, kind], size)
        yield disk

    def _collect_entrants(self) -> Iterator[Metric]:
        entrants = _build_gauge("arena_entrants", "Versions in the tournament, by state.", "state")
        for state, number in Counter(
            entry.state for entry in self.access.hill.list_entries()
        ).items():
            entrants.add_metric([self.access.hill.name, state], number)
        yield entrants

    def _collect_submissions(self) -> Iterator[Metric]:
        submitted = _build_gauge("arena_submissions", "Submissions by state.", "state")
        store = self.access.store
        queue = store.queue
        for state, number in queue.count_by_state().items():
            submitted.add_metric([self.access.hill.name, state], number)
        yield submitted
        received = queue.find_oldest_open()
        waits = 0.0 if received is None else store.now() - received
        oldest = _build_gauge(
            "arena_oldest_waiting_seconds", "Seconds since the oldest open submission was received."
        )
        oldest.add_metric([self.access.hill.name], waits)
        yield oldest

    def _collect_matches(self) -> Iterator[Metric]:
        counts = self.access.hill.query_tournament(lambda store: store.progress.count_matches())
        if counts is None:
            return
        matches = _build_gauge(
            "arena_matches", "Matches: played, void among these, and left.", "of"
        )
        numbers = {"stored": counts.stored, "void": counts.void, "left": counts.remaining}
        for kind, number in numbers.items():
            matches.add_metric([self.access.hill.name, kind], number)
        yield matches


def _build_gauge(name: str, description: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, description, labels=["hill", *labels])


@frozen(eq=False)
class CollectedMetrics(Collector):
    """The metrics that were collected, as Prometheus asks for them."""

    metrics: Sequence[Metric]

    def collect(self) -> Sequence[Metric]:
        """Return the metrics."""
        return self.metrics
