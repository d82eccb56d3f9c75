"""Hints for a player of Kuhn poker: the equilibrium, and what betting and passing are worth."""

from __future__ import annotations

from fractions import Fraction

from arena import Hint, HintedAnswer, HintSource, InformationState, Score, Seat
from arena_kuhn import NAMES, Acted, Card, bet_probability

JACKS = Fraction(1, 5)  # the first seat's probability of betting the jack
FIRST_KING = (
    "A bet with the king wins more from a queen that calls, a pass more from a jack that bluffs."
)
BETS = {
    1: "A bet with the jack is a bluff: rare, it makes queens fold; frequent, it is called.",
    2: "A bet with the queen gains nothing: the jack folds, and the king calls.",
    3: "The king cannot lose, so a bet can only win more.",
}
CALLS = {
    1: "The jack beats nothing: a call only loses one chip more.",
    2: "The queen beats only a bluff: always calling pays the king, always folding pays the jack.",
    3: "Nothing beats the king: a call wins one chip more.",
}


def compute_hint(state: InformationState) -> Hint:
    """Return the equilibrium's probabilities of betting and passing, and what each is worth."""
    (rank,) = [event.rank for event in state.events if isinstance(event, Card)]
    bets = tuple(event.bets for event in state.events if isinstance(event, Acted))
    share = bet_probability(rank, bets, JACKS)
    answers = []
    for answer, probability in ((True, share), (False, 1 - share)):
        chips = float(compute_worth(state.seat, rank, (*bets, answer)))
        answers.append(HintedAnswer(answer, float(probability), f"{show_sign(chips)} chips", chips))
    return Hint(explain(rank, bets), answers)


def show_sign(chips: float) -> str:
    """Write chips that are won or lost.

    >>> show_sign(1 / 3), show_sign(-1.0), show_sign(0.0)
    ('+0.33', '-1.00', '0.00')
    """
    return f"{chips:+.2f}" if chips else "0.00"


def explain(rank: int, bets: tuple[bool, ...]) -> str:
    """Return what speaks for and against a bet with this card after these bets, or a call."""
    if any(bets):
        return CALLS[rank]
    return FIRST_KING if rank == max(NAMES) and not bets else BETS[rank]


def compute_worth(seat: Seat, rank: int, bets: tuple[bool, ...]) -> Score:
    """Return the chips that a seat is to expect in the equilibrium, with its card after these bets.

    The other seat's cards are weighed by how likely its bets are with them.
    """
    total: Score = 0
    worth: Score = 0
    for other in NAMES.keys() - {rank}:
        weight: Score = 1
        for turn in range(1 - seat, len(bets), 2):
            bet = bet_probability(other, bets[:turn], JACKS)
            weight *= bet if bets[turn] else 1 - bet
        ranks = (rank, other) if seat == 0 else (other, rank)
        first = compute_payoff(ranks, bets)
        total, worth = total + weight, worth + weight * (first if seat == 0 else -first)
    return worth / total


def compute_payoff(ranks: tuple[int, int], bets: tuple[bool, ...]) -> Score:
    """Return the chips that the first seat is to expect, with these cards after these bets."""
    if len(bets) > 1 and bets != (False, True):
        if bets[-2] != bets[-1]:  # a fold
            return 1 if len(bets) % 2 == 0 else -1
        chips = 1 + bets[-1]
        return chips if ranks[0] > ranks[1] else -chips
    bet = bet_probability(ranks[len(bets) % 2], bets, JACKS)
    return bet * compute_payoff(ranks, (*bets, True)) + (1 - bet) * compute_payoff(
        ranks, (*bets, False)
    )


HINTS = HintSource("kuhn", "Optimal play", compute_hint)
