"""The policy of a sandbox: its tier and resources."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen, validators

from arena.sandbox.bubblewrap import SYSTEM_PATHS
from arena.sandbox.messages import LANDLOCK, NAMESPACES, LaunchRequest, ResourceBounds
from arena.sandbox.version_managers import find_manager, resolve_shim

HOME_INSIDE, WORK_INSIDE = "/run/bot", "/run/work"
"""The paths of a bot's own folder and of its working folder inside namespaces."""

PATH_VARIABLE = "/usr/local/bin:/usr/bin:/bin"
MB = 1 << 20
at_least_one: Any = validators.ge(1)
positive: Any = validators.gt(0.0)
or_none: Any = validators.optional


@frozen
class Resources:
    """The resources of a program and its processes in a match."""

    #: resident, of all its processes; and of data, of each
    memory_mb: int | None = field(default=1024, validator=or_none(at_least_one))
    #: of all cores together
    cpu_seconds: float | None = field(default=None, validator=or_none(positive))
    processes: int = field(default=128, validator=at_least_one)  #: threads are counted, too
    disk_mb: int = field(default=256, validator=at_least_one)  #: in its folder; in its /tmp
    still: bool = False  #: is it stopped while it is not asked, so that it slows nobody?
    files: int = field(default=10_000, validator=at_least_one)  #: that it may write

    @property
    def bounds(self) -> ResourceBounds:
        """Return the resources in the form that a keeper reads."""
        memory = None if self.memory_mb is None else self.memory_mb * MB
        return {"memory": memory, "cpu": self.cpu_seconds, "processes": self.processes,
                "disk": self.disk_mb * MB, "files": self.files}  # fmt: skip


@frozen
class Sandbox:
    """A sandbox: a tier that works on this machine, and its resources."""

    tier: str = field(validator=validators.in_([NAMESPACES, LANDLOCK]))
    resources: Resources = field(factory=Resources)

    def request(
        self, words: Sequence[str], folder: Path, home: Path | None, *, keeps: bool = True
    ) -> LaunchRequest:
        """Build the request that starts a program in this sandbox.

        Args:
            words: the command line, as it would be without a sandbox.
            folder: where the program works, and may write.
            home: the bot's own folder, which it may read; None: the files that `words` name.
                Where it works in its own folder, as when it is built, it may write there.
            keeps: whether what it writes is wanted when it has ended.
        """
        names = _name_files(words, folder, home)
        if self.tier != NAMESPACES:
            names = {path: path for path in names}
        inside = names[str(folder)]
        return {
            "tier": self.tier,
            "words": [_translate_paths(_resolve_program(word), names) for word in words],
            "environment": {
                "PATH": PATH_VARIABLE, "HOME": inside, "TMPDIR": inside, "LANG": "C.UTF-8",
            },
            "folder": str(folder),
            "inside": inside,
            "reads": [
                *((path, name) for path, name in names.items() if path != str(folder)),
                *((path, path) for path in _find_interpreters(words)),
            ],
            "links": home == folder,
            "lists": [os.path.dirname(path) for path in _find_packages()],
            "bounds": self.resources.bounds,
            "keeps": keeps,
        }  # fmt: skip


def _name_files(words: Sequence[str], folder: Path, home: Path | None) -> dict[str, str]:
    """Return the folders and files of a bot, each with its path inside namespaces."""
    names = {str(folder): HOME_INSIDE if home == folder else WORK_INSIDE}
    if home and home != folder:
        names[str(home)] = HOME_INSIDE
    elif home is None:
        own = [word for word in (*words[1:], words[0]) if _is_own(word)]
        names |= {word: f"{HOME_INSIDE}/{Path(word).name}" for word in own}
    return names


def _is_own(word: str) -> bool:
    """Return whether a file is outside the system's folders and installed interpreters."""
    is_file = os.path.isabs(word) and os.path.isfile(word)
    return is_file and not _is_within(word, (*SYSTEM_PATHS, *_find_interpreters([word])))


def _is_within(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _translate_paths(word: str, names: Mapping[str, str]) -> str:
    """Return a word of a command with the host's paths as they are inside the sandbox."""
    for path in sorted(names, key=len, reverse=True):
        word = word.replace(path, names[path])
    return word


def find_readable_folder(path: Path) -> str:
    """Return the folder with this path in it that programs in sandboxes can read, or ""."""
    real = os.path.realpath(path)
    folders = _list_readable_folders(tuple(os.get_exec_path()))
    return next((folder for folder in folders if _is_within(real, [os.path.realpath(folder)])), "")


@cache
def _list_readable_folders(path_variable: tuple[str, ...]) -> tuple[str, ...]:
    """Return all that some command line can have a sandbox read beside the bot's own files.

    That is the system, and each installation of a program that the host finds by its name. What a
    version manager would choose is left out: asking for each of its shims takes seconds.
    """
    programs = [sys.executable, *_iter_programs(path_variable)]
    installed = (path for program in programs for path in _iter_installations(program))
    return tuple(dict.fromkeys([*SYSTEM_PATHS, *installed]))


def _iter_programs(path_variable: Iterable[str]) -> Iterator[str]:
    """Yield the programs that the host finds by their names, without version managers' shims."""
    for folder in path_variable:
        if not os.path.isabs(folder):
            continue
        with suppress(OSError), os.scandir(folder) as entries:
            yield from (entry.path for entry in entries if find_manager(Path(entry.path)) is None)


def _find_interpreters(words: Sequence[str]) -> list[str]:
    """Return the installations outside the system's folders that a command needs to read.

    That is what the host itself has installed, and its command finds: no more than the
    installation around each link on the way to it, and never a home.
    """
    programs = filter(_is_found_by_host, words)
    return [*dict.fromkeys(path for program in programs for path in _iter_installations(program))]


def _resolve_program(word: str) -> str:
    """Return the program behind a shim of the host's version manager, or the word itself.

    The manager is asked outside the sandbox, and stands beside the shim: a shim that a bot has
    brought must not choose what the host starts.
    """
    return resolve_shim(word) if _is_found_by_host(word) else word


def _is_found_by_host(word: str) -> bool:
    """Return whether a word is the host's own interpreter, or a program that it finds by name."""
    if word == sys.executable:
        return True
    return os.path.isabs(word) and shutil.which(os.path.basename(word)) == word


def _iter_installations(program: str) -> Iterator[str]:
    if program == sys.executable:
        yield from (prefix for prefix in (sys.prefix, sys.base_prefix) if prefix != "/usr")
        yield from _find_packages()
    path = resolve_shim(program)
    while True:
        installed = Path(path).parent.parent
        if Path(path).parent.name == "bin" and _is_installation(installed):
            yield str(installed)
        elif not _is_within(path, SYSTEM_PATHS):
            yield path
        if not os.path.islink(path):
            return
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))


def _is_installation(folder: Path) -> bool:
    """Return whether a folder is that of a single installation."""
    home = Path.home()
    mixed = folder in (Path("/"), Path("/usr"), Path("/usr/local"), home, home / ".local")
    return not mixed and ((folder / "lib").is_dir() or (folder / "pyvenv.cfg").is_file())


@cache
def _find_packages() -> tuple[str, ...]:
    """Return the packages of arena and its plugins that lie outside the installation's prefix."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    names = {"arena", *(point.module.partition(".")[0] for point in entry_points(group="arena"))}
    specs = [find_spec(name) for name in sorted(names)]
    folders = [str(Path(spec.origin).parent) for spec in specs if spec and spec.origin]
    return tuple(folder for folder in folders if not folder.startswith(f"{sys.prefix}/"))
