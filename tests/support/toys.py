"""Small games that show the core from its odd sides."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from random import Random
from typing import Any

from attrs import evolve, field, fields_dict, frozen

from arena import Game, IllegalAnswerError, OneOf, Play, Position, Question, Seat, Table, Text, Wire


def change(game: Game, **changes: Any) -> Game:
    """Return a game with changes in it and in its groups; codecs need no `Wire` around them."""
    for group in ("secrecy", "presentation", "learning"):
        part = getattr(game, group)
        own = {name: changes.pop(name) for name in fields_dict(type(part)).keys() & changes}
        changes |= {group: evolve(part, **own)} if own else {}
    if wires := changes.get("wires"):
        changes["wires"] = {name: Wire(codec) for name, codec in wires.items()}
    return evolve(game, **changes)


@frozen
class Note:
    """Something was said."""

    text: str


@frozen
class Answers:
    """These were the answers, each with its seat, in the order in which the rules got them."""

    pairs: tuple[tuple[Seat, int], ...]


class Pick(Question[Any]):
    """Which number?"""


class Say(Question[str]):
    """Which word?"""


PICK = Pick(OneOf((1, 2, 3)), default=2)
FREE = Say(Text("(?s).*", "word"))

Round = Callable[[Table], Coroutine[Any, Any, Sequence[int] | None]]
ROUNDS: dict[str, Round] = {}


def register_rounds(rounds: Iterable[Round | str]) -> tuple[str, ...]:
    """Return the names of rounds, which can be written down, and remember them."""
    given = tuple(rounds)
    ROUNDS.update({round_.__name__: round_ for round_ in given if not isinstance(round_, str)})
    if unknown := [round_ for round_ in given if isinstance(round_, str) and round_ not in ROUNDS]:
        raise ValueError(f"rounds: {unknown}")
    return tuple(round_ if isinstance(round_, str) else round_.__name__ for round_ in given)


@frozen
class Toy:
    """The variant: rounds that are plain coroutines, known by their names."""

    rounds: tuple[str, ...] = field(default=(), converter=register_rounds)

    async def deal(self, table: Table) -> ToyPosition:
        """Deal nothing."""
        return ToyPosition(self, (0,) * len(table.seats))


@frozen
class ToyPosition:
    """So many rounds have been played."""

    variant: Toy
    scores: tuple[int, ...]
    played: int = 0

    @property
    def over(self) -> bool:
        """Are all rounds played?"""
        return self.played == len(self.variant.rounds)

    async def round(self, table: Table) -> Position:
        """Play the next; a round that gives scores has them added."""
        won = await ROUNDS[self.variant.rounds[self.played]](table) or (0,) * len(self.scores)
        scores = tuple(map(sum, zip(self.scores, won, strict=True)))
        return evolve(self, scores=scores, played=self.played + 1)

    def resample_hidden(self, seat: Seat, random: Random) -> Position:
        """Nothing is hidden."""
        return self


def deal_toy(*rounds: Round, seats: int = 2, seed: str = "seed") -> Play:
    """Return a play of these rounds."""
    return Play.deal(Toy(rounds), seats, seed)


async def by_arrival(table: Table) -> Sequence[int]:
    """Ask all, the last seat first, and tell in which order they came."""
    asked = dict.fromkeys(reversed(table.seats), PICK)
    answers = await table.ask_all(asked, arrival=True)
    table.announce(Answers(tuple(answers.items())))
    return [int(next(iter(answers)) == seat) for seat in table.seats]


async def by_seat(table: Table) -> None:
    """Ask all, the last seat first, and tell what they answered."""
    answers = await table.ask_all(dict.fromkeys(reversed(table.seats), PICK))
    table.announce(Answers(tuple(answers.items())))


async def by_first(table: Table) -> Sequence[int]:
    """Ask all, the last seat first, for the first number that is not 2; who gives it wins."""
    asked = dict.fromkeys(reversed(table.seats), PICK)
    first = await table.ask_first(asked, passing=2)
    table.announce(Answers((first,) if first else ()))
    return [int(first is not None and first[0] == seat) for seat in table.seats]


async def nobody(table: Table) -> None:
    """Ask nobody."""
    assert await table.ask_all({}) == {}
    assert await table.ask_first({}, passing=2) is None
    table.announce(Note("nobody was asked"))


async def choosy(table: Table) -> None:
    """Refuse what the options allow."""
    await table.ask(0, PICK)
    raise IllegalAnswerError("not that")


async def buggy(table: Table) -> None:
    """Fail, after everybody has answered."""
    await table.ask_all(dict.fromkeys(table.seats, PICK))
    raise ZeroDivisionError("a bug in the rules")


async def word(table: Table) -> None:
    """Ask all for any text, and tell all."""
    for seat, said in (await table.ask_all(dict.fromkeys(table.seats, FREE))).items():
        table.announce(Note(f"{seat} said {said}"))


async def chance(table: Table) -> None:
    """Tell what the generator draws, and ask."""
    table.announce(Note(f"{table.random.random()}"))
    for _ in range(await table.ask(0, PICK)):
        table.random.random()


TOY = Game(
    name="toy",
    summary="a toy",
    variant=Toy,
    seats=range(1, 10),
    messages=(Note, Answers, Pick, Say),
)
