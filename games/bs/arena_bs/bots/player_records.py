"""Statistics of a player's behaviour."""

from __future__ import annotations

from attrs import Factory, define


@define
class SmoothedRate:
    """The observed rate of an event, smoothed by a prior."""

    expected: float  # the rate expected before any observation
    weight: float  # the number of observations that the prior counts as
    trials: int = 0
    successes: int = 0

    def count(self, so: bool) -> None:
        """Add an observation."""
        self.trials += 1
        self.successes += so

    @property
    def rate(self) -> float:
        """The estimated rate."""
        return (self.successes + self.expected * self.weight) / (self.trials + self.weight)


@define
class PlayerRecord:
    """The rates at which a seat lied and called, as far as the others could see.

    A player without a card of the rank must lie, and most then lay a single card, so only a lie of
    several cards marks a liar. Many players call those who go out but nobody else. The priors are
    the rates of the bundled bots playing each other.
    """

    single_lies: SmoothedRate = Factory(lambda: SmoothedRate(0.3, 5))
    other_lies: SmoothedRate = Factory(lambda: SmoothedRate(0.1, 3))
    last_calls: SmoothedRate = Factory(lambda: SmoothedRate(0.5, 2))
    other_calls: SmoothedRate = Factory(lambda: SmoothedRate(0.05, 6))

    def lie_probability(self, claim: int) -> float:
        """Estimate the probability that a claim of this number of cards is a lie."""
        return (self.single_lies if claim == 1 else self.other_lies).rate

    def call_probability(self, last: bool) -> float:
        """Estimate the probability that it calls a claim, which may be of a player's last cards."""
        return (self.last_calls if last else self.other_calls).rate

    def note_claim(self, claim: int, lie: bool) -> None:
        """Record whether its claim of this number of cards was a lie."""
        (self.single_lies if claim == 1 else self.other_lies).count(lie)

    def note_call(self, last: bool, called: bool) -> None:
        """Record whether it called when it could have."""
        (self.last_calls if last else self.other_calls).count(called)
