"""Kuhn poker, line by line of betting, what it is worth, and its hints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pytest

from arena import Greeting, Hint, InformationState, Play, Score
from arena_kuhn import (
    BET,
    GAME,
    Acted,
    Card,
    Kuhn,
    KuhnPosition,
    Optimal,
    Showdown,
    bet_probability,
)
from arena_kuhn.hints import HINTS, compute_payoff

Bets = tuple[bool, ...]
Strategy = dict[tuple[int, Bets], Score]
"""How often to bet, with this card and after these bets."""

RANKS = (1, 2, 3)
HANDS = [*permutations(RANKS, 2)]
ASKED: tuple[tuple[Bets, ...], ...] = (((), (False, True)), ((False,), (True,)))
"""The bets after which each seat is asked."""

VALUE = Fraction(-1, 18)


def played(ranks: tuple[int, int], bets: Sequence[bool]) -> Play:
    play = Play(KuhnPosition(Kuhn(), ranks), 2, "")
    for bet in bets:
        (seat,) = play.pending
        play.answer(seat, bet)
    return play


@pytest.mark.parametrize(
    ("bets", "scores", "shown"),
    [
        ("pp", (-1, 1), True),
        ("pbp", (-1, 1), False),
        ("pbb", (-2, 2), True),
        ("bp", (1, -1), False),
        ("bb", (-2, 2), True),
    ],
)
def test_every_line_of_betting(bets: str, scores: tuple[int, int], shown: bool) -> None:
    """Who does not answer a bet loses a chip; else the higher card wins, and both are shown."""
    play = played((1, 2), [bet == "b" for bet in bets])
    told = [event for _, event in play.drain()]
    assert play.over
    assert play.scores == scores
    assert (Showdown((1, 2)) in told) == shown
    assert [event.bets for event in told if isinstance(event, Acted)] == [b == "b" for b in bets]


def test_each_seat_sees_its_own_card_alone() -> None:
    """The other's card is told to nobody before the showdown."""
    told = played((3, 1), ()).drain()
    assert told == [(0, Card(3)), (1, Card(1))]


def solution(jacks: Fraction) -> Strategy:
    """Return Kuhn's solution for both seats, its first player betting so with the jack."""
    asked = [bets for seat in ASKED for bets in seat]
    return {(rank, bets): bet_probability(rank, bets, jacks) for rank in RANKS for bets in asked}


def value(play: Play, ranks: tuple[int, int], strategy: Strategy, bets: Bets = ()) -> Score:
    if play.over:
        return play.scores[0]
    (seat,) = play.pending
    chance, total = strategy[ranks[seat], bets], Fraction(0)
    for bet, share in ((True, chance), (False, 1 - chance)):
        if share:
            after = play.clone()
            after.answer(seat, bet)
            total += Fraction(share) * Fraction(value(after, ranks, strategy, (*bets, bet)))
    return total


def worth(strategy: Strategy) -> Score:
    return sum(value(played(hand, ()), hand, strategy) for hand in HANDS) / Fraction(len(HANDS))


@pytest.mark.parametrize("jacks", [Fraction(0), Fraction(1, 5), Fraction(1, 3)])
def test_the_first_player_loses_an_eighteenth(jacks: Fraction) -> None:
    """That is the value of the game, however often the jack is bet (Kuhn 1950)."""
    assert worth(solution(jacks)) == VALUE


def pure(seat: int) -> Iterator[Strategy]:
    places = [(rank, bets) for rank in RANKS for bets in ASKED[seat]]
    for choice in product((0, 1), repeat=len(places)):
        yield dict(zip(places, choice, strict=True))


def test_nobody_gains_against_the_solution() -> None:
    """Whatever the other does, the first seat has -1/18 at least, and at most."""
    kept = solution(Fraction(1, 5))
    assert max(worth({**kept, **mine}) for mine in pure(0)) == VALUE
    assert min(worth({**kept, **theirs}) for theirs in pure(1)) == VALUE


def test_the_first_player_may_not_bet_its_jack_more_often() -> None:
    """Beyond one time in three the second player gains."""
    greedy = {**solution(Fraction(1, 3)), (1, ()): Fraction(1, 2)}
    assert min(worth({**greedy, **theirs}) for theirs in pure(1)) < VALUE


@pytest.mark.parametrize(
    ("rank", "bets"), [(rank, bets) for rank in RANKS for seat in ASKED for bets in seat]
)
def test_the_bot_bets_as_often_as_the_solution_says(rank: int, bets: Bets) -> None:
    """Over many seeds, within what chance allows."""
    tries, expected = 600, float(bet_probability(rank, bets, 0.2))
    bet = sum(chosen(f"{seed}", rank, bets) for seed in range(tries))
    assert abs(bet / tries - expected) <= 4 * (expected * (1 - expected) / tries) ** 0.5


def chosen(seed: str, rank: int, bets: Bets) -> bool:
    """Say whether the bot bets, with this card after these bets."""
    bot = Optimal()
    seat = len(bets) % 2
    bot.greet(Greeting("kuhn", seat, 2, Kuhn(), seed))
    bot.hear(Card(rank))
    for number, bet in enumerate(bets):
        bot.hear(Acted(number % 2, bet))
    play = played((rank, rank % 3 + 1) if seat == 0 else (rank % 3 + 1, rank), bets)
    return bot.choose(play.pending[seat])


def test_the_bot_is_listed() -> None:
    """People can sit down against it."""
    assert GAME.bots["optimal"] is Optimal


FIRST_SEAT_VALUE = Fraction(-1, 18)  # of the game for the first seat, in chips (Kuhn 1950)
JACK, QUEEN, KING = 1, 2, 3
PASS_BET = (Acted(0, bets=False), Acted(1, bets=True))


def find_hint(seat: int, *events: Any) -> Hint:
    return HINTS.compute_hint(InformationState(Greeting("kuhn", seat, 2, Kuhn(), ""), events, BET))


def test_the_first_seat_expects_the_value_of_the_game() -> None:
    """The mean over all deals is Kuhn's value."""
    deals = [*permutations((JACK, QUEEN, KING), 2)]
    assert (
        sum(Fraction(compute_payoff(ranks, ())) for ranks in deals) / len(deals) == FIRST_SEAT_VALUE
    )


@pytest.mark.parametrize(
    ("seat", "events", "answers"),
    [
        (
            0,
            (Card(JACK),),
            [(0.2, "-1.00 chips"), (0.8, "-1.00 chips")],
        ),
        (
            1,
            (Card(KING), Acted(0, bets=True)),
            [(1, "+2.00 chips"), (0, "-1.00 chips")],
        ),
        (
            0,
            (Card(JACK), *PASS_BET),
            [(0, "-2.00 chips"), (1, "-1.00 chips")],
        ),
    ],
)
def test_a_hint_has_probabilities_and_chips(
    seat: int, events: tuple[Any, ...], answers: list[tuple[float, str]]
) -> None:
    """Each answer has its probability in the equilibrium, and the chips to expect after it."""
    hint = find_hint(seat, *events)
    assert [hinted.answer for hinted in hint.answers] == [True, False]
    assert [(hinted.share, hinted.text) for hinted in hint.answers] == answers


@pytest.mark.parametrize("rank", [JACK, QUEEN, KING])
@pytest.mark.parametrize(
    ("seat", "bets"), [(0, ()), (1, (False,)), (1, (True,)), (0, (False, True))]
)
def test_answers_that_are_drawn_are_worth_the_same(
    seat: int, bets: tuple[bool, ...], rank: int
) -> None:
    """Where both have a probability both are equally good, and else the one that is given is better."""
    events = [Acted(turn % 2, bet) for turn, bet in enumerate(bets)]
    answers = find_hint(seat, Card(rank), *events).answers
    chips = [float(hinted.text.split()[0]) for hinted in answers]
    if all(hinted.share for hinted in answers):
        assert chips[0] == chips[1]
    else:
        best = max(answers, key=lambda hinted: hinted.share)
        assert float(best.text.split()[0]) == max(chips)
