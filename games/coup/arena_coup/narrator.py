"""Coup in sentences, for pages: who claims what, who doubts it, and who loses an influence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    Greeting,
    Mark,
    MarkedLine,
    Phrases,
    PrivateEvent,
    Question,
    Seat,
    begin_sentence,
    join_words,
)
from arena_coup.characters import Cards
from arena_coup.messages import Drawn, Hand, KeepCards, ShowCard, Turn
from arena_coup.phrases import describe_event
from arena_coup.typed_answers import describe_question


class CoupNarrator:
    """Tells of cards that are face down only to whoever holds them, and to spectators of all."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._seat, self._phrases = seat, Phrases(names, seat)
        self._hands: dict[Seat, Cards] = {}  # as they were told last
        self._influence: tuple[int, ...] = ()

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""
        return [*map(begin_sentence, self._lines(event))]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question."""
        match question:
            case ShowCard(_, character):
                return (
                    f"A card is lost, unless it is the {character}.",
                    "Which card do you turn up?",
                )
            case KeepCards(options):
                cards = "card" if options.least == 1 else f"{options.least} cards"
                return (f"Which {cards} do you keep?",)
        return (describe_question(question, self._phrases),)

    def _lines(self, event: Any) -> Iterator[str]:
        match event:
            case Greeting():
                players = self._phrases.join(self._phrases.reader_first)
                yield f"{players} play Coup. The last player with influence wins."
            case Turn():
                yield from self._tell_turn(event)
            case PrivateEvent(seat, told):
                yield from self._tell_cards(seat, told)
            case Hand() | Drawn():
                assert self._seat is not None
                yield from self._tell_cards(self._seat, event)
            case _:
                yield from describe_event(self._phrases, event)

    def _tell_turn(self, turn: Turn) -> Iterator[str]:
        plays = self._phrases.clause("play", turn.seat)
        yield MarkedLine(f"Turn {turn.number}: {plays}.", Mark.HEADING)
        yield f"Coins: {self._phrases.list_values(turn.coins)}."
        if turn.influence != self._influence:
            self._influence = turn.influence
            yield f"Influence: {self._phrases.list_values(turn.influence)}."

    def _tell_cards(self, seat: Seat, event: Any) -> Iterator[str]:
        cards = join_words(f"the {card}" for card in event.cards)
        if isinstance(event, Drawn):
            yield f"{self._phrases.clause('draw', seat)} {cards}."
        elif self._hands.get(seat) != event.cards:
            self._hands[seat] = event.cards
            yield f"{self._phrases.clause('hold', seat)} {cards}."
