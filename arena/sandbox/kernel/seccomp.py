"""The filter that allows untrusted programs the system calls they need, and no others.

The filter is a program for the kernel's classic BPF (seccomp(2)). It allows what
`allowed_system_calls` lists, some of it only with the arguments that `argument_checks` lets
through. All else is not permitted; what libraries can do without is not there, as on a kernel that
lacks it.
"""

from __future__ import annotations

import errno
import os
from functools import cache

from arena.sandbox.kernel import allowed_system_calls, argument_checks
from arena.sandbox.kernel.argument_checks import PRCTL_OPTIONS, PRCTL_OPTIONS_OF_SETPRIV
from arena.sandbox.kernel.bpf import ERROR, NO_CHECK, NOT_THERE, Check, assemble, one_of, refuse

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_*
NO_ATTRIBUTES = ERROR | errno.EOPNOTSUPP
UNSUITABLE = ERROR | errno.EINVAL


@cache
def compile_filter(
    *,
    landlock: bool = False,
    exposed: bool = False,
    shared_user: bool = False,
    builds: bool = False,
    machine: str = "",
) -> bytes:
    """Return the filter as bytes, eight for each instruction.

    Args:
        landlock: whether Landlock keeps the program from others, and not namespaces.
        exposed: whether files of the host's are mounted so that they could be changed.
        shared_user: whether the program has the host's own user.
        builds: whether it may be a build, which sets modes and times of files.
        machine: as uname(2) calls it; this one, if none is given.

    Raises:
        LookupError: for a machine whose numbers are not known here.
    """
    machine = machine or os.uname().machine
    if machine not in MACHINES:
        raise LookupError(f"no filter for {machine}: there is one for {', '.join(MACHINES)}")
    column = [*MACHINES].index(machine)
    checks = _find_checks(
        landlock=landlock, exposed=exposed, shared_user=shared_user, builds=builds
    )
    calls = {
        number: check
        for name, check in checks.items()
        if (number := allowed_system_calls.NUMBERS[name][column]) is not None
    }
    return assemble(MACHINES[machine], calls, allowed_system_calls.FIRST_NEW_NUMBER)


def compile_ahead(*, exposed: bool, shared_user: bool) -> None:
    """Compile the filters of this machine in advance, for processes that are forked later."""
    if os.uname().machine in MACHINES:  # otherwise `compile_filter` says so to whom it concerns
        compile_filter()
        for builds in (False, True):
            compile_filter(landlock=True, exposed=exposed, shared_user=shared_user, builds=builds)


def _find_checks(
    *, landlock: bool, exposed: bool, shared_user: bool, builds: bool
) -> dict[str, Check]:
    """Return the check of each known system call."""
    options = PRCTL_OPTIONS if landlock else PRCTL_OPTIONS | PRCTL_OPTIONS_OF_SETPRIV
    checks: dict[str, Check] = {
        **dict.fromkeys((*allowed_system_calls.UNCHECKED, *allowed_system_calls.CHECKED), NO_CHECK),
        **dict.fromkeys(allowed_system_calls.ABSENT, refuse(NOT_THERE)),
        **dict.fromkeys(allowed_system_calls.ATTRIBUTE_CHANGES, refuse(NO_ATTRIBUTES)),
        **dict.fromkeys(allowed_system_calls.PAGE_MOVES, refuse(UNSUITABLE)),
        **argument_checks.CHECKS,
        "prctl": one_of(0, *options.values()),
    }
    if not landlock:
        return checks | dict.fromkeys(allowed_system_calls.SETPRIV_CALLS, NO_CHECK)
    checks |= argument_checks.OWN_PROCESS_CHECKS
    if exposed and not builds:
        checks |= argument_checks.TIMES_OF_OPEN_FILES
    if exposed and shared_user:
        checks |= argument_checks.PRIVATE_MODES if builds else argument_checks.NO_MODES
    return checks
