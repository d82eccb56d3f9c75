"""Games to be tried: a case is a few plain values that fix a whole game.

The laws of the contract, the fuzzer and the golden files all play cases. Hypothesis makes
and shrinks them; a case that fails is a line that can be pasted into a test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from attrs import Factory, fields, frozen
from hypothesis import strategies as st

from arena.game import Game
from arena.options import SomeOf
from arena.play import Play
from arena.table import Illegal, Question, Seat

LONGEST = 20_000  # answers, after which a game is called endless
CLOSELY = 4  # answers at the beginning of a game that are all looked at
LARGE = 1 << 16  # of moves: who answers, and what
MANY_SEATS = 8  # up to which every number of seats is tried, and beyond it the most

Options = Mapping[str, Any]


@frozen
class Case:
    """A game to be played: options of the variant, seats, the deal's seed, what is answered.

    Each of the `moves` says who of those who are asked answers next, and what; 0 is the
    first of them and the default answer. Behind the last move they are drawn.
    """

    options: Options = Factory(dict)
    seats: int = 2
    seed: str = "0"
    moves: tuple[int, ...] = ()

    def deal(self, game: Game) -> Play:
        """Give the play before its first answer."""
        return Play.deal(game.read_variant(self.options), self.seats, self.seed)

    def habits(self) -> Iterator[int]:
        """Give the moves, and then drawn ones for ever."""
        yield from self.moves
        random = Random(f"{self.seed}/{self.moves}")
        while True:
            yield random.randrange(LARGE)


def walk(game: Game, case: Case) -> Iterator[Play]:
    """Play a case; give the play each time somebody is about to answer, and at the end.

    Who walks may drain it. Raises AssertionError where the game is endless.
    """
    play = case.deal(game)
    for count, move in enumerate(case.habits()):
        yield play
        if play.over:
            return
        assert count < LONGEST, f"nobody has won after {LONGEST} answers: the game is endless"
        play.answer(*chosen(play, move))


def last(game: Game, case: Case) -> Play:
    """Play a case to its end."""
    *_, play = walk(game, case)
    return play


def chosen(play: Play, move: int) -> tuple[Seat, Any]:
    """Give who answers by this move, and what."""
    seats = sorted(play.pending)
    seat = seats[move % len(seats)]
    return seat, answer_to(play.pending[seat], move // len(seats))


def answer_to(question: Question[Any], number: int) -> Any:
    """Give a legal answer for a number: the default, a drawn one, or few cards of many."""
    if number % 4 == 0 and question.default is not None:
        return question.default
    drawn = question.options.draw(Random(number))
    if number % 2 and isinstance(question.options, SomeOf):
        return drawn[: max(question.options.least, 1 + number % 3)]
    return drawn


def still_asked(play: Play) -> set[Seat]:
    """Give who will have been asked already when the next answer is in, whoever gives it."""
    return {*play.pending} if len(play.pending) > 1 else set()


def spread(play: Play, at: int) -> bool:
    """Say whether to look closely here: often at the beginning of a game, seldom later."""
    return at < CLOSELY or (at & (at - 1)) == 0 or play.over


def closely(game: Game, case: Case) -> Iterator[Play]:
    """Walk through a case, and stop at some of the answers that are asked for."""
    for at, play in enumerate(walk(game, case)):
        if not play.over and spread(play, at):
            yield play


def seats_of(game: Game) -> list[int]:
    """Give the numbers of seats that are tried: each up to eight, and the most."""
    return [seats for seats in game.seats if seats <= MANY_SEATS or seats == game.seats[-1]]


def cases(game: Game, always: Options, more: Sequence[Options] = ()) -> st.SearchStrategy[Case]:
    """Draw cases of a game: all options that can be made out, every number of seats.

    `always` are options that every case has; `more` are sets of them that are tried, too.
    """
    return st.builds(
        Case,
        options=options_of(game, always, more),
        seats=st.sampled_from(seats_of(game)),
        seed=st.integers(0, LARGE).map(str),
        moves=st.lists(st.integers(0, LARGE), max_size=8).map(tuple),
    )


def options_of(
    game: Game, always: Options, more: Sequence[Options] = ()
) -> st.SearchStrategy[dict[str, Any]]:
    """Draw options that the variant takes."""
    values = {name: st.sampled_from(some) for name, some in each_option(game).items()}
    drawn = st.fixed_dictionaries({}, optional=values) if values else st.just({})
    if more:
        drawn |= st.sampled_from([*map(dict, more)])
    return drawn.map(lambda options: {**options, **always}).filter(lambda it: allowed(game, it))


def each_option(game: Game) -> dict[str, list[Any]]:
    """Give values for each option of the variant: what its validators list, and its bounds."""
    found = {one.name: _values(one) for one in fields(game.variant) if one.init}
    return {name: values for name, values in found.items() if values}


def _values(attribute: Any) -> list[Any]:
    rules = [attribute.validator, *getattr(attribute.validator, "_validators", ())]
    for rule in rules:
        if choices := getattr(rule, "options", None):  # of attrs' `in_`
            return [*choices]
    if attribute.type in ("bool", bool):
        return [False, True]
    if attribute.type not in ("int", int):
        return []
    bounds = [rule.bound for rule in rules if isinstance(getattr(rule, "bound", None), int)]
    near = {bound + by for bound in bounds for by in (-1, 0, 1, 2, 3)}
    usual = attribute.default if isinstance(attribute.default, int) else 0
    return sorted({value for value in near if value <= 2 * usual} | {usual})  # no huge games


def allowed(game: Game, options: Options) -> bool:
    """Say whether the variant takes these options."""
    try:
        game.read_variant(options)
    except ValueError:
        return False
    return True


def legal(question: Question[Any], answer: object) -> bool:
    """Say whether this answer is legal."""
    try:
        question.options.read(answer)
    except Illegal:
        return False
    return True


def pasted(case: Case) -> str:
    """Give a case as Python that makes it."""
    return f"Case({dict(case.options)!r}, {case.seats}, {case.seed!r}, {case.moves!r})"
