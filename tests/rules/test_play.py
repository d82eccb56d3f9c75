"""A play: determined by its seed and answers, cloned anywhere, judged by its options."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import IllegalAnswerError, OneOf, Play, Table, Variant
from arena.rules import AddressedEvent, GameError, GivenAnswer
from arena_bs import Bs
from arena_gops import Gops
from arena_kuhn import Kuhn
from tests.support.toys import (
    PICK,
    Answers,
    Note,
    Pick,
    Toy,
    buggy,
    by_arrival,
    by_first,
    by_seat,
    chance,
    choosy,
    deal_toy,
    nobody,
)

YES = Pick(OneOf((1, True)))
VARIANTS: list[Any] = [
    pytest.param(Gops(), 2, id="gops"),
    pytest.param(Gops(5, "split"), 3, id="gops-split"),
    pytest.param(Gops(ties="carry"), 4, id="gops-carry"),
    pytest.param(Bs(max_turns=40), 2, id="bs"),
    pytest.param(Bs(order="fair", max_turns=40), 5, id="bs-fair"),
    pytest.param(Kuhn(), 2, id="kuhn"),
    pytest.param(Toy((by_arrival, chance, by_seat, nobody, chance)), 4, id="toy"),
    pytest.param(Toy((by_first, chance, by_first, by_first, chance)), 4, id="toy-first"),
]


def played(
    variant: Variant, seats: int, seed: str
) -> tuple[Play, list[GivenAnswer], list[AddressedEvent]]:
    """Play by drawing, in a drawn order of arrival; return the answers and what was told."""
    play, random = Play.deal(variant, seats, seed), Random(seed)
    given_: list[GivenAnswer] = []
    told = play.drain()
    while play.pending:
        seat = random.choice(list(play.pending))
        answer = play.pending[seat].options.draw(random)
        given_.append((seat, play.answer(seat, answer)))
        told += play.drain()
    return play, given_, told


async def all_forgotten(table: Table) -> None:
    """Ask all, and do not wait."""
    table.ask_all(dict.fromkeys(table.seats, PICK))


async def one_forgotten(table: Table) -> None:
    """Ask one, and do not wait."""
    table.ask(0, PICK)


@pytest.mark.parametrize(("rule", "name"), [(all_forgotten, "ask_all"), (one_forgotten, "ask")])
def test_an_ask_that_is_not_awaited_is_named_at_the_end_of_the_round(rule: Any, name: str) -> None:
    """It would ask nobody, and Python does not warn of each."""
    with pytest.raises(GameError, match=rf"table\.{name} \(\w+\) was never awaited"):
        Play.deal(Toy((rule,)), 2, "1")


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
    play = deal_toy(by_seat, chance, seats=3)
    play.answer(1, 2)
    before, pending = play.key, dict(play.pending)
    for seat, answer in ((0, 4), (0, True), (0, None), (1, 1), (7, 1), (-1, 1)):
        with pytest.raises(IllegalAnswerError):
            play.answer(seat, answer)
    assert play.key == before
    assert play.pending == pending
    assert [play.answer(seat, 1) for seat in (0, 2)] == [1, 1]
    assert Answers(((0, 1), (1, 2), (2, 1))) in [event for _, event in play.drain()]


@given(st.permutations(range(4)))
def test_answers_come_in_seat_order(order: list[int]) -> None:
    """Whoever answers first, and in whatever order the rules ask, seats are in order."""
    play = deal_toy(by_seat, seats=4)
    for seat in order:
        play.answer(seat, 1 + seat % 3)
    assert play.drain() == [(None, Answers(((0, 1), (1, 2), (2, 3), (3, 1))))]


@given(st.permutations(range(4)))
def test_answers_come_in_order_of_arrival_where_rules_ask(order: list[int]) -> None:
    """Only then is the order part of what happened, and of the key."""
    play, twin = (
        deal_toy(by_arrival, by_arrival, seats=4),
        deal_toy(by_arrival, by_arrival, seats=4),
    )
    for seat in order:
        play.answer(seat, 1)
    assert play.drain() == [(None, Answers(tuple((seat, 1) for seat in order)))]
    for seat in order[:2]:
        twin.answer(seat, 1)
    turned = deal_toy(by_arrival, by_arrival, seats=4)
    for seat in order[1::-1]:
        turned.answer(seat, 1)
    assert twin.key != turned.key


def test_the_first_answer_that_does_not_pass_ends_the_ask() -> None:
    """It alone is given to the rules; the others are asked no more, also who would pass."""
    play = deal_toy(by_first, by_first, seats=4)
    play.answer(3, 2)
    assert (play.closed, sorted(play.pending)) == (0, [0, 1, 2])
    play.answer(1, 3)
    assert play.drain() == [(None, Answers(((1, 3),)))]
    assert play.closed == 1
    assert play.withdrawn == {0: PICK, 2: PICK}
    assert sorted(play.pending) == [0, 1, 2, 3]  # of the next round


def test_an_ask_of_which_all_pass_is_over() -> None:
    """The rules get nothing; a game that ends so asks nobody any more."""
    play = deal_toy(by_first)
    for seat in (1, 0):
        play.answer(seat, 2)
    assert play.drain() == [(None, Answers(()))]
    assert (play.withdrawn, play.over) == ({}, True)


def test_a_game_that_the_first_answer_ends_is_over() -> None:
    """What others were asked is asked no more, and an answer to it is refused."""
    play = deal_toy(by_first, seats=3)
    play.answer(2, 1)
    assert play.over
    with pytest.raises(IllegalAnswerError, match="was not asked"):
        play.answer(0, 1)


def test_passing_is_one_answer_and_not_its_like() -> None:
    """True is equal to 1, and does not pass for it."""

    async def truly(table: Table) -> None:
        first = await table.ask_first({0: YES, 1: YES}, passing=1)
        table.announce(Note(repr(first)))

    play = deal_toy(truly)
    play.answer(0, True)
    assert play.drain() == [(None, Note("(0, True)"))]


def test_the_key_does_not_know_who_passed_first() -> None:
    """Two plays in which the same seats pass, and then one does not, are one."""
    plays = [deal_toy(by_first, by_seat, seats=4) for _ in range(2)]
    for play, passing in zip(plays, [(0, 3), (3, 0)], strict=True):
        for seat in passing:
            play.answer(seat, 2)
    assert plays[0].key == plays[1].key
    for play in plays:
        play.answer(1, 1)
    assert plays[0].key == plays[1].key


def test_rules_that_ask_for_the_first_answer_let_everybody_pass() -> None:
    """Or the rules are at fault: nobody could leave the ask open."""

    async def strict(table: Table) -> None:
        await table.ask_first(dict.fromkeys(table.seats, PICK), passing="pass")

    with pytest.raises(GameError, match="seat 0, which cannot pass: 'pass' is not one of"):
        deal_toy(strict)


def test_the_key_does_not_know_the_order_where_it_does_not_matter() -> None:
    """Two plays that go on alike have equal keys."""
    one, other = deal_toy(by_seat, seats=3), deal_toy(by_seat, seats=3)
    for seat in (0, 2):
        one.answer(seat, 1)
    for seat in (2, 0):
        other.answer(seat, 1)
    assert one.key == other.key


def test_asking_nobody_waits_for_nobody() -> None:
    """Rules may ask none, and go on with no answers; a game without questions is over."""
    play = deal_toy(nobody, nobody)
    assert play.over
    assert play.number == 3
    assert play.drain() == [(None, Note("nobody was asked"))] * 2


def test_rules_that_refuse_what_their_options_allow_are_at_fault() -> None:
    """The player who answered last is not: no IllegalAnswerError is raised."""
    play = deal_toy(choosy)
    with pytest.raises(GameError, match="the rules reject an answer"):
        play.answer(0, 1)


def test_a_bug_in_the_rules_shows_itself() -> None:
    """Nothing hides it."""
    play = deal_toy(buggy)
    play.answer(1, 1)
    with pytest.raises(ZeroDivisionError):
        play.answer(0, 1)


def test_chance_is_each_rounds_own() -> None:
    """However often a round drew, the next draws the same."""
    told = []
    for draws in (1, 2, 3):
        play = deal_toy(chance, chance)
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
