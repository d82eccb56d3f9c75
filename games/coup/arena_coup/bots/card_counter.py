"""A bot that counts the court's cards, and judges the others by what they did so far."""

from __future__ import annotations

from math import prod

from arena import Seat
from arena_coup.bots.base import CoupBot
from arena_coup.characters import (
    ASSASSINATE,
    COUP,
    EXCHANGE,
    FOREIGN_AID,
    STEAL,
    STOLEN_COINS,
    ActionKind,
    Cards,
    Character,
    parse_action,
)

LAST_INFLUENCE_VALUE = 1.8  # what the last influence is worth, in others
COIN_VALUE = 0.14  # what a coin is worth: seven of them make a coup
EXCHANGE_VALUE = 0.2  # what an exchange is worth
EXCESS_CLAIM_FACTOR = 2.0  # how much likelier a lie is of one who claims more than it can hold


class CardCounter(CoupBot):
    """Weighs what a lie, a challenge or a block may win or cost, by the cards and the claims.

    The weights were found by playing against the other bundled bots.
    """

    def act(self, actions: tuple[str, ...]) -> str:
        """Take the action that promises most."""
        return max(actions, key=self._expected_gain)

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Challenge a claim that cannot be, or where a lie is so likely that it pays."""
        if super().doubts(claimant, character):
            return True
        lie = 1 - self._truth_probability(claimant, character)
        return lie * (self._hit + self._threat) > (1 - lie) * self._stake

    def blocks(self, characters: Cards) -> Character | None:
        """Block with what it holds, or with a lie that is worth the risk."""
        held = super().blocks(characters)
        if held:
            return held
        likely = max(characters, key=self.memory.count_unseen)
        caught = self._challenge_probability
        worth = (1 - caught) * self._threat > caught * self._stake
        return likely if worth and self.memory.count_unseen(likely) else None

    @property
    def _stake(self) -> float:
        """What my next influence is worth."""
        return 1.0 if len(self.memory.hand) > 1 else LAST_INFLUENCE_VALUE

    @property
    def _hit(self) -> float:
        """What it is worth to me that one of the others loses an influence."""
        return 1 / len(self.memory.others)

    @property
    def _threat(self) -> float:
        """What the action that stands would take from me, or give to others."""
        memory = self.memory
        if memory.actor == memory.seat:
            return self._gain(memory.action_kind, memory.target)
        if memory.target == memory.seat:
            stolen = min(STOLEN_COINS, memory.coins[memory.seat])
            return self._stake if memory.action_kind is ASSASSINATE else 2 * COIN_VALUE * stolen
        return COIN_VALUE * memory.action_kind.gain * self._hit

    @property
    def _challenge_probability(self) -> float:
        """How likely one of the others challenges a claim of mine."""
        return 1 - prod(1 - self.memory.records[seat].challenge_rate for seat in self.memory.others)

    def _truth_probability(self, seat: Seat, character: Character) -> float:
        """Return the probability of a true claim, by the cards left and the claimant's record."""
        memory, record = self.memory, self.memory.records[seat]
        odds = record.lie_rate / (1 - record.lie_rate)
        if len(record.claims | {character}) > memory.influence[seat]:
            odds *= EXCESS_CLAIM_FACTOR
        holds = memory.holding_probability(seat, character)
        return holds / (holds + (1 - holds) * odds)

    def _expected_gain(self, action: str) -> float:
        """Guess what an action brings, in influences."""
        deed, target = parse_action(action)
        passes = 1 - self._block_probability(deed, target)
        gain = passes * self._gain(deed, target) - COIN_VALUE * deed.cost
        if deed.claims is None:
            return gain
        caught = self._challenge_probability
        if deed.claims in self.memory.hand:
            return gain + caught * self._hit
        if not self.memory.count_unseen(deed.claims):
            return -LAST_INFLUENCE_VALUE
        return (1 - caught) * gain - caught * self._stake

    def _gain(self, deed: ActionKind, target: Seat | None) -> float:
        """Return the value of an action that nobody stops."""
        memory = self.memory
        if deed is EXCHANGE:
            return EXCHANGE_VALUE
        if target is None:
            return COIN_VALUE * deed.gain
        if deed is STEAL:
            return COIN_VALUE * min(STOLEN_COINS, memory.coins[target]) * (1 + self._hit)
        danger = COIN_VALUE * memory.coins[target] + memory.influence[target]
        return 1 + (1.0 if deed is COUP else 0.0) * self._hit + danger / 10

    def _block_probability(self, deed: ActionKind, target: Seat | None) -> float:
        """Guess how likely somebody blocks a deed who may."""
        if not deed.blockers:
            return 0.0
        seats = self.memory.others if target is None else [target]
        return 1 - prod(1 - self._seat_block_probability(deed, seat) for seat in seats)

    def _seat_block_probability(self, deed: ActionKind, seat: Seat) -> float:
        """Guess how likely a seat blocks; who has done so is expected to do it again."""
        if (seat, deed.name) in self.memory.blocks:
            return 0.8
        holds = 1 - prod(
            1 - self.memory.holding_probability(seat, character) for character in deed.blockers
        )
        return holds * (0.7 if deed is FOREIGN_AID else 1.0)
