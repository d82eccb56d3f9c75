"""GOPS as people see it: the narrator, the board, and the turning points.

Cards have names, A, 2 to 10, J, Q, K, or plain numbers if a suit has more cards. The player's own
cards are clubs, the opponents' are spades, and the prizes are diamonds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
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
    Question,
    Score,
    Seat,
    Zone,
    ZoneKind,
    begin_sentence,
    format_count,
    join_words,
)
from arena_gops.rules import Bid, Bids, Gops, Prize, Scoreboard, without

OWN, OTHER, PRIZE = "♣", "♠", "♦"
BOARD_SUITS = {OWN: "C", OTHER: "S", PRIZE: "D"}  # the suits as a board names them
FACES = {**{card: str(card) for card in range(2, 11)}, 1: "A", 11: "J", 12: "Q", 13: "K"}
COURT = {1: "ace", 11: "jack", 12: "queen", 13: "king"}
FRENCH_CARDS = max(FACES)  # cards of a suit with face cards
TIES = {
    "discard": "nobody gets it",
    "split": "they share it",
    "carry": "it waits for the next winner",
}
ORDERS = {
    "shuffled": "in random order",
    "ascending": "from the lowest up",
    "descending": "from the highest down",
}
RULES = """\
GOPS: everybody holds the same cards, one of each value, and so do the prizes.
In each round a prize is turned up. All choose a card of their hand at once,
face down: that is the bid.

The bids are shown, and the highest takes the prize, which is worth its value
in points: an ace 1, J 11, Q 12, K 13. Cards that were bid are gone, whether
they won or not. If the highest bid is tied, nobody gets the prize; a table may
also be set up to share it, or to add it to the next one.

When all cards are gone, most points win."""
TYPING = """\
Type a card to bid it: 7, 10, or a letter (A, J, Q, K). A * marks the bids
that won their prize."""
MAX_SHOWN_ROUNDS = 15  # of the bids so far; they fit one line
WON_MARK = "*"  # marks winning bids


class GopsBoardView:
    """The zones of GOPS as one viewer sees them: only bids that are not shown yet are hidden.

    An event changes some of the zones; the others are not drawn again.
    """

    _board: Scoreboard

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._names, self._seat, self._first = names, seat, seat or 0
        self._sealed: dict[Seat, int] = {}  # bids that this viewer knows before they are shown
        self._zones: dict[str, Zone] = {}

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: the other hands, the prize, the bids, the viewer's hand, the rounds."""
        return self._zones

    def tell(self, event: Any) -> None:
        """Update the zones after an event."""
        match event:
            case AnswerEvent(seat, _, card):
                self._sealed[seat] = card
                self._draw_hand(seat)
                self._draw_bids()
            case Prize():
                self._board.hear(event)
                self._draw_prize()
                self._draw_bids()
                self._draw_prizes()
            case Bids():
                self._sealed = {}
                self._board.hear(event)  # the prize lies beside the bids until the next one
                self._draw_bids()
                for seat in range(len(self._names)):
                    self._draw_hand(seat)
                    self._draw_past(seat)
            case Greeting():
                self._board = Scoreboard(event.variant, event.seats)
                self._draw_all()

    def _draw_all(self) -> None:
        """Draw all zones in their fixed order."""
        seats = range(len(self._names))
        for seat in (*seats[self._first + 1 :], *seats[: self._first]):
            self._draw_hand(seat)
        self._draw_prize()
        self._draw_bids()
        self._draw_hand(self._first)
        self._draw_prizes()
        for seat in seats:
            self._draw_past(seat)

    def _suit(self, suit: str) -> str:
        """Return the suit in which the board draws cards, if they fit a French suit."""
        return BOARD_SUITS[suit] if self._board.variant.cards <= FRENCH_CARDS else ""

    def _suit_of(self, seat: Seat) -> str:
        """Return the suit of a seat's cards: the viewer's own one, or that of all others."""
        return self._suit(OWN if seat == self._first else OTHER)

    def _draw_hand(self, seat: Seat) -> None:
        hand, sealed = self._board.hands[seat], self._sealed.get(seat)
        self._zones[f"hand{seat}"] = Zone(
            kind=ZoneKind.HAND,
            title=self._names[seat],
            of=seat,
            cards=tuple(hand if sealed is None else without(hand, sealed)),
            suit=self._suit_of(seat),
            text=format_points_with_unit(self._board.scores[seat]),
            act=self._describe_last_bid(seat),
        )

    def _describe_last_bid(self, seat: Seat) -> str:
        board = self._board
        if not board.bids:
            return ""
        bid = f"bids {name_face(board.bids[-1][seat], board.variant.cards)}"
        return f"{bid} and wins" if seat in board.winners_by_round[-1] else bid

    def _draw_prize(self) -> None:
        board = self._board
        self._zones["prize"] = Zone(
            kind=ZoneKind.TABLE,
            title=f"Prize, round {board.round} of {board.variant.cards}"
            if board.prizes
            else "Prizes",
            cards=tuple(board.prizes[-1:]),
            suit=self._suit(PRIZE),
            hidden=board.variant.cards - len(board.prizes),
            text=f"{format_points_with_unit(board.carried)} carried over" if board.carried else "",
        )

    def _draw_bids(self) -> None:
        """Draw the bids that this viewer knows of the current round, or else the last round's."""
        board, open_ = self._board, len(self._board.prizes) > len(self._board.bids)
        last = dict(enumerate(board.bids[-1])) if board.bids and not open_ else {}
        bids = self._sealed or last
        phrases = Phrases(self._names, self._seat)
        won = phrases.join(board.takers) if last and not self._sealed else ""
        self._zones["bids"] = Zone(
            kind=ZoneKind.TABLE,
            title="Bids",
            cards=tuple(self._face(seat, card) for seat, card in bids.items()),
            seats=tuple(bids),
            text=begin_sentence(f"{won} won") if won else "",
            won=tuple(at for at, seat in enumerate(bids) if won and seat in board.takers),
        )

    def _face(self, seat: Seat, card: int) -> str | int:
        """Return the face of a card that is shown with other suits."""
        suit = self._suit_of(seat)
        return FACES[card] + suit if suit else card

    def _draw_prizes(self) -> None:
        self._draw_row("prizes", "Prizes", self._suit(PRIZE), self._board.prizes)

    def _draw_past(self, seat: Seat) -> None:
        bids = [bids[seat] for bids in self._board.bids]
        title = "Your bids" if seat == self._seat else f"{self._names[seat]}'s bids"
        won = [at for at, takers in enumerate(self._board.winners_by_round) if seat in takers]
        self._draw_row(f"row{seat}", title, self._suit_of(seat), bids, seat, won)

    def _draw_row(  # noqa: PLR0917  # a zone has so many parts
        self,
        key: str,
        title: str,
        suit: str,
        cards: Sequence[int],
        of: Seat | None = None,
        won: Sequence[int] = (),
    ) -> None:
        self._zones[key] = Zone(
            kind=ZoneKind.ROW, title=title, of=of, cards=tuple(cards), suit=suit, won=tuple(won)
        )


class GopsNarrator(Narrator):
    """Tells of bids when all of them are shown, as the rules do."""

    _board: Scoreboard

    def describe(self, message: Any) -> Iterator[str]:
        """Yield the sentences on an event, or the question."""
        match message:
            case Greeting():
                self._board = Scoreboard(message.variant, message.seats)
                yield from self._begin(message.variant)
            case Prize():
                self._board.hear(message)
                yield self._announce_prize()
                yield from (MarkedLine(row, Mark.STATE) for row in self._list_state())
            case Bid():
                hand: Any = message.options
                yield MarkedLine(f"Your hand: {self._names(hand)}", Mark.STATE)
                yield f"Which card do you bid for {self._card(self._board.prize)}?"
            case Bids():
                self._board.hear(message)
                yield from self._tell_bids()

    def hint(self, question: Question[Any]) -> str:
        """Return nothing: the hand is shown."""
        return ""

    def spell(self, question: Question[Any], option: int) -> Sequence[str]:
        """Return a card's name, its number and its word."""
        cards = self._board.variant.cards
        return name_face(option, cards), str(option), name_card(option, cards)

    def reveal(self, seat: Seat, question: Question[Any], answer: Any) -> str:
        """Return the bid, and how many higher cards the others could have bid.

        Of a bid that nobody could reach it says which lower card was as sure.
        """
        bid = f"You bid {self._card(answer)} for {self._prize}"
        hands = self._board.hands
        highest = max(max(hand, default=0) for at, hand in enumerate(hands) if at != seat)
        sure = min((card for card in hands[seat] if card > highest), default=answer)
        if 0 < highest < sure < answer:
            top = self._card(highest)
            return f"{bid}: {self._card(sure)} was as sure, as nobody held a card above {top}."
        higher = {
            other: count
            for other, hand in enumerate(self._board.hands)
            if other != seat and (count := sum(card > answer for card in hand))
        }
        held = [
            f"{self.phrases.name(other)} held {format_count(count, 'higher card')}"
            for other, count in higher.items()
        ]
        return f"{bid}, and {join_words(held) or 'nobody held a higher card'}."

    def _begin(self, variant: Gops) -> Iterator[str]:
        players = self.phrases.join(self.phrases.reader_first)
        yield f"{players} play GOPS with {variant.cards} cards."
        yield f"The highest bid takes the prize; if it is tied, {TIES[variant.ties]}."
        prizes = variant.prizes
        order = ORDERS[prizes] if isinstance(prizes, str) else f"like this: {self._names(prizes)}"
        yield f"The prizes come {order}."

    def _announce_prize(self) -> str:
        board = self._board
        points = format_points_with_unit(board.carried)
        more = f", with {points} carried over" if board.carried else ""
        part = Part("round", board.round)
        prize = f"{part.title} of {board.variant.cards}: the prize is {self._prize}{more}."
        return MarkedLine(prize, Mark.HEADING, part)

    def _list_state(self) -> Iterator[str]:
        """Yield the prizes and bids so far, and the cards that the others hold, for a player."""
        board, phrases = self._board, self.phrases
        if self.seat is None:
            return
        rounds = range(len(board.bids))[-MAX_SHOWN_ROUNDS:]
        rows = [("prizes", [self._face(board.prizes[at]) for at in rounds])]
        for seat in phrases.reader_first:
            bids = [
                self._face(board.bids[at][seat]) + WON_MARK * (seat in board.winners_by_round[at])
                for at in rounds
            ]
            rows.append((phrases.name(seat), bids))
        yield from align_rows(rows) if rounds else ()
        for seat in phrases.reader_first[1:]:
            hand = board.hands[seat]
            yield f"{phrases.clause('hold', seat)} {len(hand)}: {self._names(hand)}"

    def _tell_bids(self) -> Iterator[str]:
        board = self._board
        line = self._describe_bids()
        yield self.phrases.mark_good(line, *board.takers) if board.takers else line
        points = self.phrases.list_values(map(format_points, board.scores))
        yield MarkedLine(f"Points: {points}.", Mark.SCORES)
        if board.over:
            yield describe_winners(self.phrases, board.leaders)

    def _describe_bids(self) -> str:
        """Begin with whoever gets the prize; the others follow."""
        board, phrases, bids = self._board, self.phrases, self._board.bids[-1]
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

    def _face(self, card: int) -> str:
        return name_face(card, self._board.variant.cards)

    def _names(self, cards: Iterable[int]) -> str:
        return " ".join(map(self._face, cards))


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


def name_card(card: int, cards: int) -> str:
    """Return the word for a card of a suit of so many.

    >>> name_card(13, 13), name_card(7, 13), name_card(13, 20)
    ('king', '7', '13')
    """
    return COURT.get(card, str(card)) if cards <= FRENCH_CARDS else str(card)


LARGE_PRIZE = 0.1
"""The share of all points from which on a prize is a turning point for who is behind."""


class GopsTurningPoints:
    """Finds the rounds after which somebody else leads, and those that take much of a lead."""

    _board: Scoreboard

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._phrases = Phrases(names, seat)
        self._lead = LeadTracker(self._phrases)

    def tell(self, event: Any) -> str:
        """Return a sentence where the lead changes, or falls by a large prize."""
        match event:
            case Greeting():
                self._board = Scoreboard(event.variant, event.seats)
            case Bids():
                before = [*self._board.scores]
                self._board.hear(event)
                return self._lead.update(self._board.scores) or self._describe_approach(before)
            case Prize():
                self._board.hear(event)
        return ""

    def _describe_approach(self, before: Sequence[Score]) -> str:
        """Say who comes nearer to the leader by a large prize, or nothing."""
        after = self._board.scores
        leader = before.index(max(before))
        gains = [new - old for old, new in zip(before, after, strict=True)]
        taker = gains.index(max(gains))
        gap = after[leader] - after[taker]
        total = sum(self._board.variant.values)
        left = total - sum(self._board.prizes)
        is_large = gains[taker] >= LARGE_PRIZE * total
        if taker == leader or not is_large or gains[leader] or not 0 <= gap <= left:
            return ""
        comes, leads = self._phrases.clause("come", taker), self._phrases.join([leader])
        if not gap:
            return f"{comes} level with {leads}"
        return f"{comes} within {format_points_with_unit(gap)} of {leads}"


def name_face(card: int, cards: int) -> str:
    """Return the short name of a card of a suit of so many.

    >>> name_face(12, 13), name_face(12, 20)
    ('Q', '12')
    """
    return FACES[card] if cards <= FRENCH_CARDS and card in FACES else str(card)


def format_points(score: Score) -> str:
    """Format points, with a fraction for parts of a point.

    >>> format_points(3), format_points(Fraction(7, 2)), format_points(Fraction(1, 3))
    ('3', '3 1/2', '1/3')
    """
    if isinstance(score, int):
        return str(score)
    whole, part = divmod(Fraction(score), 1)
    return f"{whole} {part}" if whole and part else str(whole or part)


def format_points_with_unit(score: Score) -> str:
    """Format points with their unit.

    >>> format_points_with_unit(1), format_points_with_unit(12)
    ('1 point', '12 points')
    """
    return f"{format_points(score)} point{'' if score == 1 else 's'}"


def describe_winners(phrases: Phrases, winners: Sequence[Seat]) -> str:
    """Describe the outcome of a game.

    >>> table = Phrases(["Ann", "Bob", "Cleo"], you=1)
    >>> describe_winners(table, [0, 1]), describe_winners(table, [1])
    ('Ann and you share the win.', 'You win.')
    """
    if len(winners) == len(phrases.names):
        return "A draw."
    verb = "share" if len(winners) > 1 else "win"
    clause = begin_sentence(phrases.clause(verb, *winners))
    return f"{clause} the win." if len(winners) > 1 else f"{clause}."
