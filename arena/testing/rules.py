"""What holds for the rules of every game. Each law takes a game and a case."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from random import Random
from typing import Any

from attrs.exceptions import FrozenInstanceError

from arena.game import Game
from arena.options import same
from arena.play import Play, Undealt
from arena.table import Illegal, Question, Told
from arena.testing.cases import Case, answer_to, chosen, closely, last, walk
from arena.testing.junk import wrong_answers
from arena.testing.overseer import with_patience, without_chance

LOOKED_AT = 60  # listed answers that are looked at, of what may be very many
Trace = list[tuple[list[Told], list[tuple[int, Any]]]]
"""What was told and asked, answer by answer."""


def it_ends(game: Game, case: Case) -> None:
    """Everybody has been asked for the last time at some point, and then the game is over."""
    with with_patience():
        play = last(game, case)
    assert play.position.over, "nobody is asked any more, and the position is not over"


def chance_comes_from_the_table(game: Game, case: Case) -> None:
    """Rules ask neither the module `random`, nor the system's chance, nor a clock."""
    with without_chance():
        last(game, case)


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


def trace(game: Game, case: Case) -> Trace:
    """Give all that is told and asked in a case."""
    return [(play.drain(), sorted(play.pending.items())) for play in walk(game, case)]


def nothing_but_seed_and_answers_counts(game: Game, case: Case) -> None:
    """The same seed and the same answers tell and ask the same again."""
    assert trace(game, case) == trace(game, case), "a second time something else happened"


def illegal_answers_are_refused(game: Game, case: Case) -> None:
    """What is illegal is refused with a reason, and nothing has changed."""
    for play in closely(game, case):
        play.drain()
        before = play.key, dict(play.pending)
        wrong = [
            (seat, answer)
            for seat, question in sorted(play.pending.items())
            for answer in wrong_answers(question)
            if _refused(question, answer)
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


def defaults_and_draws_are_legal(game: Game, case: Case) -> None:
    """The options allow the default answer, and all that they draw themselves."""
    for play in closely(game, case):
        for question in play.pending.values():
            answers = [question.options.draw(Random(number)) for number in range(5)]
            if question.default is not None:
                answers.append(question.default)
            for answer in answers:
                read = question.options.read(answer)
                assert same(read, answer), f"{answer!r} is read as {read!r}"


def options_contain_what_they_list(game: Game, case: Case) -> None:
    """Options that are a sequence have their draws in it, and all that is in it is legal."""
    for play in closely(game, case):
        for question in play.pending.values():
            options = question.options
            if isinstance(options, Sequence):
                _lists_itself(options)


def _lists_itself(options: Any) -> None:
    step = max(1, len(options) // LOOKED_AT)
    for at in range(0, len(options), step):
        one = options[at]
        assert one in options, f"{one!r} is listed and not contained"
        assert same(options.read(one), one), f"{one!r} is listed and not read as itself"
    assert options.draw(Random(0)) in options, "a draw is not contained"
    assert len(options), "there is nothing to be answered"


def clones_go_on_alike(game: Game, case: Case) -> None:
    """A copy, and a play made from the key, are told and asked the same to the end."""
    for play in closely(game, case):
        copy, again = play.clone(), Play(*play.key)
        assert hash(copy.key) == hash(play.key), "equal plays have different hashes"
        assert copy.key == again.key == play.key, "a copy has another key"
        assert _rest(copy, case)[1:] == _rest(again, case)[1:], "copies go on differently"


def _rest(play: Play, case: Case) -> list[Any]:
    """Play on for a while, and give what was told and asked; the first has what waited."""
    seen: list[Any] = []
    random = Random(case.seed)
    while not play.over and len(seen) < LOOKED_AT:
        play.answer(*chosen(play, random.randrange(1 << 16)))
        seen.append((play.drain(), sorted(play.pending.items()), play.position))
    return seen


def positions_are_frozen(game: Game, case: Case) -> None:
    """A position is data: it cannot be changed, is equal to its like, and can be hashed."""
    for play in closely(game, case):
        position: Any = play.position
        assert hash(position) == hash(Play(*play.key).position)
        try:
            position.variant = None
        except (FrozenInstanceError, AttributeError):
            continue
        raise AssertionError(f"a {type(position).__name__} can be changed")


def variants_are_data(game: Game, case: Case) -> None:
    """A variant is hashed, written down, and read again as it was."""
    variant = game.read_variant(case.options)
    written = game.write_variant(variant)
    assert game.read_variant(written) == variant, f"{written} is read as something else"
    hash(variant)


def answers_are_data(game: Game, case: Case) -> None:
    """Answers are hashed, as they are part of a play's key."""
    for play in closely(game, case):
        for question in play.pending.values():
            hash(answer_to(question, 1))
