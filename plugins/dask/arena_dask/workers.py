"""The workers' side: their equipment, and their workspaces.

The equipment consists of Dask plugins, which also reach workers that join later. A worker that
cannot be equipped reports the reason. If it was present from the start, this ends the run; a worker
that joins later leaves again, so that it gets no matches.

A workspace is a folder for a tournament's bots and their programs. A worker is a process, and plays
one match at a time, however many threads it has: programs inherit the environment with the mark of
their tournament, and measured times must be fair.
"""

from __future__ import annotations

import io
import platform
import subprocess
import tarfile
import tempfile
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from uuid import uuid4

from attrs import define, evolve
from distributed import Reschedule, Worker, WorkerPlugin

from arena import UserError, load_game
from arena.host import build_folder_entrant, walk_folder
from arena.plugins import PLUGIN_GROUP
from arena.rules import describe_error
from arena.sandbox import check_unreadable, describe_temporary_exposure, find_obstacle
from arena.tournament.match_record import ReportedMatch
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.match_batch import MatchBatch
from arena.tournament.workers.match_play import play_batch
from arena_dask import cleanup


class UnfitWorkerError(UserError):
    """A worker that cannot play; the message names it and the reason."""


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


_MATCH_LOCK = threading.Lock()

WORKSPACES: dict[str, WorkerWorkspace] = {}
"""The workspaces of this worker, by the marks of the tournaments."""


def play_in_workspace(tournament: str, task: MatchBatch) -> list[ReportedMatch]:
    """Play a task of the tournament with this mark; raise Reschedule without a workspace for it."""
    if tournament not in WORKSPACES:
        raise Reschedule
    return WORKSPACES[tournament].play(task)


@define(eq=False)
class WorkerWorkspace:
    """The workspace of a worker for one tournament, until it is closed."""

    mark: str  # of this worker alone: others on its machine may play on when it is killed
    folder: Path
    cleaner: subprocess.Popen[bytes]
    closed: bool = False

    @classmethod
    def within(cls, folder: Path, tournament: str) -> WorkerWorkspace:
        """Create a workspace in this folder for the tournament with this mark."""
        mark = f"{tournament}-{uuid4().hex}"
        workspace = folder / f"arena-{mark}"
        workspace.mkdir(mode=0o700)
        return cls(mark, workspace, cleanup.start(mark, workspace))

    @property
    def bots(self) -> Path:
        """The folder for the copies of bots' folders."""
        return self.folder / "bots"

    def close(self) -> None:
        """End the programs of a match in progress, and remove the workspace."""
        self.closed = True
        cleanup.dismiss(self.cleaner)

    def play(self, task: MatchBatch) -> list[ReportedMatch]:
        """Play a task match by match; raise Reschedule once the workspace is closed."""
        here = evolve(
            task.settings, home=self.folder, bots=self.bots, kept_folders=self.folder, live=None
        )
        done: list[ReportedMatch] = []
        with _MATCH_LOCK, RunMark(self.mark).mark_processes(self.folder):
            for match in task.matches:
                if self.closed:
                    raise Reschedule
                done += play_batch(MatchBatch((match,), here))
        return done


def pack(folder: Path) -> bytes:
    """Return a folder as bytes: the same for the same files, whatever their owner or time."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        for found in walk_folder(folder):
            tar.add(folder / found.path, found.path, recursive=False, filter=_strip_metadata)
    return zlib.compress(whole.getvalue())


def unpack(archive: bytes, folder: Path) -> None:
    """Unpack a folder; it appears as a whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix="."))
    with tarfile.open(fileobj=io.BytesIO(zlib.decompress(archive))) as tar:
        tar.extraction_filter = lambda member, _: member  # it is our own copy
        tar.extractall(fresh)  # noqa: S202
    fresh.rename(folder)


def _strip_metadata(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove the owner and the time of a file."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member
