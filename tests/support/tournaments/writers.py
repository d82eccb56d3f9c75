"""Processes that write to a tournament's database, one after the other, until each is killed.

A nursery forks them, so that each starts at once and has the database all to itself, down to the
lock. It imports no more than they need.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.tournament.deals import Deal
from arena.tournament.store import Store, database
from tests.support.checkout import ROOT
from tests.support.tournaments.stored_matches import A, B, C, build_result

LOCK_SECONDS = 300.0


def write(address: str) -> None:
    """Record what is to be played, planning more when it is over; say each key that is stored."""
    database.LOCK_TIMEOUT_SECONDS = (
        LOCK_SECONDS  # a busy server is late to see that the last one is gone
    )
    os.write(1, f"writer {os.getpid()}\n".encode())
    with Store.open(address) as store:
        store.claim()
        while True:
            for deal, rotation in store.deals.list_todo():
                assert store.matches.record(
                    build_result(deal.number, rotation, deal.rotate(rotation))
                )
                os.write(1, f"{deal.number}.{rotation}\n".encode())
            first = store.deals.load_past().deals
            store.deals.plan([Deal(first + more, (A, B, C), 3) for more in range(20)])


def nurse(address: str, times: int) -> None:
    """Have one writer after the other, each until it is killed."""
    for _ in range(times):
        writer = os.fork()
        if not writer:
            write(address)
        _, status = os.waitpid(writer, 0)
        os.write(1, f"ended {os.waitstatus_to_exitcode(status)}\n".encode())


@contextmanager
def nursery(address: str | Path, times: int) -> Iterator[subprocess.Popen[str]]:
    """Return the process of a nursery; its writers end before it."""
    program = f"from {__name__} import nurse; nurse({str(address)!r}, {times})"
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()  # and a writer that is left ends by itself: nobody hears it
