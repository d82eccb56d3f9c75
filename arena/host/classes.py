"""Bots that are classes: named as `PATH.py:CLASS`, or handed over by a program in Python.

A file is imported once for what it holds: who changes it and seats its class again gets the new
one. While it is imported its folder is looked in first, as when Python runs it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import blake2b
from inspect import getsourcefile
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from attrs import frozen

from arena.host.botfile import BadBot
from arena.players import Bot
from arena.plugins import make, named
from arena.rules import Unknown, UserError, in_words

CLASS = re.compile(r"(?P<path>.+\.py):(?P<given>[A-Za-z_]\w*(:.*)?)", re.DOTALL)


@frozen
class ClassInFile:
    """What `PATH.py:CLASS:PARAMETER=VALUE,...` names."""

    path: Path  #: the file
    name: str  #: the class
    given: str  #: the class with its parameters, as they were written

    @classmethod
    def named(cls, text: str) -> ClassInFile | None:
        """Read a bot's text; None where it names something else.

        >>> ClassInFile.named("mine.py:Mine:depth=3").name
        'Mine'
        >>> ClassInFile.named("python3 mine.py") is None
        True
        """
        found = CLASS.fullmatch(text)
        if not found or (re.search(r"\s", found["path"]) and not os.path.isfile(found["path"])):
            return None
        return cls(Path(found["path"]), found["given"].partition(":")[0], found["given"])

    def read(self) -> tuple[type[Bot], dict[str, Any]]:
        """Import the class, and read its parameters; raise BadBot in one line."""
        try:
            kind = self._kind()
            _, parameters = named(self.given)
            _made(kind, parameters)
        except UserError as problem:
            raise BadBot(f"{self.path}: {problem}") from None
        return kind, parameters

    def _kind(self) -> type[Bot]:
        module = _imported(self.path.absolute(), self.source())
        own = [name for name, one in vars(module).items() if _is_bot(one) and one is not Bot]
        if not hasattr(module, self.name):
            raise Unknown("bot", self.name, own)
        kind = getattr(module, self.name)
        if not _is_bot(kind):
            raise BadBot(f"{self.name} is no subclass of arena.Bot")
        found: type[Bot] = kind
        return found

    def source(self) -> bytes:
        """Return what the file holds; raise BadBot."""
        if not os.path.isfile(self.path):  # a pipe would never end
            raise BadBot("there is no such file")
        try:
            return self.path.read_bytes()
        except OSError as problem:
            raise BadBot(str(problem.strerror)) from None


def as_source(factory: Callable[..., Bot]) -> str:
    """Return a class of a file as `PATH.py:CLASS`; raise UserError where another process has none.

    Tournaments go on later and in other processes, which have to find the class again.
    """
    name = getattr(factory, "__qualname__", repr(factory))
    path = getsourcefile(factory) if _is_named(factory) else None
    if path is None or not CLASS.fullmatch(f"{path}:{name}"):
        raise UserError(
            f"{name} stands in no file where other processes find it: write it into a file,"
            " and name it as PATH.py:CLASS"
        )
    return f"{path}:{name}"


def _is_named(factory: Callable[..., Bot]) -> bool:
    """Is it a class that its module, which is a file's, knows by its name?"""
    module = sys.modules.get(factory.__module__) if isinstance(factory, type) else None
    own = getattr(module, getattr(factory, "__qualname__", ""), None)
    return own is factory and os.path.isfile(getattr(module, "__file__", None) or "")


def _is_bot(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, Bot)


def _made(kind: type[Bot], parameters: Mapping[str, Any]) -> None:
    """See that a bot can be made: now, rather than when a match begins; raise UserError."""
    try:
        make(kind, parameters)
    except UserError:
        raise
    except Exception as problem:
        raise BadBot(f"{kind.__name__} cannot be made: {in_words(problem)}") from problem


@cache
def _imported(path: Path, source: bytes) -> ModuleType:
    """Import what a file holds; raise BadBot, with the line where it fails."""
    hashed = blake2b(f"{path}\0".encode() + source, digest_size=6).hexdigest()
    name = f"class_in_file_{hashed}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # where classes look their annotations up
    sys.path.insert(0, str(path.parent))
    try:
        code = compile(source, str(path), "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102  # who seats a bot runs it
    except (Exception, SystemExit) as problem:
        del sys.modules[name]
        raise BadBot(f"it cannot be imported: {_told(problem, path)}") from problem
    finally:
        sys.path.remove(str(path.parent))
    return module


def _told(problem: BaseException, path: Path) -> str:
    """Say what was raised, and in which line of the file."""
    if isinstance(problem, SyntaxError) and problem.filename == str(path):
        return f"{type(problem).__name__}: {problem.msg} (line {problem.lineno})"
    lines = [one.lineno for one in extract_tb(problem.__traceback__) if one.filename == str(path)]
    return in_words(problem) + (f" (line {lines[-1]})" if lines else "")
