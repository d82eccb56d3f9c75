"""BS as people see it: the view in text, typed answers, the board, and the narrator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from arena import (
    AnswerEvent,
    Codec,
    Greeting,
    MalformedLineError,
    Mark,
    MarkedLine,
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
from arena.cards import SUIT_SYMBOLS, Card, Cards, format_cards, remove_cards, show_cards
from arena_bs.rules import (
    BS,
    NICKNAME,
    PASS,
    PEANUT_BUTTER,
    RANKS,
    SUITS,
    Called,
    ChooseCards,
    Declare,
    Hand,
    Judged,
    Nickname,
    PileTaken,
    Played,
    Player,
    Receives,
    Shown,
    Turn,
    Won,
    filter_rank,
)
from arena_bs.wire import join_cards, parse_declaration

INTRODUCTION = (
    "BS: get rid of your cards first. On your turn, lay some face down and claim that",
    "they are all of the current rank; ranks go from A to K and start again. If a",
    "false claim is called, its player takes the pile; if a true claim is called, the",
    "caller who spoke last takes it.",
)

RULES = """\
BS (Cheat): all 52 cards are dealt, and the first player without cards wins. In
turn, players lay one card or more face down on the pile and claim that all are
of the current rank: aces in the first turn, twos in the second, and so on to
the kings, then aces again. A claim may be a lie. Then all others may call BS.
If nobody does, the pile stays. If somebody does, the cards are shown: after a
lie the liar takes the whole pile, after the truth the caller who spoke last
takes it. Peanut Butter is a boast: the player who laid the cards may say it
secretly instead of passing. If nobody calls and the claim was a lie, everybody
is told. It changes nothing else.
Type cards as 7H or 7♥, 10 or T for a ten, several with spaces between them."""
YOU = "you"


def build_view(seat: Seat | None, names: Sequence[str]) -> Codec:
    """Return the view for a player at this seat, or for a spectator."""
    return SpectatorView(names) if seat is None else SeatView(seat, names)


class BsTextView:
    """Base class of the text views: counts the cards of the pile, and builds sentences."""

    def __init__(self) -> None:
        self.pile = 0  # the number of cards, including the last play
        self.callers: tuple[Player, ...] = ()

    def tell(self, event: Any) -> Iterable[str]:
        """Update the view after an event, and return its lines."""
        match event:
            case Played(count=count):
                self.pile += count
            case Called(players):
                self.callers = players
        return [*self.lines(event)]  # as a list now, before the state changes

    def lines(self, event: Any) -> Iterable[str]:
        """Return the lines of an event."""
        raise NotImplementedError

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return no lines: a spectator is not asked."""
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed answer; raise MalformedLineError with the answers that can be typed."""
        match question:
            case Nickname():
                return read_nickname(question, line)
            case ChooseCards():
                return read_lay(question, line)
            case Declare():
                return read_declaration(question, line)
        raise TypeError(f"unknown question {type(question).__name__}")

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as text to type."""
        return join_cards(answer) if isinstance(answer, tuple) else str(answer)

    def name(self, player: Player) -> str:
        """Return the name of a player."""
        raise NotImplementedError

    def subject(self, *players: Player) -> str:
        """Return the players as the subject of a sentence."""
        names = [self.name(player) for player in players]
        if names[0] == YOU:
            names[0] = YOU.capitalize()
        return join_words(names)

    def clause(self, verb: str, *players: Player) -> str:
        """Return the subject and verb of a sentence about these players."""
        several = len(players) > 1 or self.name(players[0]) == YOU
        return f"{self.subject(*players)} {verb}{'' if several else 's'}"

    def describe_counts(self, players: Sequence[tuple[Player, int]]) -> str:
        """Describe the number of cards of each player, and of the pile."""
        counts = ", ".join(f"{self.name(player)} {count}" for player, count in players)
        return f"{counts}; pile {self.pile}" if self.pile else counts

    def take_pile(self, player: Player) -> str:
        """Clear the pile, and describe its taking by a player."""
        taken, self.pile = self.pile, 0
        return f"{self.clause('take', player)} the pile of {taken}"


class SeatView(BsTextView):
    """The view for the player at a seat, who is called `you`."""

    def __init__(self, seat: Seat, names: Sequence[str]) -> None:
        super().__init__()
        self.seat = seat
        self.names = names
        self.shown: Cards = ()
        self.honest = False  # whether this seat's last claim was true

    def name(self, player: Player) -> str:
        """Return a player's nickname, followed by its bot's name where that differs.

        A nickname may be the name of somebody else, at this table or another one, or `you`.
        """
        if player.seat == self.seat:
            return YOU
        name, nickname = self.names[player.seat], player.nickname
        plain = nickname.casefold() == name.casefold() != YOU
        return nickname if plain else f"{nickname} ({name})"

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question, and the answers that can be typed."""
        return (build_prompt(question),)

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed answer, and record whether it is a lie."""
        answer = super().read(question, line)
        if isinstance(question, ChooseCards) and isinstance(answer, tuple):
            self.honest = filter_rank(answer, question.rank) == answer
        return answer

    def find_forced_answer(self, question: Question[Any]) -> str | None:
        """Return a pass after a true claim, since Peanut Butter is only for lies."""
        boast = isinstance(question, Declare) and PEANUT_BUTTER in question.options
        return PASS if boast and self.honest else None

    def lines(self, event: Any) -> Iterator[str]:
        """Return the lines of public events, and of the hand."""
        match event:
            case Greeting():
                yield from INTRODUCTION
            case Turn(players, rank):
                yield from self._turn_lines(players, rank)
            case Hand(cards):
                yield f"Your hand: {format_cards(sort_hand(cards))}"
            case Played(player, count, rank):
                yield f"{self.clause('say', player)}: {count} x {rank}"
            case Called(players):
                yield f"{self.clause('call', *players)} BS." if players else "Nobody calls."
            case Won(player):
                mark = Mark.WON if player.seat == self.seat else Mark.LOST
                yield MarkedLine(f"{self.clause('win', player)}: no cards left!", mark)
            case _:
                yield from self._judgement_lines(event)

    def _turn_lines(self, players: Sequence[tuple[Player, int]], rank: str) -> Iterator[str]:
        current = self.name(players[0][0])
        whose = "your" if current == YOU else f"{current}'s"
        yield ""
        yield MarkedLine(
            f"Rank {rank}, {whose} turn: {self.describe_counts(players)}", Mark.HEADING
        )

    def _judgement_lines(self, event: Any) -> Iterator[str]:
        """Return the lines of the events that follow a call or Peanut Butter."""
        match event:
            case Shown(_, cards):
                self.shown = cards
            case Judged(player, bluffing) if self.callers:
                laid = f"{self.subject(player)} had laid {format_cards(self.shown)}"
                yield f"{laid}: {describe_truth(bluffing)}."
                if bluffing:
                    yield from self._describe_taker(player)
            case Judged(player):
                yield f"Peanut Butter: {self.name(player)} lied, and nobody called."
            case Receives(player):
                yield from self._describe_taker(player)
            case PileTaken(cards):
                yield MarkedLine(f"You take the pile: {format_cards(cards)}", Mark.LOST)

    def _describe_taker(self, player: Player) -> Iterator[str]:
        """Yield the line about a player that takes the pile; its own seat sees the cards next."""
        takes = self.take_pile(player)
        if player.seat != self.seat:
            yield MarkedLine(f"{takes}.", Mark.WON)


class SpectatorView(BsTextView):
    """The view for a spectator: the cards laid, and the claims."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names = names

    def name(self, player: Player) -> str:
        """Return the host's name of a player, since two players may share a nickname."""
        return self.names[player.seat]

    def lines(self, event: Any) -> Iterator[str]:
        """Return the lines of an event; passes and repetitions of a visible play are left out."""
        match event:
            case Turn(players, rank):
                yield f"Rank {rank}: {self.describe_counts(players)}"
            case AnswerEvent(seat, Nickname(), nickname) if nickname != self.names[seat]:
                yield f"{self.names[seat]} plays as {nickname}."
            case AnswerEvent(seat, ChooseCards(rank=rank), cards):
                yield self._describe_play(self.names[seat], cards, rank)
            case Judged() if not self.callers:
                yield "  Peanut Butter: all are told of the bluff."
            case Judged(player, bluffing=True) | Receives(player):
                yield f"  {self.clause('call', *self.callers)} BS: {self.take_pile(player)}."
            case Won(player):
                yield f"  {self.clause('win', player)}."

    def _describe_play(self, name: str, cards: Cards, rank: str) -> str:
        claim = f"{len(cards)} x {rank}"
        lie = filter_rank(cards, rank) != cards
        return f"  {name} lays {format_cards(cards)} and says: {claim} — {describe_truth(lie)}"


def describe_truth(bluffing: bool) -> str:
    """Describe whether a claim is true."""
    return "a bluff" if bluffing else "the truth"


def build_prompt(question: Question[Any]) -> str:
    """Return the text of a question, with the answers that can be typed."""
    match question:
        case Nickname(default=default):
            return f"What is your name at this table? (Enter: {default})"
        case ChooseCards(rank=rank, default=default):
            return f"Which cards do you lay as {rank}? (such as: {join_cards(default or ())})"
        case Declare():
            return f"What do you say? ({describe_keys(question)})"
    return ""


def describe_keys(question: Declare) -> str:
    """Describe the keys that a player can type for a declaration."""
    word = (
        "b to call BS"
        if BS in question.options
        else "pb for Peanut Butter: boast of your lie, if nobody calls"
    )
    return f"Enter to pass, {word}"


def read_nickname(question: Nickname, line: str) -> str:
    """Return the nickname, or the default for an empty line."""
    name = line or question.default or ""
    if re.fullmatch(NICKNAME, name):
        return name
    raise MalformedLineError("a name has 1 to 32 letters, digits or underscores")


def read_lay(question: ChooseCards, line: str) -> Cards:
    """Return the typed cards if they are in the hand."""
    cards = tuple(map(read_card, line.replace(",", " ").split()))
    if not cards:
        raise MalformedLineError("lay at least one card")
    for card in cards:
        if card not in question.options.cards:
            raise MalformedLineError(f"you do not hold {format_cards([card])}")
        if cards.count(card) > 1:
            raise MalformedLineError(f"you can lay {format_cards([card])} only once")
    return cards


SUIT_LETTERS: dict[int, str | None] = {ord(symbol): suit for suit, symbol in SUIT_SYMBOLS.items()}
SUIT_LETTERS[ord("\N{VARIATION SELECTOR-16}")] = None  # some keyboards append it


def read_card(typed: str) -> Card:
    """Return the typed card; its suit is a letter or a symbol."""
    card = typed.translate(SUIT_LETTERS).upper().replace("10", "T")
    if re.fullmatch(f"[{RANKS}][{SUITS}]", card):
        return card
    raise MalformedLineError(f"{typed} is not a card; type the seven of hearts as 7H or 7♥")


KEYS = {"": PASS, "P": PASS, "PASS": PASS, "B": BS, "BS": BS, "PB": PEANUT_BUTTER}


def read_declaration(question: Declare, line: str) -> str:
    """Return the declaration of a key, or of a line of the protocol."""
    meaning = KEYS.get(line.upper())
    if meaning and meaning in question.options:
        return meaning
    try:
        return parse_declaration(question, line)
    except MalformedLineError:
        raise MalformedLineError(f"type {describe_keys(question)}") from None


class BsBoardView:
    """The zones of BS as one viewer sees them: all card counts, and the faces it may know.

    Most events change one or two zones; the others are not drawn again.
    """

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._names, self._first = names, seat or 0
        self._known: dict[Seat, Cards] = {}  # the hands that this viewer sees
        self._counts: dict[Seat, int] = {}
        self._pile = 0  # the number of cards, including the last play
        self._claim: Played | None = None
        self._rank = ""
        self._laid: Cards = ()  # the last play, if this viewer knows it
        self._news = ""
        self._callers: tuple[Player, ...] = ()
        self._zones: dict[str, Zone] = {}

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: the other hands, the pile, the claim, the viewer's hand."""
        return self._zones

    def tell(self, event: Any) -> None:
        """Update the zones after an event."""
        match event:
            case Turn(players, rank):
                self._set_counts({player.seat: count for player, count in players})
                self._rank, self._claim, self._laid, self._news = rank, None, (), ""
                self._draw_claim()
            case Played(player, count):
                self._claim = event
                self._move_cards(player, count)
                self._draw_claim()
            case Hand(cards) | PrivateEvent(_, Hand(cards)):
                self._set_hand(self._owner_of(event), cards)
            case PileTaken(cards) | PrivateEvent(_, PileTaken(cards)):
                seat = self._owner_of(event)
                self._set_hand(seat, self._known.get(seat, ()) + cards)
            case AnswerEvent(seat, ChooseCards(), cards):
                self._laid = cards
                if seat in self._known:
                    self._set_hand(seat, remove_cards(self._known[seat], cards))
                self._draw_claim()
            case Greeting():
                self._counts = dict.fromkeys(range(event.seats), 0)
                self._draw_all()
            case Called() | Shown() | Judged() | Receives() | Won():
                self._judge(event)
                self._draw_claim()

    def _owner_of(self, event: Any) -> Seat:
        """Return the seat whose cards an event is about."""
        return event.seat if isinstance(event, PrivateEvent) else self._first

    def _judge(self, event: Any) -> None:
        match event:
            case Called(players):
                self._callers = players
                names = join_words([self._names[player.seat] for player in players])
                self._news = f"{names} called BS" if players else "nobody called"
            case Shown(_, cards):
                self._laid = cards
            case Judged(player, bluffing) if self._callers:
                self._news += ": a bluff" if bluffing else ": the truth"
                if bluffing:
                    self._give_pile(player)
            case Judged():
                self._news = "Peanut Butter: it was a bluff, and nobody called"
            case Receives(player):
                self._give_pile(player)
            case Won(player):
                self._news = f"{self._names[player.seat]} has no cards left"

    def _give_pile(self, player: Player) -> None:
        """Move the pile to a player's hand."""
        self._move_cards(player, -self._pile)
        self._news += f"; {self._names[player.seat]} takes the pile"

    def _set_counts(self, counts: dict[Seat, int]) -> None:
        """Set the sizes of the hands; they differ from the known ones only in the first turn."""
        if counts != self._counts:
            self._counts = counts
            self._draw_all()

    def _move_cards(self, player: Player, count: int) -> None:
        """Move a number of cards from a player to the pile, or back if the number is negative."""
        self._counts[player.seat] -= count
        self._pile += count
        self._draw_hand(player.seat)
        self._draw_pile()

    def _set_hand(self, seat: Seat, cards: Cards) -> None:
        """Set the cards of a hand that this viewer sees."""
        self._known[seat] = cards
        self._draw_hand(seat)

    def _draw_all(self) -> None:
        """Draw all zones in their fixed order."""
        seats = range(len(self._names))
        for seat in (*seats[self._first + 1 :], *seats[: self._first]):
            self._draw_hand(seat)
        self._draw_pile()
        self._draw_claim()
        self._draw_hand(self._first)

    def _draw_hand(self, seat: Seat) -> None:
        known = self._known.get(seat, ())
        self._zones[f"hand{seat}"] = Zone(
            kind=ZoneKind.HAND,
            title=self._names[seat],
            of=seat,
            cards=sort_hand(known),
            hidden=0 if known else self._counts.get(seat, 0),
        )

    def _draw_pile(self) -> None:
        self._zones["pile"] = Zone(kind=ZoneKind.PILE, title="Pile", hidden=self._pile)

    def _draw_claim(self) -> None:
        """Draw the claim, with its cards if this viewer knows them."""
        claim = self._claim
        if claim is None:
            title = f"Rank {self._rank}" if self._rank else "Claim"
            self._zones["claim"] = Zone(kind=ZoneKind.TABLE, title=title, cards=self._laid)
            return
        self._zones["claim"] = Zone(
            kind=ZoneKind.TABLE,
            title=f"{self._names[claim.player.seat]} says {claim.count} x {claim.rank}",
            cards=self._laid,
            hidden=0 if self._laid else claim.count,
            text=self._news,
        )


SUIT_ORDER = "SHCD"


@lru_cache(maxsize=256)  # a board redraws all hands when one changes
def sort_hand(cards: Cards) -> Cards:
    """Return a hand sorted by rank, from the ace to the king."""
    return tuple(sorted(cards, key=_sort_key))


def _sort_key(card: Card) -> tuple[int, int]:
    return RANKS.index(card[0]), SUIT_ORDER.index(card[1])


RANK_NAMES = {
    "A": "ace", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven",
    "8": "eight", "9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king",
}  # fmt: skip


class BsNarrator:
    """Tells of each claim once: with its cards, where the viewer knows them."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._phrases = Phrases(names, seat)
        self._told = False  # was the play that comes next told with its cards?
        self._pile = 0
        self._shown: Cards = ()
        self._called = False

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""
        return [*map(begin_sentence, self._lines(event))]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question."""
        match question:
            case Nickname():
                return ("What is your name at this table?",)
            case ChooseCards(rank=rank):
                return (f"Which cards do you lay and claim to be {name_ranks(rank)}?",)
            case Declare(options) if BS in options:
                return ("Do you call BS?",)
        return ("Do you declare Peanut Butter?",)

    def _lines(self, event: Any) -> Iterator[str]:
        phrases = self._phrases
        match event:
            case Greeting():
                yield f"{phrases.join(phrases.reader_first)} play BS. The first without cards wins."
            case Turn(players, rank):
                claims = phrases.clause("claim", players[0][0].seat)
                yield MarkedLine(f"{claims} {name_ranks(rank)} next.", Mark.HEADING)
            case AnswerEvent(seat, ChooseCards(rank=rank), cards):
                self._told = True
                lie = filter_rank(cards, rank) != cards
                lays = f"{phrases.clause('lay', seat)} {show_cards(cards)}"
                claims = f"{phrases.verb('claim', seat)} {describe_claim(len(cards), rank)}"
                yield f"{lays} and {claims}: {describe_truth(lie)}."
            case Played(player, count, rank):
                self._pile += count
                if not self._told:
                    yield f"{phrases.clause('claim', player.seat)} {describe_claim(count, rank)}."
                self._told = False
            case _:
                yield from self._judge(event)

    def _judge(self, event: Any) -> Iterator[str]:
        phrases = self._phrases
        match event:
            case Called(players):
                self._called = bool(players)
                seats = [player.seat for player in players]
                yield f"{phrases.clause('call', *seats)} BS." if seats else "Nobody calls."
            case Shown(_, cards):
                self._shown = cards
            case Judged(player, bluffing) if self._called:
                yield f"The cards were {show_cards(self._shown)}: {describe_truth(bluffing)}."
                if bluffing:
                    yield self._take_pile(player)
            case Judged(player):
                yield f"Peanut Butter: {phrases.name(player.seat)} lied, and nobody called."
            case Receives(player):
                yield self._take_pile(player)
            case PileTaken(cards):
                yield f"The pile brings you {show_cards(cards)}."
            case Won(player):
                line = f"{phrases.clause('win', player.seat)}: no cards are left."
                yield phrases.mark_good(line, player.seat)

    def _take_pile(self, player: Player) -> str:
        taken, self._pile = self._pile, 0
        cards = format_count(taken, "card")
        line = f"{self._phrases.clause('take', player.seat)} the pile of {cards}."
        return self._phrases.mark_bad(line, player.seat)


def describe_claim(count: int, rank: str) -> str:
    """Describe a claim.

    >>> describe_claim(1, "A"), describe_claim(3, "6")
    ('one ace', '3 sixes')
    """
    return f"one {RANK_NAMES[rank]}" if count == 1 else f"{count} {name_ranks(rank)}"


def name_ranks(rank: str) -> str:
    """Return the word for several cards of a rank.

    >>> name_ranks("A"), name_ranks("6")
    ('aces', 'sixes')
    """
    return f"{RANK_NAMES[rank]}{'es' if rank == '6' else 's'}"


class BsTurningPoints:
    """Finds the calls of BS, each with what came of it."""

    def __init__(self, names: Sequence[str]) -> None:
        self._phrases = Phrases(names)
        self._callers: tuple[Player, ...] = ()

    def tell(self, event: Any) -> str:
        """Return a sentence on a call, once it is judged."""
        match event:
            case Called(players):
                self._callers = players
            case Judged(player, bluffing) if self._callers:
                call = self._phrases.clause("call", *(caller.seat for caller in self._callers))
                claim = "bluff" if bluffing else "true claim"
                return f"{call} {self._phrases.possessive(player.seat)} {claim}"
            case Won(player):
                return f"{self._phrases.clause('have', player.seat)} no cards left"
        return ""
