"""A seat's clock: what is left of its limits, for each move, in the bank, and to start.

All times are seconds of the monotonic clock. Only the match reads that clock; a seat's
clock does the sums.
"""

from __future__ import annotations

from arena.wires import Limits, TimeLeft

__all__ = ["Limits", "SeatClock"]


class SeatClock:
    """One seat's clock.

    `left` is what the player is told, and `allowed` what the next answer may take: the limit for
    a move, or what is left in the bank if that is less, and before the first answer the start-up
    allowance on top, which is not taken from the bank: slow languages start slowly. Where it is
    `constant`, nothing changes any more but `used`.
    """

    __slots__ = ("_bank", "_limits", "_start", "constant", "left", "used")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bank = limits.bank
        self._start = limits.start
        self.used = 0.0  # seconds, for all answers so far
        self._update_allowance()

    @property
    def allowed(self) -> float:
        """The seconds that the next answer may take."""
        return self.left.move

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
        allowed = self._start + (move if self._bank is None else min(move, self._bank))
        self.left = TimeLeft(allowed, self._bank)
