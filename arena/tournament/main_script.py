"""The script that runs a tournament from Python, which each worker imports when it starts.

A worker is a new Python process, and `multiprocessing` imports the main script into it. A script
that runs the tournament while it is imported would run another one in each worker, and a script
that was read from standard input cannot be imported. Both are found before a worker starts.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from inspect import currentframe
from pathlib import Path
from types import FrameType

from arena.rules import UserError

GUARD = 'if __name__ == "__main__":'


def check_main_script() -> None:
    """Check that workers can import the main script.

    Raises:
        UserError: if it was read from standard input, or does not guard the call.
    """
    main = sys.modules["__main__"]
    file, spec = getattr(main, "__file__", None), getattr(main, "__spec__", None)
    if file is None or (spec and spec.name.rpartition(".")[2] == "__main__"):
        return  # workers import nothing: an interactive session, `python -c`, `python -m package`
    if file == "<stdin>":
        raise UserError(
            "a tournament cannot run from a script on standard input, because its workers import"
            f" the script: save it to a file, with run() below `{GUARD}`"
        )
    for line in _find_lines(currentframe(), vars(main)):
        if not _is_guarded(Path(file).read_bytes(), line):
            raise UserError(
                f"{Path(file).name}, line {line}: put this below `{GUARD}`, because each worker of"
                " a tournament imports the script"
            )


def _find_lines(frame: FrameType | None, names: dict[str, object]) -> Iterator[int]:
    """Find the line of the main script that is being executed, outside of all functions."""
    while frame:
        code = frame.f_code
        is_script = frame.f_globals is names and code.co_filename == names["__file__"]
        if is_script and code.co_name == "<module>":
            yield frame.f_lineno
        frame = frame.f_back


def _is_guarded(source: bytes, line: int) -> bool:
    """Whether a line of a script stands below an `if`, whatever that asks."""
    conditions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.If))
    return any(node.lineno <= line <= (node.end_lineno or line) for node in conditions)
