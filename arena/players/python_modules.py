"""Commands that start modules of the arena, which import nothing from the current folder."""

from __future__ import annotations

import sys


def build_module_command(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module of ours as a program.

    With `-m` alone Python looks for all modules in the current folder first, which may be a bot's.
    """
    return (sys.executable, "-P", "-m", module, *arguments)
