"""GOPS in sentences, for pages: who bids what, who takes the prize, and the totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    Greeting,
    LeadTracker,
    Mark,
    MarkedLine,
    Question,
    Seat,
    begin_sentence,
    join_words,
)
from arena_gops.card_names import FRENCH_CARDS
from arena_gops.phrases import (
    TIES,
    YOU,
    build_clause,
    describe_winners,
    format_points,
    format_points_with_unit,
)
from arena_gops.rules import Bids, Prize
from arena_gops.scoreboard import Scoreboard

COURT = {1: "ace", 11: "jack", 12: "queen", 13: "king"}


class GopsNarrator:
    """Tells of bids when all of them are shown, as the rules do."""

    _board: Scoreboard

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._seat = seat
        self._names = ["you" if at == seat else name for at, name in enumerate(names)]

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""
        return [*map(begin_sentence, self._lines(event))]  # at once, as the board stands now

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question for a bid."""
        return (f"Which card do you bid for {self._card(self._board.prize)}?",)

    def _lines(self, event: Any) -> Iterator[str]:
        match event:
            case Greeting():
                self._board = Scoreboard(event.variant, event.seats)
                reader_first = sorted(range(len(self._names)), key=lambda at: at != self._seat)
                players = join_words([self._names[seat] for seat in reader_first])
                yield f"{players} play GOPS with {event.variant.cards} cards."
                ties = TIES[event.variant.ties]
                yield f"The highest bid takes the prize; where it is tied, {ties}."
            case Prize():
                self._board.hear(event)
                yield MarkedLine(self._announce_prize(), Mark.HEADING)
            case Bids():
                self._board.hear(event)
                yield from self._tell_bids()

    def _announce_prize(self) -> str:
        board = self._board
        more = f", and {format_points_with_unit(board.carried)} wait" if board.carried else ""
        return f"Round {board.round} of {board.variant.cards}: the prize is {self._prize}{more}."

    def _tell_bids(self) -> Iterator[str]:
        board = self._board
        line = self._describe_bids()
        if self._seat is None or not board.takers:
            yield line
        else:
            yield MarkedLine(line, Mark.WON if self._seat in board.takers else Mark.LOST)
        yield f"Points: {self._each(board.scores)}."
        if board.over:
            best = [self._call(seat) for seat in range(len(self._names)) if self._leads(seat)]
            yield describe_winners(best, len(self._names))

    def _describe_bids(self) -> str:
        """Begin with whoever gets the prize; the others follow."""
        board, bids = self._board, self._board.bids[-1]
        order = sorted(range(len(bids)), key=lambda seat: seat not in board.takers)
        clauses = [f"{self._does('bid', seat)} {self._card(bids[seat])}" for seat in order]
        if len(board.takers) == 1:
            taken = f"{clauses[0]} and take{self._ending(order[0])} {self._prize}"
            return f"{taken}; {join_words(clauses[1:])}."
        bidding = f"{join_words(clauses)}."
        if board.takers:
            sharing = [self._call(seat) for seat in order if seat in board.takers]
            return f"{bidding} {build_clause('share', sharing)} the prize."
        waits = board.carried and not board.over
        return f"{bidding} A tie: {'the prize waits' if waits else 'nobody gets the prize'}."

    def _leads(self, seat: Seat) -> bool:
        return self._board.scores[seat] == max(self._board.scores)

    def _call(self, seat: Seat) -> str:
        """Return the name of a seat, for the beginning of a sentence."""
        return YOU if seat == self._seat else self._names[seat]

    def _does(self, verb: str, seat: Seat) -> str:
        name = self._names[seat]
        return f"{name} {verb}{self._ending(seat)}"

    def _ending(self, seat: Seat) -> str:
        return "" if seat == self._seat else "s"

    def _each(self, scores: Sequence[Any]) -> str:
        pairs = zip(self._names, scores, strict=True)
        return ", ".join(f"{name} {format_points(score)}" for name, score in pairs)

    @property
    def _prize(self) -> str:
        return self._card(self._board.prize)

    def _card(self, card: int) -> str:
        return f"the {name_card(card, self._board.variant.cards)}"


def name_card(card: int, cards: int) -> str:
    """Return the word for a card of a suit of so many.

    >>> name_card(13, 13), name_card(7, 13), name_card(13, 20)
    ('king', '7', '13')
    """
    return COURT.get(card, str(card)) if cards <= FRENCH_CARDS else str(card)


class GopsTurningPoints:
    """Finds the rounds after which somebody else leads."""

    _board: Scoreboard

    def __init__(self, names: Sequence[str]) -> None:
        self._lead = LeadTracker(names)

    def tell(self, event: Any) -> str:
        """Return a sentence where the lead changes."""
        match event:
            case Greeting():
                self._board = Scoreboard(event.variant, event.seats)
            case Bids():
                self._board.hear(event)
                return self._lead.update(self._board.scores)
            case Prize():
                self._board.hear(event)
        return ""
