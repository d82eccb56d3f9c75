"""GOPS in sentences, for pages: who bids what, who takes the prize, and the totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    Greeting,
    LeadTracker,
    Mark,
    MarkedLine,
    Phrases,
    Question,
    Seat,
    begin_sentence,
    join_words,
)
from arena_gops.card_names import FRENCH_CARDS
from arena_gops.phrases import (
    TIES,
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
        self._phrases = Phrases(names, seat)

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
                players = self._phrases.join(self._phrases.reader_first)
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
        yield self._phrases.mark_good(line, *board.takers) if board.takers else line
        yield f"Points: {self._phrases.list_values(map(format_points, board.scores))}."
        if board.over:
            yield describe_winners(self._phrases, board.leaders)

    def _describe_bids(self) -> str:
        """Begin with whoever gets the prize; the others follow."""
        board, phrases, bids = self._board, self._phrases, self._board.bids[-1]
        order = sorted(range(len(bids)), key=lambda seat: seat not in board.takers)
        clauses = [f"{phrases.clause('bid', seat)} {self._card(bids[seat])}" for seat in order]
        if len(board.takers) == 1:
            taken = f"{clauses[0]} and {phrases.verb('take', order[0])} {self._prize}"
            return f"{taken}; {join_words(clauses[1:])}."
        bidding = f"{join_words(clauses)}."
        if board.takers:
            sharing = [seat for seat in order if seat in board.takers]
            return f"{bidding} {begin_sentence(phrases.clause('share', *sharing))} the prize."
        waits = board.carried and not board.over
        return f"{bidding} A tie: {'the prize waits' if waits else 'nobody gets the prize'}."

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
