"""The heartbeats of a hill's processes: files whose time says when each was last alive."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import time
from typing import Self

from attrs import define, field

from arena_hill.hill import Hill
from arena_hill.pauses import Pause

INTERVAL_SECONDS = 2.0  # between two beats
MONITORED_PROCESSES = ("coordinator", "judge")


@define
class Heartbeat:
    """The heartbeat of a process, which this process or another one touches."""

    file: Path
    _pause: Pause = field(factory=Pause, init=False)  # until the next beat

    @classmethod
    def of(cls, hill: Hill, process: str) -> Self:
        """Return the heartbeat of a hill's process, by its name."""
        return cls(hill.heartbeat_folder / process)

    def beat(self) -> None:
        """Touch the file if it is due; a disk that cannot be written is ignored."""
        if self._pause.is_over:
            with suppress(OSError):
                self.file.parent.mkdir(parents=True, exist_ok=True)
                self.file.touch()
            self._pause.begin(INTERVAL_SECONDS)

    def stop(self) -> None:
        """Forget that the process has begun."""
        self.file.unlink(missing_ok=True)

    @property
    def has_begun(self) -> bool:
        """Whether the process has begun since the heartbeat was stopped."""
        return self.file.exists()

    def measure_silence(self) -> float:
        """Return the seconds since the process was last alive; infinite if it never was."""
        try:
            return max(0.0, time() - self.file.stat().st_mtime)
        except OSError:
            return float("inf")


def measure_silence(hill: Hill) -> dict[str, float]:
    """Return the seconds since each monitored process of a hill was last alive."""
    return {name: Heartbeat.of(hill, name).measure_silence() for name in MONITORED_PROCESSES}
