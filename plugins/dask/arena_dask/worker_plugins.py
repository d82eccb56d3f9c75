"""What a worker is given before it plays: plugins of Dask's, which also reach those who come late.

A worker that cannot be equipped says why. Where it was there from the start, the run ends
with that; one that comes later leaves again, so that it gets no matches.
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
from arena.extend import PLUGIN_GROUP, describe_error, find_obstacle
from arena.host import build_folder_entrant
from arena_dask.archive import unpack
from arena_dask.worker_room import PLACES, Place


class UnfitWorkerError(UserError):
    """A worker that cannot play; the text says which one, and why."""


def installed() -> dict[str, str]:
    """Return the versions that have to be the same everywhere: Python, the arena, its plugins."""
    found = (point.dist for point in entry_points(group=PLUGIN_GROUP))
    versions = {distribution.name: distribution.version for distribution in found if distribution}
    return {**versions, "Python": ".".join(platform.python_version_tuple()[:2])}


def compare(coordinators: Mapping[str, str]) -> None:
    """Raise Unfit where something is installed here in another version than there."""
    here = installed()
    wrong = [
        f"{name} {here[name]} is not the coordinator's {version}"
        for name, version in coordinators.items()
        if here.get(name, version) != version
    ]
    if wrong:
        raise UnfitWorkerError(", ".join(wrong))


@define(slots=False)
class Equipment(WorkerPlugin):
    """What all equipment knows; derive from it, and say how a worker is equipped."""

    tournament: str  # its mark
    game: str
    present: frozenset[str]  # addresses of the workers that are there from the start

    @property
    def name(self) -> str:
        """The plugin's name in Dask; a newer plugin of the same name replaces this one."""
        return f"arena-{self.tournament}"

    def setup(self, worker: Worker) -> None:
        """Equip a worker."""
        with self._fitting(worker):
            self.equip(worker)

    def equip(self, worker: Worker) -> None:
        """Do it; raise what is wrong."""
        raise NotImplementedError

    @contextmanager
    def _fitting(self, worker: Worker) -> Iterator[None]:
        try:
            yield
        except Exception as problem:
            words = str(problem) if isinstance(problem, UserError) else describe_error(problem)
            if worker.address not in self.present:
                worker.loop.add_callback(worker.close, reason=f"unfit for a tournament: {words}")
            raise UnfitWorkerError(f"worker {worker.address}: {words}") from problem


@define(slots=False)
class Room(Equipment):
    """A place to play at, and what has to be installed there."""

    installed: Mapping[str, str]  # at the coordinator

    def equip(self, worker: Worker) -> None:
        """Make the place."""
        compare(self.installed)
        load_game(self.game)
        PLACES[self.tournament] = Place.within(Path(worker.local_directory), self.tournament)

    def teardown(self, worker: Worker) -> None:
        """Close the place: the tournament or the worker is over, or the tournament begins again."""
        if place := PLACES.pop(self.tournament, None):
            place.close()


@define(slots=False)
class Folder(Equipment):
    """The copy of a bot's folder, as it was built at the coordinator."""

    version: str
    archive: bytes

    @property
    def name(self) -> str:
        """The plugin's name in Dask."""
        return f"arena-{self.tournament}-{self.version}"

    def equip(self, worker: Worker) -> None:
        """Unpack it, and see that its program can be found here."""
        folder = PLACES[self.tournament].bots / self.version
        if not folder.exists():
            unpack(self.archive, folder)
        build_folder_entrant(load_game(self.game), "", folder, built=True)


@define(slots=False)
class Walls(Equipment):
    """What contains strangers' programs: there has to be there what there is at the coordinator."""

    tier: str  # of sandboxes

    @property
    def name(self) -> str:
        """The plugin's name in Dask."""
        return f"arena-{self.tournament}-{self.tier}"

    def equip(self, worker: Worker) -> None:
        """See that a program can be contained here, by one that is."""
        if problem := find_obstacle(self.tier):
            raise UnfitWorkerError(f"sandbox {self.tier!r} does not hold there: {problem}")
