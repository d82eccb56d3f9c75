"""Results corrected for luck, so that fewer games tell who is better; without bias.

Two kinds of luck are taken off a result. That of the prizes: each is as likely as any other, so
on the average it is 0. That of the bids, of bots that can say from which probabilities they drew
one: what the stage holds for the two bids that met, less its mean over what might have been bid.
That is 0 on the average, too, whatever the bots do and however badly the table fits them, so
that the corrected mean stays what it was (AIVAT: Burch, Schmid, Moravcik, Morrill and Bowling,
2018). The solution's own probabilities would not do in place of the bots': that is biased. So
would be those of a bot that has been changed since it played: it is asked as it is installed now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from arena import Bot, Greeting, OneOf, UserError
from arena.host import Bundled
from arena.plugins import Game, bundled, named
from arena_gops import Bid, Bids, Prize
from arena_gops_solver.matches.recorded import Recorded
from arena_gops_solver.matches.split import Step
from arena_gops_solver.policies import Policy

Mix = Mapping[int, float]  # the probability of each bid
Mixes = Sequence[Mix] | None  # round by round; None of a bot that cannot be asked
Asked = tuple[bool, bool]  # is seat 0 asked for its probabilities, is seat 1?
BOTH: Asked = (True, True)
OTHERWISE = "is it another version, or does it draw from more than its own random?"


@frozen
class Luck:
    """What of the result was luck, as seat 0 sees it."""

    prizes: float
    bids: Mapping[Asked, float]  # by who is asked

    @classmethod
    def of(cls, steps: Sequence[Step], mixes: tuple[Mixes, Mixes]) -> Luck:
        """Find it for each choice of who is asked, of those whose mixes are known."""
        mine, theirs = ((False, True) if one else (False,) for one in mixes)
        return cls(
            float(sum(step.prize_luck for step in steps)),
            {asked: _of_bids(steps, mixes, asked) for asked in product(mine, theirs)},
        )


def _of_bids(steps: Sequence[Step], mixes: tuple[Mixes, Mixes], asked: Asked) -> float:
    mine, theirs = (mix if ask and mix else [None] * len(steps)
                    for mix, ask in zip(mixes, asked, strict=True))  # fmt: skip
    return sum(map(of_bids, steps, mine, theirs))


def of_bids(step: Step, mine: Mix | None, theirs: Mix | None) -> float:
    """Return what the bids that met are above the mean of those that might have met.

    Who is not asked might have bid nothing but what it bid.
    """
    (row, column), hands = step.round.met, step.round.hands
    rows = weights_of(hands[0], mine or {step.round.bids[0]: 1.0})
    columns = weights_of(hands[1], theirs or {step.round.bids[1]: 1.0})
    return float(step.stage[row, column] - rows @ step.stage @ columns)


def weights_of(hand: Sequence[int], mix: Mix) -> NDArray[np.float64]:
    """Return the probability of each card of a hand."""
    return np.array([mix.get(card, 0.0) for card in hand])


@define
class Panel:
    """Asks bots for their probabilities, and remembers who cannot be asked.

    A bot that fails to answer for one match is to be asked in none: to leave out matches by
    what happened in them would bring a bias.
    """

    game: Game
    unasked: dict[str, str] = field(factory=dict)  # bots, and why

    def mixes(self, match: Recorded) -> tuple[Mixes, Mixes]:
        """Return from which probabilities each seat drew its bids, round by round."""
        return self._of(match, 0), self._of(match, 1)

    def asked(self, match: Recorded) -> Asked:
        """Say who of the match can be asked, once all have been."""
        return match.bots[0] not in self.unasked, match.bots[1] not in self.unasked

    def _of(self, match: Recorded, seat: int) -> Mixes:
        bot = match.bots[seat]
        if bot in self.unasked:
            return None
        try:
            return mixes_of(self._maker(bot), match, seat)
        except UserError as problem:
            self.unasked[bot] = str(problem)
            return None

    def _maker(self, bot: str) -> Callable[[], Bot]:
        """Return what makes a bundled bot; no program, as a transcript may be a stranger's."""
        name = bot.removeprefix("program:")
        if name.partition(":")[0] not in self.game.bots:
            raise UserError("not one of the bundled bots")
        _see_harmless(name)
        return Bundled(*bundled(self.game, name)).bot


def _see_harmless(name: str) -> None:
    """Raise UserError where a parameter might be the path of a file, or hold one."""
    for parameter, value in named(name)[1].items():
        if not isinstance(value, int | float):
            raise UserError(
                f"{parameter} is no number, and no file is opened that a transcript may name"
            )


def mixes_of(make: Callable[[], Bot], match: Recorded, seat: int) -> list[Mix]:
    """Return a bot's probabilities in each round, given all that it had been told and had bid.

    Raises UserError where it cannot say, or would never have bid what this seat bid.
    """
    policy = Policy.greeted(make, Greeting("gops", seat, len(match.names), match.variant, ""))
    mixes: list[Mix] = []
    for one in match.rounds:
        bid, question = one.bids[seat], Bid(OneOf(one.hands[seat]))
        found = policy.heard(Prize(one.prize)).answers(question)
        if bid not in found:
            raise UserError(f"in {match.where} it bid {bid} where it never does: {OTHERWISE}")
        mixes.append({card: chance for card, (chance, _) in found.items()})
        policy = found[bid][1].heard(Bids(one.bids))
    return mixes
