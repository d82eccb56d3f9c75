"""How long a player may take: for each move, from a bank, and to start.

All times are seconds of the monotonic clock. Only the match reads that clock; a seat's
clock does the sums.
"""

from __future__ import annotations

from attrs import field, frozen, validators

positive = validators.gt(0.0)
not_negative = validators.ge(0.0)


@frozen
class Limits:
    """What every player of a match is allowed, in seconds.

    `move` is for each answer, `start` more for the first one. With a `bank` all answers
    together may take no longer, and each puts an `increment` into it. `grace` is for ending
    by itself when the match is over.
    """

    move: float = field(default=30.0, validator=positive)  #: for each answer
    start: float = field(default=10.0, validator=not_negative)  #: more for the first answer
    bank: float | None = field(default=None, validator=validators.optional(positive))
    increment: float = field(default=0.0, validator=not_negative)  #: into the bank, each answer
    grace: float = field(default=1.0, validator=not_negative)  #: to end when the match is over


class SeatClock:
    """One seat's clock.

    `allowed` is what the next answer may take: the limit for a move, or what is left in
    the bank if that is less, and before the first answer the start-up allowance on top,
    which is not taken from the bank: slow languages start slowly. Where it is `constant`,
    nothing changes any more but `used`.
    """

    __slots__ = ("_bank", "_limits", "_start", "allowed", "constant", "used")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bank = limits.bank
        self._start = limits.start
        self.used = 0.0  # seconds, for all answers so far
        self._update_allowance()

    def spend(self, seconds: float, *, started: bool = True) -> None:
        """Take what an answer took off the clock; until it has `started`, it may start slowly."""
        self.used += seconds
        if self._bank is not None:
            charged = max(0.0, seconds - self._start)
            self._bank = max(0.0, self._bank - charged) + self._limits.increment
        if started:
            self._start = 0.0
        self._update_allowance()

    def _update_allowance(self) -> None:
        move = self._limits.move
        self.constant = self._bank is None and not self._start
        self.allowed = self._start + (move if self._bank is None else min(move, self._bank))
