"""A small sound card game, made to be broken in one place.

In each round a seat guesses whether the next card of the stock is odd, all lay a card at once,
and the highest wins a point; then the card of the stock is turned up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from attrs import evolve, field, frozen, validators

from arena import (
    Bot,
    Game,
    Greeting,
    Learning,
    MalformedLineError,
    Narrator,
    OneOf,
    Presentation,
    Question,
    RandomBot,
    Score,
    Seat,
    Secrecy,
    Table,
    Wire,
)
from tests.support.toys import change

ODD = {"even": 0, "odd": 1}


@frozen
class Hand:
    """You hold these cards."""

    cards: tuple[int, ...]


@frozen
class Guessed:
    """A seat has said what the next card of the stock is."""

    seat: Seat
    guess: str


@frozen
class Laid:
    """These cards were laid, in seat order, and that card of the stock was turned up."""

    cards: tuple[int, ...]
    turned: int


class Guess(Question[str]):
    """Is the next card of the stock odd?"""


class Lay(Question[int]):
    """Which card of your hand do you lay?"""


GUESS = Guess(OneOf(("even", "odd")), default="even")


@frozen
class Higher:
    """The variant: cards for each hand, and whether the lowest card wins."""

    begins: ClassVar[Any]  # the class of the first position
    cards: int = field(default=2, validator=[validators.ge(1), validators.le(4)])
    lowest: bool = False

    async def deal(self, table: Table) -> HigherPosition:
        """Deal the hands; as many cards as a hand has are the stock."""
        seats = len(table.seats)
        pile = self.shuffled(table, seats * self.cards + self.cards)
        hands = [tuple(sorted(pile[seat :: seats + 1])) for seat in table.seats]
        stock = tuple(pile[seats :: seats + 1])
        position: HigherPosition = self.begins(self, tuple(hands), stock, (0,) * seats)
        return position

    def shuffled(self, table: Table, cards: int) -> list[int]:
        return table.random.sample(range(1, cards + 1), cards)


@frozen
class HigherPosition:
    """Hands, what is left of the stock, and points: what a test breaks is a method."""

    variant: Higher
    hands: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]
    points: tuple[Score, ...]

    @property
    def over(self) -> bool:
        return not self.stock

    @property
    def scores(self) -> Sequence[Score]:
        return self.points

    async def round(self, table: Table) -> HigherPosition:
        """Show the hands; let a seat guess, and all lay a card."""
        for seat in table.seats:
            self.show(table, seat)
        seat = self.guesser(table)
        guess = await table.ask(seat, GUESS)
        table.announce(self.guessed(seat, guess))
        laid = tuple((await table.ask_all(self.questions(table))).values())
        self.reveal(table, laid)
        return self.after(laid, seat if ODD[guess] == self.stock[0] % 2 else None)

    def show(self, table: Table, seat: Seat) -> None:
        table.tell(seat, Hand(self.hands[seat]))

    def guesser(self, table: Table) -> Seat:
        return len(self.stock) % len(table.seats)

    def guessed(self, seat: Seat, guess: str) -> Any:
        return Guessed(seat, guess)

    def questions(self, table: Table) -> dict[Seat, Lay]:
        return {seat: self.asked(seat) for seat in table.seats}

    def asked(self, seat: Seat) -> Lay:
        return Lay(OneOf(self.hands[seat]))

    def reveal(self, table: Table, cards: tuple[int, ...]) -> None:
        table.announce(self.laid(cards))

    def laid(self, cards: tuple[int, ...]) -> Any:
        return Laid(cards, self.stock[0])

    def after(self, laid: tuple[int, ...], right: Seat | None) -> HigherPosition:
        """Return the position with these cards laid, and a seat that guessed right."""
        best = laid.index(min(laid) if self.variant.lowest else max(laid))
        points = [score + (seat == best) + (seat == right) for seat, score in self.seated]
        hands = tuple(without(hand, laid) for hand in self.hands)
        return evolve(self, hands=hands, stock=self.stock[1:], points=tuple(points))

    @property
    def seated(self) -> Iterable[tuple[Seat, Score]]:
        return enumerate(self.points)

    def resample_hidden(self, seat: Seat, random: Random) -> HigherPosition:
        return evolve(self, **self.mixed(seat, random))

    def mixed(self, seat: Seat, random: Random) -> dict[str, Any]:
        """Return other hands, and another stock, by the same cards."""
        unseen = [card for at, hand in enumerate(self.hands) if at != seat for card in hand]
        pile = random.sample([*unseen, *self.stock], len(unseen) + len(self.stock))
        size = len(self.stock)
        stock, rest = tuple(pile[:size]), pile[size:]
        hands = [
            hand if at == seat else tuple(sorted(rest.pop() for _ in hand))
            for at, hand in enumerate(self.hands)
        ]
        return {"hands": tuple(hands), "stock": stock}


Higher.begins = HigherPosition


class Lines:
    """A text wire: a word and numbers in a line."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def tell(self, event: Any) -> Iterable[str]:
        match event:
            case Hand(cards):
                return (f"hand {spaced(cards)}",)
            case Guessed(seat, guess):
                return (f"guessed {seat} {guess}",)
            case Laid(cards, turned):
                return (f"laid {spaced(cards)} turned {turned}",)
        return ()

    def ask(self, question: Question[Any]) -> Iterable[str]:
        words: Any = question.options
        return (f"{type(question).__name__.lower()} {spaced(words)}",)

    def read(self, question: Question[Any], line: str) -> object:
        """Return a word, or a number in up to three figures."""
        if isinstance(question, Guess):
            return line
        if not (line.isascii() and line.isdigit() and len(line) <= 3):
            raise MalformedLineError(f"{line[:20]!r} is no card")
        return int(line)

    def say(self, question: Question[Any], answer: Any) -> str:
        return str(answer)


def without(hand: tuple[int, ...], laid: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(card for card in hand if card not in laid)


def spaced(values: Iterable[object]) -> str:
    return " ".join(map(str, values))


class HigherNarrator(Narrator):
    """Says what happens in words."""

    def describe(self, message: Any) -> Iterable[str]:
        match message:
            case Hand(cards):
                return [f"You hold {spaced(cards)}."]
            case Guessed(seat, guess):
                return [f"{self.phrases.clause('guess', seat)} {guess}."]
            case Laid(cards, turned):
                return [f"{turned} is turned up; the cards were {spaced(cards)}."]
            case Guess():
                return ["Odd or even?"]
            case Lay():
                return ["Which card?"]
        return super().describe(message)


class Chance(RandomBot):
    """Answers anything."""


class First(Bot):
    """Answers the first thing that may be answered."""

    def choose(self, question: Question[Any]) -> Any:
        options: Any = question.options
        return options[0]


def actions(variant: Higher, seats: int) -> Sequence[Any]:
    return (*ODD, *range(1, (seats + 1) * variant.cards + 1))


class Figures:
    """The cards of the hand and those that were laid, each as 0 or 1."""

    def __init__(self, greeting: Greeting) -> None:
        cards = len(actions(greeting.variant, greeting.seats)) - len(ODD)
        self.held, self.gone = [0.0] * cards, [0.0] * cards

    def tell(self, event: Any) -> None:
        if isinstance(event, Hand):
            self.held = [float(at + 1 in event.cards) for at in range(len(self.held))]
        if isinstance(event, Laid):
            self.gone = [max(was, float(at + 1 in event.cards)) for at, was in enumerate(self.gone)]

    def observation(self) -> list[float]:
        return [*self.held, *self.gone]


MESSAGES = (Hand, Guessed, Laid, Guess, Lay)
BOTS: Mapping[str, type[Bot]] = {"random": Chance, "first": First}
WIRES = {"text": Wire(Lines)}

HIGHER = Game(
    name="higher",
    summary="lay the highest card",
    variant=Higher,
    seats=range(2, 4),
    messages=MESSAGES,
    wires=WIRES,
    bots=BOTS,
    deals_hands=True,
    secrecy=Secrecy(reveals=(Laid,)),
    presentation=Presentation(narrator=HigherNarrator, demo=("random", "first")),
    learning=Learning(actions=actions, encoder=Figures),
)


def higher(
    position: type[HigherPosition] = HigherPosition, variant: type[Higher] = Higher, **changes: Any
) -> Game:
    """Return the game with these positions, and what else is to be changed."""
    begins = {"begins": position, "__module__": variant.__module__}
    return change(HIGHER, variant=type(variant.__name__, (variant,), begins), **changes)
