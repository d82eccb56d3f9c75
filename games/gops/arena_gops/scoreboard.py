"""The public state of a game, computed from the events that a seat receives.

Bots and views have a scoreboard each. It awards prizes with the function of the game's rules
(`arena_gops.rules.award_prize`), so the two cannot differ.
"""

from __future__ import annotations

from typing import Any

from attrs import define, field

from arena import Seat
from arena_gops.rules import Bids, Gops, Hand, Prize, Scores, award_prize, without


@define
class Scoreboard:
    """Prizes, bids, hands and scores of a game, from its events: `board.hear(event)`."""

    variant: Gops
    seats: int
    prizes: list[int] = field(init=False, factory=list)  # turned up so far; the last is up now
    bids: list[tuple[int, ...]] = field(init=False, factory=list)  # the bids of the rounds played
    hands: tuple[Hand, ...] = field(init=False)  # the cards left, in seat order
    scores: Scores = field(init=False)
    carried: int = field(init=False, default=0)  # points for the next winner
    winners_by_round: list[tuple[Seat, ...]] = field(
        init=False, factory=list
    )  # the seats that got points, by round

    @hands.default
    def _suits(self) -> tuple[Hand, ...]:
        return (self.variant.suit,) * self.seats

    @scores.default
    def _nothing(self) -> Scores:
        return (0,) * self.seats

    @property
    def takers(self) -> tuple[Seat, ...]:
        """The seats that got points in the last round."""
        return self.winners_by_round[-1] if self.winners_by_round else ()

    @property
    def leaders(self) -> list[Seat]:
        """The seats with the most points, in seat order."""
        return [seat for seat, score in enumerate(self.scores) if score == max(self.scores)]

    @property
    def prize(self) -> int:
        """The prize that is up, or was up last."""
        return self.prizes[-1]

    @property
    def stake(self) -> int:
        """The points of the prize that is up, with those carried over."""
        return self.prize + self.carried

    @property
    def round(self) -> int:
        """The number of the round, from 1; 0 before the first prize."""
        return len(self.prizes)

    @property
    def over(self) -> bool:
        """Whether all prizes have been bid for."""
        return len(self.bids) == self.variant.cards

    @property
    def face_down(self) -> tuple[int, ...]:
        """The prizes still to be turned up, the lowest first."""
        rest = list(self.variant.values)
        for prize in self.prizes:
            rest.remove(prize)
        return tuple(rest)

    def hear(self, event: Any) -> None:
        """Record a prize or bids; ignore other events."""
        if isinstance(event, Prize):
            self.prizes.append(event.card)
        elif isinstance(event, Bids):
            self._settle(event.cards)

    def _settle(self, bids: tuple[int, ...]) -> None:
        before = self.scores
        self.scores, self.carried = award_prize(self.variant.ties, self.stake, before, bids)
        gained = (seat for seat in range(self.seats) if self.scores[seat] > before[seat])
        self.winners_by_round.append(tuple(gained))
        self.hands = tuple(map(without, self.hands, bids))
        self.bids.append(bids)
