"""A play: determined by its seed and answers, cloned anywhere, judged by its options."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import Illegal, Play, Variant
from arena.play import Given
from arena.table import Told
from arena_bs import Bs
from arena_gops import Gops
from arena_kuhn import Kuhn
from tests.toys import (
    Answers,
    Note,
    Toy,
    buggy,
    by_arrival,
    by_seat,
    chance,
    choosy,
    nobody,
    toy,
)

VARIANTS: list[Any] = [
    pytest.param(Gops(), 2, id="gops"),
    pytest.param(Gops(5, "split"), 3, id="gops-split"),
    pytest.param(Gops(ties="carry"), 4, id="gops-carry"),
    pytest.param(Bs(max_turns=40), 2, id="bs"),
    pytest.param(Bs(order="fair", max_turns=40), 5, id="bs-fair"),
    pytest.param(Kuhn(), 2, id="kuhn"),
    pytest.param(Toy((by_arrival, chance, by_seat, nobody, chance)), 4, id="toy"),
]


def played(variant: Variant, seats: int, seed: str) -> tuple[Play, list[Given], list[Told]]:
    """Play by drawing, in a drawn order of arrival; give the answers and what was told."""
    play, random = Play.deal(variant, seats, seed), Random(seed)
    given_: list[Given] = []
    told = play.drain()
    while play.pending:
        seat = random.choice(list(play.pending))
        answer = play.pending[seat].options.draw(random)
        given_.append((seat, play.answer(seat, answer)))
        told += play.drain()
    return play, given_, told


@pytest.mark.parametrize(("variant", "seats"), VARIANTS)
def test_seed_and_answers_determine_a_play(variant: Variant, seats: int) -> None:
    """A recorded game, its answers given again, tells the same to the same."""
    for seed in "abcde":
        play, answers, told = played(variant, seats, seed)
        again = Play.deal(variant, seats, seed)
        retold = again.drain()
        for seat, answer in answers:
            again.answer(seat, answer)
            retold += again.drain()
        assert retold == told
        assert again.over
        assert again.key == play.key
        assert again.scores == play.scores


@pytest.mark.parametrize(("variant", "seats"), VARIANTS)
def test_another_seed_is_another_game(variant: Variant, seats: int) -> None:
    """Chance comes from the seed: of ten seeds not all deal alike."""
    assert len({repr(played(variant, seats, f"{seed}")[2]) for seed in range(10)}) > 1


@pytest.mark.parametrize(("variant", "seats"), VARIANTS)
def test_a_clone_goes_on_alike_and_shares_nothing(variant: Variant, seats: int) -> None:
    """Wherever a play is cloned, in the middle of an ask too, both go on alike."""
    _, answers, _ = played(variant, seats, "seed")
    for cut in range(0, len(answers), 1 + len(answers) // 40):
        play = Play.deal(variant, seats, "seed")
        for seat, answer in answers[:cut]:
            play.drain()
            play.answer(seat, answer)
        twin, key = play.clone(), play.key
        assert (twin.key, hash(twin.key), twin.pending) == (key, hash(key), play.pending)
        for seat, answer in answers[cut:]:
            twin.answer(seat, answer)
        assert play.key == key != twin.key
        for seat, answer in answers[cut:]:
            play.answer(seat, answer)
        assert twin.key == play.key
        assert twin.drain() == play.drain()


@pytest.mark.parametrize(("variant", "seats"), VARIANTS)
def test_a_key_makes_the_play_again(variant: Variant, seats: int) -> None:
    """`Play(*key)` stands where the play stood, and tells again what its round told."""
    _, answers, _ = played(variant, seats, "seed")
    play = Play.deal(variant, seats, "seed")
    for seat, answer in answers[: len(answers) // 2]:
        play.answer(seat, answer)
    again = Play(*play.key)
    assert again.key == play.key
    assert again.pending == play.pending
    assert again.number == play.number


def test_an_answer_refused_changes_nothing() -> None:
    """What is illegal, or comes from who was not asked, leaves the play as it was."""
    play = toy(by_seat, chance, seats=3)
    play.answer(1, 2)
    before, pending = play.key, dict(play.pending)
    for seat, answer in ((0, 4), (0, True), (0, None), (1, 1), (7, 1), (-1, 1)):
        with pytest.raises(Illegal):
            play.answer(seat, answer)
    assert play.key == before
    assert play.pending == pending
    assert [play.answer(seat, 1) for seat in (0, 2)] == [1, 1]
    assert Answers(((0, 1), (1, 2), (2, 1))) in [event for _, event in play.drain()]


@given(st.permutations(range(4)))
def test_answers_come_in_seat_order(order: list[int]) -> None:
    """Whoever answers first, and in whatever order the rules ask, seats are in order."""
    play = toy(by_seat, seats=4)
    for seat in order:
        play.answer(seat, 1 + seat % 3)
    assert play.drain() == [(None, Answers(((0, 1), (1, 2), (2, 3), (3, 1))))]


@given(st.permutations(range(4)))
def test_answers_come_in_order_of_arrival_where_rules_ask(order: list[int]) -> None:
    """Only then is the order part of what happened, and of the key."""
    play, twin = toy(by_arrival, by_arrival, seats=4), toy(by_arrival, by_arrival, seats=4)
    for seat in order:
        play.answer(seat, 1)
    assert play.drain() == [(None, Answers(tuple((seat, 1) for seat in order)))]
    for seat in order[:2]:
        twin.answer(seat, 1)
    turned = toy(by_arrival, by_arrival, seats=4)
    for seat in order[1::-1]:
        turned.answer(seat, 1)
    assert twin.key != turned.key


def test_the_key_does_not_know_the_order_where_it_does_not_matter() -> None:
    """Two plays that go on alike have equal keys."""
    one, other = toy(by_seat, seats=3), toy(by_seat, seats=3)
    for seat in (0, 2):
        one.answer(seat, 1)
    for seat in (2, 0):
        other.answer(seat, 1)
    assert one.key == other.key


def test_asking_nobody_waits_for_nobody() -> None:
    """Rules may ask none, and go on with no answers; a game without questions is over."""
    play = toy(nobody, nobody)
    assert play.over
    assert play.number == 3
    assert play.drain() == [(None, Note("nobody was asked"))] * 2


def test_rules_that_refuse_what_their_options_allow_are_at_fault() -> None:
    """The player who answered last is not: it is no Illegal."""
    play = toy(choosy)
    with pytest.raises(RuntimeError, match="the rules refuse"):
        play.answer(0, 1)


def test_a_bug_in_the_rules_shows_itself() -> None:
    """Nothing hides it."""
    play = toy(buggy)
    play.answer(1, 1)
    with pytest.raises(ZeroDivisionError):
        play.answer(0, 1)


def test_rules_that_ask_a_seat_that_is_not_there_are_at_fault() -> None:
    """Or the game would wait for that seat for ever."""

    async def astray(table: Any) -> None:
        await table.ask(len(table.seats), next(iter(toy(by_seat).pending.values())))

    with pytest.raises((RuntimeError, ValueError, IndexError)):
        toy(astray)


def test_chance_is_each_rounds_own() -> None:
    """However often a round drew, the next draws the same."""
    told = []
    for draws in (1, 2, 3):
        play = toy(chance, chance)
        play.answer(0, draws)
        play.answer(0, 1)
        told.append(play.drain())
    assert told[0] == told[1] == told[2]
    assert told[0][0] != told[0][1]


def test_scores_are_nothing_before_the_deal() -> None:
    """The deal may ask: nobody has points until it is done."""
    play = Play.deal(Bs(), 3, "seed")
    assert play.number == 0
    assert play.scores == (0, 0, 0)
    assert len(play.pending) == 3
