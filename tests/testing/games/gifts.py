"""A game of secret gifts of which parts and sums are announced, and what may leak with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from arena import Bot, Game, OneOf, Question, Seat, Secrecy, Secret, Table
from tests.support.toys import change

COUNTS = (1, 2, 3)
COINS = ("gold", "silver", "lead")


@frozen
class Given:
    """So much was given by all together."""

    total: int


@frozen
class Weighed:
    """How many coins a seat has given, which all learn when everybody has guessed."""

    seat: Seat
    count: int


@frozen
class Guessed:
    """What a seat takes the first gift for."""

    seat: Seat
    coin: str


@frozen
class Whispered:
    """Something that the rules do not say."""

    word: str


class Give(Question[tuple[str, int]]):
    """Which coins do you give, and how many?"""


class Guess(Question[str]):
    """Which coins does the first seat give?"""


@frozen
class Gifts:
    """There is one round."""

    async def deal(self, table: Table) -> GiftsPosition:
        return GiftsPosition(self, (0,) * len(table.seats))


@frozen
class GiftsPosition:
    """Whether everybody has given."""

    variant: Gifts
    scores: tuple[int, ...]
    over: bool = False

    async def round(self, table: Table) -> GiftsPosition:
        """Let all give in secret; announce the sum, and after all guesses what each was worth."""
        options = OneOf((coin, count) for coin in COINS for count in COUNTS)
        gifts = await table.ask_all(dict.fromkeys(table.seats, Give(options)))
        table.announce(Given(sum(count for _, count in gifts.values())))
        self.whisper(table, gifts)
        for seat in table.seats[1:]:
            table.announce(Guessed(seat, await table.ask(seat, Guess(OneOf(COINS)))))
        for seat, (coin, count) in gifts.items():
            table.announce(self.weigh(seat, coin, count))
        return type(self)(self.variant, self.scores, over=True)

    def whisper(self, table: Table, gifts: dict[Seat, tuple[str, int]]) -> None:
        """Tell nothing more."""

    def weigh(self, seat: Seat, coin: str, count: int) -> Weighed:
        return Weighed(seat, count)

    def resample_hidden(self, seat: Seat, random: Any) -> GiftsPosition:
        return self


class First(Bot):
    """Takes the first option."""

    def choose(self, question: Question[Any]) -> Any:
        return question.options.draw(self.random)


def list_counts(gifts: Any) -> list[tuple[Seat, int]]:
    return [(seat, count) for seat, (_, count) in gifts]


DECLARED: dict[type, Secret] = {
    Give: Secret(
        later={Given: lambda gifts: sum(count for _, (_, count) in gifts), Weighed: list_counts}
    )
}


def _game(position: type[GiftsPosition], **more: Any) -> Game:
    @frozen
    class Variant(Gifts):
        async def deal(self, table: Table) -> GiftsPosition:
            return position(self, (0,) * len(table.seats))

    Variant.__doc__ = Gifts.__doc__
    game = Game(
        name="gifts", summary="secret gifts", variant=Variant, seats=range(2, 5),
        messages=(Given, Weighed, Guessed, Whispered, Give, Guess), bots={"first": First},
        secrecy=Secrecy(secret_answers=DECLARED),
    )  # fmt: skip
    return change(game, demo=("first",) * 3, **more)


def _whispering(word: Callable[[dict[Seat, tuple[str, int]]], str]) -> Game:
    class Whispering(GiftsPosition):
        """Something is announced of the gifts that the rules keep secret."""

        def whisper(self, table: Table, gifts: dict[Seat, tuple[str, int]]) -> None:
            table.announce(Whispered(word(gifts)))

    return _game(Whispering)


class WithTheCoin(GiftsPosition):
    """What is announced later is more than what the rules say: the coin beside the number."""

    def weigh(self, seat: Seat, coin: str, count: int) -> Weighed:
        return Weighed(seat, count + 10 * COINS.index(coin))


SOUND = _game(GiftsPosition)
UNDECLARED = _game(WithTheCoin, secret_answers={})
AS_ADVISED = _game(
    WithTheCoin,
    secret_answers={
        Give: Secret(at_once=lambda _: ..., later={Given: lambda _: ..., Weighed: lambda _: ...})
    },
)
REVEALING = _game(WithTheCoin, secret_answers={Give: Secret()}, reveals=(Given, Weighed))
WITH_THE_COIN = _game(WithTheCoin)
LOWEST_GIVER = _whispering(lambda gifts: str(min(gifts, key=lambda seat: gifts[seat][1])))
EQUAL_GIFTS = _whispering(lambda gifts: str(len({count for _, count in gifts.values()})))
GOLD_GIVERS = _whispering(lambda gifts: str(sum(coin == "gold" for coin, _ in gifts.values())))
FAILING = _game(
    GiftsPosition,
    secret_answers={
        Give: Secret(later={**DECLARED[Give].later, Given: lambda gifts: len(gifts[0][1][1])})
    },
)
