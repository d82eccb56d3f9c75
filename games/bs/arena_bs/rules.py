"""BS (Cheat): lay cards face down and claim that they are of the rank whose turn it is.

The rules are those of a king-of-the-hill challenge drafted for Code Golf. Cards are written as its
protocol writes them: rank, then suit, such as `TC` or `3H`.
"""

from __future__ import annotations

from random import Random

from attrs import field, frozen, validators

from arena import OneOf, Question, Seat, SomeOf, Table, Text
from arena.cards import Card, Cards, remove_cards

RANKS = "A23456789TJQK"
SUITS = "SCHD"
DECK: Cards = tuple(rank + suit for rank in RANKS for suit in SUITS)

FIRST_CARD: Card = "AH"
"""The holder of this card begins."""

ID_NUMBERS = range(32769)
NICKNAME = "[A-Za-z0-9_]{1,32}"
PASS, BS, PEANUT_BUTTER = "Pass", "BS", "Peanut Butter"
Hands = tuple[Cards, ...]

Pile = tuple[tuple[Seat, Cards], ...]
"""The plays on the pile, the latest first: each with its seat and cards."""


@frozen
class Player:
    """How a seat is called in this game; the number is its unique ID."""

    seat: Seat
    nickname: str
    number: int

    def __str__(self) -> str:
        return f"{self.nickname}({self.number})"


@frozen
class Turn:
    """A turn begins: all players and how many cards each holds, the current one first.

    `rank` is what the current player has to claim.
    """

    players: tuple[tuple[Player, int], ...]
    rank: str


@frozen
class Hand:
    """These are your cards."""

    cards: Cards


@frozen
class Played:
    """So many cards were laid face down, and claimed to be of this rank."""

    player: Player
    count: int
    rank: str


@frozen
class Called:
    """These called BS, in the order in which they spoke; perhaps nobody."""

    players: tuple[Player, ...]


@frozen
class Shown:
    """BS was called: these are the cards that were laid."""

    player: Player
    cards: Cards


@frozen
class Judged:
    """The claim was false, or true.

    It follows the cards if BS was called; if not, the player has declared Peanut Butter.
    """

    player: Player
    bluffing: bool


@frozen
class Receives:
    """The caller who spoke last was wrong, and gets the pile."""

    player: Player
    wording: str  # the verb of the published line, `receives` or `takes`


@frozen
class PileTaken:
    """You get these cards: your bluff was called, or you misjudged."""

    cards: Cards
    bluffing: bool


@frozen
class Won:
    """This player has no cards left."""

    player: Player


@frozen
class Nickname(Question[str]):
    """Asks how the player wants to be called, and tells its number."""

    number: int


@frozen
class ChooseCards(Question[Cards]):
    """Asks which cards to lay, claiming this rank."""

    options: SomeOf[str]
    rank: str


@frozen
class Declare(Question[str]):
    """Asks whether to call BS (on the own turn: to declare Peanut Butter) or to pass."""

    options: OneOf[str]


OTHERS_DECLARE = Declare(OneOf((PASS, BS)), default=PASS)
CURRENT_DECLARES = Declare(OneOf((PASS, PEANUT_BUTTER)), default=PASS)

MESSAGES = (
    Turn,
    Hand,
    Played,
    Called,
    Shown,
    Judged,
    Receives,
    PileTaken,
    Won,
    Nickname,
    ChooseCards,
    Declare,
)


@frozen
class Bs:
    """The variant: in which order callers stand, one word of the wire, when it ends."""

    order: str = field(
        default="arrival",
        validator=validators.in_(("arrival", "fair")),
        metadata={
            "help": "When several players call, the first of them is",
            "choices": {
                "arrival": "whose call arrived first, as published",
                "fair": "drawn, so that speed is no advantage",
            },
        },
    )
    wording: str = field(
        default="receives",
        validator=validators.in_(("receives", "takes")),
        metadata={
            "help": "Programs read that a player who gets the pile",
            "choices": {"receives": "receives it", "takes": "takes it"},
            "for_programs": True,
        },
    )
    max_turns: int = field(
        default=2000,
        validator=validators.ge(1),
        metadata={"help": "Turns after which whoever has the fewest cards wins"},
    )

    async def deal(self, table: Table) -> BsPosition:
        """Ask everybody for a name, and deal the cards out one by one."""
        numbers = table.random.sample(ID_NUMBERS, len(table.seats))
        questions = {seat: build_name_question(seat, numbers[seat]) for seat in table.seats}
        names = await table.ask_all(questions)
        players = tuple(Player(seat, names[seat], numbers[seat]) for seat in table.seats)
        deck = tuple(table.random.sample(DECK, len(DECK)))
        hands = tuple(deck[seat :: len(players)] for seat in table.seats)
        first = next(seat for seat in table.seats if FIRST_CARD in hands[seat])
        return BsPosition(self, players, hands, first)


def build_name_question(seat: Seat, number: int) -> Nickname:
    """Return the question of the handshake."""
    default = f"player_{seat}"
    return Nickname(Text(NICKNAME, default), number, default=default)


@frozen
class BsPosition:
    """The game between two turns."""

    variant: Bs
    players: tuple[Player, ...]
    hands: Hands
    turn: Seat  # the seat to play next
    turns: int = 0  # the number of turns played
    pile: Pile = ()

    @property
    def over(self) -> bool:
        """Whether a player has no cards left, or the limit of turns is reached."""
        return self.turns >= self.variant.max_turns or not all(self.hands)

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores by seat: minus one point for each card held."""
        return tuple(-len(hand) for hand in self.hands)

    @property
    def rank(self) -> str:
        """The rank that the current player has to claim."""
        return RANKS[self.turns % len(RANKS)]

    @property
    def current(self) -> Player:
        """The player whose turn it is."""
        return self.players[self.turn]

    async def round(self, table: Table) -> BsPosition:
        """Play one turn: lay, declare, judge."""
        self._announce_turn(table)
        laid = await table.ask(self.turn, self._build_question())
        table.announce(Played(self.current, len(laid), self.rank))
        callers, butter = await self._ask_declarations(table)
        table.announce(Called(tuple(self.players[seat] for seat in callers)))
        bluffing = any(card[0] != self.rank for card in laid)
        after = self._lay_cards(laid)
        if callers:
            table.announce(Shown(self.current, laid))
            table.announce(Judged(self.current, bluffing))
            after = after.take_pile(table, self.turn if bluffing else callers[-1], bluffing)
        elif bluffing and butter:
            table.announce(Judged(self.current, bluffing))
        if not after.hands[self.turn]:
            table.announce(Won(self.current))
        return after

    def _announce_turn(self, table: Table) -> None:
        in_play = self.players[self.turn :] + self.players[: self.turn]
        counts = tuple((player, len(self.hands[player.seat])) for player in in_play)
        table.announce(Turn(counts, self.rank))
        for seat in table.seats:
            table.tell(seat, Hand(self.hands[seat]))

    def _build_question(self) -> ChooseCards:
        """Return the question for cards; the default is all cards of the rank, or else one card."""
        hand = self.hands[self.turn]
        return ChooseCards(
            SomeOf(hand), self.rank, default=filter_rank(hand, self.rank) or hand[:1]
        )

    async def _ask_declarations(self, table: Table) -> tuple[list[Seat], bool]:
        """Ask everybody; return the callers in order, and whether Peanut Butter was declared."""
        questions: dict[Seat, Question[str]] = dict.fromkeys(table.seats, OTHERS_DECLARE)
        questions[self.turn] = CURRENT_DECLARES
        words = await table.ask_all(questions, arrival=self.variant.order == "arrival")
        callers = [seat for seat, word in words.items() if word == BS]
        if self.variant.order == "fair":
            table.random.shuffle(callers)
        return callers, words[self.turn] == PEANUT_BUTTER

    def _lay_cards(self, laid: Cards) -> BsPosition:
        """Return the position of the next turn, with these cards on the pile."""
        hands = self._with_hand(self.turn, remove_cards(self.hands[self.turn], laid))
        after = (self.turn + 1) % len(hands)
        pile = ((self.turn, laid), *self.pile)
        return BsPosition(self.variant, self.players, hands, after, self.turns + 1, pile)

    def take_pile(self, table: Table, taker: Seat, bluffing: bool) -> BsPosition:
        """Move the pile to the end of this seat's hand, latest play first."""
        if not bluffing:
            table.announce(Receives(self.players[taker], self.variant.wording))
        cards = tuple(card for _, laid in self.pile for card in laid)
        table.tell(taker, PileTaken(cards, bluffing))
        hands = self._with_hand(taker, self.hands[taker] + cards)
        return BsPosition(self.variant, self.players, hands, self.turn, self.turns)

    def _with_hand(self, seat: Seat, hand: Cards) -> Hands:
        return (*self.hands[:seat], hand, *self.hands[seat + 1 :])

    def resample_hidden(self, seat: Seat, random: Random) -> BsPosition:
        """Shuffle all cards except those that this seat holds or has laid itself.

        The sizes of hands and plays are public, and so is the holder of AH until the first play,
        since that seat begins.
        """
        held = [*enumerate(self.hands), *self.pile]
        hidden = [card for by, cards in held if by != seat for card in cards]
        if not self.turns and FIRST_CARD in hidden:
            hidden.remove(FIRST_CARD)
        mixed = dict(zip(hidden, random.sample(hidden, len(hidden)), strict=True))
        hands = tuple(exchange_cards(hand, mixed) for hand in self.hands)
        pile = tuple((by, exchange_cards(laid, mixed)) for by, laid in self.pile)
        return BsPosition(self.variant, self.players, hands, self.turn, self.turns, pile)


def exchange_cards(cards: Cards, other: dict[str, str]) -> Cards:
    """Return the cards with some of them exchanged for others."""
    return tuple(other.get(card, card) for card in cards)


def filter_rank(cards: Cards, rank: str) -> Cards:
    """Return the cards of this rank."""
    return tuple([card for card in cards if card[0] == rank])
