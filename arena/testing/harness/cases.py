"""Test games: a case is a few plain values that determine a whole game, whose time is limited.

The laws of the contract, the fuzzer and the golden files all play cases. Hypothesis generates
and shrinks them; a failing case is a line that you can paste into a test.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from random import Random
from types import FrameType
from typing import Any

from attrs import Factory, field, frozen

from arena.plugins import Game
from arena.rules import (
    Between,
    IllegalAnswerError,
    Play,
    Question,
    Seat,
    SomeOf,
    read_seed,
)

MAX_ANSWERS = 20_000  # after which a game counts as endless
CLOSE_ANSWERS = 4  # answers at the beginning of a game that are all examined
MOVE_RANGE = 1 << 16  # moves are below it; a move says who answers, and what
MANY_SEATS = 8  # up to which every number of seats is tried, and beyond it only the largest
MAX_EXAMINED_SEATS = 3  # of the seats that are asked at once

Options = Mapping[str, Any]


@frozen
class Case:
    """A game to play: options of the variant, seats, the deal's seed, the answers.

    `options` are parameters of the variant, `seats` is the number of players, `seed` the deal's
    seed. Each of the `moves` says which of the asked seats answers next, and how; 0 is the first
    seat and the default answer. After the last move, moves are drawn.
    """

    options: Options = Factory(dict)
    seats: int = 2
    seed: str = field(default="0", converter=read_seed)
    moves: tuple[int, ...] = ()

    def deal(self, game: Game) -> Play:
        """Return the play before its first answer."""
        return Play.deal(game.read_variant(self.options), self.seats, self.seed)

    def move_stream(self) -> Iterator[int]:
        """Yield the moves, and then drawn ones without end."""
        yield from self.moves
        random = self.random("habits")
        while True:
            yield random.randrange(MOVE_RANGE)

    def random(self, purpose: str) -> Random:
        """Return a random generator for one purpose."""
        return Random(f"{purpose}/{self.seed}/{self.moves}")

    def sampling_decisions(self) -> Iterator[bool]:
        """Yield for each answer whether to examine it: always at first, and less and less often.

        Different cases examine different places, so that together they cover a game.
        """
        random = self.random("looks")
        for at in count(1):
            yield random.random() * at < CLOSE_ANSWERS


def iterate_plays(game: Game, case: Case) -> Iterator[Play]:
    """Play a case, and yield the play before each answer and at the end.

    The caller may drain it. Raises CpuLimitExceededError if the game does not end.
    """
    play = case.deal(game)
    for answered, move in enumerate(case.move_stream()):
        yield play
        if play.over:
            return
        if answered >= MAX_ANSWERS:
            raise CpuLimitExceededError(f"the game has not ended after {MAX_ANSWERS} answers")
        apply_move(play, move)


def apply_move(play: Play, move: int) -> tuple[Seat, Any]:
    """Apply a move to a play; return the seat that answers, and its answer."""
    seat, answer = choose_answer(play, move)
    try:
        return seat, play.answer(seat, answer)
    except IllegalAnswerError as problem:
        raise AssertionError(
            f"{answer!r}, the default or a draw of {play.pending[seat]}, is refused: {problem}"
        ) from None


def play_to_end(game: Game, case: Case) -> Play:
    """Play a case to its end, and return the play."""
    *_, play = iterate_plays(game, case)
    return play


def choose_answer(play: Play, move: int) -> tuple[Seat, Any]:
    """Return the seat that a move makes answer, and its answer."""
    seats = sorted(play.pending)
    seat = seats[move % len(seats)]
    return seat, choose_legal_answer(play.pending[seat], move // len(seats))


def choose_legal_answer(question: Question[Any], number: int) -> Any:
    """Return the legal answer for a number: the default, a drawn one, few cards, or a limit."""
    if number % 4 == 0 and question.default is not None:
        return question.default
    options = question.options
    some = options.sizes if isinstance(options, SomeOf) else options
    assert some or not isinstance(some, Sequence), f"no answer is possible to {question}"
    drawn = options.draw(Random(number))
    if number % 2 and isinstance(options, SomeOf):
        return drawn[: max(options.least, 1 + number % 3)]
    if number % 2 and isinstance(options, Between):  # one of millions: a draw seldom is a limit
        return options[number // 2 % 2 - 1]
    return drawn


def sample_plays(game: Game, case: Case) -> Iterator[Play]:
    """Play a case, and yield the play before some of its answers."""
    for look, play in zip(case.sampling_decisions(), iterate_plays(game, case), strict=False):
        if look and not play.over:
            yield play


def sample_asked_seats(case: Case, play: Play) -> list[Seat]:
    """Return a sample of the asked seats, another at each ask: a table may have fifty."""
    asked = sorted(play.pending)
    random = case.random(f"asked/{play.number}/{play.closed}")
    return sorted(random.sample(asked, min(MAX_EXAMINED_SEATS, len(asked))))


def list_seat_counts(game: Game) -> list[int]:
    """Return the numbers of seats that are tried: each up to eight, and the largest."""
    return [seats for seats in game.seats if seats <= MANY_SEATS or seats == game.seats[-1]]


def is_legal(question: Question[Any], answer: object) -> bool:
    """Whether an answer is legal."""
    try:
        question.options.read(answer)
    except IllegalAnswerError:
        return False
    return True


def to_source(case: Case) -> str:
    """Return a case as a Python expression."""
    return f"Case({dict(case.options)!r}, {case.seats}, {case.seed!r}, {case.moves!r})"


SWALLOWING = ("hypothesis", "weakref")
OWN_MODULES = ("arena.", *SWALLOWING)  # that are not named: the loop is in the game's rules
INTERRUPT_SECONDS = 0.05  # of processor time between two interrupts, if one is not enough


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise CpuLimitExceededError in this block after so many seconds of processor time.

    An endless loop is interrupted where it is, and its line is named. Neither a busy machine nor a
    waiting debugger uses up the time: only the processor time of this process counts. Signals reach
    the main thread alone; in another one there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_: int, frame: FrameType | None) -> None:
        if _module_name(frame).startswith(SWALLOWING):
            return  # whose callbacks of the garbage collector would swallow it: soon, once more
        raise CpuLimitExceededError(
            f"the game has not ended after {seconds:g} seconds of processor time:"
            f" {_describe_caller(frame)}"
        )

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, INTERRUPT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class CpuLimitExceededError(BaseException):
    """Raised in rules that do not end; no `except Exception` of a host or of a game stops it."""


def _describe_caller(frame: FrameType | None) -> str:
    """Describe where the rules were: the outermost frame that the arena called."""
    at = frame
    while at and _module_name(at).startswith(OWN_MODULES):
        at = at.f_back
    at = at or frame
    return f"in {at.f_code.co_name}, {at.f_code.co_filename}:{at.f_lineno}" if at else "nowhere"


def _module_name(frame: FrameType | None) -> str:
    return str(frame.f_globals.get("__name__", "")) if frame else ""
