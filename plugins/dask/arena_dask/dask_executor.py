"""The coordinator's side: an executor that equips workers and submits tasks to Dask."""

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
from arena.rules import describe_error
from arena.tournament.bots.copies import CopyFolder
from arena.tournament.workers.match_batch import MatchBatch
from arena.tournament.workers.match_play import play_batch
from arena_dask.workers import (
    FolderEquipment,
    SandboxEquipment,
    UnfitWorkerError,
    WorkerEquipment,
    WorkspaceEquipment,
    check_versions,
    list_versions,
    pack,
    play_in_workspace,
)

P = ParamSpec("P")
T = TypeVar("T")
NOISY_LOGGERS = (
    "distributed",
    "distributed.client",
    "distributed.gc",
    "tornado",
    "tornado.application",
)
RETRY_SECONDS = 0.1  # seconds until the next try to connect


def connect(address: str, timeout: float) -> Client:
    """Return a client of the scheduler at this address; raise UserError if that fails."""
    _silence_dask()
    try:
        _wait_for_scheduler(address, timeout)
        client = _create_client(address, timeout)
    except Exception as problem:  # noqa: BLE001  # an address may be wrong in many ways
        raise UserError(f"dask: no scheduler at {address}: {describe_error(problem)}") from None
    try:
        client.wait_for_workers(1, timeout)
    except TimeoutError:
        client.close()
        raise UserError(
            f"dask: the scheduler at {address} has no workers;"
            f" start some: python3 -P -m dask worker {address} --nthreads 1"
        ) from None
    return client


def _silence_dask() -> None:
    """Silence logs and warnings of Dask, which raises an exception for real problems."""
    warnings.filterwarnings("ignore", module=r"(dask|distributed)\b")
    for name in NOISY_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _wait_for_scheduler(address: str, timeout: float) -> None:
    """Wait until the scheduler listens: a client that cannot connect leaves a thread behind."""
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


def _create_client(address: str, timeout: float) -> Client:
    """Create a client with a timeout: Dask waits for ever for a server that never answers."""
    made: Future[Client] = Future()

    def make() -> None:
        try:
            made.set_result(Client(address, timeout=timeout, set_as_default=False, name="arena"))
        except Exception as problem:  # noqa: BLE001  # it is raised where it is waited for
            made.set_exception(problem)

    Thread(target=make, daemon=True).start()
    return made.result(2 * timeout)


class DaskExecutor(Executor):
    """An executor on the workers of a scheduler, for one run of a tournament."""

    def __init__(self, client: Client, bots: Path, mark: str) -> None:
        self._client = client
        self._bots = bots
        self._mark = mark
        self._plugin_names: dict[str | None, str] = {}  # None is the workspace
        self._pending: dict[DaskFuture[Any], Future[Any]] = {}

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submit a call to the workers, which are equipped for it first.

        A submitted call counts as running, since a worker may have started it.
        """
        if fn is play_batch:
            (task,) = cast("tuple[MatchBatch]", args)
            self._equip(task)
            task_future = self._submit(play_in_workspace, self._mark, task)
        else:
            task_future = self._submit(fn, *args, **kwargs)
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        self._pending[task_future] = future
        assert self._client.loop
        self._client.loop.add_callback(self._forward_result, task_future)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Remove the equipment from the workers; cancelling also ends matches in progress."""
        if wait and not cancel_futures:
            futures.wait([*self._pending.values()])
        if self._client.status == "running":
            self._client.cancel([*self._pending])
            for name in self._plugin_names.values():
                with suppress(Exception):  # a worker may disappear at this moment
                    self._client.unregister_worker_plugin(name)
        self._plugin_names.clear()
        self._client.close()

    def _submit(self, what: Callable[..., Any], *args: Any, **kwargs: Any) -> DaskFuture[Any]:
        """Submit a call to Dask, which runs it even if it has run the same call before."""
        try:
            return self._client.submit(what, *args, **kwargs, pure=False)
        except Exception as problem:
            raise BrokenExecutor(describe_error(problem)) from problem

    async def _forward_result(self, task_future: DaskFuture[Any]) -> None:
        """Copy the result of Dask's future to ours, even if the connection is lost."""
        try:
            result = await task_future
        except BaseException as problem:  # noqa: BLE001  # a loop that ends cancels, too
            lost = BrokenExecutor(
                f"the connection to the scheduler was lost: {describe_error(problem)}"
            )
            failed = task_future.status == "error"
            self._pending.pop(task_future).set_exception(problem if failed else lost)
        else:
            self._pending.pop(task_future).set_result(result)

    def _equip(self, task: MatchBatch) -> None:
        """Send the equipment that this task still lacks: workspace, sandboxes, bots' folders."""
        bots = [
            member
            for match in task.matches
            for ready in match.ready_entries
            for member in ready.members
        ]
        copies = {CopyFolder(self._bots).find(bot.entry.version) for bot in bots}
        versions = {copy.name for copy in copies if copy}
        tiers = {bot.sandbox.tier for bot in bots if bot.sandbox}
        if None in self._plugin_names and versions | tiers <= self._plugin_names.keys():
            return
        common = self._mark, task.settings.game, frozenset(self._client.nthreads())
        if None not in self._plugin_names:
            self._run_on_scheduler(check_versions, list_versions())
            self._send(None, WorkspaceEquipment(*common, list_versions()))
        for tier in sorted(tiers - self._plugin_names.keys()):
            self._send(tier, SandboxEquipment(*common, tier))
        for version in sorted(versions - self._plugin_names.keys()):
            self._send(version, FolderEquipment(*common, version, pack(self._bots / version)))

    def _send(self, what: str | None, equipment: WorkerEquipment) -> None:
        try:
            with self._translate_errors("a worker"):
                self._client.register_plugin(equipment)
        except UserError:
            with suppress(Exception):  # the scheduler would give it to workers that come later
                self._client.unregister_worker_plugin(equipment.name)
            raise
        self._plugin_names[what] = equipment.name

    def _run_on_scheduler(self, what: Callable[..., object], *arguments: object) -> None:
        with self._translate_errors("the scheduler"):
            self._client.run_on_scheduler(what, *arguments)

    @contextmanager
    def _translate_errors(self, who: str) -> Iterator[None]:
        """Raise UserError for a worker that cannot play, BrokenExecutor for a lost connection."""
        try:
            yield
        except UnfitWorkerError as problem:
            raise UserError(f"dask: {problem}") from None
        except Exception as problem:
            if isinstance(problem, OSError) or self._client.status != "running":
                raise BrokenExecutor(describe_error(problem)) from problem
            raise UserError(
                f"dask: {who} cannot be used; install the same packages there as here:"
                f" {describe_error(problem)}"
            ) from None
