"""What a fork of the starter needs to be like a new interpreter, and to end like one."""

from __future__ import annotations

import _socket
import _thread
import _weakref
import atexit
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

HARMLESS_EXTENSIONS = {
    "_asyncio", "_bisect", "_blake2", "_bz2", "_collections", "_contextvars", "_csv", "_ctypes",
    "_datetime", "_decimal", "_elementtree", "_hashlib", "_heapq", "_json", "_lzma", "_md5",
    "_opcode", "_pickle", "_posixsubprocess", "_queue", "_random", "_sha1", "_sha2", "_sha256",
    "_sha3", "_sha512", "_socket", "_ssl", "_statistics", "_struct", "_typing", "_uuid",
    "_zoneinfo", "array", "binascii", "cmath", "fcntl", "grp", "math", "pyexpat", "resource",
    "select", "termios", "unicodedata", "zlib",
}  # fmt: skip
"""Modules in C of the standard library whose objects write nothing when they go."""

WEAK_REGISTRIES = ("weakref", "_weakrefset", "functools", "enum", "abc", "typing", "copyreg")
"""Modules whose callbacks of weak references only forget what is gone."""


class ErrorCatcher:
    """A standard error that remembers whether anything was said."""

    heard = False

    def write(self, text: str) -> int:
        """Take note of a text."""
        self.heard = True
        return len(text)

    def flush(self) -> None:
        """Do nothing."""


def forget_imports(modules: set[str], importers: set[str], own: str) -> None:
    """Remove the modules and path entries that the starter has added for itself."""
    for name in {*sys.modules} - modules:
        del sys.modules[name]
    for path in {*sys.path_importer_cache} - importers | {own}:
        sys.path_importer_cache.pop(path, None)


def can_run_scripts(main: dict[str, Any]) -> bool:
    """Return whether forks of this interpreter can be like new ones; `main` are its names."""
    return (
        sys.implementation.name == "cpython"
        and sys.version_info >= (3, 11)
        and "numpy" not in sys.modules  # its random numbers would be the same in each fork
        and len(os.listdir("/proc/self/task")) == 1
        and sys.path[0] == os.path.dirname(main["__file__"])
    )


def become_script(main: dict[str, Any], command: list[str], place: str) -> None:
    """Make this interpreter what a new one would be that begins to run a script.

    Args:
        main: the names of `__main__`, which are replaced.
        command: the interpreter, the script and its arguments.
        place: the folder of the script.
    """
    script = command[1]
    sys.orig_argv[:] = command
    sys.argv[:] = command[1:]
    sys.path[0] = place
    sys.path_importer_cache[script] = None  # as the interpreter notes that it is no folder
    if threading := sys.modules.get("threading"):
        threading.main_thread()._set_native_id()
    initial = build_main(main, script)
    main.clear()
    main.update(initial)


def build_main(names: dict[str, Any], script: str) -> dict[str, Any]:
    """Return the names that `__main__` has when a script begins."""
    initial = {name: value for name, value in names.items() if name.startswith("__")}
    loader = type(names["__loader__"])("__main__", script)
    return {**initial, "__doc__": None, "__file__": script, "__loader__": loader}


def end_script(problem: BaseException | None, trace: TracebackType | None) -> None:
    """End the process after a script: quickly, if nothing could come of the usual end."""
    if problem is None:
        end_quickly()
    elif trace is not None:
        hide_frame(problem)
    gc.unfreeze()  # or what is in a cycle with `__main__` would not be finalised


def hide_frame(problem: BaseException) -> None:
    """See that the traceback of an exception begins in the script."""
    shown = sys.excepthook

    def show(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        sys.excepthook = shown
        if value is problem and trace is not None:
            trace = trace.tb_next
            value.__traceback__ = trace
        shown(kind, value, trace)

    if not isinstance(problem, SystemExit):
        sys.excepthook = show


def end_quickly() -> None:
    """End this process if nothing could come of the usual end of an interpreter.

    That would take longer than many a match: it writes into all objects, to free what the kernel
    frees anyway.
    """
    output, errors = sys.stdout, sys.stderr
    if output is not sys.__stdout__ or errors is not sys.__stderr__ or not output or not errors:
        return
    try:
        if has_remaining_work():
            return
        output.flush()
        errors.flush()
    except Exception:  # noqa: BLE001  # the usual end says what is wrong
        return
    os._exit(0)


def has_remaining_work() -> bool:
    """Return whether something may happen at the usual end of this interpreter."""
    if _thread._count() or atexit._ncallbacks() or sys.gettrace() or sys.getprofile():
        return True
    if sys.flags.dev_mode or sys.warnoptions:
        return True
    threading = sys.modules.get("threading")
    if threading and getattr(threading, "_threading_atexits", None):
        return True
    if any(map(is_unknown_extension, [*sys.modules.items()])):
        return True
    objects = gc.get_objects()  # without those that the starter has frozen
    kinds = {*map(type, objects)}
    acting = {*filter(acts_at_end, kinds), WEAK_REFERENCE, *filter(is_metaclass, kinds)}
    return any(may_act_at_end(item) for item in objects if type(item) in acting)


def is_unknown_extension(module: tuple[str, object]) -> bool:
    """Return whether a module is in C, and may write something when its objects go."""
    name, found = module
    loader = getattr(getattr(found, "__spec__", None), "loader", None)
    is_extension = type(loader).__name__ == "ExtensionFileLoader"
    return is_extension and name not in HARMLESS_EXTENSIONS


def acts_at_end(kind: type) -> bool:
    """Return whether objects of a class may do something when they go."""
    return hasattr(kind, "__del__") and kind is not SOCKET


def is_metaclass(kind: type) -> bool:
    """Return whether objects of a class are classes."""
    return issubclass(kind, type)


def may_act_at_end(item: object) -> bool:
    """Return whether an object may do something when it goes, or when its instances do."""
    kind = type(item)
    if is_metaclass(kind):
        return "__del__" in vars(item)
    if kind is WEAK_REFERENCE:
        callback = getattr(item, "__callback__", None)
        return not (callback is None or only_forgets(callback))
    return kind.__module__ != "_io" or not item.closed  # type: ignore[attr-defined]


def only_forgets(callback: Any) -> bool:
    """Return whether a callback of a weak reference only forgets what is gone."""
    if callback.__module__ in WEAK_REGISTRIES:
        return True
    owner = getattr(callback, "__self__", None)  # in `_abc` another weak reference, to a cache
    return callback.__name__ == "_destroy" and type(owner) is WEAK_REFERENCE


SOCKET = _socket.socket  # it is closed, as the kernel would
WEAK_REFERENCE = type(_weakref.ref(ErrorCatcher))
