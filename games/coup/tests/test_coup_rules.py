"""What Coup's rules say, in small positions built by hand, and in every game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from arena import IllegalAnswerError, Play, Seat
from arena.testing import Case, check_law
from arena_coup import Coup, CoupPosition
from arena_coup.rules import (
    AMBASSADOR,
    ASSASSIN,
    CAPTAIN,
    CONTESSA,
    DECK,
    DUKE,
    Acted,
    Block,
    Blocked,
    Cards,
    Challenge,
    Challenged,
    ChooseAction,
    Hand,
    KeepCards,
    Lost,
    Out,
    Proved,
    Settled,
    Turn,
    Won,
    sort_cards,
)

Answers = Sequence[tuple[Seat, Any]]
HANDS = ((DUKE, ASSASSIN), (CAPTAIN, CONTESSA), (DUKE, AMBASSADOR))
UNSEEN = (AMBASSADOR, AMBASSADOR, ASSASSIN, ASSASSIN, CAPTAIN, CAPTAIN, CONTESSA, CONTESSA, DUKE)


def small(coins: tuple[int, ...] = (2, 2, 2), hands: Sequence[Cards] = HANDS) -> CoupPosition:
    """Return a position of three; cards that are in no hand are face up, or in the court deck."""
    court = list(DECK)
    for card in (card for hand in hands for card in hand):
        court.remove(card)
    revealed = tuple(tuple(court.pop(0) for _ in range(2 - len(hand))) for hand in hands)
    gone = tuple(seat for seat, hand in enumerate(hands) if not hand)
    return CoupPosition(Coup(), tuple(hands), revealed, coins, tuple(court), gone=gone)


def played(start: CoupPosition, answers: Answers) -> tuple[CoupPosition, list[Any], Play]:
    """Return the position after these answers, what all were told before the next turn, the play."""
    play = Play(start, len(start.hands), "seed")
    for seat, answer in answers:
        play.answer(seat, answer)
    told = [event for to, event in play.drain() if to is None]
    turns = [at for at, event in enumerate(told) if isinstance(event, Turn)]
    position = play.position
    assert isinstance(position, CoupPosition)
    return position, told[1 : turns[1] if len(turns) > 1 else None], play


def all_allow(*seats: Seat) -> list[tuple[Seat, str]]:
    return [(seat, "allow") for seat in seats]


def pending(start: CoupPosition, answers: Answers) -> dict[Seat, str]:
    play = played(start, answers)[2]
    return {seat: type(question).__name__ for seat, question in play.pending.items()}


@pytest.mark.parametrize(("seats", "coins"), [(2, (1, 2)), (3, (2, 2, 2)), (6, (2,) * 6)])
def test_the_deal(seats: int, coins: tuple[int, ...]) -> None:
    """Each seat has two cards and two coins, except for the first of two, who has one coin."""
    position = Play.deal(Coup(), seats, "1").position
    assert isinstance(position, CoupPosition)
    assert position.coins == coins
    assert [len(hand) for hand in position.hands] == [2] * seats
    assert sorted((*sum(position.hands, ()), *position.deck)) == sorted(DECK)


def test_both_may_begin_with_two_coins() -> None:
    """Where two play, `starter` says what the first has."""
    position: Any = Play.deal(Coup(starter=2), 2, "1").position
    assert position.coins == (2, 2)


def test_actions_that_can_be_afforded() -> None:
    """An assassination needs 3 coins and a coup 7; from 10 on there is nothing but a coup."""
    plain = ("income", "foreign-aid", "tax", "exchange", "steal:1", "steal:2")
    murders, coups = ("assassinate:1", "assassinate:2"), ("coup:1", "coup:2")
    assert small((2, 2, 2)).actions == plain
    assert small((3, 2, 2)).actions == plain + murders
    assert small((7, 2, 2)).actions == small((9, 2, 2)).actions == plain + murders + coups
    assert small((10, 2, 2)).actions == small((12, 2, 2)).actions == coups


def test_who_is_out_is_no_target() -> None:
    """A player who is out is no target, and is not asked whether it challenges."""
    start = small(hands=(HANDS[0], (), HANDS[2]))
    assert start.actions == ("income", "foreign-aid", "tax", "exchange", "steal:2")
    assert pending(start, [(0, "tax")]) == {2: "Challenge"}


def test_nobody_may_pass() -> None:
    """What is not among the actions is illegal."""
    for word in ("pass", "coup:1", "steal:0", "steal", ""):
        with pytest.raises(IllegalAnswerError):
            played(small(), [(0, word)])


FAILED, DONE = {"succeeded": False}, {"succeeded": True}
AID, STEAL, MURDER = "foreign-aid", "steal:2", "assassinate:2"
BLOCKED = [(0, AID), (1, DUKE), (2, "allow")]
STOLEN = [(0, STEAL), *all_allow(1, 2)]
VAIN = [(0, MURDER), (1, "allow"), (2, "challenge"), (0, ASSASSIN), (2, DUKE)]


@pytest.mark.parametrize(
    ("start", "answers", "asked"),
    [
        (small(), [(0, AID)], {1: "Block", 2: "Block"}),
        (small(), BLOCKED, {0: "Challenge", 2: "Challenge"}),
        (small(), STOLEN, {2: "Block"}),  # nobody but the target
        (small((3, 2, 2)), VAIN, {2: "Block"}),
        (small((7, 2, 2)), [(0, "coup:1")], {1: "LoseInfluence"}),
    ],
)
def test_who_may_object(start: CoupPosition, answers: Answers, asked: dict[Seat, str]) -> None:
    """All others at once, where something is claimed; nobody where nothing can be stopped."""
    assert pending(start, answers) == asked


@pytest.mark.parametrize(
    ("start", "answers", "after", "told"),
    [
        pytest.param(start, answers, after, told, id=what)
        for what, (start, answers, after, told) in {
            "income brings a coin, and the next seat has the turn": (
                small(), [(0, "income")], {"coins": (3, 2, 2), "turn": 1, "turns": 1},
                [Acted(0, "income"), Settled(0, "income", **DONE)],
            ),
            "foreign aid brings two coins if nobody blocks": (
                small(), [(0, AID), *all_allow(1, 2)], {"coins": (4, 2, 2)}, [],
            ),
            "anybody blocks foreign aid as the duke": (
                small(), [*BLOCKED, *all_allow(0, 2)], {"coins": (2, 2, 2)},
                [Acted(0, AID), Blocked(1, DUKE), Settled(0, AID, **FAILED)],
            ),
            "a false block costs an influence, and the action takes effect": (
                small(), [*BLOCKED, (0, "challenge"), (2, "allow"), (1, CAPTAIN)],
                {"coins": (4, 2, 2), "hands": (HANDS[0], (CONTESSA,), HANDS[2]),
                 "revealed": ((), (CAPTAIN,), ())},
                [Challenged(0, 1, DUKE), Lost(1, CAPTAIN), Settled(0, AID, **DONE)],
            ),
            "a true claim costs the challenger an influence": (
                small(), [(0, "tax"), (1, "challenge"), (2, "allow"), (0, DUKE), (1, CONTESSA)],
                {"coins": (5, 2, 2)},
                [Challenged(1, 0, DUKE), Proved(0, DUKE), Lost(1, CONTESSA), Settled(0, "tax", **DONE)],
            ),
            "a lie costs an influence and the action, and the challenger nothing": (
                small(), [(0, "exchange"), (1, "allow"), (2, "challenge"), (0, ASSASSIN)],
                {"hands": ((DUKE,), *HANDS[1:])}, [Settled(0, "exchange", **FAILED)],
            ),
            "a steal takes two coins": (small(), [*STOLEN, (2, "allow")], {"coins": (4, 2, 0)}, []),
            "or one": (small((2, 2, 1)), [*STOLEN, (2, "allow")], {"coins": (3, 2, 0)}, []),
            "or none": (small((2, 2, 0)), [*STOLEN, (2, "allow")], {"coins": (2, 2, 0)}, []),
            "the captain blocks a steal": (
                small(), [*STOLEN, (2, CAPTAIN), *all_allow(0, 1)], {"coins": (2, 2, 2)}, [],
            ),
            "the ambassador blocks a steal": (
                small(), [*STOLEN, (2, AMBASSADOR), *all_allow(0, 1)], {"coins": (2, 2, 2)}, [],
            ),
            "an assassination costs three coins and an influence that the target chooses": (
                small((3, 2, 2)), [(0, MURDER), *all_allow(1, 2, 2), (2, AMBASSADOR)],
                {"coins": (0, 2, 2), "hands": (*HANDS[:2], (DUKE,))},
                [Settled(0, MURDER, **DONE), Lost(2, AMBASSADOR)],
            ),
            "a blocked assassination has cost its coins": (
                small((3, 2, 2)), [(0, MURDER), *all_allow(1, 2), (2, CONTESSA), *all_allow(0, 1)],
                {"coins": (0, 2, 2), "hands": HANDS}, [],
            ),
            "a challenged assassination gets its coins back if the claim was false": (
                small((3, 2, 2), (HANDS[1], HANDS[0], HANDS[2])),
                [(0, MURDER), (1, "allow"), (2, "challenge"), (0, CAPTAIN)],
                {"coins": (3, 2, 2), "hands": ((CONTESSA,), HANDS[0], HANDS[2])}, [],
            ),
            "two influences are lost by a vain challenge of an assassin": (
                small((3, 2, 2)), [*VAIN, (2, "allow"), (2, AMBASSADOR)],
                {"coins": (0, 2, 0), "gone": (2,)}, [Out(2)],
            ),
            "two influences are lost by a false contessa": (
                small((3, 2, 2)),
                [(0, MURDER), *all_allow(1, 2), (2, CONTESSA), (0, "challenge"), (1, "allow"),
                 (2, DUKE), (2, AMBASSADOR)],
                {"gone": (2,), "turn": 1}, [],
            ),
            "a vain challenge of a block costs the actor, even its last influence": (
                small((3, 2, 2), ((ASSASSIN,), HANDS[0], HANDS[1])),
                [(0, MURDER), *all_allow(1, 2), (2, CONTESSA), (0, "challenge"), (1, "allow"),
                 (2, CONTESSA), (0, ASSASSIN)],
                {"coins": (0, 2, 2), "gone": (0,), "turn": 1}, [Settled(0, MURDER, **FAILED)],
            ),
            "a target that goes out in the challenge has no coins to steal": (
                small((2, 2, 5), ((CAPTAIN, DUKE), HANDS[1], (DUKE,))),
                [(0, STEAL), (1, "allow"), (2, "challenge"), (0, CAPTAIN), (2, DUKE)],
                {"coins": (2, 2, 0)}, [Out(2), Settled(0, STEAL, **DONE)],
            ),
            "coins of a liar who goes out do not come back": (
                small((6, 2, 2), ((DUKE,), *HANDS[1:])),
                [(0, MURDER), (1, "challenge"), (2, "allow"), (0, DUKE)], {"coins": (0, 2, 2)}, [],
            ),
            "a coup costs seven coins and an influence, be it the last": (
                small((7, 2, 2), (HANDS[0], (CAPTAIN,), HANDS[2])), [(0, "coup:1"), (1, CAPTAIN)],
                {"coins": (0, 0, 2), "gone": (1,), "turn": 2}, [Lost(1, CAPTAIN), Out(1)],
            ),
        }.items()
    ],
)  # fmt: skip
def test_what_a_turn_comes_to(
    start: CoupPosition, answers: Answers, after: dict[str, Any], told: list[Any]
) -> None:
    """What has changed then, and the last that all were told of it."""
    position, heard, _ = played(start, answers)
    assert {name: getattr(position, name) for name in after} == after
    assert heard[len(heard) - len(told) :] == told


def test_what_was_shown_is_replaced_from_the_whole_court_deck() -> None:
    """It may even come back: it is shuffled into the deck before another is drawn."""
    drawn = set()
    for seed in range(200):
        play = Play(small(), 3, str(seed))
        for seat, answer in [(0, "tax"), (1, "challenge"), (2, "allow"), (0, DUKE)]:
            play.answer(seat, answer)
        hand = [event for to, event in play.drain() if to == 0 and isinstance(event, Hand)][-1]
        assert ASSASSIN in hand.cards
        drawn.add(hand.cards)
    assert drawn == {sort_cards((ASSASSIN, card)) for card in (DUKE, *UNSEEN)}


def test_an_exchange_offers_the_first_two_cards_of_the_court() -> None:
    """As many are kept as were held; the others go back."""
    start = small(hands=(HANDS[2], *HANDS[:2]))
    _, _, play = played(start, [(0, "exchange"), *all_allow(1, 2)])
    keep: Any = play.pending[0]
    assert isinstance(keep, KeepCards)
    assert keep.options.cards == sort_cards((*HANDS[2], *start.deck[:2]))
    play.answer(0, start.deck[:2])
    after: Any = play.position
    assert after.hands == (sort_cards(start.deck[:2]), *HANDS[:2])
    assert sorted(after.deck) == sorted((*start.deck[2:], *HANDS[2]))


def test_with_one_influence_one_card_is_kept() -> None:
    """Of three."""
    start = small(hands=((AMBASSADOR,), *HANDS[:2]))
    _, _, play = played(start, [(0, "exchange"), *all_allow(1, 2)])
    keep: Any = play.pending[0].options
    assert (len(keep.cards), keep.least, keep.most) == (3, 1, 1)


def test_of_several_who_speak_at_once_one_is_drawn() -> None:
    """With `order=fair` each of them is first in some games, whoever answered before."""
    challengers = set()
    for seed in range(40):
        play = Play(small(), 3, str(seed))
        for seat, answer in [(0, "tax"), (2, "challenge"), (1, "challenge")]:
            play.answer(seat, answer)
        challengers |= {event.seat for _, event in play.drain() if isinstance(event, Challenged)}
    assert challengers == {1, 2}


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_of_several_who_speak_at_once_the_first_counts(order: tuple[Seat, Seat]) -> None:
    """With `order=arrival` the first of several blockers counts."""
    start = evolve(small(), variant=Coup(order="arrival"))
    answers = [(0, "foreign-aid"), *((seat, DUKE) for seat in order)]
    assert Blocked(order[0], DUKE) in played(start, answers)[1]


def test_the_last_one_left_has_won() -> None:
    """Even in the middle of its own action, of which nothing more comes."""
    start = small((2, 2, 0), ((AMBASSADOR, DUKE), (CAPTAIN,), ()))
    answers = [(0, "exchange"), (1, "challenge"), (0, AMBASSADOR), (1, CAPTAIN)]
    after, told, play = played(start, answers)
    assert play.over
    assert told[-3:] == [Out(1), Settled(0, "exchange", succeeded=True), Won(0)]
    assert after.scores == (2, 1, 0)


def test_scores_count_the_outlived() -> None:
    """Those out before, and at the end of the turns those with less influence; ties share."""
    start = evolve(small(hands=((DUKE,), (), (CAPTAIN,))), gone=(1,))
    assert start.scores == (1, 0, 1)
    assert evolve(start, hands=((DUKE,), (), (CAPTAIN, CAPTAIN))).scores == (1, 0, 2)
    assert evolve(start, hands=((), (), (CAPTAIN,)), gone=(1, 0)).scores == (1, 0, 2)


def test_the_game_is_broken_off() -> None:
    """After `max_turns`, and nobody has won."""
    start = evolve(small(), variant=Coup(max_turns=2))
    after, told, play = played(start, [(0, "income"), (1, "income")])
    assert play.over
    assert after.scores == (0, 0, 0)
    assert not [event for event in told if isinstance(event, Won)]


def test_any_card_that_is_not_seen_may_be_anywhere() -> None:
    """The own hand and what lies open stay as they are, and all else is mixed."""
    start = small(hands=(HANDS[0], (CAPTAIN,), HANDS[2]))
    drawn = [start.resample_hidden(0, Random(seed)) for seed in range(200)]
    hidden = {*start.hands[1], *start.hands[2], *start.deck}
    assert {position.hands[0] for position in drawn} == {HANDS[0]}
    assert {position.hands[1][0] for position in drawn} == hidden
    assert {position.deck[0] for position in drawn} == hidden
    assert {(position.revealed, position.coins) for position in drawn} == {
        (start.revealed, start.coins)
    }


def test_a_turn_begins_with_what_lies_open_and_the_own_hand() -> None:
    """Everybody gets the first, and each seat with influence the second."""
    start = small((2, 0, 5), (HANDS[0], (), HANDS[2]))
    play = Play(start, 3, "seed")
    assert play.drain() == [
        (None, Turn(1, 0, (2, 0, 5), (2, 0, 2), start.revealed)),
        (0, Hand(HANDS[0])),
        (2, Hand(HANDS[2])),
    ]
    assert isinstance(play.pending[0], ChooseAction)


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
def test_every_turn_follows_the_rules(seats: int, seed: str, chance: float) -> None:
    """The 15 cards are there, coins are bounded, turns go round, and who is out stays out."""
    before: CoupPosition | None = None
    gone: tuple[Seat, ...] = ()
    held: dict[Seat | None, tuple[str, ...]] = {}
    for position, told in turns(seats, seed, chance):
        for drawn in (position, position.resample_hidden(0, Random(seed))):
            every_card_is_there(drawn)
        gone += tuple(event.seat for _, event in told if isinstance(event, Out))
        assert position.gone == gone
        assert {seat for seat, hand in enumerate(position.hands) if not hand} == set(gone)
        assert position.turn not in gone
        assert all(0 <= coins <= 12 for coins in position.coins)
        assert not any(position.coins[seat] for seat in gone)
        acted = [event.seat for _, event in told if isinstance(event, Acted)]
        assert acted == ([before.turn] if before else [])
        held |= {to: event.cards for to, event in told if isinstance(event, Hand)}
        assert None not in held  # each seat is told its own hand
        living = {seat: hand for seat, hand in enumerate(position.hands) if hand and held}
        assert all(held[seat] == hand for seat, hand in living.items())
        every_challenge_costs_an_influence([event for to, event in told if to is None])
        before = position
    left = [seat for seat, hand in enumerate(position.hands) if hand]
    assert len(left) == 1 or position.turns == 60
    assert [position.scores[seat] for seat in gone] == [*range(len(gone))]
    assert all(position.scores[seat] >= len(gone) for seat in left)


def every_card_is_there(position: CoupPosition) -> None:
    """Hold that these are the 15 cards, and each hand in order."""
    piles = (*position.hands, *position.revealed)
    assert sorted(card for pile in (*piles, position.deck) for card in pile) == sorted(DECK)
    for hand, revealed in zip(position.hands, position.revealed, strict=True):
        assert len(hand) + len(revealed) == 2
        assert hand == sort_cards(hand)


def every_challenge_costs_an_influence(events: list[Any]) -> None:
    """The claimant loses it, or else the challenger once the claim is proved."""
    for at, event in enumerate(events):
        if isinstance(event, Challenged):
            proved = events[at + 1] == Proved(event.claimant, event.character)
            lost = events[at + 1 + proved]
            assert isinstance(lost, Lost)
            assert lost.seat == (event.seat if proved else event.claimant)
            assert proved or lost.character != event.character


def test_an_objection_that_is_not_drawn_changes_no_chance() -> None:
    """Which challenger is drawn later in the turn does not tell who else would have blocked."""
    check_law("coup", "answers_stay_secret_until_revealed", Case({}, 6, "2070", (0,)))
