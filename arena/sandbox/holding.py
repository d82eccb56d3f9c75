"""Which tier holds on this machine: each is tried with a program that does nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from arena.rules import UserError
from arena.sandbox import kernel
from arena.sandbox.bubblewrap import BWRAP, PRLIMIT, SETPRIV
from arena.sandbox.confined import Confined
from arena.sandbox.policy import Resources, Sandbox
from arena.sandbox.request import AUTO, LANDLOCK, NAMESPACES, TIERS, TRUSTED

NOTHING = "/bin/true"
PACKAGES = {BWRAP: "bubblewrap", PRLIMIT: "util-linux", SETPRIV: "util-linux"}


class NoSandbox(UserError):
    """A tier that does not hold on this machine; the text says why, and what to do."""


def sandbox(choice: str, resources: Resources | None = None) -> Sandbox | None:
    """Return the sandbox of a choice, proven by a program that ran in it; None: trusted.

    Args:
        choice: one of `CHOICES`; `auto` takes the strongest that holds.
        resources: what each program may use.

    Raises:
        NoSandbox: where the tier that was asked for does not hold.
    """
    for tier in TIERS if choice == AUTO else (choice,):
        if tier == TRUSTED:
            return None
        problem = why_not(tier)
        if not problem:
            return Sandbox(tier, resources or Resources())
        if choice != AUTO:
            raise NoSandbox(f"sandbox {choice!r} does not hold here: {problem}")
    return None


def why_not(tier: str) -> str:
    """Say why a tier does not hold, and how to get it; nothing where it does."""
    if lacking := _lacking(tier):
        return lacking
    folder = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        program = Confined(Sandbox(tier).request([NOTHING], folder, None))
        try:
            program.wait_up()
        finally:
            for stream in program.streams:
                stream.close()
            program.close()
    except OSError as problem:
        advice = ADVICE[tier]
        return f"{problem}; {advice}"
    finally:
        folder.rmdir()
    return ""


def _lacking(tier: str) -> str:
    if tier == LANDLOCK:
        version = kernel.landlock_version()
        if version < kernel.LEAST_VERSION:
            return f"Landlock {kernel.LEAST_VERSION} is needed (Linux 6.12), and {version} is here"
        return ""
    for program, package in (
        (BWRAP, "bubblewrap"),
        (PRLIMIT, "util-linux"),
        (SETPRIV, "util-linux"),
    ):
        if shutil.which(program) is None:
            return f"{os.path.basename(program)} is not installed: apt install {package}"
    return ""


ADVICE = {
    NAMESPACES: "user namespaces may be switched off: sysctl kernel.unprivileged_userns_clone=1,"
    " user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0",
    LANDLOCK: "Landlock may be switched off: lsm= on the kernel's command line",
}
"""What a tier needs that installed programs alone do not bring."""
