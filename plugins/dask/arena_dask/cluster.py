"""The coordinator's side: an executor that equips workers, then hands tasks to Dask."""

from __future__ import annotations

import logging
import socket
import warnings
from collections.abc import Callable, Iterator
from concurrent import futures
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any, ParamSpec, TypeVar, cast

from distributed import Client
from distributed import Future as DaskFuture
from distributed.comm.addressing import get_address_host_port

from arena import UserError
from arena.extend import Task, describe_error, play_task
from arena_dask.archive import pack
from arena_dask.worker_plugins import (
    Equipment,
    Folder,
    Room,
    UnfitWorkerError,
    Walls,
    compare,
    installed,
)
from arena_dask.worker_room import work

P = ParamSpec("P")
T = TypeVar("T")
CHATTER = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application")
RETRY_SECONDS = 0.1  # seconds until the next try to connect


def connected(address: str, timeout: float) -> Client:
    """Return a client of the scheduler at this address; raise UserError, in one line."""
    _hush()
    try:
        _reach(address, timeout)
        client = _client(address, timeout)
    except Exception as problem:  # noqa: BLE001  # an address may be wrong in many ways
        raise UserError(f"dask: no scheduler at {address}: {describe_error(problem)}") from None
    try:
        client.wait_for_workers(1, timeout)
    except TimeoutError:
        client.close()
        raise UserError(
            f"dask: the scheduler at {address} has no workers;"
            f" start some: dask worker {address} --nthreads 1"
        ) from None
    return client


def _hush() -> None:
    """Keep what Dask logs and warns of off the host's terminal: what matters is raised."""
    warnings.filterwarnings("ignore", module=r"(dask|distributed)\b")
    for name in CHATTER:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _reach(address: str, timeout: float) -> None:
    """Wait until somebody listens there: a client that cannot connect leaves a thread behind."""
    until = monotonic() + timeout
    host = get_address_host_port(address)
    while True:
        try:
            socket.create_connection(host, timeout).close()
        except ConnectionRefusedError:
            if monotonic() > until:
                raise
            sleep(RETRY_SECONDS)
        else:
            return


def _client(address: str, timeout: float) -> Client:
    """Connect; Dask by itself would wait for ever where somebody listens and does not answer."""
    made: Future[Client] = Future()

    def make() -> None:
        try:
            made.set_result(Client(address, timeout=timeout, set_as_default=False, name="arena"))
        except Exception as problem:  # noqa: BLE001  # it is raised where it is waited for
            made.set_exception(problem)

    Thread(target=make, daemon=True).start()
    return made.result(2 * timeout)


class Cluster(Executor):
    """Workers of a scheduler, for one run of a tournament."""

    def __init__(self, client: Client, bots: Path, mark: str) -> None:
        self._client = client
        self._bots = bots
        self._mark = mark
        self._sent: dict[str | None, str] = {}  # names of plugins; that of the room is None's
        self._flying: dict[DaskFuture[Any], Future[Any]] = {}

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have something done by a worker, which is given first what it lacks for that.

        What is handed over counts as running: a worker may have begun it.
        """
        if fn is play_task:
            (task,) = cast("tuple[Task]", args)
            self._equip(task)
            flying = self._hand_over(work, self._mark, task)
        else:
            flying = self._hand_over(fn, *args, **kwargs)
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        self._flying[flying] = future
        assert self._client.loop
        self._client.loop.add_callback(self._settle, flying)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take from the workers what they were given; to cancel ends matches under way."""
        if wait and not cancel_futures:
            futures.wait([*self._flying.values()])
        if self._client.status == "running":
            self._client.cancel([*self._flying])
            for name in self._sent.values():
                with suppress(Exception):  # a worker may vanish just now, and what it had with it
                    self._client.unregister_worker_plugin(name)
        self._sent.clear()
        self._client.close()

    def _hand_over(self, what: Callable[..., Any], *args: Any, **kwargs: Any) -> DaskFuture[Any]:
        """Have Dask call something: each time anew, even if it is the same."""
        try:
            return self._client.submit(what, *args, **kwargs, pure=False)
        except Exception as problem:
            raise BrokenExecutor(describe_error(problem)) from problem

    async def _settle(self, flying: DaskFuture[Any]) -> None:
        """Have a future come out as Dask's does, whatever becomes of the connection."""
        try:
            result = await flying
        except BaseException as problem:  # noqa: BLE001  # a loop that ends cancels, too
            lost = BrokenExecutor(f"the scheduler has gone: {describe_error(problem)}")
            failed = flying.status == "error"
            self._flying.pop(flying).set_exception(problem if failed else lost)
        else:
            self._flying.pop(flying).set_result(result)

    def _equip(self, task: Task) -> None:
        """Send what this task needs and was not sent yet: the room, sandboxes, bots' folders."""
        seats = [seat for job in task.jobs for seat in job.seats]
        versions = {seat.folder for seat in seats if seat.folder}
        tiers = {seat.sandbox.tier for seat in seats if seat.sandbox}
        if None in self._sent and versions | tiers <= self._sent.keys():
            return
        common = self._mark, task.game, frozenset(self._client.nthreads())
        if None not in self._sent:
            self._run_on_scheduler(compare, installed())
            self._send(None, Room(*common, installed()))
        for tier in sorted(tiers - self._sent.keys()):
            self._send(tier, Walls(*common, tier))
        for version in sorted(versions - self._sent.keys()):
            self._send(version, Folder(*common, version, pack(self._bots / version)))

    def _send(self, what: str | None, equipment: Equipment) -> None:
        with self._in_words("a worker"):
            self._client.register_plugin(equipment)
        self._sent[what] = equipment.name

    def _run_on_scheduler(self, what: Callable[..., object], *arguments: object) -> None:
        with self._in_words("the scheduler"):
            self._client.run_on_scheduler(what, *arguments)

    @contextmanager
    def _in_words(self, who: str) -> Iterator[None]:
        """Raise what is wrong in one line; a connection that is lost may come back."""
        try:
            yield
        except UnfitWorkerError as problem:
            raise UserError(f"dask: {problem}") from None
        except Exception as problem:
            if isinstance(problem, OSError) or self._client.status != "running":
                raise BrokenExecutor(describe_error(problem)) from problem
            raise UserError(
                f"dask: {who} cannot take part; is the same installed there as here?"
                f" {describe_error(problem)}"
            ) from None
