"""Yardsticks of play in GOPS: points without luck, and what a best reply wins, by the solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from arena import Greeting, InformationState, Question, UserError
from arena.plugins import AskForShares, CorrectedResult, Yardstick, get_plugins
from arena.records import Transcript
from arena_gops import GAME
from arena_gops_solver.analysis import BidProbabilitySource, MatchAccount, split_result
from arena_gops_solver.best_replies import SEAT, BestReplySearch
from arena_gops_solver.bots import SEATS, check_solvable, compute_weights
from arena_gops_solver.commentary import find_position
from arena_gops_solver.recorded_matches import read_match
from arena_gops_solver.table_cache import find_solution

BY = "points"


def correct_results(transcripts: Sequence[Transcript]) -> list[Sequence[CorrectedResult]]:
    """Return the lead of both seats in each match; of one that the solution cannot explain, none.

    The luck of the prizes is subtracted, and that of the bids of bots that state their
    probabilities, as `nash` does.
    """
    panel = BidProbabilitySource(get_plugins().find_game(GAME.name))  # with `nash` among its bots
    accounts = list[MatchAccount | None]()
    for transcript in transcripts:
        try:
            match = read_match(transcript, "match", "match")
            if match is not None:
                solved = find_solution(BY, match.variant.cards)
                steps = split_result(solved, match)
                accounts.append(MatchAccount.of(match, steps, panel.list_mixes(match)))
                continue
        except UserError:  # another variant, or too many cards to solve them now
            pass
        accounts.append(None)
    return [_correct(account, panel) if account else () for account in accounts]


def _correct(account: MatchAccount, panel: BidProbabilitySource) -> list[CorrectedResult]:
    corrected = account.correct_for_luck(panel.list_askable(account.match))
    return [CorrectedResult(sign * account.result, sign * corrected) for sign in (1, -1)]


@frozen
class AskedOpponent:
    """A bot that is asked what it bids, given all that it was told."""

    greeting: Greeting = field(eq=False)
    ask: AskForShares = field(eq=False)
    events: tuple[Any, ...] = ()

    def hear(self, event: Any) -> AskedOpponent:
        """Return the opponent after it has heard this event."""
        return evolve(self, events=(*self.events, event))

    def list_answers(self, question: Question[Any]) -> dict[Any, tuple[float, AskedOpponent]]:
        """Return the probability of each bid, and the opponent after it."""
        hand: Any = question.options
        if len(hand) == 1:
            return {hand[0]: (1.0, self)}
        shares = self.ask(InformationState(self.greeting, self.events, question))
        return {bid: (share, self) for bid, share in shares.items() if share}


def compute_gain(variant: Any, ask: AskForShares) -> float:
    """Return the points a match that a best reply wins; against the solution it wins none."""
    check_solvable(variant, SEATS)
    opponent = AskedOpponent(Greeting(GAME.name, SEAT, SEATS, variant, ""), _remember(ask))
    return BestReplySearch(win=False).find_reply(opponent, variant.cards, lambda _: None).value


def _remember(ask: AskForShares) -> AskForShares:
    """Ask once in each state, as the search comes to it with each own bid."""
    shares: dict[tuple[Any, ...], Mapping[Any, float]] = {}

    def ask_once(state: InformationState) -> Mapping[Any, float]:
        key = tuple(state.events)
        if key not in shares:
            shares[key] = ask(state)
        return shares[key]

    return ask_once


def solve(state: InformationState) -> Mapping[Any, float]:
    """Return the probabilities of the solution."""
    place, prize = find_position(state)
    solved = find_solution(BY, state.greeting.variant.cards)
    weights = compute_weights(solved, evolve(place, difference=0), prize)
    return dict(zip(place.mine, weights, strict=True))


YARDSTICK = Yardstick(
    GAME.name, "the exact solution", "points", correct_results, compute_gain, solve
)
