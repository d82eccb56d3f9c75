"""The fork server: it forks processes that confine themselves and run a bot's script.

It forks, and nothing else: it reads no request, compiles no script and hears nothing of what it has
forked. So there is nothing in its memory of one match that could reach the next. It ends with its
launcher.

A script is run as by the starter of trusted programs (`arena.players.starter`), so the bot cannot
tell either, but for what docs/reference/programs.md lists. Whatever is unusual is started plainly,
in the same sandbox.
"""

from __future__ import annotations

import _socket
import gc
import marshal
import os
import sys
from typing import TYPE_CHECKING

from arena.sandbox.bubblewrap import READY_DESCRIPTOR
from arena.sandbox.fork_server import warm_python
from arena.sandbox.kernel import libc
from arena.sandbox.processes.program_setup import (
    CANNOT_START_STATUS,
    ProgramLaunch,
    report_problem,
)

if TYPE_CHECKING:
    from types import CodeType, TracebackType
    from typing import Any, Self

MAX_MESSAGE_BYTES = 64
MAX_ANCILLARY_BYTES = 256


class ForkServer:
    """Answers a launcher until that is gone."""

    def __init__(
        self, descriptor: int, main: dict[str, Any], modules: set[str], importers: set[str]
    ) -> None:
        """Take the socket of the launcher.

        Args:
            descriptor: of the socket.
            main: the names of `__main__`.
            modules: what was imported before anything was for the fork server.
            importers: the paths from which that was.
        """
        os.set_inheritable(descriptor, False)
        self._socket = _socket.socket(fileno=descriptor)
        self._main, self._modules, self._importers = main, modules, importers

    def __enter__(self) -> Self:
        """Close this process to others, and tell the launcher whether it can fork."""
        libc.prctl(libc.DUMPABLE, 0)
        libc.bound_capabilities()
        self._socket.send(b"%d" % warm_python.can_run_scripts(self._main))
        return self

    def take_script(self) -> CodeType:
        """Serve the launcher; return, in a confined fork, the script that is to be run."""
        warm_python.forget_imports(self._modules, self._importers, self._main["__file__"])
        gc.collect()
        gc.freeze()
        while True:
            if descriptors := self._serve():
                return self._become(descriptors)

    def _serve(self) -> list[int]:
        """Answer once; return, in a fork, the descriptors that were given for it."""
        message, ancillary, _, _ = self._socket.recvmsg(
            MAX_MESSAGE_BYTES, MAX_ANCILLARY_BYTES, _socket.MSG_CMSG_CLOEXEC
        )
        if not message:
            os._exit(0)
        descriptors = warm_python.read_descriptors(ancillary)
        if not descriptors:  # it asks for the end of a program
            _, status, used = os.wait4(int(message), 0)
            self._socket.send(b"%d %f" % (status, used.ru_utime + used.ru_stime))
            return []
        try:
            process = os.fork()
        except OSError:  # a plain start says what is lacking
            process = 0
        else:
            if process == 0:
                return descriptors
        self._socket.send(b"%d" % process)
        for descriptor in descriptors:
            os.close(descriptor)
        return []

    def _become(self, descriptors: list[int]) -> CodeType:
        """Make this fork the program in its sandbox; return its script."""
        plan, says, stdin, stdout, stderr, *group = descriptors
        self._socket.close()  # the launcher hears the fork server alone
        os.dup2(says, READY_DESCRIPTOR)
        try:
            with open(plan, "rb") as file:
                file.seek(0)
                parts = marshal.load(file)  # the launcher's
            launch = ProgramLaunch(*parts)._replace(
                streams=(stdin, stdout, stderr), group=group[0] if group else None
            )
            launch.confine(READY_DESCRIPTOR)
            launch.report_ready()
            return self._find_script(launch) or launch.execute()
        except BaseException as problem:  # noqa: BLE001  # it must not go on as a fork server
            report_problem(problem)
            os._exit(CANNOT_START_STATUS)

    def _find_script(self, launch: ProgramLaunch) -> CodeType | None:
        """Return the script as it is run here, or None if it is to be started plainly."""
        words, environment = launch.request["words"], launch.request["environment"]
        script = words[1]
        code = _compile(script)
        if code is None or not _move_home(os.environ["HOME"], environment["HOME"]):
            return None
        os.environ.clear()
        os.environ.update(environment)
        place = os.path.dirname(os.path.realpath(script))
        warm_python.become_script(self._main, words, place)
        return code

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process after its script."""
        warm_python.end_script(problem, trace)


def _compile(script: str) -> CodeType | None:
    """Return a script's code, or None if compiling it says anything at all."""
    said = warm_python.ErrorCatcher()
    errors, sys.stderr = sys.stderr, said
    try:
        with open(script, "rb") as file:
            code = compile(file.read(), script, "exec", dont_inherit=True)
    except Exception:  # noqa: BLE001  # a plain start says what is wrong
        return None
    finally:
        sys.stderr = errors
    return None if said.heard else code


def _move_home(before: str, home: str) -> bool:
    """Have this interpreter know another home; return whether it would be the same there."""
    site: Any = sys.modules.get("site")
    if site and site.USER_SITE:
        base = home + site.USER_BASE.removeprefix(before)
        packages = home + site.USER_SITE.removeprefix(before)
        if os.path.exists(packages):
            return False
        site.USER_BASE, site.USER_SITE = base, packages
    return True
