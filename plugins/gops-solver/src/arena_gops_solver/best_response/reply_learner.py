"""A reply learned from games: a model counts the opponent's bids by position."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen
from scipy.optimize import linear_sum_assignment

from arena import Bot, Greeting, Question
from arena_gops import Bids, Prize
from arena_gops_solver.best_response.exact_reply import SEAT, BestReplySearch
from arena_gops_solver.positions import SolverPosition

PRIOR = 5.0  # the weight of the less detailed estimate, in observations
MAX_FULL_SEARCH_CARDS = 5  # the most cards of a game that is searched from the start
MAX_ENDGAME_CARDS = 3  # the last cards of a larger game that are searched
MOST_KEPT = 100_000  # positions of a search


def _list_keys(place: SolverPosition, prize: int) -> tuple[tuple[Any, ...], ...]:
    """Return the keys of a position, from the least detailed to the most detailed."""
    return (prize,), (prize, place.theirs), (prize, place.theirs, place.mine, place.prizes)


@define(eq=False)
class OpponentModel:
    """Counts how often a bot made each bid."""

    _seen: dict[tuple[Any, ...], Counter[int]] = field(factory=dict, init=False)

    def note(self, place: SolverPosition, prize: int, bid: int) -> None:
        """Count a bid of the bot."""
        for key in _list_keys(place, prize):
            self._seen.setdefault(key, Counter())[bid] += 1

    def estimate_chances(
        self, place: SolverPosition, prize: int, *, roughly: bool = False
    ) -> dict[int, float]:
        """Estimate the probability of each bid; with few data, by the prize alone.

        If a position was seen rarely, similar positions have more weight.
        """
        chances = dict.fromkeys(place.theirs, 1 / len(place.theirs))
        for key in _list_keys(place, prize)[: 1 if roughly else None]:
            seen = self._seen.get(key, Counter[int]())
            total = sum(seen[card] for card in chances) + PRIOR
            chances = {
                card: (seen[card] + PRIOR * chance) / total for card, chance in chances.items()
            }
        return chances


@frozen
class LearnedOpponent:
    """An opponent that bids by a model, for the search."""

    model: OpponentModel
    place: SolverPosition
    prize: int = 0

    def hear(self, event: Any) -> LearnedOpponent:
        """Return the opponent after a prize or bids."""
        if isinstance(event, Prize):
            return evolve(self, prize=event.card)
        return evolve(self, place=evolve(self.place.after(self.prize, *event.cards), difference=0))

    def list_answers(self, question: Question[Any]) -> dict[int, tuple[float, LearnedOpponent]]:
        """Return each of its bids with its probability."""
        chances = self.model.estimate_chances(self.place, self.prize)
        return {bid: (chance, self) for bid, chance in chances.items()}


@define(eq=False)
class ReplyLearner:
    """Learns replies from the bids that it sees."""

    model: OpponentModel
    win: bool
    cards: int
    epsilon: float | None = field(default=1.0, init=False)  # None after the learning
    _search: BestReplySearch = field(init=False)

    @_search.default
    def _build_search(self) -> BestReplySearch:
        return BestReplySearch(self.win)

    def think(self, epsilon: float | None) -> None:
        """Drop the current reply, so that it is computed anew."""
        self.epsilon, self._search = epsilon, BestReplySearch(self.win)

    def build_player(self) -> Bot:
        """Return a bot that plays the reply."""
        return LearningBot(self)

    def list_first_bids(self) -> dict[int, int]:
        """Return the reply's bid for each first prize."""
        suit = tuple(range(1, self.cards + 1))
        return {prize: self.choose_bid(SolverPosition(suit, suit, suit), prize) for prize in suit}

    def choose_bid(self, place: SolverPosition, prize: int) -> int:
        """Return the best bid by the model."""
        if len(place.mine) == 1:
            return place.mine[0]
        if len(place.prizes) > (
            MAX_ENDGAME_CARDS if self.cards > MAX_FULL_SEARCH_CARDS else MAX_FULL_SEARCH_CARDS
        ):
            return self._match_card(place, prize)
        if self._search.positions > MOST_KEPT:
            self._search = BestReplySearch(self.win)
        guess = LearnedOpponent(self.model, evolve(place, difference=0), prize)
        worth = dict(self._search.compute_worth(guess, place, prize))
        return max(worth, key=worth.__getitem__)

    def _match_card(self, place: SolverPosition, prize: int) -> int:
        """Return the card for this prize in the best assignment of cards to the prizes left."""
        gains = np.array([self._compute_gains(place, each, each != prize) for each in place.prizes])
        _, cards = linear_sum_assignment(gains, maximize=True)
        return place.mine[int(cards[place.prizes.index(prize)])]

    def _compute_gains(self, place: SolverPosition, prize: int, roughly: bool) -> list[float]:
        """Return the expected gain of each of my cards with this prize."""
        theirs = self.model.estimate_chances(place, prize, roughly=roughly).items()
        return [
            prize * sum(chance * ((mine > card) - (mine < card)) for card, chance in theirs)
            for mine in place.mine
        ]


@define(eq=False, slots=False)
class LearningBot(Bot):
    """A bot that plays the replies of a learner, which observes the game."""

    learner: ReplyLearner

    def greet(self, greeting: Greeting) -> None:
        """Start a game."""
        super().greet(greeting)
        self.place = SolverPosition(*[self.variant.suit] * 3)

    def hear(self, event: Any) -> None:
        """Record the state of the game."""
        if isinstance(event, Prize):
            self.prize = event.card
        elif isinstance(event, Bids):
            mine, theirs = event.cards[1 - SEAT], event.cards[SEAT]
            if self.learner.epsilon is not None:
                self.learner.model.note(self.place, self.prize, theirs)
            self.place = self.place.after(self.prize, mine, theirs)

    def choose(self, question: Question[Any]) -> int:
        """Bid the best card, or while learning sometimes a random one."""
        if self.random.random() < (self.learner.epsilon or 0):
            return int(self.random.choice(self.place.mine))
        return self.learner.choose_bid(self.place, self.prize)
