"""Yardsticks of play in Kuhn poker: chips without luck, and what a best reply wins.

Luck is what chance adds in the equilibrium: the deal, and each bet of a bot whose probabilities are
known. Both have mean 0, whoever plays, so subtracting them leaves the mean as it is (AIVAT: Burch,
Schmid, Moravcik, Morrill and Bowling, 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from arena import (
    CorrectedResult,
    End,
    Greeting,
    InformationState,
    Score,
    Seat,
    Transcript,
    UserError,
    Yardstick,
    split_name,
)
from arena_kuhn import BET, NAMES, Acted, Card, Optimal, bet_probability
from arena_kuhn.hints import JACKS, compute_payoff

Bets = tuple[bool, ...]
Policy = Callable[[int, Bets], Score]
"""Returns the probability of a bet with a card after some bets."""
DEALS = tuple(permutations(NAMES, 2))
VALUE = sum((Fraction(compute_payoff(deal, ())) for deal in DEALS), Fraction(0)) / len(DEALS)
"""What the first seat wins in the equilibrium: a loss of 1/18."""
HISTORIES: Mapping[Seat, tuple[Bets, Bets]] = {0: ((), (False, True)), 1: ((False,), (True,))}
"""After which bets each seat may be asked."""


def correct_results(transcripts: Sequence[Transcript]) -> list[Sequence[CorrectedResult]]:
    """Return the chips of both seats in each match; of one that was not finished, none."""
    return [[*_correct_match(transcript)] for transcript in transcripts]


def _correct_match(transcript: Transcript) -> Iterator[CorrectedResult]:
    ranks, bets, outcome = [0, 0], list[bool](), None
    for line in transcript.lines:
        match line.value:
            case {"to": int(seat), "event": {"tell": "Card", "rank": rank}}:
                ranks[seat] = rank
            case {"event": {"tell": "Acted", "bets": bet}}:
                bets.append(bet)
            case {"outcome": {"end": End.FINISHED, "scores": scores}}:
                outcome = scores
    if outcome is not None:
        first, second = ranks
        policies = [find_policy(bot) for bot in transcript.header.bots]
        luck = float(compute_luck((first, second), tuple(bets), policies))
        yield CorrectedResult(outcome[0], outcome[0] - luck)
        yield CorrectedResult(outcome[1], outcome[1] + luck)


def find_policy(bot: str) -> Policy | None:
    """Return the probabilities of a bundled bot, given as on a command line; None: unknown."""
    try:
        name, parameters = split_name(bot.removeprefix("program:"))
        if name != "optimal":
            return None
        jacks = Optimal(**parameters).jacks
    except (UserError, TypeError, ValueError):
        return None
    return lambda rank, bets: bet_probability(rank, bets, jacks)


def compute_luck(ranks: tuple[int, int], bets: Bets, policies: Sequence[Policy | None]) -> Score:
    """Return the chips that chance has added to the first seat; their mean is 0."""
    luck: Score = compute_payoff(ranks, ()) - VALUE
    for turn, bet in enumerate(bets):
        policy, before = policies[turn % 2], bets[:turn]
        if policy:
            share = policy(ranks[turn % 2], before)
            with_bet, without = (compute_payoff(ranks, (*before, act)) for act in (True, False))
            luck += (with_bet if bet else without) - share * with_bet - (1 - share) * without
    return luck


def compute_gain(variant: Any, ask: Callable[[InformationState], Mapping[Any, float]]) -> float:
    """Return the chips a hand that a best reply wins, in both seats in turn."""
    shares = {
        (seat, rank, bets): ask(build_state(variant, seat, rank, bets)).get(True, 0.0)
        for seat, histories in HISTORIES.items()
        for bets in histories
        for rank in NAMES
    }
    return float(sum(_reply(1 - seat, shares) for seat in HISTORIES) / len(HISTORIES))


def build_state(variant: Any, seat: Seat, rank: int, bets: Bets) -> InformationState:
    """Return the information state of a seat with a card after some bets."""
    events = [Card(rank), *(Acted(turn % 2, bet) for turn, bet in enumerate(bets))]
    return InformationState(Greeting("kuhn", seat, 2, variant, ""), events, BET)


def solve(state: InformationState) -> Mapping[Any, float]:
    """Return the equilibrium's probabilities."""
    (rank,) = [event.rank for event in state.events if isinstance(event, Card)]
    bets = tuple(event.bets for event in state.events if isinstance(event, Acted))
    share = float(bet_probability(rank, bets, JACKS))
    return {True: share, False: 1 - share}


def _reply(seat: Seat, shares: Mapping[tuple[Seat, int, Bets], float]) -> float:
    """Return the chips that the best plan for each card wins in a seat."""
    plans = [dict(zip(HISTORIES[seat], plan, strict=True)) for plan in product((0, 1), repeat=2)]
    return sum(
        max(
            sum(_play(seat, deal, (), plan, shares) for deal in DEALS if deal[seat] == rank)
            for plan in plans
        )
        for rank in NAMES
    ) / len(DEALS)


def _play(
    seat: Seat,
    deal: tuple[int, int],
    bets: Bets,
    plan: Mapping[Bets, int],
    shares: Mapping[tuple[Seat, int, Bets], float],
) -> float:
    """Return the chips that a plan wins in a seat from some bets on."""
    turn = len(bets) % 2
    if bets not in HISTORIES[turn]:
        first = float(compute_payoff(deal, bets))
        return first if seat == 0 else -first
    share = plan[bets] if turn == seat else shares[turn, deal[turn], bets]
    return sum(
        weight * _play(seat, deal, (*bets, act), plan, shares)
        for act, weight in ((True, share), (False, 1 - share))
        if weight
    )


YARDSTICK = Yardstick("kuhn", "the equilibrium", "chips", correct_results, compute_gain, solve)
