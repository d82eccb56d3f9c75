"""Sound games that hide nothing, in styles that the contract should not complain of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from attrs import evolve, field, frozen, validators

from arena import (
    Between,
    Mark,
    MarkedLine,
    Narrator,
    OneOf,
    Question,
    RandomBot,
    Score,
    Seat,
    SomeOf,
    Table,
    Text,
)
from tests.testing.games.styles import Do, Done, small


class Base:
    """A position that knows how to hide nothing."""

    def resample_hidden(self, seat: Seat, random: Random) -> Any:
        return self


@frozen
class Race:
    """All answer at once; whoever is last of all is out, until one is left."""

    async def deal(self, table: Table) -> RacePosition:
        seats = dict.fromkeys(table.seats, Do(OneOf(("in",)), default="in"))
        for seat, said in (await table.ask_all(seats)).items():
            table.announce(Done(seat, said))
        return RacePosition(self, (0,) * len(table.seats))


class Late(OneOf[int]):
    """Options that draw the last of them most often."""

    def draw(self, random: Random) -> int:
        return max(super().draw(random), super().draw(random))


@frozen
class RacePosition(Base):
    """Who was out when; 0 is still in."""

    variant: Race
    out: tuple[int, ...]

    @property
    def over(self) -> bool:
        return self.out.count(0) == 1

    @property
    def scores(self) -> Sequence[Score]:
        last = max(self.out)
        return [Fraction(out or last + 1, 3) for out in self.out]

    async def round(self, table: Table) -> RacePosition:
        """Ask all that are in, and tell in which order they answered."""
        left = [seat for seat in table.seats if not self.out[seat]]
        asked = {seat: Do(Late((1, 2, 3))) for seat in left}
        answers = await table.ask_all(asked, arrival=True)
        for seat, answer in answers.items():
            table.announce(Done(seat, answer))
        loser = [*answers][-1]
        out = [max(self.out) + 1 if at == loser else was for at, was in enumerate(self.out)]
        return evolve(self, out=tuple(out))


@frozen
class Words:
    """Each says a word once; the longest wins."""

    loud: bool = False

    async def deal(self, table: Table) -> WordsPosition:
        return WordsPosition(self)


@frozen
class WordsPosition(Base):
    """Nothing, and then the scores."""

    variant: Words
    scores: tuple[int, ...] = (0, 0)
    over: bool = False

    async def round(self, table: Table) -> WordsPosition:
        said = []
        for seat in table.seats:
            said.append(await table.ask(seat, Do(Text("[a-z ]{1,20}", "word"), default="no")))
            table.announce(Done(seat, said[-1].upper() if self.variant.loud else said[-1]))
        return evolve(self, scores=tuple(map(len, said)), over=True)


class Quoting(Narrator):
    """Marks what somebody has said, in any words."""

    def describe(self, message: Any) -> Iterable[str]:
        lines = super().describe(message)
        is_quote = isinstance(message, Done)
        return [MarkedLine(line, Mark.FREE_TEXT) if is_quote else line for line in lines]


@frozen
class Packs:
    """Each lays any cards of two packs; the fewest win."""

    async def deal(self, table: Table) -> PacksPosition:
        return PacksPosition(self)


@frozen
class PacksPosition(Base):
    """Nothing, and then the scores."""

    variant: Packs
    scores: tuple[int, ...] = (0, 0)
    over: bool = False

    async def round(self, table: Table) -> PacksPosition:
        asked = dict.fromkeys(table.seats, Do(SomeOf(tuple(range(104))), default=(0,)))
        laid = await table.ask_all(asked)
        return evolve(self, scores=tuple(-len(cards) for cards in laid.values()), over=True)


class Bid(Question[int]):
    """How much do you bid?"""


@frozen
class Auction:
    """Two lots; in each the highest bid wins, which is a number up to a million."""

    step: int = field(default=1, validator=[validators.ge(1), validators.le(500_000)])

    @property
    def bids(self) -> Between:
        return Between(0, 1_000_000, self.step)

    async def deal(self, table: Table) -> AuctionPosition:
        return AuctionPosition(self)


@frozen
class AuctionPosition(Base):
    """How many lots each has won, and how many are sold."""

    variant: Auction
    scores: tuple[int, ...] = (0, 0)
    sold: int = 0

    @property
    def over(self) -> bool:
        return self.sold == 2

    async def round(self, table: Table) -> AuctionPosition:
        asked = dict.fromkeys(table.seats, Bid(self.variant.bids, default=0))
        bids = await table.ask_all(asked)
        for seat, bid in bids.items():
            table.announce(Done(seat, bid))
        won = [had + (bids[seat] == max(bids.values())) for seat, had in enumerate(self.scores)]
        return evolve(self, scores=tuple(won), sold=self.sold + 1)


@frozen
class Coin:
    """Nobody is asked; the deal decides."""

    async def deal(self, table: Table) -> CoinPosition:
        winner = table.random.randrange(len(table.seats))
        table.announce(Done(winner, "wins"))
        return CoinPosition(self, tuple(int(seat == winner) for seat in table.seats))


@frozen
class CoinPosition(Base):
    """It is over."""

    variant: Coin
    scores: tuple[int, ...]
    over: bool = True

    async def round(self, table: Table) -> CoinPosition:
        return self


def word(_: Any, __: int) -> Sequence[str]:
    return ("word", "no")


RACE = small("race", Race, 3)
WORDS = small("words", Words, 2, narrator=Quoting)
COIN = small("coin", Coin, 2)
PACKS = small("packs", Packs, 2)
OPEN = small("open", Words, 2, actions=word, narrator=Quoting)
AUCTION = small(
    "auction", Auction, 2,
    messages=(Done, Bid), bots={"random": RandomBot}, actions=lambda variant, _: variant.bids,
)  # fmt: skip
