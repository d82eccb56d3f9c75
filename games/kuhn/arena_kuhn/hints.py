"""Hints for a player of Kuhn poker: the equilibrium, and what betting and passing are worth."""

from __future__ import annotations

from fractions import Fraction

from arena import Hint, HintedAnswer, HintSource, InformationState, Score, Seat
from arena_kuhn import NAMES, Acted, Card, bet_probability, name_action

JACKS = Fraction(1, 5)  # the first seat's probability of betting the jack


def compute_hint(state: InformationState) -> Hint:
    """Return the equilibrium's probabilities of betting and passing, and what each is worth."""
    (rank,) = [event.rank for event in state.events if isinstance(event, Card)]
    bets = tuple(event.bets for event in state.events if isinstance(event, Acted))
    share = bet_probability(rank, bets, JACKS)
    answers = []
    for answer, probability in ((True, share), (False, 1 - share)):
        chips = float(compute_worth(state.seat, rank, (*bets, answer)))
        answers.append(HintedAnswer(answer, float(probability), f"{chips:+.2f} chips", chips))
    if share in {0, 1}:
        verb = name_action(bool(share), any(bets))
        reason = f"A perfect player will always {verb}: the other answer is worth less."
    else:
        reason = "A perfect player varies the answer, so that nobody can guess it."
    return Hint(reason, answers)


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
