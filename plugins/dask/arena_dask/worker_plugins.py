"""The equipment of workers: Dask plugins, which also reach workers that join later.

A worker that cannot be equipped reports the reason. If it was present from the start, this ends the
run; a worker that joins later leaves again, so that it gets no matches.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path

from attrs import define
from distributed import Worker, WorkerPlugin

from arena import UserError, load_game
from arena.extend import (
    PLUGIN_GROUP,
    check_unreadable,
    describe_error,
    describe_temporary_exposure,
    find_obstacle,
)
from arena.host import build_folder_entrant
from arena_dask.folder_archive import unpack
from arena_dask.worker_workspace import WORKSPACES, WorkerWorkspace


class UnfitWorkerError(UserError):
    """A worker that cannot play; the message names it and the reason."""


def list_versions() -> dict[str, str]:
    """Return the versions that must be equal everywhere: of Python, the arena, its plugins."""
    found = (point.dist for point in entry_points(group=PLUGIN_GROUP))
    versions = {distribution.name: distribution.version for distribution in found if distribution}
    return {**versions, "Python": ".".join(platform.python_version_tuple()[:2])}


def check_versions(coordinators: Mapping[str, str]) -> None:
    """Raise UnfitWorkerError if a version here differs from the coordinator's."""
    here = list_versions()
    wrong = [
        f"{name} has version {here[name]}, but the coordinator has {version}"
        for name, version in coordinators.items()
        if here.get(name, version) != version
    ]
    if wrong:
        raise UnfitWorkerError(", ".join(wrong))


@define(slots=False)
class WorkerEquipment(WorkerPlugin):
    """The base class of equipment; a subclass implements `equip`."""

    tournament: str  # its mark
    game: str
    present: frozenset[str]  # addresses of the workers present at the start

    @property
    def name(self) -> str:
        """The plugin's name in Dask; a newer plugin of the same name replaces this one."""
        return f"arena-{self.tournament}"

    def setup(self, worker: Worker) -> None:
        """Equip a worker."""
        with self._fitting(worker):
            self.equip(worker)

    def equip(self, worker: Worker) -> None:
        """Equip a worker; raise any exception if that is not possible."""
        raise NotImplementedError

    @contextmanager
    def _fitting(self, worker: Worker) -> Iterator[None]:
        try:
            yield
        except Exception as problem:
            words = str(problem) if isinstance(problem, UserError) else describe_error(problem)
            if worker.address not in self.present:
                worker.loop.add_callback(
                    worker.close, reason=f"this worker cannot play in the tournament: {words}"
                )
            raise UnfitWorkerError(f"worker {worker.address}: {words}") from problem


@define(slots=False)
class WorkspaceEquipment(WorkerEquipment):
    """The workspace of a worker, and the versions that it must have."""

    versions: Mapping[str, str]  # at the coordinator

    def equip(self, worker: Worker) -> None:
        """Check the versions and create the workspace."""
        check_versions(self.versions)
        load_game(self.game)
        WORKSPACES[self.tournament] = WorkerWorkspace.within(
            Path(worker.local_directory), self.tournament
        )

    def teardown(self, worker: Worker) -> None:
        """Close the workspace: the tournament or the worker ends, or the tournament restarts."""
        if workspace := WORKSPACES.pop(self.tournament, None):
            workspace.close()


@define(slots=False)
class FolderEquipment(WorkerEquipment):
    """The copy of a bot's folder, as it was built at the coordinator."""

    version: str
    archive: bytes

    @property
    def name(self) -> str:
        """The plugin's name in Dask."""
        return f"arena-{self.tournament}-{self.version}"

    def equip(self, worker: Worker) -> None:
        """Unpack the folder, and check that the bot's program exists here."""
        folder = WORKSPACES[self.tournament].bots / self.version
        if not folder.exists():
            unpack(self.archive, folder)
        build_folder_entrant(load_game(self.game), "", folder, built=True)


@define(slots=False)
class SandboxEquipment(WorkerEquipment):
    """The sandbox for untrusted programs: the worker must have the coordinator's."""

    tier: str  # of sandboxes

    @property
    def name(self) -> str:
        """The plugin's name in Dask."""
        return f"arena-{self.tournament}-{self.tier}"

    def equip(self, worker: Worker) -> None:
        """Check that the sandbox works, and that programs in it cannot read other bots' folders."""
        if problem := find_obstacle(self.tier):
            raise UnfitWorkerError(f"sandbox {self.tier!r} does not work there: {problem}")
        if problem := describe_temporary_exposure():
            raise UnfitWorkerError(problem)
        copies = WORKSPACES[self.tournament].bots
        check_unreadable(copies, "the folder of copies", "set --local-directory to another one")
