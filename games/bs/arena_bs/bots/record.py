"""What is known of how a player plays."""

from __future__ import annotations

from attrs import Factory, define


@define
class Tally:
    """How often something was so, of how many times that one could see."""

    seen: int = 0
    times: int = 0

    def count(self, so: bool) -> None:
        """See it once more."""
        self.seen += 1
        self.times += so

    def share(self, usual: float, weight: float) -> float:
        """Give the share of times; the usual share stands for `weight` sights before the first."""
        return (self.times + usual * weight) / (self.seen + weight)


@define
class Record:
    """How a seat has played, as far as it came to light.

    Whoever has nothing of a rank must lie, and most then lay a single card: only a lie of
    several cards shows a liar. So the two are counted apart.
    """

    single: Tally = Factory(Tally)  # lies in claims of one card
    several: Tally = Factory(Tally)  # lies in claims of more
    usual_calls: Tally = Factory(Tally)  # calls, of the claims that it might have called
    last_calls: Tally = Factory(Tally)  # the same where the claim was of somebody's last cards

    def calls(self, last):
        return self.last_calls if last else self.usual_calls

    def lies(self, claim: int) -> Tally:
        """Give the lies in claims of so many cards."""
        return self.single if claim == 1 else self.several
