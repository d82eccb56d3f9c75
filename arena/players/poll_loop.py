"""The poll loop, the only place where a match waits for descriptors, and the clock of the host."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Thread
from time import monotonic, process_time, sleep
from typing import NamedTuple

from arena.players.rules_watch import RulesWatch

MAX_WAIT_SECONDS = 1.0
"""Seconds of one poll; what is longer is waited for again. An interrupt that comes in the last
moment before the poll does not end it: its handler runs after this time."""


class PollLoop:
    """Descriptors with the functions to call when they are ready.

    Forget a descriptor before it is closed: its number may be somebody else's at once.
    """

    def __init__(self) -> None:
        self._poll = select.poll()
        self._callbacks: dict[int, Callable[[], object]] = {}
        self.woke_at = 0.0  # when the last wait was over
        CLOCK.start()

    def watch(self, descriptor: int, events: int, on_ready: Callable[[], object]) -> None:
        """Call a function whenever the descriptor is readable, writable or hung up."""
        self._poll.register(descriptor, events)
        self._callbacks[descriptor] = on_ready

    def forget(self, descriptor: int) -> None:
        """Stop watching a descriptor; do nothing if it was not watched."""
        if self._callbacks.pop(descriptor, None):
            self._poll.unregister(descriptor)

    def wait(self, until: float) -> None:
        """Wait until a descriptor is ready or a moment of the host's own time has come.

        It may be over before that: after MAX_WAIT_SECONDS, and where the host has stood still.
        """
        seconds = min(max(0.0, until - now()), MAX_WAIT_SECONDS)
        ready = self._poll.poll(seconds * 1000)
        self.woke_at = now()
        for descriptor, _ in ready:
            if stirred := self._callbacks.get(descriptor):
                stirred()


BEAT_SECONDS = 0.025  # seconds
MAX_GAP_SECONDS = 0.075  # seconds: a beat that is later than a busy machine makes it


class HostClock:
    """Measures the host's own time once it is started; until then, monotonic time.

    The host's own time stands still while the host is stopped. A laptop sleeps, a virtual machine
    is paused, somebody stops the process: then no player can be held to the clock by a host that
    was not there. A thread of its own beats, as it would not while the process stands still.
    Between two beats time counts up to MAX_GAP_SECONDS, and further only as far as the process was
    busy: a bot may have kept the thread from beating.

    So a pause costs who is asked MAX_GAP_SECONDS at most. Who thought while only the host was
    stopped has gained that time: it cannot be told from one that was stopped as well.

    The thread also watches that the rules come to an end (`RulesWatch`).
    """

    def __init__(self) -> None:
        self._beating = False
        self._starting = Lock()  # matches may begin in several threads at once
        self.latest = HeartbeatRecord(monotonic(), process_time(), 0.0)

    def stop(self) -> None:
        """Forget the thread, in a forked child, which does not have it."""
        self._beating = False
        self._starting = Lock()

    def start(self) -> None:
        """Start the thread unless it runs; without it, no pause is noticed."""
        if self._beating:
            return
        with self._starting:
            if not self._beating:
                self.beat()
                with suppress(RuntimeError):  # no more threads
                    Thread(target=self._run, name="host clock", daemon=True).start()
                    self._beating = True

    def beat(self) -> None:
        """Note that the process is running."""
        latest, moment, busy = self.latest, monotonic(), process_time()
        lost = latest.compute_lost_seconds(moment, busy) if self._beating else latest.lost
        self.latest = HeartbeatRecord(moment, busy, lost)

    def now(self) -> float:
        """Return the host's own time, in seconds; it never runs backwards."""
        latest, moment = self.latest, monotonic()
        while latest is not self.latest:  # it has beaten in between
            latest, moment = self.latest, monotonic()
        if moment - latest.moment <= MAX_GAP_SECONDS or not self._beating:
            return moment - latest.lost
        return moment - latest.compute_lost_seconds(moment, process_time())

    def compute_lost_since(self, beat: HeartbeatRecord) -> float:
        """Return the seconds lost since this was the latest beat."""
        moment = monotonic()
        return moment - self.now() - beat.lost

    def _run(self) -> None:
        watch = RulesWatch()
        while True:
            sleep(BEAT_SECONDS)
            self.beat()
            watch.look()


class HeartbeatRecord(NamedTuple):
    """A record of a moment at which this process was running."""

    moment: float  # by the monotonic clock
    busy: float  # seconds of the processor so far
    lost: float  # seconds so far in which the process stood still

    def compute_lost_seconds(self, moment: float, busy: float) -> float:
        """Return the seconds lost by a later moment, if there was no beat in between."""
        gap = moment - self.moment
        return self.lost + max(0.0, gap - max(MAX_GAP_SECONDS, busy - self.busy))


CLOCK = HostClock()
now = CLOCK.now
"""Return the host's own time, in seconds: it stands still while the host is stopped."""

os.register_at_fork(after_in_child=CLOCK.stop)
