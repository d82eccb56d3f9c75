"""An attack: a small program that takes part in a match of GOPS, and what must come of it."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from arena.host import Limits
from arena.rules import Fault
from arena.sandbox import LANDLOCK, NAMESPACES, Resources

TIERS = (NAMESPACES, LANDLOCK)
RESOURCES = Resources(memory_mb=128, processes=32, disk_mb=16, files=500)
PATIENT = Limits(move=30.0, start=30.0, grace=0.1)
SHORT = Limits(move=1.5, start=30.0, grace=0.1)  # for who never answers

PREAMBLE = r'''
import ctypes
import mmap
import os
import resource
import signal
import socket
import stat
import sys
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
AMD = os.uname().machine == "x86_64"


def say(text):
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def bid():
    for line in sys.stdin:
        if line.startswith("Competition"):
            print(line.split()[-1], flush=True)
            return True
    return False


def play():
    while bid():
        pass


def tries(what, attempt, *values):
    """Say that it was tried, and what it gave, if that is anything."""
    try:
        got = attempt(*values)
    except BaseException as problem:
        say(f"TRIED {what}: {problem!r}"[:150])
    else:
        say(f"TRIED {what}")
        if got:
            say(f"GOT {what}: {got!r}"[:300])


def read(path):
    with open(path, "rb") as file:
        return file.read(200)


def call(number, *values):
    """Make a system call by its number; raise OSError."""
    result = LIBC.syscall(number, *values)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f"{result} "


def leave():
    """Leave the session, or what of it may be left."""
    try:
        os.setsid()
    except PermissionError:
        os.setpgid(0, 0)


def yes(done):
    """Say that what was done went through."""
    return f"done {done}"
'''
"""What all attackers begin with: how to bid, and how to say what came of it."""


@frozen
class Attack:
    """What a stranger's program may do to its host, and the verdict that it must get.

    It says on its stderr what it TRIED, and what it GOT.
    """

    name: str
    program: str  #: behind the preamble
    verdict: Fault | None = None  #: None: it fails, or is cleaned up, and has played on
    differs: Mapping[str, Fault | None] = field(factory=dict)
    """The verdict by tier, or by tier and account (`landlock@container`), where it is another."""

    detail: str = ""  #: what the verdict says, in part
    resources: Resources = RESOURCES
    limits: Limits = PATIENT
    control: bool = False  #: does it succeed without a sandbox, and harm nothing?
    by_user: bool = False  #: is it played by ordinary users, too, if root runs the tests?

    def expected(self, tier: str, account: str = "") -> Fault | None:
        """Return the verdict that it must get in a tier, hosted by an account."""
        at = f"{tier}@{account}"
        return self.differs[at] if at in self.differs else self.differs.get(tier, self.verdict)

    def source(self, known: Mapping[str, object]) -> str:
        """Return the program, with all that a well-informed attacker may know of its host."""
        constants = "\n".join(f"{name} = {value!r}" for name, value in known.items())
        return f"{constants}\n{PREAMBLE}\n{self.program}\n"
