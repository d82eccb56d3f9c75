"""Detection of the tiers that work on this machine, and of what each of them protects.

That a tier works is seen from a program that does nothing, what it protects from one that attacks.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from attrs import frozen

from arena.rules import HostError
from arena.sandbox.bubblewrap import BWRAP, PRLIMIT, SETPRIV
from arena.sandbox.installations import find_readable_folder
from arena.sandbox.kernel import libc
from arena.sandbox.kernel.features import Shortcomings
from arena.sandbox.messages import AUTO, LANDLOCK, NAMESPACES, TIERS, TRUSTED
from arena.sandbox.resources import Resources, Sandbox
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT, SandboxedProcess, SandboxError

TRUE_COMMAND = "/bin/true"


class NoSandboxError(HostError):
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


ADVICE = {
    NAMESPACES: "user namespaces may be disabled: sysctl kernel.unprivileged_userns_clone=1,"
    " user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0",
    LANDLOCK: "Landlock may be disabled: add it to lsm= on the kernel's command line",
}
"""The requirements of each tier besides installed programs."""


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


PACKAGES = {BWRAP: "bubblewrap", PRLIMIT: "util-linux", SETPRIV: "util-linux"}


def _find_missing(tier: str) -> str:
    if tier == LANDLOCK:
        version = libc.read_landlock_version()
        if version < libc.MIN_LANDLOCK_VERSION:
            least = libc.MIN_LANDLOCK_VERSION
            return f"Landlock {least} or newer is needed (Linux 6.12); this kernel has {version}"
        return ""
    for program, package in PACKAGES.items():
        if shutil.which(program) is None:
            return f"{os.path.basename(program)} is not installed: apt install {package}"
    return ""


ATTACKER = str(Path(__file__).with_name("attacker.py"))
RESOURCES = Resources(memory_mb=96, processes=8, disk_mb=16, files=100)
ATTACKER_PROCESSES = 20  # that the attacker starts
EXCESS_SECONDS = 1.0  # that it stays beyond a limit: longer than a keeper needs to look
LEFTOVER_SECONDS = 600.0  # seconds that what it leaves behind would stay
ATTACK_TIMEOUT_SECONDS = 60.0  # seconds for all that it does, where the machine is very busy
OUTPUT_BYTES = 1 << 16
MAX_FOLDER_LENGTH = 70  # of the folder for temporary files: a socket's path has at most 107 bytes


@frozen
class ProtectionResult:
    """The result for one protection."""

    protection: str  #: what is protected, such as `the host's files`
    held: bool  #: has it held?
    detail: str  #: what the attacker got, or what was in its way


def probe_tier(tier: str) -> list[ProtectionResult]:
    """Attack this machine from a tier, and return the results.

    Args:
        tier: one of `TIERS`; in `trusted`, most does not hold.

    Raises:
        OSError: where the tier itself does not hold: `find_obstacle` says more.
    """
    with _set_scene() as (folder, known):
        said, _ = _run_attacker(tier, "reach", folder, known)
        if not said:
            raise SandboxError("the Python program that tests the sandbox does not run")
        found = [ProtectionResult(**line) for line in said]
        for protection, kind in (("memory of all processes", "memory"), ("processes", "processes")):
            said, stopped = _run_attacker(tier, kind, folder, known)
            got = said[0]["got"] if said else stopped and f"ended: {stopped}"
            found.append(
                ProtectionResult(protection, not said, got or "the kernel did not allow it")
            )
        _run_attacker(tier, "stay", folder, known)
        left = _end_leftover(known["word"])
        found.append(
            ProtectionResult("processes left behind", not left, left or "no process was left")
        )
    return found


@contextmanager
def _set_scene() -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Set up the targets; yield the attacker's own folder, and what it knows."""
    with ExitStack() as stack:
        usual = tempfile.gettempdir()
        within = usual if len(usual) < MAX_FOLDER_LENGTH else "/tmp"
        base = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-", dir=within)))
        base.chmod(0o755)  # so that a sandbox is in the way, and not a mode
        for name in ("host", "other", "own"):
            (base / name).mkdir(mode=0o755)
        for path in (base / "host" / "secret", base / "other" / "bot"):
            path.write_text("a secret")
            path.chmod(0o644)
        word, at = uuid4().hex, base / "host" / "socket"
        bystander = stack.enter_context(_run_bystander())
        loopback = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for address in (f"\0{word}", str(at)):
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(address)
            listener.listen()
        datagrams = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        datagrams.bind(str(at.with_name("datagram")))
        for path in (at, at.with_name("datagram")):
            path.chmod(0o777)
        yield base / "own", {
            "secret": str(base / "host" / "secret"), "other": str(base / "other" / "bot"),
            "folder": str(base / "host"), "process": bystander,
            "command": f"/proc/{bystander}/cmdline", "environment": f"/proc/{bystander}/environ",
            "port": loopback.getsockname()[1], "abstract": word, "socket": str(at),
            "datagrams": str(at.with_name("datagram")),
            "seconds": EXCESS_SECONDS, "lingers": LEFTOVER_SECONDS,
            "processes": ATTACKER_PROCESSES, "word": word,
        }  # fmt: skip


@contextmanager
def _run_bystander() -> Iterator[int]:
    """Run another process of this user during a block."""
    words = [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        yield process.pid
        process.kill()


def _run_attacker(
    tier: str, kind: str, folder: Path, known: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], str]:
    """Run the attacker; return its results, and the limit for which it was ended."""
    words = [sys.executable, "-I", ATTACKER, kind, json.dumps(known)]
    plainly = tier == TRUSTED
    said, stopped = _run_plainly(words, folder) if plainly else _run_in_sandbox(tier, words, folder)
    return [json.loads(line) for line in said.splitlines()], stopped


def _run_plainly(words: list[str], folder: Path) -> tuple[bytes, str]:
    done = subprocess.run(
        words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, timeout=ATTACK_TIMEOUT_SECONDS, check=False,
    )  # fmt: skip
    return done.stdout, ""


def _run_in_sandbox(tier: str, words: list[str], folder: Path) -> tuple[bytes, str]:
    program = SandboxedProcess(Sandbox(tier, RESOURCES).request(words, folder, None))
    try:
        program.wait_until_ready()
        if not select.select([program.descriptor], [], [], ATTACK_TIMEOUT_SECONDS)[0]:
            raise SandboxError("the Python program that tests the sandbox does not end")
        program.note_end()
        os.set_blocking(program.streams[1].fileno(), False)
        said = program.streams[1].read(OUTPUT_BYTES) or b""
    finally:
        for stream in program.streams:
            stream.close()
        program.close()
    return said, program.stop_reason


def _end_leftover(word: str) -> str:
    """End a leftover process; return a message, or "" if there is none."""
    left = ""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            with suppress(OSError), open(f"/proc/{name}/cmdline", "rb") as file:
                said = file.read()
                if word.encode() in said:
                    left = "a process kept running"
                    os.kill(int(name), signal.SIGKILL)
    return left
