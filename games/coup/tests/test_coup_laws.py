"""What holds in every game of Coup, whoever plays."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from arena import Play, Seat
from arena.testing import Case, check_law
from arena_coup import Coup, CoupPosition
from arena_coup.rules import (
    DECK,
    Acted,
    Block,
    Challenge,
    Challenged,
    Hand,
    Lost,
    Out,
    Proved,
    Turn,
    sort_cards,
)

SEATS = st.integers(2, 6)
SEEDS = st.integers(0, 2**32).map(str)
CHANCES = st.sampled_from([0.0, 0.05, 0.2, 0.6])

Told = list[tuple[Seat | None, Any]]


def turns(seats: int, seed: str, chance: float) -> Iterator[tuple[CoupPosition, Told]]:
    """Play a game at random, and return each position with what was told since the last one."""
    random = Random(seed)
    play = Play.deal(Coup(max_turns=60), seats, seed)
    number, told = 0, Told()
    while True:
        told += play.drain()
        if play.number > number or play.over:
            assert isinstance(play.position, CoupPosition)
            begun = [at for at, (_, event) in enumerate(told) if isinstance(event, Turn)]
            cut = begun[-1] if not play.over else len(told)
            yield play.position, told[:cut]
            number, told = play.number, told[cut:]
        if play.over:
            return
        seat = random.choice(sorted(play.pending))
        question = play.pending[seat]
        silent = isinstance(question, Challenge | Block) and random.random() >= chance
        play.answer(seat, "allow" if silent else question.options.draw(random))


@given(SEATS, SEEDS, CHANCES)
def test_no_card_is_lost_or_doubled(seats: int, seed: str, chance: float) -> None:
    """Hands, face-up cards and the court deck are the 15 cards, two of them at each seat."""
    for played, _ in turns(seats, seed, chance):
        for position in (played, played.resample_hidden(0, Random(seed))):
            every_card_is_there(position)


def every_card_is_there(position: CoupPosition) -> None:
    """Hold that these are the 15 cards, and each hand in order."""
    piles = (*position.hands, *position.revealed)
    assert sorted(card for pile in (*piles, position.deck) for card in pile) == sorted(DECK)
    for hand, revealed in zip(position.hands, position.revealed, strict=True):
        assert len(hand) + len(revealed) == 2
        assert hand == sort_cards(hand)


@given(SEATS, SEEDS, CHANCES)
def test_coins_are_bounded(seats: int, seed: str, chance: float) -> None:
    """Nobody has less than none or more than twelve; who is out has none."""
    for position, _ in turns(seats, seed, chance):
        assert all(0 <= coins <= 12 for coins in position.coins)
        assert not any(position.coins[seat] for seat in position.gone)


@given(SEATS, SEEDS, CHANCES)
def test_who_is_out_stays_out_and_has_no_turn(seats: int, seed: str, chance: float) -> None:
    """Those without cards are those who are gone, in the order in which it was announced."""
    gone: tuple[Seat, ...] = ()
    for position, told in turns(seats, seed, chance):
        gone += tuple(event.seat for _, event in told if isinstance(event, Out))
        assert position.gone == gone
        assert {seat for seat, hand in enumerate(position.hands) if not hand} == set(gone)
        assert position.turn not in gone


@given(SEATS, SEEDS, CHANCES)
def test_every_challenge_costs_somebody_an_influence(seats: int, seed: str, chance: float) -> None:
    """The claimant, or else the challenger once the claim is proved."""
    for _, told in turns(seats, seed, chance):
        events = [event for to, event in told if to is None]
        for at, event in enumerate(events):
            if isinstance(event, Challenged):
                proved = events[at + 1] == Proved(event.claimant, event.character)
                lost = events[at + 1 + proved]
                assert isinstance(lost, Lost)
                assert lost.seat == (event.seat if proved else event.claimant)
                assert proved or lost.character != event.character


@given(SEATS, SEEDS, CHANCES)
def test_hands_are_told_to_their_seats_alone(seats: int, seed: str, chance: float) -> None:
    """And what a seat was told last is what it holds."""
    held: dict[Seat | None, tuple[str, ...]] = {}
    for position, told in turns(seats, seed, chance):
        held |= {to: event.cards for to, event in told if isinstance(event, Hand)}
        assert None not in held
        living = {seat: hand for seat, hand in enumerate(position.hands) if hand and held}
        assert all(held[seat] == hand for seat, hand in living.items())


@given(SEATS, SEEDS, CHANCES)
def test_the_end(seats: int, seed: str, chance: float) -> None:
    """One is left, or the turns are over; places go by who went out when."""
    *_, (position, _) = turns(seats, seed, chance)
    left = [seat for seat, hand in enumerate(position.hands) if hand]
    assert len(left) == 1 or position.turns == 60
    assert [position.scores[seat] for seat in position.gone] == [*range(len(position.gone))]
    assert all(position.scores[seat] >= len(position.gone) for seat in left)


@given(SEATS, SEEDS, CHANCES)
def test_turns_go_round(seats: int, seed: str, chance: float) -> None:
    """Each turn has one action, of the next seat that has influence."""
    before: CoupPosition | None = None
    for position, told in turns(seats, seed, chance):
        acted = [event.seat for _, event in told if isinstance(event, Acted)]
        assert acted == ([before.turn] if before else [])
        before = position


def test_an_objection_that_is_not_drawn_changes_no_chance() -> None:
    """Which challenger is drawn later in the turn does not tell who else would have blocked."""
    check_law("coup", "answers_stay_secret_until_revealed", Case({}, 6, "2070", (0,)))
