"""Hearts as people see it: the board, the narrator, and the turning points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena import (
    AnswerEvent,
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
)
from arena.cards import (
    SUIT_SYMBOLS,
    Card,
    Cards,
    filter_suit,
    find_trick_winner,
    rank_of,
    remove_cards,
    show_cards,
    spell_card,
    suit_of,
)
from arena_hearts.rules import (
    ALL_POINTS,
    CARD_POINTS,
    HOLD,
    STEPS,
    DealStarted,
    Hand,
    PassCards,
    PlayCard,
    Played,
    Received,
    Scored,
    Taken,
    build_pack,
)

RULES = """\
Hearts: take no points in tricks, or take them all. Each heart you take is a
point, and Q♠ is 13. Whoever takes all 26 in a deal shoots the moon: all others
get 26 instead. When somebody has 100, fewest points win.

A deal begins with passing: all choose three cards for another player, left,
right or across, changing from deal to deal; then comes a deal without passing.

The player with the lowest club leads it to the first trick. Each plays a card:
one of the suit that was led, or any card if the hand has none of it. The
highest card of the suit that was led takes the trick and leads the next. In
the first trick of a deal no points are played, and hearts are not led before
one was played."""
TYPING = """\
Type a card as QS or Q♠, three of them with spaces between them."""


MOON_POINTS = 10  # from which on whoever has taken all points is on the way to the moon
PLACES = {"left": "on your left", "right": "on your right", "across": "across the table"}
"""Where the player sits to whom one passes cards, by the direction."""
WHERE = {"left": "on the left", "right": "on the right", "across": "across the table"}
"""The same for whoever watches."""


class HeartsBoardView:
    """The zones of Hearts as one viewer sees them: all card counts, and the faces it may know."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._names, self._first = names, seat or 0
        self._phrases = Phrases(names, seat)
        self._known: dict[Seat, Cards] = {}  # the hands that this viewer sees
        self._received: dict[Seat, Cards] = {}  # passed, until a trick is taken
        self._counts = [0] * len(names)
        self._trick: list[tuple[Seat, Card]] = []
        self._points = [0] * len(names)  # points of all deals so far
        self._taken = [0] * len(names)  # points of this deal
        self._deals: list[Sequence[int]] = []  # points of each deal that is over
        self._lacking = [""] * len(names)  # suits that a seat has shown not to hold
        self._acts = [""] * len(names)
        self._deal, self._tricks = "Hearts", 0  # tricks that this deal has begun
        self._direction = HOLD  # in which cards are passed, until they are
        self._news = ""
        self._last_trick: list[tuple[Seat, Card]] = []  # of this deal
        self._winner = 0  # the place in the trick of the card that took it
        self._turn: Seat | None = None  # to play a card, as far as all know

    def tell(self, event: Any) -> None:
        """Update the zones after an event."""
        match event:
            case DealStarted(number, direction, points):
                self._deal, self._tricks, self._turn = name_deal(number, direction), 0, None
                self._direction = direction
                self._clear_trick()
                self._last_trick = []
                self._points, self._taken = [*points], [0] * len(points)
                self._lacking = [""] * len(points)
                self._counts = [len(build_pack(len(points))) // len(points)] * len(points)
                self._known, self._received = {}, {}
            case PrivateEvent(seat, Hand(cards)):
                self._known[seat] = cards
            case Hand(cards):
                self._known[self._first] = cards
                if self._turn == self._first:  # whoever leads has seen what was taken
                    self._clear_trick()
            case PrivateEvent(seat, Received(_, cards)):
                self._receive(seat, cards)
            case Received(_, cards):
                self._receive(self._first, cards)
            case AnswerEvent(seat, PassCards(), cards):
                self._remove_cards(seat, cards)
            case _:
                self._play(event)

    def _receive(self, seat: Seat, cards: Cards) -> None:
        self._end_passing()
        self._known[seat] = self._known.get(seat, ()) + cards
        self._received[seat] = cards

    def _end_passing(self) -> None:
        """Remove how cards are passed."""
        self._deal, self._direction = self._deal.partition(":")[0], HOLD

    def _play(self, event: Any) -> None:
        match event:
            case Played(seat, card):
                if self._news:
                    self._clear_trick()
                if not self._trick:
                    self._tricks += 1
                self._end_passing()
                self._trick.append((seat, card))
                led = suit_of(self._trick[0][1])
                if led not in (suit_of(card), *self._lacking[seat]):
                    self._lacking[seat] += led
                self._counts[seat] -= 1
                self._turn = (seat + 1) % len(self._names)
                if len(self._trick) == len(self._names):
                    taker = find_trick_winner([card for _, card in self._trick])
                    self._turn, _ = self._trick[taker]
                verb = "leads" if len(self._trick) == 1 else "plays"
                self._acts[seat] = f"{verb} {show_cards([card])}"
                self._remove_cards(seat, (card,))
            case Taken(seat, points):
                self._received = {}
                self._taken[seat] += points
                self._winner = [player for player, _ in self._trick].index(seat)
                worth = format_count(points, "point") if points else "no points"
                self._acts[seat] = f"takes {worth}"
                self._news = begin_sentence(f"{self._phrases.clause('take', seat)} {worth}")
            case Scored(deal, points):
                self._clear_trick()
                self._deal, self._tricks = f"{self._deal} is over", 0
                self._news = " ".join(describe_moon(self._phrases, deal))  # the sheet has the rest
                self._points, self._taken = [*points], [0] * len(points)
                self._lacking = [""] * len(points)
                self._deals.append(deal)
                self._turn = None
            case Greeting():
                self._counts = [0] * event.seats

    def _clear_trick(self) -> None:
        """Take the trick off the table, with what was said of it; the last one can be looked up."""
        self._last_trick = self._trick or self._last_trick
        self._trick, self._news, self._acts = [], "", [""] * len(self._names)

    def _remove_cards(self, seat: Seat, cards: Cards) -> None:
        if seat in self._known:
            self._known[seat] = remove_cards(self._known[seat], cards)

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: the other hands, the trick, the viewer's hand."""
        seats = range(len(self._names))
        order = [*seats[self._first + 1 :], *seats[: self._first]]
        number = self._tricks + (not self._trick)
        return {
            **{f"hand{seat}": self._hand(seat) for seat in order},
            "trick": Zone(
                kind=ZoneKind.TABLE,
                title=f"{self._deal}, trick {number}" if self._tricks else self._deal,
                cards=tuple(card for _, card in self._trick),
                seats=tuple(seat for seat, _ in self._trick),
                text=self._news or self._describe_passing() or self._describe_trick(),
                won=(self._winner,) if self._trick and self._news else (),
            ),
            **self._build_sheet([*order, self._first]),
            **self._build_last_trick(),
            f"hand{self._first}": self._hand(self._first),
        }

    def _describe_passing(self) -> str:
        """Return who passes cards to whom, until they are passed."""
        step = STEPS[self._direction]
        if not step:
            return ""
        seats, phrases = len(self._names), self._phrases
        if phrases.you is None:
            return f"Each passes three cards to the player {WHERE[self._direction]}"
        to, giver = ((self._first + there) % seats for there in (step, -step))
        source = "back" if to == giver else f"from {phrases.name(giver)}"
        return f"You pass three cards to {phrases.name(to)}, and get three {source}"

    def _describe_trick(self) -> str:
        """Return which suit was led to the running trick, and what lies in it."""
        if not self._trick:
            return ""
        leader, card = self._trick[0]
        points = sum(CARD_POINTS.get(card, 0) for _, card in self._trick)
        lies = f" · {format_count(points, 'point')} in it" if points else ""
        led = f"{self._phrases.name(leader)} led {SUIT_SYMBOLS[suit_of(card)]}"
        return begin_sentence(led + lies)

    def _build_last_trick(self) -> Mapping[str, Zone]:
        """Return the last trick in the order of play, once its cards have left the table."""
        if not self._last_trick:
            return {}
        cards = [card for _, card in self._last_trick]
        last = Zone(
            kind=ZoneKind.ROW,
            title="Last trick",
            cards=tuple(cards),
            seats=tuple(seat for seat, _ in self._last_trick),
            won=(find_trick_winner(cards),),
        )
        return {"last": last}

    def _build_sheet(self, order: Sequence[Seat]) -> Mapping[str, Zone]:
        """Return the points of each player in each deal, once one is over, the last one first."""
        if not self._deals:
            return {}
        total = [before + now for before, now in zip(self._points, self._taken, strict=True)]
        deals = [(f"Deal {number}", deal) for number, deal in enumerate(self._deals, 1)]
        now = [("This deal", self._taken)] if self._tricks else []
        rows = [("In all", total), *now, *reversed(deals)]
        heads = ("", *map(self._phrases.name, order))
        table = [(label, *(str(points[seat]) for seat in order)) for label, points in rows]
        return {"sheet": Zone(kind=ZoneKind.TEXT, title="Points by deal", rows=(heads, *table))}

    def _hand(self, seat: Seat) -> Zone:
        known, taken = self._known.get(seat, ()), self._taken[seat]
        points = format_count(self._points[seat] + taken, "point")
        if any(self._points) and any(self._taken):  # else both figures are the same for all
            points += f" (+{taken})"  # in this deal, as the sheet has it
        if self._lacking[seat]:
            points += f" · no {''.join(SUIT_SYMBOLS[suit] for suit in self._lacking[seat])}"
        received = self._received.get(seat, ())
        return Zone(
            kind=ZoneKind.HAND,
            title=self._names[seat],
            of=seat,
            cards=known,
            received=tuple(place for place, card in enumerate(known) if card in received),
            hidden=0 if known else self._counts[seat],
            text=points,
            act=self._acts[seat],
            turn=seat == self._turn,
        )


class HeartsNarrator(Narrator):
    """Tells of the cards of a trick before the reader plays, and of the others when it is taken.

    In a replay it tells of each as it is played. Of passed cards it tells only whoever knows them.
    """

    silent = (Hand, Played)  # both told with the next question, and a trick when it is taken

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        super().__init__(seat, names)
        self._trick: list[tuple[Seat, Card]] = []
        self._told = 0  # cards of the trick that were told of
        self._tricks = 0  # that were taken in this deal
        self._direction = ""  # in which this deal's cards are passed
        self._taken = [0] * len(names)  # points of this deal
        self._hand: Cards = ()
        self._shown: set[Seat] = set()  # the seats whose hand of this deal a spectator has seen

    def describe(self, message: Any) -> Iterator[str]:
        """Yield the sentences on an event, or the question."""
        phrases = self.phrases
        match message:
            case Greeting():
                yield f"{phrases.join(phrases.reader_first)} play Hearts. The fewest points win."
            case DealStarted(number, direction):
                self._trick, self._told, self._tricks, self._shown = [], 0, 0, set()
                self._taken, self._direction = [0] * len(self._taken), direction
                title = f"{name_deal(number, direction)}."
                yield MarkedLine(title, Mark.HEADING, Part("deal", number))
            case Hand(cards):
                self._hand = cards
            case PrivateEvent(seat, Hand(cards)) if seat not in self._shown:
                self._shown.add(seat)
                holds = f"{phrases.clause('hold', seat)}  {format_hand(cards)}"
                yield MarkedLine(holds, Mark.STATE)
            case AnswerEvent(seat, PassCards(to=to), cards):
                passes = f"{phrases.clause('pass', seat)} {show_cards(cards)}"
                yield f"{passes} to {phrases.name(to)}."
            case Received(seat, cards):
                yield f"{phrases.clause('pass', seat)} you {show_cards(cards)}."
            case Played(seat, card):
                self._trick.append((seat, card))
                if self.stepwise:
                    yield self._tell_new_cards()
            case Question():
                yield from self._tell_question(message)
            case _:
                yield from self._tell_result(message)

    def hint(self, question: Question[Any]) -> str:
        """Return the cards that may be played, where the hand has others."""
        options: Any = question.options
        few = isinstance(question, PlayCard) and len(options) < len(self._hand)
        return show_cards(options) if few else ""

    def spell(self, question: Question[Any], option: Card) -> Sequence[str]:
        """Return a card in letters and symbols."""
        return spell_card(option)

    def submit(self, question: Question[Any], cards: int) -> str:
        """Return the label of the button that passes the cards."""
        return f"Pass {format_count(cards, 'card')}"

    def reveal(self, seat: Seat, question: Question[Any], answer: Any) -> str:
        """Return a sentence on who was on the way to the moon, beside which points are small."""
        taken = sum(self._taken)
        choice = isinstance(question, PlayCard) and len(question.options) > 1
        if not choice or taken < MOON_POINTS or taken not in self._taken:
            return ""
        shooter = self._taken.index(taken)
        played = f"You played {show_cards([answer])}"
        if shooter == seat:
            return f"{played} when you had all {taken} points so far, on the way to the moon."
        name = self.phrases.name(shooter)
        return f"{played} when {name} had all {taken} points so far, on the way to the moon."

    def _tell_question(self, question: Question[Any]) -> Iterator[str]:
        """Yield the table, the hand and the question."""
        if isinstance(question, PlayCard):
            yield MarkedLine("", Mark.STATE)
        if len(self._trick) > self._told:
            yield self._tell_new_cards()
        yield MarkedLine(f"Your hand: {format_hand(self._hand)}", Mark.STATE)
        if isinstance(question, PassCards):
            where = PLACES.get(self._direction)
            to = self.phrases.name(question.to) + (f", {where}" if where else "")
            yield f"Which three cards do you pass to {to}?"
        else:
            yield f"Which card do you {'play' if self._trick else 'lead'}?"

    def _tell_new_cards(self) -> MarkedLine:
        """Return a line on the cards that were not told of, with the trick that they begin."""
        part = None if self._told else Part("trick", self._tricks + 1)
        begins = f"{part.title}: " if part else ""
        return MarkedLine(f"{begins}{self._tell_cards()}.", part=part)

    def _tell_cards(self) -> str:
        """Return a sentence on who led or played the cards that were not told of."""
        cards = self._trick[self._told :]
        (seat, card), *others = cards
        verb = "play" if self._told else "lead"
        self._told = len(self._trick)
        first = f"{self.phrases.clause(verb, seat)} {show_cards([card])}"
        more = (f"{self.phrases.name(seat)} {show_cards([card])}" for seat, card in others)
        return ", ".join([first, *more])

    def _tell_result(self, event: Any) -> Iterator[str]:
        match event:
            case Taken(seat, points):
                yield self._tell_trick(seat, points)
                self._trick, self._told = [], 0
            case Scored(deal, points):
                yield from describe_scores(self.phrases, deal, points)

    def _tell_trick(self, taker: Seat, points: int) -> str:
        """Return the cards that were not told of, who takes the trick, and its points."""
        cards = self._tell_new_cards() if len(self._trick) > self._told else MarkedLine("")
        self._tricks += 1
        self._taken[taker] += points
        takes = begin_sentence(self.phrases.clause("take", taker))
        far = f" ({self._taken[taker]} so far)" if self._taken[taker] > points else ""
        worth = f"{format_count(points, 'point')}{far}" if points else "no points"
        what = " the trick:" if not cards else " it:" if not points else ""
        told = f"{begin_sentence(cards)} {takes}" if cards else takes
        line = MarkedLine(f"{told}{what} {worth}.", part=cards.part)
        return self.phrases.mark_bad(line, taker) if points and taker == self.seat else line


def name_deal(number: int, direction: str) -> str:
    """Return the title of a deal.

    >>> name_deal(1, "left"), name_deal(4, "hold")
    ('Deal 1: cards are passed left', 'Deal 4: no cards are passed')
    """
    passed = "no cards are passed" if direction == HOLD else f"cards are passed {direction}"
    return f"Deal {number}: {passed}"


def describe_scores(phrases: Phrases, deal: Sequence[int], points: Sequence[int]) -> Iterator[str]:
    """Describe the points of a deal and, where they differ, of all deals."""
    yield from describe_moon(phrases, deal)
    later = [*deal] != [*points]
    if later:
        yield f"Points in this deal: {phrases.list_values(deal)}."
    where = "all deals" if later else "this deal"
    yield MarkedLine(f"Points in {where}: {phrases.list_values(points)}.", Mark.SCORES)


def describe_moon(phrases: Phrases, deal: Sequence[int]) -> Iterator[str]:
    """Say who has shot the moon in a deal, if somebody has."""
    if sum(deal) != ALL_POINTS:
        shooter = deal.index(min(deal))
        line = begin_sentence(f"{phrases.clause('shoot', shooter)} the moon!")
        yield phrases.mark_good(line, shooter)


def format_hand(hand: Cards) -> str:
    """Format a hand with each suit once.

    >>> format_hand(("2C", "TC", "QS"))
    '♣ 2 10  ♠ Q'
    """
    held = ((symbol, filter_suit(hand, suit)) for suit, symbol in SUIT_SYMBOLS.items())
    return "  ".join(
        f"{symbol} {' '.join(map(rank_of, cards))}" for symbol, cards in held if cards
    ).replace("T", "10")


class HeartsTurningPoints:
    """Finds who takes the queen of spades, who shoots the moon, and changes of the lead."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._phrases = Phrases(names, seat)
        self._lead = LeadTracker(self._phrases, fewest=True)
        self._trick: list[Card] = []

    def tell(self, event: Any) -> str:
        """Return a sentence on such a moment."""
        match event:
            case Played(_, card):
                self._trick.append(card)
            case Taken(seat):
                trick, self._trick = self._trick, []
                takes = self._phrases.clause("take", seat)
                return f"{takes} the queen of spades" if "QS" in trick else ""
            case Scored(deal, points):
                change = self._lead.update(points)
                if sum(deal) != ALL_POINTS:
                    return f"{self._phrases.clause('shoot', deal.index(min(deal)))} the moon"
                return change
        return ""
