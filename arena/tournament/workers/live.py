"""Live transcripts: files that grow during a match, for its viewers.

A worker keeps the lines of its match in memory, for the transcript. When a player is asked, at most
once a second, it checks for viewers: whether the file `wanted` was touched recently. If so, it
writes the lines so far to a file named after the match's key, and from then on the new lines at
each question, before players start to think. When the match is over the file is removed; viewers
that have it open read it to its end. Without viewers, a live transcript costs one look at the clock
per question.

The folder is private to this user, and is cleared by its run. The first line of a live transcript
is a note for the program that shows it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from time import monotonic, time
from typing import IO, Any, Self

from attrs import asdict, frozen

from arena.files import open_private
from arena.plugins import MatchSpec
from arena.records import SUFFIX, InMemoryFile, Recorder
from arena.rules import Question, Seat
from arena.wires import dump

REQUEST_SECONDS = 10.0  # after the last touch of `wanted`
MIN_MATCH_SECONDS = 0.1  # the minimum duration of a match that can be watched
POLL_SECONDS = 1.0  # between two checks of a worker
REQUEST_FILE = "wanted"
LIVE_FOLDER = "live"
"""The name of the folder of live transcripts, next to the copies of bots."""


@frozen
class LiveVisibility:
    """The facts that decide how much of a live match may be shown."""

    deaf: bool = False
    """Whether no player can see the transcript: all are bundled, or run without a network."""
    whole: bool = False
    """Whether everything may be shown, even hands: the host allows it, and no player can see it."""


@frozen
class LiveFolder:
    """The folder of the live transcripts of a tournament."""

    path: Path

    def get_file(self, key: str) -> Path:
        """Return the file of a match, whether it exists or not."""
        return self.path / f"{key}{SUFFIX}"

    def has_viewers(self) -> bool:
        """Return whether there are viewers of the matches of this folder."""
        with suppress(OSError):
            return time() - (self.path / REQUEST_FILE).stat().st_mtime < REQUEST_SECONDS
        return False

    def request_transcripts(self) -> None:
        """Request live transcripts for some seconds; do nothing if no tournament runs."""
        file = self.path / REQUEST_FILE
        with suppress(OSError):
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
            os.utime(file)

    def list_matches(self) -> list[str]:
        """Return the keys of the matches that can be watched now."""
        with suppress(OSError):
            return sorted(path.stem for path in self.path.glob(f"*{SUFFIX}"))
        return []

    @contextmanager
    def open(self) -> Iterator[None]:
        """Provide the folder, empty, within a block, and clear it afterwards."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)
        self._clear()
        try:
            yield
        finally:
            self._clear()
            with suppress(OSError):  # it contains foreign files
                self.path.rmdir()
                self.path.parent.rmdir()

    def _clear(self) -> None:
        for path in self.path.iterdir():
            path.unlink(missing_ok=True)


class LiveTranscript(Recorder):
    """Records a match in memory, and in a file as soon as there are viewers.

    Call `close` when the match is over, however it ended. `note` builds the first line, which is
    needed only with viewers.
    """

    _out: IO[str] | None = None
    _written = 0  # characters written to the file

    def __init__(
        self,
        spec: MatchSpec,
        record: InMemoryFile,
        live: LiveFolder,
        key: str,
        note: Callable[[], LiveVisibility] = LiveVisibility,
    ) -> None:
        Recorder.__init__(self, spec, record)
        self._record, self._live, self._key, self._note = record, live, key, note
        #: the time of the next check; always due once the file exists
        self._look = monotonic() + MIN_MATCH_SECONDS

    def on_questions(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Record the questions, and write all lines so far for viewers."""
        Recorder.on_questions(self, questions)  # `super()` is slow, and this runs at each question
        if monotonic() >= self._look:
            self._update()

    def _update(self) -> None:
        """Write all lines so far if there are viewers."""
        if self._out:
            self._append(self._record.getvalue())
            return
        self._look = monotonic() + POLL_SECONDS
        if self._live.has_viewers():
            self._open_file()

    @property
    def _path(self) -> Path:
        return self._live.get_file(self._key)

    def _open_file(self) -> None:
        """Create the file with all lines so far; if that fails, the match cannot be watched."""
        with suppress(OSError):
            self._out = open(self._path, "w", encoding="utf-8", opener=open_private)  # noqa: SIM115
            self._out.write(dump(asdict(self._note())) + "\n")
            self._look = -inf
            self._append(self._record.getvalue())

    def _append(self, text: str) -> None:
        """Append the new text to the file; a full disk ends the live transcript, not the match."""
        assert self._out
        try:
            self._out.write(text[self._written :])
            self._out.flush()
            self._written = len(text)
        except OSError:
            self._close_file()

    def _close_file(self) -> None:
        with suppress(OSError):
            if self._out:
                self._out.close()
        self._out, self._look = None, inf
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Write the remaining lines for viewers, and remove the file."""
        if self._out:
            self._append(self._record.text)
        if self._out:
            self._close_file()


class LiveTranscriptReader:
    """Reads the file of a live transcript as it grows, even after its removal."""

    def __init__(self, live: LiveFolder, key: str) -> None:
        """Open a live transcript; raise OSError if there is none."""
        self._file = live.get_file(key).open("rb")
        self._rest = b""
        self.header: LiveVisibility | None = None  #: None before the first lines

    def read_lines(self) -> list[str]:
        """Return the complete lines that are new since the last call."""
        *lines, self._rest = (self._rest + self._file.read()).split(b"\n")
        if lines and self.header is None:
            self.header = LiveVisibility(**json.loads(lines.pop(0)))
        return [line.decode() for line in lines]

    def is_complete(self) -> bool:
        """Return whether the match is over, so that lines read afterwards are complete."""
        return os.fstat(self._file.fileno()).st_nlink == 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
