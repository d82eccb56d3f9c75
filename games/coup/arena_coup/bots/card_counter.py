"""A bot that counts cards and estimates how the others play from their record."""

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

LAST_INFLUENCE_VALUE = 1.8  # the value of the last influence, in influences
COIN_VALUE = 0.14  # in influences; seven coins make a coup
EXCHANGE_VALUE = 0.2  # in influences
EXCESS_CLAIM_FACTOR = 2.0  # multiplies the odds of a lie by a player with too many claims


class CardCounter(CoupBot):
    """Weighs the gain and the cost of lies, challenges and blocks by the cards and claims it saw.

    The weights were found by playing against the other bundled bots.
    """

    def act(self, actions: tuple[str, ...]) -> str:
        """Take the action with the highest expected gain."""
        return max(actions, key=self._expected_gain)

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Challenge an impossible claim, or a lie so likely that a challenge pays."""
        if super().doubts(claimant, character):
            return True
        lie = 1 - self._truth_probability(claimant, character)
        return lie * (self._hit + self._threat) > (1 - lie) * self._stake

    def blocks(self, characters: Cards) -> Character | None:
        """Block with a character that it holds, or with a lie that is worth the risk."""
        held = super().blocks(characters)
        if held:
            return held
        likely = max(characters, key=self.memory.count_unseen)
        caught = self._challenge_probability
        worth = (1 - caught) * self._threat > caught * self._stake
        return likely if worth and self.memory.count_unseen(likely) else None

    @property
    def _stake(self) -> float:
        """The value of this seat's next influence."""
        return 1.0 if len(self.memory.hand) > 1 else LAST_INFLUENCE_VALUE

    @property
    def _hit(self) -> float:
        """The value to this seat of another seat's loss of an influence."""
        return 1 / len(self.memory.others)

    @property
    def _threat(self) -> float:
        """The loss to this seat if the current action takes effect."""
        memory = self.memory
        if memory.actor == memory.seat:
            return self._gain(memory.action_kind, memory.target)
        if memory.target == memory.seat:
            stolen = min(STOLEN_COINS, memory.coins[memory.seat])
            return self._stake if memory.action_kind is ASSASSINATE else 2 * COIN_VALUE * stolen
        return COIN_VALUE * memory.action_kind.gain * self._hit

    @property
    def _challenge_probability(self) -> float:
        """The probability that any other seat challenges a claim of this one."""
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
        """Estimate the gain of an action, in influences."""
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
        """Return the value of an action that takes effect."""
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
        """Estimate the probability that an action is blocked."""
        if not deed.blockers:
            return 0.0
        seats = self.memory.others if target is None else [target]
        return 1 - prod(1 - self._seat_block_probability(deed, seat) for seat in seats)

    def _seat_block_probability(self, deed: ActionKind, seat: Seat) -> float:
        """Estimate the probability that a seat blocks, which is high if it has done so before."""
        if (seat, deed.name) in self.memory.blocks:
            return 0.8
        holds = 1 - prod(
            1 - self.memory.holding_probability(seat, character) for character in deed.blockers
        )
        return holds * (0.7 if deed is FOREIGN_AID else 1.0)
