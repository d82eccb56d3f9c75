"""Matches explained by one objective: an account of each, and the worst bids of all."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from math import nan
from operator import attrgetter

import numpy as np
from attrs import astuple, define, field, frozen

from arena_gops_solver.matches.corrected import BOTH, Asked, Luck, Mixes, Panel
from arena_gops_solver.matches.doubts import Draws
from arena_gops_solver.matches.recorded import Recorded
from arena_gops_solver.matches.split import Step, split
from arena_gops_solver.positions import Place, Solved

THIRDS = 3
Thirds = tuple[float, float, float]  # of a match, by rounds


@frozen
class Shares:
    """What a result is made of, as one seat sees it: add all, but take off what was lost."""

    prize_luck: float
    lost_first: float  # in the first third of the rounds
    lost_middle: float
    lost_last: float
    lost_by_others: float
    meeting: float
    bids_luck: float  # of the meeting, the luck of both sides' bids; nan if not both are asked

    @property
    def outguessed(self) -> float:
        """Give what remains of the meeting: by what one guessed of the other's bids."""
        return self.meeting - self.bids_luck

    @property
    def lost(self) -> Thirds:
        """Give what was lost, third by third."""
        return self.lost_first, self.lost_middle, self.lost_last


@frozen
class Account:
    """A match in short, as seat 0 sees it."""

    match: Recorded
    result: float  # the difference of points, or its sign
    losses: tuple[Thirds, Thirds]  # of seat 0 and of seat 1
    luck: Luck
    expected: tuple[float, ...]  # the result that could be expected at first and after each round

    @classmethod
    def of(cls, match: Recorded, steps: Sequence[Step], mixes: tuple[Mixes, Mixes]) -> Account:
        """Sum the steps up."""
        expected = (*(float(step.before) for step in steps), float(steps[-1].after))
        losses = _thirds(steps, 0), _thirds(steps, 1)
        return cls(match, expected[-1], losses, Luck.of(steps, mixes), expected)

    def corrected(self, asked: Asked) -> float:
        """Give the result without the luck of the prizes, and of those bids that were asked."""
        return self.result - self.luck.prizes - self.luck.bids[asked]

    def shares(self, seat: int, asked: Asked) -> Shares:
        """Give what a seat's result is made of."""
        sign = 1 - 2 * seat
        lost, won = self.losses[seat], sum(self.losses[1 - seat])
        meeting = sign * (self.result - self.luck.prizes) + sum(lost) - won
        bids = sign * self.luck.bids[asked] if asked == BOTH else nan
        return Shares(sign * self.luck.prizes, *lost, won, meeting, bids)


def _thirds(steps: Sequence[Step], seat: int) -> Thirds:
    """Sum a seat's losses over each third of the rounds; the first is the longest."""
    sums = [0.0] * THIRDS
    for at, step in enumerate(steps):
        sums[at * THIRDS // len(steps)] += float(step.losses[seat])
    first, middle, last = sums
    return first, middle, last


@frozen
class Blunder:
    """A bid that the solution would not have made, and what it cost."""

    match: Recorded
    number: int  # of the round, from 1
    seat: int
    step: Step

    @property
    def place(self) -> Place:
        """Give where it was bid, as the bidder saw it."""
        place = self.step.round.place
        return place.mirrored() if self.seat else place

    @property
    def bid(self) -> int:
        """Give the card."""
        return self.step.round.bids[self.seat]

    @property
    def loss(self) -> float:
        """Give what it cost, whoever sat opposite."""
        return float(self.step.losses[self.seat])

    @property
    def solution(self) -> dict[int, float]:
        """Give the probability of each bid that the solution makes."""
        found = self.step.solution
        weights = (found.weights, found.theirs)[self.seat]
        cards = zip(self.place.mine, weights, strict=True)
        return {card: float(weight) for card, weight in cards if weight}


@define
class Analysis:
    """What is found in one match after the other."""

    solved: Solved
    most: int  # blunders that are kept
    accounts: list[Account] = field(factory=list)
    blunders: list[Blunder] = field(factory=list)  # the worst first
    draws: dict[str, Draws] = field(factory=dict)  # of bots that are asked

    def add(self, match: Recorded, mixes: tuple[Mixes, Mixes]) -> tuple[Step, ...]:
        """Explain a match; `mixes` are the seats' own, where they are known."""
        steps = split(self.solved, match)
        self.accounts.append(Account.of(match, steps, mixes))
        for bot, seat, own in zip(match.bots, (0, 1), mixes, strict=True):
            if own is not None:
                self.draws.setdefault(bot, Draws()).add(steps, seat, own)
        new = [
            Blunder(match, number, seat, step)
            for number, step in enumerate(steps, 1)
            for seat in (0, 1)
        ]
        self.blunders = nlargest(self.most, self.blunders + new, key=attrgetter("loss"))
        return steps

    def doubted(self, panel: Panel) -> list[str]:
        """Give the bots that are asked, but do not seem to bid as they say."""
        unasked = panel.unasked
        return [bot for bot, one in self.draws.items() if one.doubtful and bot not in unasked]

    def shares(self, name: str, panel: Panel) -> Shares:
        """Give what this bot's mean result is made of."""
        own = [
            one.shares(seat, panel.asked(one.match))
            for one in self.accounts
            for seat, called in enumerate(one.match.names)
            if called == name
        ]
        return Shares(*np.mean([astuple(one) for one in own], axis=0).tolist())
