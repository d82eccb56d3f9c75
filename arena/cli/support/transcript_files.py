"""Transcripts of the matches that a command hosts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from attrs import frozen

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


@frozen
class TranscriptRecorder:
    """Records every match: one in a file, several in a folder."""

    path: Path
    several: bool

    def build_observer(self, spec: MatchSpec, number: int) -> Recorder:
        """Return an observer that records the match of this number, from 0."""
        return Recorder(spec, _open_transcript(self.choose_path(spec, number)))

    def choose_path(self, spec: MatchSpec, number: int) -> Path:
        """Return the path of the transcript of the match of this number."""
        if self.several or os.path.isdir(self.path):
            return self.path / f"{number + 1:04}-{spec.key}{SUFFIX}"
        return self.path


def _open_transcript(path: Path) -> IO[str]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return open(path, "w", encoding="utf-8", opener=open_without_waiting)
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror}") from None
