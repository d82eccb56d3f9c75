"""Running a script plainly and warm, to compare what it sees and how it ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from arena.players import Process, end_processes
from arena.players.starters import WARM_AFTER
from tests.support.programs import MARK, TIMEOUT


class Runner:
    """Runs a script, as often as it takes to be warm."""

    def __init__(self, interpreter: str, script: Path, mark: str) -> None:
        self.interpreter, self.folder, self.script = interpreter, script.parent, script
        self.options: tuple[str, ...] = ()  # of the interpreter
        self.environment = {**os.environ, MARK: mark}
        self.process: Process

    def run(self, text: str = "", *words: str, grace: float = TIMEOUT) -> tuple[bytes, bytes, str]:
        """Run a script; return what it wrote, and how it ended."""
        if text:
            self.script.write_text(text)
        command = [self.interpreter, *self.options, str(self.script), *words]
        self.process = process = Process(command, self.folder, self.environment)
        process.pipes.write(b"a line\n")
        end_processes([process], grace)
        return process.pipes.late_output, process.pipes.tail, process.exit_reason

    def was_warm(self) -> bool:
        """Whether the last run was a fork."""
        return self.process.plain is not None and self.process.plain.is_warm

    def run_both_ways(self, text: str, *words: str, grace: float = TIMEOUT) -> tuple[Any, Any]:
        """Run a script plainly and warm; return what it wrote each time, and how it ended."""
        plain = self.run(text, *words, grace=grace)
        assert not self.was_warm()
        for _ in range(WARM_AFTER):
            warm = self.run("", *words, grace=grace)
        assert self.was_warm()
        return plain, warm
