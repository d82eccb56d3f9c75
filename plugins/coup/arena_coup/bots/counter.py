"""A bot that counts the court's cards, and judges the others by what they did so far."""

from __future__ import annotations

from math import prod

from arena import Seat
from arena_coup.bots.base import Courtier
from arena_coup.characters import (
    ASSASSINATE,
    COUP,
    EXCHANGE,
    FOREIGN_AID,
    STEAL,
    STOLEN,
    Cards,
    Character,
    Deed,
    parsed,
)

LAST = 1.8  # what the last influence is worth, in others
COIN = 0.14  # what a coin is worth: seven of them make a coup
FRESH = 0.2  # what an exchange is worth
SUSPECT = 2.0  # how much likelier a lie is of one who claims more than it can hold


class Counter(Courtier):
    """Weighs what a lie, a challenge or a block may win or cost, by the cards and the claims.

    The weights were found by playing against the other bundled bots.
    """

    def act(self, actions: tuple[str, ...]) -> str:
        """Take the action that promises most."""
        return max(actions, key=self._promise)

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Challenge a claim that cannot be, or where a lie is so likely that it pays."""
        if super().doubts(claimant, character):
            return True
        lie = 1 - self._true(claimant, character)
        return lie * (self._hit + self._threat) > (1 - lie) * self._stake

    def blocks(self, characters: Cards) -> Character | None:
        """Block with what it holds, or with a lie that is worth the risk."""
        held = super().blocks(characters)
        if held:
            return held
        likely = max(characters, key=self.memory.left)
        caught = self._challenged
        worth = (1 - caught) * self._threat > caught * self._stake
        return likely if worth and self.memory.left(likely) else None

    @property
    def _stake(self) -> float:
        """What my next influence is worth."""
        return 1.0 if len(self.memory.hand) > 1 else LAST

    @property
    def _hit(self) -> float:
        """What it is worth to me that one of the others loses an influence."""
        return 1 / len(self.memory.others)

    @property
    def _threat(self) -> float:
        """What the action that stands would take from me, or give to others."""
        memory = self.memory
        if memory.actor == memory.me:
            return self._gain(memory.deed, memory.target)
        if memory.target == memory.me:
            stolen = min(STOLEN, memory.coins[memory.me])
            return self._stake if memory.deed is ASSASSINATE else 2 * COIN * stolen
        return COIN * memory.deed.gain * self._hit

    @property
    def _challenged(self) -> float:
        """How likely one of the others challenges a claim of mine."""
        return 1 - prod(1 - self.memory.records[seat].challenge for seat in self.memory.others)

    def _true(self, seat: Seat, character: Character) -> float:
        """Return how likely a claim is true, by the cards that are left and by who says so."""
        memory, record = self.memory, self.memory.records[seat]
        odds = record.lie / (1 - record.lie)
        if len(record.claims | {character}) > memory.influence[seat]:
            odds *= SUSPECT
        holds = memory.chance(seat, character)
        return holds / (holds + (1 - holds) * odds)

    def _promise(self, action: str) -> float:
        """Guess what an action brings, in influences."""
        deed, target = parsed(action)
        passes = 1 - self._blocked(deed, target)
        gain = passes * self._gain(deed, target) - COIN * deed.cost
        if deed.claims is None:
            return gain
        caught = self._challenged
        if deed.claims in self.memory.hand:
            return gain + caught * self._hit
        if not self.memory.left(deed.claims):
            return -LAST
        return (1 - caught) * gain - caught * self._stake

    def _gain(self, deed: Deed, target: Seat | None) -> float:
        """Return what a deed is worth that nobody stops."""
        memory = self.memory
        if deed is EXCHANGE:
            return FRESH
        if target is None:
            return COIN * deed.gain
        if deed is STEAL:
            return COIN * min(STOLEN, memory.coins[target]) * (1 + self._hit)
        danger = COIN * memory.coins[target] + memory.influence[target]
        return 1 + (1.0 if deed is COUP else 0.0) * self._hit + danger / 10

    def _blocked(self, deed: Deed, target: Seat | None) -> float:
        """Guess how likely somebody blocks a deed who may."""
        if not deed.blockers:
            return 0.0
        seats = self.memory.others if target is None else [target]
        return 1 - prod(1 - self._blocks(deed, seat) for seat in seats)

    def _blocks(self, deed: Deed, seat: Seat) -> float:
        """Guess how likely a seat blocks; who has done so is expected to do it again."""
        if (seat, deed.name) in self.memory.blocked:
            return 0.8
        holds = 1 - prod(1 - self.memory.chance(seat, one) for one in deed.blockers)
        return holds * (0.7 if deed is FOREIGN_AID else 1.0)
