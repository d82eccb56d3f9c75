"""Briscola as people see it: the board, the narrator and the turning points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena import (
    Greeting,
    LeadTracker,
    Mark,
    MarkedLine,
    Narrator,
    Part,
    Phrases,
    PrivateEvent,
    Question,
    Seat,
    Zone,
    ZoneKind,
    begin_sentence,
    format_count,
    join_words,
)
from arena.cards import Card, Cards, rank_of, remove_cards, suit_of
from arena_briscola.rules import (
    HAND_SIZE,
    Hand,
    Played,
    Taken,
    Trick,
    count_points,
    count_sides,
    find_taker,
)

RULES = """\
Briscola: tricks with a trump suit. The pack is Italian; its suits are cups
(coppe), coins (denari), swords (spade) and batons (bastoni). Everybody holds
three cards. One is turned up under the stock, and its suit is trump.

Each plays a card, any one: suit need not be followed. The highest trump takes
the trick, or else the highest card of the suit that was led. Its winner leads
the next. All draw from the stock, the taker first, as long as there is one.

From the highest: an ace is 11 points, a 3 is 10, a king 4, a horse 3, a jack
2, and 7 6 5 4 2 are nothing: 120 in all, and most points win. Four play in
pairs, and partners sit across."""
TYPING = """\
Type a card in words, or as its rank (A K H J) and its suit (C cups, D coins,
S swords, B batons): 7C, HD."""

SUIT_NAMES = {"C": "cups", "D": "coins", "S": "swords", "B": "batons"}
VALUES = "ace 11, three 10, king 4, horse 3, jack 2"  # from the highest
PACK = "italian"  # as a board names it
COURT = {"A": "ace", "K": "king", "Q": "horse", "J": "jack"}


class BriscolaBoardView:
    """The zones of Briscola as one viewer sees them: all card counts, and the faces it may know."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._names, self._seat, self._first = names, seat, seat or 0
        self._phrases = Phrases(names, seat)
        self._known: dict[Seat, Cards] = {}  # the hands that this viewer sees
        self._counts = [0] * len(names)
        self._points = [0] * len(names)
        self._piles = [0] * len(names)  # cards that a seat, or its pair, has taken
        self._acts = [""] * len(names)
        self._trump, self._stock = "", 0
        self._trick: list[tuple[Seat, Card]] = []
        self._tricks = self._lying = 0  # how many have begun, and which one lies there
        self._news = ""
        self._winner = 0  # the place in the trick of the card that took it
        self._turn: Seat | None = None  # to play a card

    def tell(self, event: Any) -> None:
        """Update the zones after an event."""
        match event:
            case Trick(leader, trump, stock, points):
                if stock or self._stock:  # all have drawn a card, or were dealt new ones
                    self._counts = [HAND_SIZE] * len(self._names)
                self._trump, self._stock, self._points = trump, stock, [*points]
                self._tricks += 1
                self._turn = leader
            case Hand(cards):
                self._known[self._first] = cards
                if self._turn == self._first:  # whoever leads has seen what was taken
                    self._clear_trick()
            case PrivateEvent(seat, Hand(cards)):
                self._known[seat] = cards
            case _:
                self._play(event)

    def _play(self, event: Any) -> None:
        match event:
            case Played(seat, card):
                if self._news:
                    self._clear_trick()
                self._trick.append((seat, card))
                self._lying = self._tricks
                self._counts[seat] -= 1
                whole = len(self._trick) == len(self._names)
                self._turn = self._ahead if whole else (seat + 1) % len(self._names)
                if seat in self._known:
                    self._known[seat] = remove_cards(self._known[seat], (card,))
            case Taken(seat, points):
                for partner in range(len(self._names))[seat % self._sides :: self._sides]:
                    self._points[partner] += points
                    self._piles[partner] += len(self._trick)
                self._winner = [player for player, _ in self._trick].index(seat)
                worth = format_count(points, "point") if points else "no points"
                self._acts[seat] = f"takes {worth}"
                self._news = begin_sentence(f"{self._phrases.clause('take', seat)} {worth}")

    def _clear_trick(self) -> None:
        """Take the trick off the table, with what was said of it."""
        self._trick, self._news, self._acts = [], "", [""] * len(self._names)
        self._lying = 0

    @property
    def _sides(self) -> int:
        return count_sides(len(self._names))

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: hands, the trump and the stock, the trick, and what cards are worth.

        A trick lies until the next card is played, or until its taker is to lead.
        """
        seats = range(len(self._names))
        order = [*seats[self._first + 1 :], *seats[: self._first]]
        return {
            **{f"hand{seat}": self._hand(seat) for seat in order},
            "stock": Zone(
                kind=ZoneKind.TABLE,
                title=f"Trump: {SUIT_NAMES[suit_of(self._trump)]}" if self._trump else "Stock",
                cards=(self._trump,) if self._stock else (),
                pack=PACK,
                hidden=max(0, self._stock - 1),
                text=self._describe_stock(),
            ),
            "trick": Zone(
                kind=ZoneKind.TABLE,
                title=f"Trick {self._lying or self._tricks}",
                cards=tuple(card for _, card in self._trick),
                pack=PACK,
                seats=tuple(seat for seat, _ in self._trick),
                text=self._news or self._describe_trick(),
                won=(self._winner,) if self._news else (),
            ),
            "values": Zone(kind=ZoneKind.TEXT, title="Points", text=VALUES),
            f"hand{self._first}": self._hand(self._first),
        }

    def _describe_stock(self) -> str:
        """Return whether the stock is gone."""
        return "the stock is gone" if self._trump and not self._stock else ""

    def _describe_trick(self) -> str:
        """Return who would take the running trick, and its points."""
        if not self._trick:
            return ""
        points = format_count(count_points(card for _, card in self._trick), "point")
        return f"{points} to {self._phrases.name(self._ahead)}"

    @property
    def _ahead(self) -> Seat:
        """The seat that takes the trick so far."""
        cards = tuple(card for _, card in self._trick)
        return self._trick[find_taker(cards, self._trump)][0]

    def _hand(self, seat: Seat) -> Zone:
        known = self._known.get(seat, ())
        partner = self._seat is not None and seat % self._sides == self._seat % self._sides
        points = format_count(self._points[seat], "point")
        if self._piles[seat]:
            points += f" in {self._piles[seat]} cards"
        return Zone(
            kind=ZoneKind.HAND,
            title=self._names[seat],
            of=seat,
            cards=known,
            pack=PACK,
            hidden=0 if known else self._counts[seat],
            text=f"partner · {points}" if partner and seat != self._seat else points,
            act=self._acts[seat],
            turn=seat == self._turn,
        )


class BriscolaNarrator(Narrator):
    """Tells of cards as they are played; of those in a hand only where the viewer knows it."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        super().__init__(seat, names)
        step = count_sides(len(names))
        self._sides = [range(side, len(names), step) for side in range(step)]
        self._hands: dict[Seat, Cards] = {}  # as they were told last
        self._stock = 0
        self._tricks = 0
        self._scores: list[int] = []
        self._leading = False  # is the next card the first of its trick?

    def describe(self, message: Any) -> Iterator[str]:
        """Yield the sentences on an event, or the question."""
        phrases = self.phrases
        match message:
            case Greeting():
                yield f"{self._name_players()}. The most points win."
            case Trick():
                yield from self._tell_trick(message)
            case PrivateEvent(seat, Hand(cards)):
                yield from self._tell_hand(seat, cards)
            case Hand(cards):
                assert self.seat is not None
                yield from self._tell_hand(self.seat, cards)
            case Played(seat, card):
                verb = "lead" if self._leading else "play"
                self._leading = False
                yield f"{phrases.clause(verb, seat)} {name_card(card)}."
            case Taken(seat, points):
                yield from self._tell_winner(seat, points)
            case Question():
                yield f"Which card do you {'lead' if self._leading else 'play'}?"

    def spell(self, question: Question[Any], option: Card) -> Sequence[str]:
        """Return a card in words, as it is drawn, and as programs write it."""
        return name_card(option).removeprefix("the "), option.replace("Q", "H"), option

    def _name_players(self) -> str:
        """Name the players, and that they play; the reader's pair comes first."""
        if len(self._sides) == len(self.phrases.names):
            return f"{self.phrases.join(self.phrases.reader_first)} play Briscola"
        sides = sorted(self._sides, key=lambda side: self.seat not in side)
        own, other = (self._name_side(side) for side in sides)
        return f"{own} play Briscola against {other}"

    def _name_side(self, side: Iterable[Seat]) -> str:
        return self.phrases.join(sorted(side, key=lambda seat: seat != self.seat))

    def _tell_trick(self, trick: Trick) -> Iterator[str]:
        begins = trick.stock > self._stock or not self._tricks
        gone = not trick.stock and self._stock
        self._tricks += 1
        self._stock, self._scores, self._leading = trick.stock, [*trick.scores], True
        leads, part = self.phrases.clause("lead", trick.leader), Part("trick", self._tricks)
        yield MarkedLine(f"{part.title}: {leads}.", Mark.HEADING, part)
        if begins:
            self._hands = {}
            suit = SUIT_NAMES[suit_of(trick.trump)].capitalize()
            yield f"{suit} are the trump suit: {name_card(trick.trump)} is turned up."
        elif gone:
            yield "The stock is gone."
        stock = f", {trick.stock} cards in the stock" if trick.stock else ""
        yield MarkedLine(f"Trump: {name_card(trick.trump)}{stock}.", Mark.STATE)

    def _tell_hand(self, seat: Seat, cards: Cards) -> Iterator[str]:
        """Tell the card that was drawn, or a new hand as a whole."""
        before = self._hands.get(seat)
        self._hands[seat] = cards
        new = [name_card(card) for card in cards if card not in (before or ())]
        if new:
            yield f"{self.phrases.clause('draw' if before else 'hold', seat)} {join_words(new)}."

    def _tell_winner(self, seat: Seat, points: int) -> Iterator[str]:
        side = self._sides[seat % len(self._sides)]
        worth = format_count(points, "point") if points else "no points"
        line = f"{self.phrases.clause('take', seat)} the trick: {worth}."
        yield self.phrases.mark_good(line, *side) if points else line
        for partner in side:
            self._scores[partner] += points
        scores = [f"{self._name_side(side)} {self._scores[side[0]]}" for side in self._sides]
        yield MarkedLine(f"Points: {', '.join(scores)}.", Mark.SCORES)


def name_card(card: Card) -> str:
    """Return the words for a card.

    >>> name_card("KC"), name_card("7S")
    ('the king of cups', 'the 7 of swords')
    """
    rank = rank_of(card)
    return f"the {COURT.get(rank, rank)} of {SUIT_NAMES[suit_of(card)]}"


class BriscolaTurningPoints:
    """Finds changes of the lead, of players or of pairs, as a trick is taken."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._sides = count_sides(len(names))
        sides = [range(side, len(names), self._sides) for side in range(self._sides)]
        self._lead = LeadTracker(Phrases(names, seat), sides=sides)
        self._points = [0] * self._sides

    def tell(self, event: Any) -> str:
        """Return a sentence where the lead changes."""
        if not isinstance(event, Taken):
            return ""
        self._points[event.seat % self._sides] += event.points
        return self._lead.update(self._points)
