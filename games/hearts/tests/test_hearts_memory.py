"""What a seat may conclude from what it was told is true, and noted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from attrs import evolve

from arena import Play
from arena.cards import suit_of
from arena.host import configure, play_match
from arena.search import ChanceBot, Substitutes, Worlds, rewind
from arena_hearts import GAME, Hearts
from arena_hearts.bots import RandomPlayer
from arena_hearts.memory import Memory
from arena_hearts.rules import DealStarted, Hand, Played, Received, build_pack

Memories = Sequence[Memory]


def iterate_remembered(variant: Hearts, seats: int, seed: int) -> Iterator[tuple[Play, Memories]]:
    """Yield a play of random cards at each question, with what each seat remembers."""
    play, random = Play.deal(variant, seats, seed), Random(seed)
    memories = [Memory(seat, seats, variant) for seat in range(seats)]
    while not play.over:
        for to, event in play.drain():
            for memory in memories if to is None else [memories[to]]:
                memory.tell(event)
        yield play, memories
        for asked in [*play.pending]:
            play.answer(asked, play.pending[asked].options.draw(random))


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_nobody_holds_what_the_memory_excludes(seats: int) -> None:
    """In deals of random cards, no seat holds a suit that it is known to be out of."""
    for seed in range(20):
        for play, memories in iterate_remembered(Hearts(deals=1), seats, seed):
            begun = not any(play.asks)
            for seat, hand in enumerate(play.position.hands) if begun else ():  # type: ignore[attr-defined]
                suits = {*map(suit_of, hand)}
                assert not any(suits & {*memory.void[seat]} for memory in memories)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_position_that_is_dealt_anew_differs_in_the_hands_of_others_alone(seats: int) -> None:
    """Own cards, cards on the table, and the sizes of hands are the same."""
    others = 0
    for seed in range(4):
        for play, memories in iterate_remembered(Hearts(deals=3), seats, seed):
            truth: Any = play.position
            for asked in play.pending:
                dealt = memories[asked].redeal(truth, Random(seed))
                assert evolve(dealt, hands=truth.hands) == truth
                assert dealt.hands[asked] == truth.hands[asked]
                assert [*map(len, dealt.hands)] == [*map(len, truth.hands)]
                assert Play(dealt, seats, play.seed, play.number, play.answers).pending
                others += dealt != truth
    assert others


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_deal_of_a_search_fits_what_the_seat_was_told(seats: int) -> None:
    """None has to be dealt again, though others have shown that they are out of suits."""
    random, worlds = configure(RandomPlayer, name="random"), list[Worlds]()
    match = play_match(GAME, [random] * seats, seed="1", options={"deals": 1})
    for seat in range(seats):
        for _, juncture in rewind(GAME, match.transcript, seat):
            worlds.append(Worlds(juncture, Substitutes(ChanceBot, [ChanceBot]), Random(1)))
            assert worlds[-1].draw(tries=1)
    assert len(worlds) > 52


def test_cards_that_were_passed_are_dealt_to_who_got_them() -> None:
    """So are those that who was out of a suit cannot have."""
    hand = build_pack(4)[:13]
    memory = Memory(3, 4, Hearts())
    for event in (
        DealStarted(1, "left", (0,) * 4), Hand(hand), Received(2, ("2H", "3H", "4H")),
        Hand((*hand[3:], "2H", "3H", "4H")), Played(0, "2C"), Played(1, "5D"),
    ):  # fmt: skip
        memory.tell(event)
    for seed in range(20):
        hands = memory.sample_hands(Random(seed))
        assert {"3C", "4C"} <= {*hands[0]}
        assert "C" not in {*map(suit_of, hands[1])}


def test_who_leads_hearts_before_they_are_broken_has_nothing_else() -> None:
    """Neither has who discards points in the first trick another card than points."""
    memory = Memory(0, 4, Hearts())
    for seat, card in enumerate(("2C", "3C", "4H", "5C")):
        memory.tell(Played(seat, card))
    assert memory.void == {0: "", 1: "", 2: "CD", 3: ""}
    memory = Memory(0, 4, Hearts())
    for card in ("2C", "3C", "4C", "5C"):
        memory.tell(Played(0, card))
    memory.trick.clear()
    memory.tell(Played(1, "2H"))
    assert {*memory.void[1]} == {*"CDS"}
    memory.trick.clear()
    memory.tell(Played(2, "3H"))
    assert not memory.void[2]
