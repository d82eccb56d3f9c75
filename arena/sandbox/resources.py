"""What a program in a sandbox may use, its environment, and the request that starts it there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen, validators

from arena.sandbox.installations import find_interpreters, find_packages, is_own, resolve_program
from arena.sandbox.messages import LANDLOCK, NAMESPACES, LaunchRequest, ResourceBounds

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
            "words": [_translate_paths(resolve_program(word), names) for word in words],
            "environment": {
                "PATH": PATH_VARIABLE, "HOME": inside, "TMPDIR": inside, "LANG": "C.UTF-8",
            },
            "folder": str(folder),
            "inside": inside,
            "reads": [
                *((path, name) for path, name in names.items() if path != str(folder)),
                *((path, path) for path in find_interpreters(words)),
            ],
            "links": home == folder,
            "lists": [os.path.dirname(path) for path in find_packages()],
            "bounds": self.resources.bounds,
            "keeps": keeps,
        }  # fmt: skip


def _name_files(words: Sequence[str], folder: Path, home: Path | None) -> dict[str, str]:
    """Return the folders and files of a bot, each with its path inside namespaces."""
    names = {str(folder): HOME_INSIDE if home == folder else WORK_INSIDE}
    if home and home != folder:
        names[str(home)] = HOME_INSIDE
    elif home is None:
        own = [word for word in (*words[1:], words[0]) if is_own(word)]
        names |= {word: f"{HOME_INSIDE}/{Path(word).name}" for word in own}
    return names


def _translate_paths(word: str, names: Mapping[str, str]) -> str:
    """Return a word of a command with the host's paths as they are inside the sandbox."""
    for path in sorted(names, key=len, reverse=True):
        word = word.replace(path, names[path])
    return word
