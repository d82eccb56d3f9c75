"""Detection of the tiers that work on this machine, with a program that does nothing."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

from arena.rules import UserError
from arena.sandbox.bubblewrap import BWRAP, PRLIMIT, SETPRIV
from arena.sandbox.kernel import libc
from arena.sandbox.kernel.features import Shortcomings
from arena.sandbox.messages import AUTO, LANDLOCK, NAMESPACES, TIERS, TRUSTED
from arena.sandbox.policy import Resources, Sandbox, find_readable_folder
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT, SandboxedProcess

TRUE_COMMAND = "/bin/true"
PACKAGES = {BWRAP: "bubblewrap", PRLIMIT: "util-linux", SETPRIV: "util-linux"}


class NoSandboxError(UserError):
    """A tier that does not work or would not protect here; the message says why, and what to do."""


def find_sandbox(choice: str, resources: Resources | None = None) -> Sandbox | None:
    """Return the sandbox of a choice, proven by a program that ran in it; None: trusted.

    Args:
        choice: one of `CHOICES`; `auto` takes the strongest that holds.
        resources: what each program may use.

    Raises:
        NoSandboxError: where the tier that was asked for does not hold, or programs in it could
            read the folders in which other programs work.
    """
    for tier in TIERS if choice == AUTO else (choice,):
        if tier == TRUSTED:
            return None
        problem = find_obstacle(tier)
        if not problem:
            if problem := describe_temporary_exposure():
                raise NoSandboxError(problem)
            return Sandbox(tier, resources or Resources())
        if choice != AUTO:
            raise NoSandboxError(f"sandbox {choice!r} does not work on this machine: {problem}")
    return None


def check_unreadable(folder: Path, purpose: str, advice: str) -> None:
    """Raise NoSandboxError if programs in sandboxes could read what is in a folder.

    Args:
        folder: where the host keeps what they may not see.
        purpose: what the folder is for, which begins the message.
        advice: what to do about it, which ends the message.
    """
    if problem := describe_exposure(folder, purpose, advice):
        raise NoSandboxError(problem)


def describe_exposure(folder: Path, purpose: str, advice: str) -> str:
    """Return the message of `check_unreadable`, or "" if no sandbox can read the folder."""
    readable = find_readable_folder(folder)
    if not readable:
        return ""
    return f"{purpose} {folder} is in {readable}, which programs in sandboxes can read: {advice}"


def describe_temporary_exposure() -> str:
    """Return why programs could see the working folders of others, with a remedy, or ""."""
    folder = Path(tempfile.gettempdir())
    return describe_exposure(
        folder, "the folder for temporary files", "set TMPDIR to a folder elsewhere"
    )


def find_shortcomings() -> Shortcomings:
    """Return the reasons why sandboxes are weaker on this machine, with remedies.

    Raises:
        OSError: where no program can be started in a sandbox at all.
    """
    return SUPERVISOR_CLIENT.find_shortcomings()


def find_obstacle(tier: str) -> str:
    """Return the reason why a tier does not work, with a remedy, or "" if it works."""
    if lacking := _find_missing(tier):
        return lacking
    folder = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        if tier == NAMESPACES and (lacking := find_shortcomings()["folders"]):
            return f"{lacking}; {ADVICE[tier]}"
        program = SandboxedProcess(Sandbox(tier).request([TRUE_COMMAND], folder, None))
        try:
            program.wait_until_ready()
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
            f"as root, each program runs as its own user, which cannot enter {closed}: install"
            f" the arena elsewhere, or run chmod o+x {closed}"
        )
    return ADVICE[tier]


def _find_closed_folder() -> Path | None:
    """Return the first folder above arena that other users cannot enter."""
    way = reversed(Path(__file__).parents)
    return next((folder for folder in way if not folder.stat().st_mode & stat.S_IXOTH), None)


def _find_missing(tier: str) -> str:
    if tier == LANDLOCK:
        version = libc.read_landlock_version()
        if version < libc.MIN_LANDLOCK_VERSION:
            least = libc.MIN_LANDLOCK_VERSION
            return f"Landlock {least} or newer is needed (Linux 6.12); this kernel has {version}"
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
    NAMESPACES: "user namespaces may be disabled: sysctl kernel.unprivileged_userns_clone=1,"
    " user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0",
    LANDLOCK: "Landlock may be disabled: add it to lsm= on the kernel's command line",
}
"""The requirements of each tier besides installed programs."""
