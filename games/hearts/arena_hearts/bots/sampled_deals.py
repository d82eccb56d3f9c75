"""Random deals of the unseen cards that agree with a seat's knowledge."""

from __future__ import annotations

from random import Random

from arena import Seat
from arena.cards import Card, suit_of
from arena_hearts.memory import Memory

MAX_TRIES = 20

World = dict[Seat, list[Card]]


def sample_world(memory: Memory, random: Random) -> World:
    """Return possible hands of the others; if none fits the known void suits, ignore those."""
    for _ in range(MAX_TRIES):
        if found := _deal_unseen(memory, random, strict=True):
            return found
    return _deal_unseen(memory, random, strict=False)


def _deal_unseen(memory: Memory, random: Random, strict: bool) -> World:
    """Deal the unseen cards, those with the fewest holders first; return {} on failure."""
    held: World = {seat: [] for seat in range(memory.seats) if seat != memory.seat}
    room = {seat: len(memory.hand) - (seat in memory.order) for seat in held}
    unseen = memory.unseen
    places = {card: _possible_holders(memory, card, [*held], strict) for card in unseen}
    for card in sorted(random.sample(unseen, len(unseen)), key=lambda card: len(places[card])):
        able = [seat for seat in places[card] if room[seat]]
        if not able and strict:
            return {}
        if not able:
            continue  # the game began in the middle, so some played cards were never seen
        (seat,) = random.choices(able, [room[seat] for seat in able])
        held[seat].append(card)
        room[seat] -= 1
    return held


def _possible_holders(memory: Memory, card: Card, seats: list[Seat], strict: bool) -> list[Seat]:
    """Return the seats that may hold a card."""
    if not strict:
        return seats
    if card in memory.given:
        return [memory.given[card]]
    return [seat for seat in seats if suit_of(card) not in memory.void[seat]]
