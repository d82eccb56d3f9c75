"""The account and the limiter that all processes of a run share: one small file, locked for use."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time

from attrs import asdict, define, field

from arena import UserError
from arena.files import lock_open_file, open_private
from arena.wires import ValidationError, read
from arena_llm.settings import Usage


@define
class Account:
    """What a run has used, and when its next call may begin."""

    usage: Usage = field(factory=Usage)
    next_call: float = 0.0  #: in seconds since 1970, which all processes count alike


class Ledger:
    """Keeps the account of a run, in a file or in this process."""

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._own = path, Account()

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        with self._open() as account:
            return account.usage

    def reserve_call(self, calls_per_minute: float | None) -> float:
        """Return in how many seconds the next call may begin; nobody else is given this moment."""
        with self._open() as account:
            begin = max(time(), account.next_call)
            account.next_call = begin + (60.0 / calls_per_minute if calls_per_minute else 0.0)
            return begin - time()

    def hold_back(self, seconds: float) -> None:
        """Let nobody call for some seconds, as the endpoint has asked."""
        with self._open() as account:
            account.next_call = max(account.next_call, time() + seconds)

    def add(self, usage: Usage) -> None:
        """Add what a call has used."""
        with self._open() as account:
            account.usage += usage

    @contextmanager
    def _open(self) -> Iterator[Account]:
        """Yield the account, and write what has become of it."""
        if self._path is None:
            yield self._own
            return
        descriptor = open_private(self._path, os.O_RDWR | os.O_CREAT)
        try:
            lock_open_file(descriptor, wait=True)
            text = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
            account = self._read(text)
            yield account
            line = f"{json.dumps(asdict(account))}\n".encode()
            if line != text:
                os.pwrite(descriptor, line, 0)
                os.ftruncate(descriptor, len(line))
        finally:
            os.close(descriptor)

    def _read(self, text: bytes) -> Account:
        if not text:
            return Account()
        try:
            return read(json.loads(text), Account)
        except (ValueError, ValidationError) as problem:
            raise UserError(f"{self._path}: not a ledger of arena-llm: {problem}") from None


OWN_LEDGERS: defaultdict[str | None, Ledger] = defaultdict(Ledger)
"""The accounts of this process, by the address of the endpoint, where no file is named."""
