"""Games to be tried: a case is a few plain values that fix a whole game.

The laws of the contract, the fuzzer and the golden files all play cases. Hypothesis makes
and shrinks them; a case that fails is a line that can be pasted into a test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from random import Random
from typing import Any

from attrs import Factory, frozen

from arena.plugins import Game
from arena.rules import Illegal, Play, Question, Seat, SomeOf
from arena.testing.cpu_limit import CpuLimitExceeded

LONGEST = 20_000  # answers, after which a game is called endless
CLOSELY = 4  # answers at the beginning of a game that are all looked at
LARGE = 1 << 16  # of moves: who answers, and what
MANY_SEATS = 8  # up to which every number of seats is tried, and beyond it the most
SEATS = 3  # of those who are asked at once, that are looked at

Options = Mapping[str, Any]


@frozen
class Case:
    """A game to be played: options of the variant, seats, the deal's seed, what is answered.

    `options` are parameters of the variant, `seats` how many play, `seed` the deal's. Each of
    the `moves` says who of those who are asked answers next, and what; 0 is the first of them
    and the default answer. Behind the last move they are drawn.
    """

    options: Options = Factory(dict)
    seats: int = 2
    seed: str = "0"
    moves: tuple[int, ...] = ()

    def deal(self, game: Game) -> Play:
        """Return the play before its first answer."""
        return Play.deal(game.read_variant(self.options), self.seats, self.seed)

    def move_stream(self) -> Iterator[int]:
        """Return the moves, and then drawn ones for ever."""
        yield from self.moves
        random = self.random("habits")
        while True:
            yield random.randrange(LARGE)

    def random(self, purpose: str) -> Random:
        """Return a generator of its own for each purpose."""
        return Random(f"{purpose}/{self.seed}/{self.moves}")

    def looks(self) -> Iterator[bool]:
        """Say for each answer whether to look closely: always at first, and ever more seldom.

        Other cases look at other places, so that nothing in a game is between them all.
        """
        random = self.random("looks")
        for at in count(1):
            yield random.random() * at < CLOSELY


def walk(game: Game, case: Case) -> Iterator[Play]:
    """Play a case; return the play each time somebody is about to answer, and at the end.

    Who walks may drain it. Raises CpuLimitExceeded where the game goes on and on.
    """
    play = case.deal(game)
    for answered, move in enumerate(case.move_stream()):
        yield play
        if play.over:
            return
        if answered >= LONGEST:
            raise CpuLimitExceeded(f"nobody has won after {LONGEST} answers: the game has no end")
        advance(play, move)


def advance(play: Play, move: int) -> tuple[Seat, Any]:
    """Let somebody answer by this move; return who it was, and what."""
    seat, answer = chosen(play, move)
    try:
        return seat, play.answer(seat, answer)
    except Illegal as problem:
        raise AssertionError(
            f"{answer!r}, a default or a draw of {play.pending[seat]}, is refused: {problem}"
        ) from None


def last(game: Game, case: Case) -> Play:
    """Play a case to its end."""
    *_, play = walk(game, case)
    return play


def chosen(play: Play, move: int) -> tuple[Seat, Any]:
    """Return who answers by this move, and what."""
    seats = sorted(play.pending)
    seat = seats[move % len(seats)]
    return seat, answer_to(play.pending[seat], move // len(seats))


def answer_to(question: Question[Any], number: int) -> Any:
    """Return a legal answer for a number: the default, a drawn one, or few cards of many."""
    if number % 4 == 0 and question.default is not None:
        return question.default
    options = question.options
    some = options.sizes if isinstance(options, SomeOf) else options
    assert some or not isinstance(some, Sequence), f"there is nothing to be answered to {question}"
    drawn = options.draw(Random(number))
    if number % 2 and isinstance(options, SomeOf):
        return drawn[: max(options.least, 1 + number % 3)]
    return drawn


def closely(game: Game, case: Case) -> Iterator[Play]:
    """Walk through a case, and stop at some of the answers that are asked for."""
    for look, play in zip(case.looks(), walk(game, case), strict=False):
        if look and not play.over:
            yield play


def some_of(case: Case, play: Play) -> list[Seat]:
    """Return some of the seats that are asked, others at each ask: a table may have fifty."""
    asked = sorted(play.pending)
    random = case.random(f"asked/{play.number}/{play.closed}")
    return sorted(random.sample(asked, min(SEATS, len(asked))))


def seats_of(game: Game) -> list[int]:
    """Return the numbers of seats that are tried: each up to eight, and the most."""
    return [seats for seats in game.seats if seats <= MANY_SEATS or seats == game.seats[-1]]


def legal(question: Question[Any], answer: object) -> bool:
    """Say whether this answer is legal."""
    try:
        question.options.read(answer)
    except Illegal:
        return False
    return True


def as_source(case: Case) -> str:
    """Return a case as Python that makes it."""
    return f"Case({dict(case.options)!r}, {case.seats}, {case.seed!r}, {case.moves!r})"
