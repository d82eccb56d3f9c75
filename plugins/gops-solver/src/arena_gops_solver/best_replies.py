"""The gain of a best reply to a bot: exact where its mixed strategy is known, else learned.

The reply knows all prizes and bids so far, but no sealed bid. So a position consists of the bot's
possible states, both hands, the prizes left and, for the objective `win`, the difference so far.
Its value is the mean over the prizes of the best reply against the bot's mix of bids.

Bots keep a `Scoreboard`, which lists all prizes and bids in order. Most bots use only the current
state (`BoardSnapshot`), so that many histories are equivalent for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import IO, Any, NoReturn, Protocol, Self

import numpy as np
from attrs import define, evolve, field, frozen
from scipy.optimize import linear_sum_assignment

from arena import Bot, End, Greeting, OneOf, Question, UserError
from arena.host import Entrant, HostConfig, Result, Series, WorkingFolder, host, make_names_unique
from arena.players import BotPlayer
from arena.plugins import get_plugins
from arena.rules import generate_seed
from arena.tournament.ratings import estimate_share
from arena_gops import Bid, Bids, Gops, Prize, Scoreboard
from arena_gops_solver.positions import SolverPosition
from arena_gops_solver.strategy_extraction import BotPickler, BotPolicy, ExtractionError

SEAT = 1  # the bot's; the reply sits at 0
ROUNDING = 1e-9  # between bids of equal value
MOST_POSITIONS = 250_000  # take one to two minutes
TRIED = (3, 4)  # cards of a quick search that shows the growth
SLOWER = 0.8  # the growth with more cards, relative to that

Report = Callable[[float], None]
"""A callback that receives the share of the work done."""


def find_best_reply(
    make: Callable[[], Bot], variant: Gops, objective: str, report: Report = lambda _: None
) -> BestReply:
    """Return a best reply and its gain; raise ExtractionError or SearchTooLargeError.

    At first the bot gets a board without the order of past bids, which means far fewer positions.
    Only a bot that reads that order gets the whole board; most do not.
    """
    try:
        return _find_best_reply(make, variant, objective, report, SnapshotWriter)
    except SnapshotError:
        return _find_best_reply(make, variant, objective, report, BotPickler)


def _find_best_reply(
    make: Callable[[], Bot],
    variant: Gops,
    objective: str,
    report: Report,
    writer: type[BotPickler],
) -> BestReply:
    def search(cards: int, report: Report) -> BestReply:
        game = evolve(variant, cards=cards)
        greeting = Greeting("gops", SEAT, 2, game, "asked for all its ways")
        policy = BotPolicy.greet(make, greeting, writer)
        return BestReplySearch(objective == "win").find_reply(policy, cards, report)

    if variant.cards > max(TRIED):
        few, many = (search(cards, lambda _: None).positions for cards in TRIED)
        _check_size(many * (SLOWER * many / few) ** (variant.cards - max(TRIED)))
    return search(variant.cards, report)


@frozen
class BestReply:
    """The result of a best reply."""

    value: float  # points per game, or the expected sign of the final difference
    first: dict[int, int]  # its bid for each first prize
    positions: int  # searched, counting each prize


class SearchTooLargeError(UserError):
    """There are too many positions to search."""


def _check_size(positions: float) -> None:
    """Raise SearchTooLargeError if this estimated number of positions is too large."""
    if positions > MOST_POSITIONS:
        raise SearchTooLargeError(f"there are more than {MOST_POSITIONS:,} positions to search")


@define(eq=False)
class BestReplySearch:
    """The expected results against an opponent, computed once per position and prize."""

    win: bool
    _values: dict[tuple[Opponent, SolverPosition], float] = field(factory=dict, init=False)
    _best: dict[tuple[Opponent, SolverPosition, int], float] = field(factory=dict, init=False)

    @property
    def positions(self) -> int:
        """The number of positions searched, counting each prize."""
        return len(self._best)

    def find_reply(self, opponent: Opponent, cards: int, report: Report) -> BestReply:
        """Return the best reply over a whole game."""
        suit = tuple(range(1, cards + 1))
        start, first, total = SolverPosition(suit, suit, suit), {}, 0.0
        for prize in suit:
            worth = {}
            for bid, each in self.compute_worth(opponent.hear(Prize(prize)), start, prize):
                worth[bid] = each
                report(((prize - 1) * cards + bid) / cards**2)
            most = max(worth.values())
            first[prize] = min(bid for bid, each in worth.items() if each > most - ROUNDING)
            total += most
        return BestReply(total / cards, first, self.positions + cards)

    def compute_value(self, opponent: Opponent, place: SolverPosition) -> float:
        """Return the expected payoff before a prize is turned up."""
        if len(place.prizes) == 1:
            return self._bid_last_cards(place)
        if (opponent, place) not in self._values:
            best = [self.compute_best(opponent.hear(Prize(up)), place, up) for up in place.prizes]
            self._values[opponent, place] = sum(best) / len(best)
        return self._values[opponent, place]

    def compute_best(self, opponent: Opponent, place: SolverPosition, prize: int) -> float:
        """Return the expected payoff with this prize up; raise SearchTooLargeError."""
        key = opponent, place, prize
        if key not in self._best:
            self._best[key] = max(each for _, each in self.compute_worth(*key))
            _check_size(self.positions)
        return self._best[key]

    def compute_worth(
        self, opponent: Opponent, place: SolverPosition, prize: int
    ) -> Iterator[tuple[int, float]]:
        """Yield each own bid with its value for this prize."""
        answers = opponent.list_answers(Bid(OneOf(place.theirs)))
        for mine in place.mine:
            worths = (
                chance * self._compute_bids(after, place, prize, (mine, theirs))
                for theirs, (chance, after) in answers.items()
            )
            yield mine, sum(worths)

    def _compute_bids(
        self, opponent: Opponent, place: SolverPosition, prize: int, bids: tuple[int, int]
    ) -> float:
        """Return the value of the position that these bids lead to."""
        after = place.after(prize, *bids)
        if len(after.prizes) == 1:
            return self._bid_last_cards(after)
        opponent = opponent.hear(Bids(bids))
        if self.win:
            return self.compute_value(opponent, after)
        return after.difference + self.compute_value(opponent, evolve(after, difference=0))

    def _bid_last_cards(self, place: SolverPosition) -> float:
        """Bid the last cards."""
        end = place.after(*place.prizes, *place.mine, *place.theirs).difference
        return (end > 0) - (end < 0) if self.win else end


class Opponent(Protocol):
    """An opponent to find a reply to; equal opponents act alike."""

    def hear(self, event: Any) -> Self:
        """Return the opponent after it has heard this event."""

    def list_answers(self, question: Question[Any]) -> dict[Any, tuple[float, Self]]:
        """Return the probability of each answer, and the opponent after it."""


class SnapshotError(ExtractionError):
    """A bot that reads more of the board than a BoardSnapshot has."""


@define
class BoardSnapshot:
    """The part of a `Scoreboard` that does not depend on the order of events.

    Access to anything else raises SnapshotError, and not AttributeError, which `hasattr` and
    similar functions would hide.
    """

    variant: Gops
    seats: int
    hands: tuple[OneOf[int], ...]
    scores: tuple[Any, ...]
    carried: int
    round: int
    face_down: tuple[int, ...]
    prize: int

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # special methods, which copying looks up
            raise AttributeError(name)
        raise SnapshotError(f"it reads the board's {name}")

    @property
    def stake(self) -> int:
        """Return the value of the current prize in points, with carried points."""
        return self.prize + self.carried

    def hear(self, event: Any) -> None:
        """Record a prize or bids."""
        if isinstance(event, Prize):
            self.prize, self.round = event.card, self.round + 1
            self.face_down = tuple(card for card in self.face_down if card != event.card)
        elif isinstance(event, Bids):
            self._settle(event)

    def _settle(self, bids: Bids) -> None:
        """Score bids with a Scoreboard that starts from here."""
        board = Scoreboard(self.variant, self.seats)
        board.prizes, board.hands = [self.prize], self.hands
        board.scores, board.carried = self.scores, self.carried
        board.hear(bids)
        self.hands, self.scores, self.carried = board.hands, board.scores, board.carried


class SnapshotWriter(BotPickler):
    """Pickles a bot with a BoardSnapshot in place of every Scoreboard that it holds."""

    def reducer_override(self, thing: Any) -> Any:
        """Return the recipe that rebuilds a scoreboard as a snapshot."""
        if type(thing) is not Scoreboard:
            return super().reducer_override(thing)
        up = thing.prize if thing.prizes else 0
        known = (thing.scores, thing.carried, thing.round, thing.face_down, up)
        return BoardSnapshot, (thing.variant, thing.seats, thing.hands, *known)


# The gain of a reply learned from games, for bots whose probabilities are unknown.
#
# Some games serve to learn the bot's bids, which a model counts by position; others measure the
# best reply to these. No reply wins more than a best one, so the mean over the latter games is an
# unbiased estimate of a lower bound.

PRIOR = 5.0  # the weight of the less detailed estimate, in observations
MAX_FULL_SEARCH_CARDS = 5  # the most cards of a game that is searched from the start
MAX_ENDGAME_CARDS = 3  # the last cards of a larger game that are searched
MOST_KEPT = 100_000  # positions of a search
LESSON_GAMES = 100  # games between two replies, or a quarter of those to learn from
STABLE_LESSONS = 3  # lessons with the same first bids that end the learning
EXPLORATION_RATE = 0.2  # the share of random bids after the first lesson, which has only those
MAX_HALF_WIDTH = 0.04  # of the most that can be won: an interval narrow enough


def learn_reply(
    opponent: Entrant,
    variant: Gops,
    objective: str,
    games: int,
    *,
    seed: str | None = None,
    report: Report = lambda _: None,
) -> LearnedReply:
    """Learn a reply from at most half of the games, and measure it in the others.

    Fewer games are played if the first bids stay the same from lesson to lesson, and once the
    interval is narrow. Raises UserError if a match does not reach its end.
    """
    learner = ReplyLearner(OpponentModel(), objective == "win", variant.cards)
    table = _report_progress(_play_games(opponent, variant, learner, games, seed), games, report)
    lessons = _teach(learner, islice(table, games // 2), games // 2)
    learner.think(epsilon=None)
    most = 1 if learner.win else sum(variant.suit)
    if learner.win:
        table = (float(np.sign(difference)) for difference in table)
    results = _collect_results(table, most)
    value, interval = float(np.mean(results)), compute_interval(results, most)
    return LearnedReply(value, interval, learner.list_first_bids(), len(results), lessons)


@frozen
class LearnedReply:
    """The result of a learned reply."""

    value: float  # the mean of points per game, or of the sign of the final difference
    interval: tuple[float, float]  # the 95 % interval
    first: dict[int, int]  # its bid for each first prize
    games: int  # that measure the value
    lessons: int  # games learned from


def _teach(learner: ReplyLearner, table: Iterator[float], games: int) -> int:
    """Let a learner learn from games; return their number."""
    lesson, firsts, played = min(LESSON_GAMES, -(-games // 4)), list[dict[int, int]](), 0
    for played, _ in enumerate(table, 1):
        if played % lesson == 0:
            learner.think(EXPLORATION_RATE)
            firsts = [*firsts[1 - STABLE_LESSONS :], learner.list_first_bids()]
            if firsts == [firsts[-1]] * STABLE_LESSONS:
                break
    return played


def _collect_results(table: Iterator[float], most: float) -> list[float]:
    """Return results until their interval is narrow enough, or all of them."""
    results: list[float] = []
    for result in table:
        results.append(result)
        if len(results) % LESSON_GAMES == 0:
            low, high = compute_interval(results, most)
            if high - low <= MAX_HALF_WIDTH * most:
                break
    return results


def compute_interval(results: Sequence[float], most: float) -> tuple[float, float]:
    """Return the interval of the mean of results from -most to most.

    It has a width even if all games were alike.
    """
    found = estimate_share((1 + np.array(results) / most) / 2)
    return most * (2 * found.low - 1), most * (2 * found.high - 1)


def _report_progress(table: Iterator[float], games: int, report: Report) -> Iterator[float]:
    for played, difference in enumerate(table, 1):
        report(played / games)
        yield difference


def _play_games(
    opponent: Entrant, variant: Gops, learner: ReplyLearner, games: int, seed: str | None
) -> Iterator[float]:
    """Play games of different deals; yield the final lead of the reply in points."""
    pair = make_names_unique(
        [Entrant("reply", "reply", UntimedEntrant(learner.build_player)), opponent]
    )
    series = Series(get_plugins().find_game("gops"), variant, pair, seed or generate_seed())
    for spec, seated in series.iter_matches(2 * games):
        if seated[SEAT].name == pair[1].name:  # each seat once per deal
            yield _compute_difference(host(spec, seated, HostConfig()), opponent)


@frozen
class UntimedEntrant:
    """Creates players from a function that makes bots."""

    make: Callable[[], Bot]
    is_program = False
    sandbox = None

    def create_player(
        self, seat: int, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> BotPlayer:
        """Return a player without a time limit."""
        return BotPlayer(self.make(), timed=False)


def _compute_difference(result: Result, opponent: Entrant) -> float:
    outcome = result.outcome
    if outcome.end is not End.FINISHED or outcome.scores is None:
        verdicts = [f"{verdict.kind}, {verdict.detail}" for verdict in outcome.verdicts.values()]
        why = "; ".join(verdicts) or outcome.detail
        raise UserError(
            f"{opponent.bot}: a match could not be finished: {why}{_build_hint(opponent, why)}"
        )
    return float(outcome.scores[1 - SEAT] - outcome.scores[SEAT])


def _build_hint(opponent: Entrant, why: str) -> str:
    """Return a hint for a bot that does not understand its input."""
    if "JSON" not in why or opponent.bot.startswith("json:"):
        return ""
    return f" (if it speaks JSON lines, name it json:{opponent.bot})"


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
        guess = ModelledOpponent(self.model, evolve(place, difference=0), prize)
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


def _list_keys(place: SolverPosition, prize: int) -> tuple[tuple[Any, ...], ...]:
    """Return the keys of a position, from the least detailed to the most detailed."""
    return (prize,), (prize, place.theirs), (prize, place.theirs, place.mine, place.prizes)


@frozen
class ModelledOpponent:
    """An opponent that bids by a model, for the search."""

    model: OpponentModel
    place: SolverPosition
    prize: int = 0

    def hear(self, event: Any) -> ModelledOpponent:
        """Return the opponent after a prize or bids."""
        if isinstance(event, Prize):
            return evolve(self, prize=event.card)
        return evolve(self, place=evolve(self.place.after(self.prize, *event.cards), difference=0))

    def list_answers(self, question: Question[Any]) -> dict[int, tuple[float, ModelledOpponent]]:
        """Return each of its bids with its probability."""
        chances = self.model.estimate_chances(self.place, self.prize)
        return {bid: (chance, self) for bid, chance in chances.items()}
