"""Results corrected for luck without bias (AIVAT), so that fewer games are enough.

Two kinds of luck are subtracted from a result. The luck of the prizes: all prizes are equally
likely, so its mean is 0. The luck of the bids, for bots that can state their probabilities: the
stage's entry for the two bids, minus its mean over the possible bids. Its mean is 0, too, whatever
the bots do and however badly the table fits them, so the correction does not bias the mean (AIVAT:
Burch, Schmid, Moravcik, Morrill and Bowling, 2018). Using the solution's probabilities instead of
the bots' would be biased, and so would those of a bot that has changed since the match, since the
currently installed version is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from arena import Bot, Game, Greeting, OneOf, UserError
from arena.extend import parse_bundled_bot, split_name
from arena.host import BotClassFactory
from arena_gops import Bid, Bids, Prize
from arena_gops_solver.bot_strategy_extraction import BotPolicy
from arena_gops_solver.matches.luck import RoundAnalysis
from arena_gops_solver.matches.recorded_match import RecordedMatch

Mix = Mapping[int, float]  # the probability of each bid
Mixes = Sequence[Mix] | None  # by round; None for a bot without known probabilities
Asked = tuple[bool, bool]  # whether the probabilities of seat 0, and of seat 1, are used
BOTH: Asked = (True, True)
OTHERWISE = "it may be another version, or draw from more than its own `random`"


@frozen
class LuckEstimate:
    """The luck in a result, as seat 0 sees it."""

    prizes: float
    bids: Mapping[Asked, float]  # by the seats that are asked

    @classmethod
    def of(cls, steps: Sequence[RoundAnalysis], mixes: tuple[Mixes, Mixes]) -> LuckEstimate:
        """Compute the luck for each choice of bots whose probabilities are used."""
        mine, theirs = ((False, True) if known else (False,) for known in mixes)
        return cls(
            float(sum(step.prize_luck for step in steps)),
            {asked: _sum_bid_luck(steps, mixes, asked) for asked in product(mine, theirs)},
        )


def _sum_bid_luck(
    steps: Sequence[RoundAnalysis], mixes: tuple[Mixes, Mixes], asked: Asked
) -> float:
    mine, theirs = (mix if ask and mix else [None] * len(steps)
                    for mix, ask in zip(mixes, asked, strict=True))  # fmt: skip
    return sum(map(compute_bid_luck, steps, mine, theirs))


def compute_bid_luck(step: RoundAnalysis, mine: Mix | None, theirs: Mix | None) -> float:
    """Return the value of the actual bids minus the mean of the possible ones.

    A seat without known probabilities counts as certain of its bid.
    """
    (row, column), hands = step.round.cell, step.round.hands
    rows = list_weights(hands[0], mine or {step.round.bids[0]: 1.0})
    columns = list_weights(hands[1], theirs or {step.round.bids[1]: 1.0})
    return float(step.stage[row, column] - rows @ step.stage @ columns)


def list_weights(hand: Sequence[int], mix: Mix) -> NDArray[np.float64]:
    """Return the probability of each card of a hand."""
    return np.array([mix.get(card, 0.0) for card in hand])


@define
class BidProbabilitySource:
    """Asks bots for their probabilities, and remembers those that cannot be asked.

    A bot that fails to answer for one match is left out of all, since excluding matches by their
    course would be biased.
    """

    game: Game
    unasked: dict[str, str] = field(factory=dict)  # bots with the reason

    def list_mixes(self, match: RecordedMatch) -> tuple[Mixes, Mixes]:
        """Return the probabilities of each seat's bids, round by round."""
        return self._find_mixes(match, 0), self._find_mixes(match, 1)

    def list_askable(self, match: RecordedMatch) -> Asked:
        """Return for each bot of a match whether its probabilities are known."""
        return match.bots[0] not in self.unasked, match.bots[1] not in self.unasked

    def _find_mixes(self, match: RecordedMatch, seat: int) -> Mixes:
        bot = match.bots[seat]
        if bot in self.unasked:
            return None
        try:
            return compute_mixes(self._find_maker(bot), match, seat)
        except UserError as problem:
            self.unasked[bot] = str(problem)
            return None

    def _find_maker(self, bot: str) -> Callable[[], Bot]:
        """Return the factory of a bundled bot, never of a program: transcripts are untrusted."""
        name = bot.removeprefix("program:")
        if name.partition(":")[0] not in self.game.bots:
            raise UserError("not one of the bundled bots")
        _check_harmless(name)
        return BotClassFactory(*parse_bundled_bot(self.game, name)).create_bot


def _check_harmless(name: str) -> None:
    """Raise UserError if a parameter is not a number: it might be the path of a file."""
    for parameter, value in split_name(name)[1].items():
        if not isinstance(value, int | float):
            raise UserError(
                f"its parameter {parameter} is not a number, and might name a file to open"
            )


def compute_mixes(make: Callable[[], Bot], match: RecordedMatch, seat: int) -> list[Mix]:
    """Return a bot's probabilities in each round, given the match so far.

    Raises UserError if they cannot be computed, or exclude a bid that this seat made.
    """
    policy = BotPolicy.greet(make, Greeting("gops", seat, len(match.names), match.variant, ""))
    mixes: list[Mix] = []
    for played in match.rounds:
        bid, question = played.bids[seat], Bid(OneOf(played.hands[seat]))
        found = policy.hear(Prize(played.prize)).list_answers(question)
        if bid not in found:
            raise UserError(
                f"in {match.where} it bid {bid}, which it never does there: {OTHERWISE}"
            )
        mixes.append({card: chance for card, (chance, _) in found.items()})
        policy = found[bid][1].hear(Bids(played.bids))
    return mixes
