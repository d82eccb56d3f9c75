"""The quick end of a warm script: at once, where the usual end of its interpreter would do nothing.

The usual end writes to all memory that a fork shares with its starter, to free what the kernel
frees anyway. That takes ten times as long as an end at once, and longer than many a match. What
the usual end may do is to wait for threads, call exit functions and finalisers, flush files, and
write messages. Whoever may want any of that has the usual end; so does everybody whom we cannot
judge.
"""

from __future__ import annotations

import _thread
import _weakref
import atexit
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_STATUS = 255  # of a process: a larger one is cut by the kernel
ACTING_EXTENSIONS = frozenset((
    "_ctypes", "_curses", "_dbm", "_gdbm", "_lsprof", "_sqlite3", "_tkinter", "readline",
))  # fmt: skip
"""Modules of the standard library that write something when their objects go, or can call C code
that buffers what it writes."""
FORGETTING_MODULES = frozenset((
    "weakref", "_weakrefset", "functools", "enum", "abc", "typing", "copyreg",
))  # fmt: skip
"""Modules whose callbacks of weak references only forget what has gone."""


class _Referent:
    """Something that can be referred to weakly."""


REFERENCE = type(_weakref.ref(_Referent))


def end_quickly(problem: BaseException | None) -> None:
    """End this process if its script is over and nothing could come of the usual end.

    Args:
        problem: the exception with which the script ended, or None.
    """
    status = 0 if problem is None else read_exit_status(problem)
    output, errors = sys.stdout, sys.stderr
    if output is not sys.__stdout__ or errors is not sys.__stderr__ or not output or not errors:
        return
    try:
        if status is None or has_work_left():
            return
        output.flush()
        errors.flush()
    except Exception:  # noqa: BLE001  # the usual end says what is wrong
        return
    os._exit(status)


def read_exit_status(problem: BaseException) -> int | None:
    """Return the status with which `sys.exit` ends a script without a word, or None."""
    if type(problem) is not SystemExit:
        return None
    code = problem.code
    if code is None:
        return 0
    return code if type(code) is int and 0 <= code <= MAX_STATUS else None


def has_work_left() -> bool:
    """Return whether something may happen at the usual end of this interpreter."""
    if _thread._count() or atexit._ncallbacks():
        return True
    if getattr(sys.modules.get("threading"), "_threading_atexits", None):
        return True
    if has_messages() or any(map(may_write, sys.modules.values())):
        return True
    acting: dict[type, bool] = {}  # classes whose objects have to be looked at
    for item in gc.get_objects():  # without those that the starter has frozen
        kind = type(item)
        acts = acting.get(kind)
        if acts is None:
            acts = hasattr(kind, "__del__") or issubclass(kind, type | REFERENCE)
            acting[kind] = acts
        if acts and acts_at_end(item, kind):
            return True
    return False


def has_messages() -> bool:
    """Return whether this interpreter tells somebody how it ends, or goes on after a script."""
    flags = sys.flags
    return bool(
        flags.dev_mode
        or flags.verbose
        or sys.warnoptions
        or sys.gettrace()
        or sys.getprofile()
        or gc.get_debug()
        or "PYTHONINSPECT" in os.environ
    )


def may_write(module: object) -> bool:
    """Return whether a module may write something when its objects go: some of those in C."""
    spec = getattr(module, "__spec__", None)
    if spec is None:
        return False
    if spec.name in ACTING_EXTENSIONS:
        return True
    is_extension = type(spec.loader).__name__ == "ExtensionFileLoader"
    return is_extension and "/lib-dynload/" not in (spec.origin or "")


def acts_at_end(item: Any, kind: type) -> bool:
    """Return whether an object may do something when it goes, or when its instances do."""
    if issubclass(kind, type):
        return "__del__" in vars(item)
    if issubclass(kind, REFERENCE):
        callback = item.__callback__
        if callback is None or getattr(callback, "__module__", None) in FORGETTING_MODULES:
            return False
        # in `_abc` it is a method of another weak reference, to a cache
        owner = getattr(callback, "__self__", None)
        return not (callback.__name__ == "_destroy" and type(owner) is REFERENCE)
    return kind.__module__ != "_io" or not item.closed
