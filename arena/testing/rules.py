"""What holds for the rules of every game. Each law takes a game and a case."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from math import isfinite
from random import Random
from typing import Any

from attrs.exceptions import FrozenInstanceError

from arena.plugins import Game
from arena.rules import Illegal, Play, Question, Seat, Told, Undealt, same
from arena.testing.bad_inputs import wrong_answers
from arena.testing.cases import (
    LARGE,
    Case,
    advance,
    answer_to,
    closely,
    last,
    legal,
    some_of,
    walk,
)
from arena.testing.chance import without_chance
from arena.testing.law import law
from arena.testing.strategies import each_value_of_each_option

LOOKED_AT = 60  # listed answers that are looked at, of what may be very many
GOES_ON = 20  # answers by which a copy is played on
Trace = list[tuple[list[Told], list[tuple[int, Any]]]]
"""What was told and asked, answer by answer."""


@law()
def it_ends(game: Game, case: Case) -> None:
    """Everybody has been asked for the last time at some point, and then the game is over."""
    play = last(game, case)
    assert play.position.over, "nobody is asked any more, and the position is not over"


@law()
def all_chance_comes_from_the_table(game: Game, case: Case) -> None:
    """Rules ask neither the module `random`, nor the system's chance, nor a clock."""
    with without_chance():
        last(game, case)


@law()
def everything_is_awaited(game: Game, case: Case) -> None:
    """No coroutine is made and forgotten, as by a missing `await`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        last(game, case)
    forgotten = [str(one.message) for one in caught if "never awaited" in str(one.message)]
    assert not forgotten, f"{forgotten[0]}: is there an `await` missing?"


@law()
def scores_are_complete(game: Game, case: Case) -> None:
    """There is a score for each seat, a finite number, after every round."""
    for play in walk(game, case):
        if isinstance(play.position, Undealt):
            continue
        scores = play.position.scores
        assert len(scores) == case.seats, f"{len(scores)} scores for {case.seats} seats"
        for score in scores:
            assert not isinstance(score, bool), f"{score!r} is no score"
            assert isfinite(score), f"{score!r} is no score"


@law(lambda game, always: [Case(always, seats) for seats in game.seats])
def every_number_of_seats_works(game: Game, case: Case) -> None:
    """The game is played to its end by as many as it says it is for."""
    scores_are_complete(game, case)


@law(each_value_of_each_option)
def every_option_works(game: Game, case: Case) -> None:
    """The game is played to its end with each value of each option."""
    scores_are_complete(game, case)


def trace(game: Game, case: Case) -> Trace:
    """Return all that is told and asked in a case."""
    return [(play.drain(), sorted(play.pending.items())) for play in walk(game, case)]


@law()
def seed_and_answers_determine_the_game(game: Game, case: Case) -> None:
    """The same seed and the same answers tell and ask the same again."""
    for one, again in zip_longest(trace(game, case), trace(game, case)):
        assert one == again, f"a second time something else happened:\n{one}\nand then\n{again}"


@law()
def illegal_answers_are_refused_and_change_nothing(game: Game, case: Case) -> None:
    """What is illegal is refused with a reason, and nothing has changed."""
    pestered: Trace = []
    for look, play in zip(case.looks(), walk(game, case), strict=False):
        pestered.append((play.drain(), sorted(play.pending.items())))
        if look:
            _pester(play, some_of(case, play))
    for one, other in zip_longest(trace(game, case), pestered):
        assert one == other, (
            f"after illegal answers the game goes on otherwise:\n{other}\nand not\n{one}"
        )


def _pester(play: Play, seats: Sequence[Seat]) -> None:
    """Give illegal answers for these who are asked, and for somebody who is not."""
    before = play.key, dict(play.pending)
    wrong = [
        (seat, answer)
        for seat in seats
        for answer in wrong_answers(play.pending[seat])
        if _refused(play.pending[seat], answer)
    ]
    for seat, answer in [(play.seats, None), *wrong]:
        _refuses(play, seat, answer)
        assert not play.drain(), f"{answer!r} was refused, and something was told"
    assert (play.key, play.pending) == before, "illegal answers were refused, and changed it"


def _refused(question: Question[Any], answer: object) -> bool:
    try:
        question.options.read(answer)
    except Illegal as problem:
        assert str(problem), f"{answer!r} is refused without a reason"
        return True
    return False


def _refuses(play: Play, seat: int, answer: object) -> None:
    try:
        play.answer(seat, answer)
    except Illegal:
        return
    raise AssertionError(f"{answer!r} of seat {seat} was taken")


@law()
def defaults_and_draws_are_legal(game: Game, case: Case) -> None:
    """The options allow the default answer, and all that they draw themselves."""
    for play in closely(game, case):
        for question in play.pending.values():
            for number in range(5):
                _reads(question, question.options.draw(Random(number)), "drawn")
            if question.default is not None:
                _reads(question, question.default, "the default answer")


def _reads(question: Question[Any], answer: object, what: str) -> None:
    """See that options read an answer as itself."""
    try:
        read = question.options.read(answer)
    except Illegal as problem:
        raise AssertionError(f"{answer!r} is {what}, and refused: {problem}") from None
    assert same(read, answer), f"{answer!r} is {what}, and read as {read!r}"


@law()
def options_contain_what_they_list(game: Game, case: Case) -> None:
    """Options that are a sequence have their draws in it, and all that is in it is legal."""
    for play in closely(game, case):
        for seat in some_of(case, play):
            question = play.pending[seat]
            if isinstance(question.options, Sequence):
                _lists_itself(question, question.options)


def _lists_itself(question: Question[Any], options: Sequence[Any]) -> None:
    some = [*listed(options, LOOKED_AT)]
    assert some, f"there is nothing to be answered to {question}"
    assert len(some) == len({*map(repr, some)}), f"a choice is listed twice: {question}"
    for one in some:
        assert one in options, f"{one!r} is listed, and not contained"
        _reads(question, one, "listed")
    for answer in wrong_answers(question):
        if legal(question, answer):
            assert question.options.read(answer) in options, f"{answer!r} is taken, and not listed"
    assert question.options.draw(Random(0)) in options, "what is drawn is not contained"


def listed(options: Sequence[Any], most: int) -> Iterator[Any]:
    """Return some of what options list, spread over all of them, which may be very many."""
    try:
        count = len(options)
    except OverflowError:  # more than Python can count
        count = sys.maxsize
    return (options[at] for at in range(0, count, max(1, count // most)))


@law()
def clones_go_on_alike(game: Game, case: Case) -> None:
    """A copy, and a play made from the key, are told and asked what the play itself is."""
    plays = [play.clone() for play in closely(game, case)]
    for play, itself in zip(plays, closely(game, case), strict=True):
        copy, again = play.clone(), Play(*play.key)
        assert copy.key == again.key == itself.key, "a copy has another key"
        assert hash(copy.key) == hash(itself.key), "equal plays have different hashes"
        going = [_rest(one, case) for one in (copy, again)]
        assert going[0] == going[1], "a copy and a play made from its key go on differently"
    if plays:
        assert _rest(plays[0].clone(), case) == _rest(plays[0], case), (
            "a copy goes on otherwise than what was copied"
        )


def _rest(play: Play, case: Case) -> list[Any]:
    """Play on for a while, and return what was told and asked, except for what waited."""
    seen: list[Any] = []
    play.drain()
    random = case.random("the rest")
    while not play.over and len(seen) < GOES_ON:
        advance(play, random.randrange(LARGE))
        seen.append((play.drain(), sorted(play.pending.items()), play.position))
    return seen


@law()
def positions_are_frozen_data(game: Game, case: Case) -> None:
    """A position is data: it cannot be changed, is equal to its like, and can be hashed."""
    for play, like in zip(walk(game, case), walk(game, case), strict=True):
        position: Any = play.position
        kind = type(position).__name__
        assert position == like.position, f"a {kind} is not equal to its like: {position}"
        try:
            assert hash(position) == hash(like.position), f"equal {kind}s have different hashes"
        except TypeError as problem:
            raise AssertionError(f"a {kind} cannot be hashed: {problem}") from None
        try:
            position.variant = None
        except (FrozenInstanceError, AttributeError):
            continue
        raise AssertionError(f"a {kind} can be changed; make it an attrs class that is frozen")


@law()
def variants_survive_being_written(game: Game, case: Case) -> None:
    """A variant is hashed, written down, and read again as it was."""
    variant = game.read_variant(case.options)
    written = game.write_variant(variant)
    assert game.read_variant(written) == variant, f"{written} is read as something else"
    hash(variant)


@law()
def answers_are_data(game: Game, case: Case) -> None:
    """Answers are hashed, as they are part of a play's key."""
    for play in closely(game, case):
        for question in play.pending.values():
            hash(answer_to(question, 1))
