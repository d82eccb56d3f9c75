"""Which tier holds on this machine: each is tried with a program that does nothing."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

from arena.rules import UserError
from arena.sandbox import kernel
from arena.sandbox.abilities import Shortcomings
from arena.sandbox.bubblewrap import BWRAP, PRLIMIT, SETPRIV
from arena.sandbox.confined import SUPERVISOR_OF_THIS, Confined
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


def shortcomings() -> Shortcomings:
    """Return why sandboxes protect less on this machine than they could, and what to do.

    Raises:
        OSError: where no program can be started in a sandbox at all.
    """
    return SUPERVISOR_OF_THIS.find_shortcomings()


def why_not(tier: str) -> str:
    """Say why a tier does not hold, and how to get it; nothing where it does."""
    if lacking := _lacking(tier):
        return lacking
    folder = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        if tier == NAMESPACES and (lacking := shortcomings()["folders"]):
            return f"{lacking}; {ADVICE[tier]}"
        program = Confined(Sandbox(tier).request([NOTHING], folder, None))
        try:
            program.wait_up()
        finally:
            for stream in program.streams:
                stream.close()
            program.close()
    except OSError as problem:
        return f"{problem}; {_advise(tier)}"
    finally:
        folder.rmdir()
    return ""


def _advise(tier: str) -> str:
    closed = _find_closed_folder() if tier == LANDLOCK and os.getuid() == 0 else None
    if closed:
        return (
            f"as root each program runs as a user of its own, who cannot enter {closed}: install"
            f" the arena elsewhere, or type chmod o+x {closed}"
        )
    return ADVICE[tier]


def _find_closed_folder() -> Path | None:
    """Return the first folder on the way to the arena that other users cannot enter."""
    way = reversed(Path(__file__).parents)
    return next((folder for folder in way if not folder.stat().st_mode & stat.S_IXOTH), None)


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
