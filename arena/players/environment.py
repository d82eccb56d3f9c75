"""The environment of the host and its workers, and of trusted bots: without secrets and ours."""

from __future__ import annotations

import os
from collections.abc import Mapping

UNBUFFERED = "PYTHONUNBUFFERED"  # would hide that a program in Python does not flush
OWN_VARIABLES = "ARENA_OWN"  # names what the arena has set for itself and its workers
WARM_STARTS = "ARENA_WARM_STARTS"  # turns warm starts of scripts in Python off ("0")
SECRET_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS")
"""What names of variables end with that hold secrets by custom, such as `SERVICE_API_KEY`."""


def build_bot_environment() -> Mapping[str, str]:
    """Return the environment of a bot's program and its build.

    It is the host's own, except for secrets, and for what would make a bot another one here than
    there: what hides that it does not flush, and what the arena has set for itself.
    """
    own = os.environ.get(OWN_VARIABLES, "").split()
    hidden = {UNBUFFERED, OWN_VARIABLES, WARM_STARTS, *own}
    return {
        name: value
        for name, value in os.environ.items()
        if name not in hidden and not name.upper().endswith(SECRET_ENDINGS)
    }


def set_arena_variable(name: str, value: str) -> None:
    """Set a variable for this process and its workers, but not for bots, unless it is set."""
    if name not in os.environ:
        os.environ[name] = value
        os.environ[OWN_VARIABLES] = " ".join([*os.environ.get(OWN_VARIABLES, "").split(), name])


def limit_library_threads() -> None:
    """Let libraries for linear algebra that are imported from here on use one thread.

    Where it is refused a thread, OpenBLAS sends its process an interrupt as it is imported.
    """
    set_arena_variable("OPENBLAS_NUM_THREADS", "1")
