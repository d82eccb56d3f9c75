"""GOPS for people: ♣ are the player's own cards, ♠ the opponent's, ♦ the prizes.

Before each bid, a player sees all public knowledge: the points, the bids so far, the cards left.
Spectators get a line for each prize and one for its bids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    Codec,
    Greeting,
    Mark,
    MarkedLine,
    Phrases,
    Question,
    Seat,
    begin_sentence,
    join_words,
)
from arena_gops.card_names import OTHER, OWN, PRIZE, CardNames
from arena_gops.phrases import (
    ORDERS,
    TIES,
    describe_winners,
    format_points,
    format_points_with_unit,
)
from arena_gops.rules import Bids, Gops, Prize
from arena_gops.scoreboard import Scoreboard

PAIR_SEATS = 2  # players, each with a suit of their own
MAX_SHOWN_ROUNDS = 15  # rounds of bids shown to a player; they fit one line
WON_MARK = "*"  # marks winning bids
YOU = "You"  # the label of the reader, who is listed first

RULES = """\
GOPS: everybody holds the same cards, one of each value, and so do the prizes.
In each round a prize is turned up. All choose a card of their hand at once,
face down: that is the bid. The bids are shown, and the highest takes the
prize, which is worth its value in points: an ace 1, J 11, Q 12, K 13. Cards
that were bid are gone, whether they won or not. If the highest bid is tied,
the prize goes as the first lines of the game say: to nobody, shared, or added
to the next one. When all cards are gone, most points win.
Type a card to bid it: 7, 10, or a letter (A, J, Q, K). A * marks the bids
that won their prize."""


def build_view(seat: Seat | None, names: Sequence[str]) -> Codec:
    """Return the view for a player at this seat, or for a spectator."""
    return SpectatorView(names) if seat is None else SeatView(names, seat)


class SpectatorView:
    """The view for a spectator."""

    board: Scoreboard
    card_names: CardNames

    def __init__(self, names: Sequence[str], first: Seat = 0) -> None:
        self.names, self.phrases = [*names], Phrases(names)
        self.order = [*range(first, len(names)), *range(first)]  # the order of display
        self.suits: dict[Seat, str] = {}  # of two players; with more, names take their place
        if len(names) == PAIR_SEATS:
            self.suits.update(zip(self.order, (OWN, OTHER), strict=True))

    def tell(self, event: Any) -> Iterable[str]:
        """Return the lines of an event; sealed bids are shown once all of them are in."""
        return [*self._lines(event)]  # as a list now, before the board changes

    def _lines(self, event: Any) -> Iterable[str]:
        match event:
            case Greeting():
                self.board = Scoreboard(event.variant, event.seats)
                self.card_names = CardNames(event.variant.cards)
                return self._begin(event.variant)
            case Prize():
                self.board.hear(event)
                return self._prize_up()
            case Bids():
                stake = self.board.stake
                self.board.hear(event)
                return self._describe_bids(stake)
        return ()

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return no lines: a spectator is not asked."""
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed card; raise MalformedLineError with the cards that can be typed."""
        hand: Any = question.options
        return self.card_names.read(hand, line)

    def say(self, question: Question[Any], answer: int) -> str:
        """Return a card as text to type."""
        return self.card_names.name(answer)

    def _begin(self, variant: Gops) -> Iterator[str]:
        players = [f"{self.names[seat]} {self.suits.get(seat, '')}".rstrip() for seat in self.order]
        yield f"GOPS, {variant.cards} rounds: {join_words(players)}."
        yield f"The highest bid takes the prize {PRIZE}; where it is tied, {TIES[variant.ties]}."
        yield f"The prizes come {self._prizes(variant.prizes)}."

    def _prizes(self, prizes: str | tuple[int, ...]) -> str:
        if isinstance(prizes, str):
            return ORDERS[prizes]
        return f"in this order: {self.card_names.names(prizes)}"

    def _prize_up(self) -> Iterator[str]:
        board = self.board
        more = (
            f", with {format_points_with_unit(board.carried)} carried over" if board.carried else ""
        )
        yield f"Round {board.round} of {board.variant.cards}: {self._prize} is up{more}."

    def _describe_bids(self, stake: int) -> Iterator[str]:
        board = self.board
        bids = [f"{self.names[seat]} {self._bid(seat)}" for seat in self.order]
        yield f"  {', '.join(bids)}. {self._award(stake)} Points: {self._points}."
        if board.over:
            best = [seat for seat in self.order if seat in board.leaders]
            yield f"The end: {self._points}. {describe_winners(self.phrases, best)}"

    def _award(self, stake: int) -> str:
        """Describe the award of the prize and of any points carried over."""
        board = self.board
        takers = [seat for seat in self.order if seat in board.takers]
        carried = stake - board.prize
        prize = self._prize + (
            f" and the {format_points_with_unit(carried)} carried over" if carried else ""
        )
        if takers:
            clause = self.phrases.clause("take" if len(takers) == 1 else "share", *takers)
            return f"{begin_sentence(clause)} {prize}."
        if board.carried and not board.over:
            return f"A tie: the next winner gets {format_points_with_unit(board.carried)} more."
        return f"A tie: nobody gets {prize}."

    @property
    def _prize(self) -> str:
        return PRIZE + self.card_names.name(self.board.prize)

    def _bid(self, seat: Seat) -> str:
        return self.suits.get(seat, "") + self.card_names.name(self.board.bids[-1][seat])

    @property
    def _points(self) -> str:
        scores = self.board.scores
        return ", ".join(f"{self.names[seat]} {format_points(scores[seat])}" for seat in self.order)


class SeatView(SpectatorView):
    """The view for a player: all public knowledge before each bid."""

    def __init__(self, names: Sequence[str], seat: Seat) -> None:
        super().__init__(names, first=seat)
        self.names[seat], self.suits[seat] = YOU, OWN
        self.seat, self.phrases = seat, Phrases(names, seat)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the lines of the state, and the question with the hand."""
        hand: Any = question.options
        return (f"Your hand: {OWN} {self.card_names.names(hand)}",)

    def _prize_up(self) -> Iterator[str]:
        yield ""
        for line in super()._prize_up():
            yield MarkedLine(line, Mark.HEADING)
        if self.board.bids:
            yield from self._bids_so_far()
        yield from map(self._holding, self.order[1:])

    def _describe_bids(self, stake: int) -> Iterator[str]:
        takers, (bids, *end) = self.board.takers, super()._describe_bids(stake)
        mark = Mark.WON if self.seat in takers else Mark.LOST
        yield MarkedLine(bids, mark) if takers else bids
        yield from end

    def _bids_so_far(self) -> Iterator[str]:
        """Return a row of prizes, and a row of bids for each player, with winning bids marked."""
        rounds = range(len(self.board.bids))[-MAX_SHOWN_ROUNDS:]
        name, board = self.card_names.name, self.board
        rows = [(PRIZE, [name(board.prizes[at]) for at in rounds])]
        for seat in self.order:
            label = self.suits.get(seat, self.names[seat])
            bids = [
                name(board.bids[at][seat]) + WON_MARK * (seat in board.winners_by_round[at])
                for at in rounds
            ]
            rows.append((label, bids))
        return align_rows(rows)

    def _holding(self, seat: Seat) -> str:
        hand = self.board.hands[seat]
        suit = f"{self.suits[seat]} " if seat in self.suits else ""
        return f"{self.names[seat]} holds {len(hand)}: {suit}{self.card_names.names(hand)}"


def align_rows(rows: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Return the rows of a table with their labels, aligned; a * does not shift its cell.

    >>> list(align_rows([("bid", ["A", "10*"]), ("by", ["me", "you"])]))
    ['  bid   A  10*', '  by   me you']
    """
    label = max(len(label) for label, _ in rows)
    width = max(len(cell.rstrip(WON_MARK)) for _, cells in rows for cell in cells)
    for name, cells in rows:
        told = [
            f"{cell.rstrip(WON_MARK):>{width}}{WON_MARK if WON_MARK in cell else ' '}"
            for cell in cells
        ]
        yield f"  {name:<{label}} {''.join(told)}".rstrip()
