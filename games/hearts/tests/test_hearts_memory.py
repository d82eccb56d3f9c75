"""What a seat may conclude from what it was told is true, and noted."""

from __future__ import annotations

from random import Random

import pytest

from arena import Play
from arena.cards import suit_of
from arena_hearts import Hearts
from arena_hearts.memory import Memory
from arena_hearts.rules import Played


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_nobody_holds_what_the_memory_excludes(seats: int) -> None:
    """In deals of random cards, no seat holds a suit that it is known to be out of."""
    for seed in range(20):
        play, random = Play.deal(Hearts(deals=1), seats, seed), Random(seed)
        memories = [Memory(seat, seats, Hearts(deals=1)) for seat in range(seats)]
        while not play.over:
            for to, event in play.drain():
                for memory in memories if to is None else [memories[to]]:
                    memory.hear(event)
            begun = not any(play.asks)
            for seat, hand in enumerate(play.position.hands) if begun else ():  # type: ignore[attr-defined]
                suits = {*map(suit_of, hand)}
                assert not any(suits & {*memory.void[seat]} for memory in memories)
            for asked in [*play.pending]:
                play.answer(asked, play.pending[asked].options.draw(random))


def test_who_leads_hearts_before_they_are_broken_has_nothing_else() -> None:
    """Neither has who discards points in the first trick another card than points."""
    memory = Memory(0, 4, Hearts())
    for seat, card in enumerate(("2C", "3C", "4H", "5C")):
        memory.hear(Played(seat, card))
    assert memory.void == {0: "", 1: "", 2: "CD", 3: ""}
    memory = Memory(0, 4, Hearts())
    for card in ("2C", "3C", "4C", "5C"):
        memory.hear(Played(0, card))
    memory.trick.clear()
    memory.hear(Played(1, "2H"))
    assert {*memory.void[1]} == {*"CDS"}
    memory.trick.clear()
    memory.hear(Played(2, "3H"))
    assert not memory.void[2]
