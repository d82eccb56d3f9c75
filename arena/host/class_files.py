"""Bots that are classes of a file, `PATH.py:CLASS`: read, imported, and written so."""

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
from typing import Any, TypeGuard

from attrs import frozen

from arena.host.bot_file import BotError
from arena.players import Bot
from arena.plugins import build_with_parameters, split_name
from arena.rules import UnknownNameError, UserError, describe_error

CLASS_PATTERN = re.compile(r"(?P<path>.+\.py):(?P<given>[A-Za-z_]\w*(:.*)?)", re.DOTALL)


@frozen
class ClassReference:
    """What `PATH.py:CLASS:PARAMETER=VALUE,...` names."""

    path: Path  #: the file
    name: str  #: the class
    class_text: str  #: the class with its parameters, as they were written

    @classmethod
    def parse(cls, text: str) -> ClassReference | None:
        """Read a bot's text; None where it names something else.

        >>> ClassReference.parse("mine.py:Mine:depth=3").name
        'Mine'
        >>> ClassReference.parse("python3 mine.py") is None
        True
        """
        found = CLASS_PATTERN.fullmatch(text)
        if not found or (re.search(r"\s", found["path"]) and not os.path.isfile(found["path"])):
            return None
        return cls(Path(found["path"]), found["given"].partition(":")[0], found["given"])

    def read(self) -> tuple[type[Bot], dict[str, Any]]:
        """Import the class, and read its parameters; raise BotError in one line."""
        try:
            kind = self._import_class()
            _, parameters = split_name(self.class_text)
            _check_constructible(kind, parameters)
        except UserError as problem:
            raise BotError(f"{self.path}: {problem}") from None
        return kind, parameters

    def _import_class(self) -> type[Bot]:
        module = _import_file(self.path.absolute(), self.read_source())
        own = [
            name
            for name, value in vars(module).items()
            if _is_bot_class(value) and value is not Bot
        ]
        if not hasattr(module, self.name):
            raise UnknownNameError("bot", self.name, own)
        kind = getattr(module, self.name)
        if not _is_bot_class(kind):
            raise BotError(f"{self.name} is not a subclass of arena.Bot")
        return kind

    def read_source(self) -> bytes:
        """Return the bytes of the file; raise BotError."""
        if not os.path.isfile(self.path):  # a pipe would never end
            raise BotError("there is no such file")
        try:
            return self.path.read_bytes()
        except OSError as problem:
            raise BotError(str(problem.strerror)) from None


def _is_bot_class(value: object) -> TypeGuard[type[Bot]]:
    return isinstance(value, type) and issubclass(value, Bot)


def _check_constructible(kind: type[Bot], parameters: Mapping[str, Any]) -> None:
    """See that a bot can be made: now, rather than when a match begins; raise UserError."""
    try:
        build_with_parameters(kind, parameters)
    except UserError:
        raise
    except Exception as problem:
        raise BotError(f"{kind.__name__} cannot be created: {describe_error(problem)}") from problem


@cache
def _import_file(path: Path, source: bytes) -> ModuleType:
    """Import what a file holds; raise BotError, with the line where it fails.

    A file is imported once for what it holds: who changes it and seats its class again gets the
    new one. Meanwhile its folder is looked in first, as when Python runs it.
    """
    digest = blake2b(f"{path}\0".encode() + source, digest_size=6).hexdigest()
    name = f"class_in_file_{digest}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # where classes look their annotations up
    sys.path.insert(0, str(path.parent))
    try:
        code = compile(source, str(path), "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102  # who seats a bot runs it
    except (Exception, SystemExit) as problem:
        del sys.modules[name]
        raise BotError(
            f"cannot be imported: {_describe_import_failure(problem, path)}"
        ) from problem
    finally:
        sys.path.remove(str(path.parent))
    return module


def _describe_import_failure(problem: BaseException, path: Path) -> str:
    """Return the exception in one line, with the line of the file that raised it."""
    if isinstance(problem, SyntaxError) and problem.filename == str(path):
        return f"{type(problem).__name__}: {problem.msg} (line {problem.lineno})"
    lines = [
        frame.lineno for frame in extract_tb(problem.__traceback__) if frame.filename == str(path)
    ]
    return describe_error(problem) + (f" (line {lines[-1]})" if lines else "")


def format_class_path(factory: Callable[..., Bot]) -> str:
    """Return a class of a file as `PATH.py:CLASS`; raise UserError where another process has none.

    Tournaments go on later and in other processes, which have to find the class again.
    """
    name = getattr(factory, "__qualname__", repr(factory))
    path = getsourcefile(factory) if _is_importable(factory) else None
    if path is None or not CLASS_PATTERN.fullmatch(f"{path}:{name}"):
        raise UserError(
            f"{name} is not defined in a file that other processes can import; move it to a file,"
            " and name it as PATH.py:CLASS"
        )
    return f"{path}:{name}"


def _is_importable(factory: Callable[..., Bot]) -> bool:
    """Whether another process can import a class by its file and its name."""
    module = sys.modules.get(factory.__module__) if isinstance(factory, type) else None
    own = getattr(module, getattr(factory, "__qualname__", ""), None)
    return own is factory and os.path.isfile(getattr(module, "__file__", None) or "")
