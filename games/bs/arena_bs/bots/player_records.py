"""What is known of how a player plays."""

from __future__ import annotations

from attrs import Factory, define


@define
class SmoothedRate:
    """How often something was so, of the times that one could see it."""

    expected: float  # the share to expect before anything was seen
    weight: float  # how many times that expectation stands for
    trials: int = 0
    successes: int = 0

    def count(self, so: bool) -> None:
        """See it once more."""
        self.trials += 1
        self.successes += so

    @property
    def rate(self) -> float:
        """Guess how often it will be so."""
        return (self.successes + self.expected * self.weight) / (self.trials + self.weight)


@define
class PlayerRecord:
    """How a seat has played, as far as it came to light.

    Who has nothing of a rank must lie, and most then lay a single card: only a lie of
    several cards shows a liar. And many let nobody go out who would not call otherwise.
    What is expected beforehand is how the bundled bots play among themselves.
    """

    single_lies: SmoothedRate = Factory(lambda: SmoothedRate(0.3, 5))
    other_lies: SmoothedRate = Factory(lambda: SmoothedRate(0.1, 3))
    last_calls: SmoothedRate = Factory(lambda: SmoothedRate(0.5, 2))
    other_calls: SmoothedRate = Factory(lambda: SmoothedRate(0.05, 6))

    def lie_probability(self, claim: int) -> float:
        """Guess how likely its claim of so many cards is false."""
        return (self.single_lies if claim == 1 else self.other_lies).rate

    def call_probability(self, last: bool) -> float:
        """Guess how likely it calls a claim, of somebody's last cards perhaps."""
        return (self.last_calls if last else self.other_calls).rate

    def note_claim(self, claim: int, lie: bool) -> None:
        """See whether its claim of so many cards was false."""
        (self.single_lies if claim == 1 else self.other_lies).count(lie)

    def note_call(self, last: bool, called: bool) -> None:
        """See whether it called, when it might have."""
        (self.last_calls if last else self.other_calls).count(called)
