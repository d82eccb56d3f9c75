"""The exact gain of a best reply to a bot whose mixed strategy is known.

The reply knows all prizes and bids so far, but no sealed bid. So a position consists of the bot's
possible states, both hands, the prizes left and, for the objective `win`, the difference so far.
Its value is the mean over the prizes of the best reply against the bot's mix of bids.

Bots keep a `Scoreboard`, which lists all prizes and bids in order. Most bots use only the current
state (`BoardSnapshot`), so that many histories are equivalent for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Protocol, Self

from attrs import define, evolve, field, frozen

from arena import Bot, Greeting, OneOf, Question, UserError
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
