"""Transcripts of the matches that a command hosts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from attrs import define, field

from arena.plugins import MatchSpec
from arena.records import SUFFIX, Recorder
from arena.rules import UserError
from arena.wires import open_without_waiting


def check_folder_name(path: Path, option: str) -> None:
    """Refuse a path that names a file where an option needs a folder for several transcripts."""
    if path.suffix == SUFFIX and not os.path.isdir(path):
        folder = path.with_suffix("")
        raise UserError(
            f"{option} {path}: several matches need a folder; name one without {SUFFIX},"
            f" such as {folder}"
        )


@define
class TranscriptRecorder:
    """Records every match: one in a file, several in a folder."""

    path: Path
    several: bool
    number: int = field(default=0, init=False)
    latest: Path | None = field(default=None, init=False)

    def build_observer(self, spec: MatchSpec) -> Recorder:
        """Return an observer that records this match."""
        self.number += 1
        self.latest = self._choose_path(spec)
        return Recorder(spec, self._open(self.latest))

    def _choose_path(self, spec: MatchSpec) -> Path:
        if self.several or os.path.isdir(self.path):
            return self.path / f"{self.number:04}-{spec.key}{SUFFIX}"
        return self.path

    def _open(self, path: Path) -> IO[str]:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return open(path, "w", encoding="utf-8", opener=open_without_waiting)
        except OSError as problem:
            raise UserError(f"{path} cannot be written: {problem.strerror}") from None
