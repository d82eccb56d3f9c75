"""The environment of bots' programs, which is the same however they are started.

It is the host's own, except for what would make a bot another one here than there: what hides
that it does not flush, and what the arena has set for itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

UNBUFFERED = "PYTHONUNBUFFERED"  # would hide that a program in Python does not flush
OWN_VARIABLES = "ARENA_OWN"  # names what the arena has set for itself and its workers
WARM_STARTS = "ARENA_WARM_STARTS"  # turns warm starts of scripts in Python off ("0")


class BotEnvironment:
    """The environment of bots, which is built anew only when the host's own has changed."""

    def __init__(self) -> None:
        self._source: dict[bytes, bytes] = {}
        self._built: Mapping[str, str] = {}

    def read(self) -> Mapping[str, str]:
        """Return the variables by name."""
        source = os.environ._data  # type: ignore[attr-defined]  # noqa: SLF001  # it is compared in C
        if source != self._source:
            own = os.environ.get(OWN_VARIABLES, "").split()
            hidden = {UNBUFFERED, OWN_VARIABLES, WARM_STARTS, *own}
            self._source = {**source}
            found = {name: value for name, value in os.environ.items() if name not in hidden}
            self._built = MappingProxyType(found)
        return self._built


BOT_ENVIRONMENT = BotEnvironment()


def build_bot_environment() -> Mapping[str, str]:
    """Return the environment of a bot's program and its build."""
    return BOT_ENVIRONMENT.read()


def set_arena_variable(name: str, value: str) -> None:
    """Set a variable for this process and its workers, but not for bots, unless it is set."""
    if name not in os.environ:
        os.environ[name] = value
        os.environ[OWN_VARIABLES] = " ".join([*os.environ.get(OWN_VARIABLES, "").split(), name])
