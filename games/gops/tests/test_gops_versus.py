"""Every opponent against every other, through the host."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import sqrt
from statistics import mean

import pytest

from arena import Play
from arena.host import Match
from arena.players import BotPlayer
from arena.rules import End, Outcome
from arena_gops import GAME, Gops
from arena_gops.rules import award_prize

pytestmark = pytest.mark.slow  # whole games of bots
NAMES = tuple(GAME.bots)


def meet(variant: Gops, names: tuple[str, ...], seed: str) -> Outcome:
    players = [BotPlayer(GAME.bots[name]()) for name in names]
    return Match(Play.deal(variant, len(names), seed), players, key=f"{seed}, key").run()


VARIANTS = [
    *[Gops(cards, ties) for cards in (1, 5, 20) for ties in ("discard", "split", "carry")],
    Gops(13, prizes="ascending"),
    Gops(8, "carry", prizes="descending"),
    Gops(4, prizes=(7, 7, 7, 7)),
    Gops(6, "carry", prizes=(1, 100, 3, 100, 3, 1)),
    Gops(13, "split", prizes=(5,) * 6 + (13,) * 7),
]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_two_players_play_legally(variant: Gops) -> None:
    """Each bot against each, from both seats, plays to the end without a verdict."""
    for names in product(NAMES, repeat=2):
        outcome = meet(variant, names, f"{names}")
        assert (outcome.end, outcome.verdicts, outcome.detail) == (End.FINISHED, {}, "")
        assert outcome.rounds == variant.cards


@pytest.mark.parametrize("seats", [4, 7, 10])
def test_many_players_play_legally(seats: int) -> None:
    """A full table of all kinds of bots plays to the end without a verdict."""
    names = (NAMES * 2)[:seats]
    for seed in range(10):
        outcome = meet(Gops(ties="split"), names, f"{seed}")
        assert (outcome.end, outcome.verdicts, outcome.detail) == (End.FINISHED, {}, "")
        assert outcome.scores is not None
        assert sum(outcome.scores) == 91


@pytest.mark.parametrize("name", NAMES)
def test_bots_with_chance_play_otherwise_under_another_key(name: str) -> None:
    """With the same prizes, but other seeds of their own, bots that draw play other matches."""
    scores = set()
    for key in range(12):
        players = [BotPlayer(GAME.bots[name]()) for _ in range(3)]
        scores.add(Match(Play.deal(Gops(), 3, "deal"), players, key=f"{key}").run().scores)
    assert (len(scores) == 1) == (name in {"match", "ordered", "planner"})


# --- what is published ---------------------------------------------------------------


def test_matching_against_every_order_of_a_hand_is_as_published() -> None:
    """Ross 1971: against a random order, bidding the value takes the sum of v(v-1)/N."""
    for cards in range(1, 7):
        suit = range(1, cards + 1)
        totals, orders = [0, 0], [*permutations(suit)]
        for order in orders:
            for prize, card in zip(suit, order, strict=True):
                scores, _ = award_prize("discard", prize, (0, 0), (prize, card))
                totals = [total + int(score) for total, score in zip(totals, scores, strict=True)]
        taken = Fraction(sum(value * (value - 1) for value in suit), cards)
        lost = Fraction(sum(value * (cards - value) for value in suit), cards)
        assert totals == [taken * len(orders), lost * len(orders)]


def test_match_beats_random_by_56_to_28_on_average() -> None:
    """Over 13 cards the closed form gives 56 to 28; 1500 matches agree within 4 standard errors."""
    matches = 1500
    games = [meet(Gops(), ("match", "random"), f"{seed}").scores or () for seed in range(matches)]
    for seat, expected in enumerate((56, 28)):
        points = [float(scores[seat]) for scores in games]
        variance = mean((point - expected) ** 2 for point in points)
        assert abs(mean(points) - expected) < 4 * sqrt(variance / matches)
        assert 4 * sqrt(variance / matches) < 1.5
    assert sum(value * (value - 1) for value in range(14)) == 56 * 13
