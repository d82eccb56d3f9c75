"""The resolution of an action: challenges, blocks, its effect and losses of influence.

A challenge is settled first, then a block. The loser of a challenge loses an influence. Coins paid
for an action are returned if a challenge to it succeeds, but not if it is blocked.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from arena import OneOf, Seat, SomeOf, Table
from arena_coup.characters import (
    EXCHANGE,
    EXCHANGE_CARDS,
    STEAL,
    STOLEN_COINS,
    ActionKind,
    Character,
    parse_action,
    sort_cards,
)
from arena_coup.messages import (
    ALLOW,
    CHALLENGE,
    Block,
    Blocked,
    Challenge,
    Challenged,
    Drawn,
    Hand,
    KeepCards,
    LoseInfluence,
    Lost,
    Out,
    Proved,
    Settled,
    ShowCard,
)
from arena_coup.turn_state import TurnState

CHALLENGES = OneOf((ALLOW, CHALLENGE))


@frozen
class ActionResolution:
    """The resolution of one action.

    If `fair`, one of several simultaneous objections is drawn: the first in a random order of all
    who were asked, which takes the same draws whoever objects. Else the first to arrive counts.
    """

    table: Table
    state: TurnState
    fair: bool
    actor: Seat
    text: str  # the answer of the actor
    kind: ActionKind = field(init=False)
    target: Seat | None = field(init=False)

    @kind.default
    def _default_kind(self) -> ActionKind:
        return parse_action(self.text)[0]

    @target.default
    def _default_target(self) -> Seat | None:
        return parse_action(self.text)[1]

    async def play(self) -> None:
        """Pay for the action, ask for challenges and blocks, and apply it if it stands."""
        coins, claim, cost = self.state.coins, self.kind.claims, self.kind.cost
        coins[self.actor] -= cost
        proper = claim is None or await self._survives_challenge(self.actor, claim)
        if not proper and self.state.hands[self.actor]:
            coins[self.actor] += cost
        succeeded = proper and not await self._is_blocked()
        self.table.announce(Settled(self.actor, self.text, succeeded))
        if succeeded and not self.state.over:
            await self._take_effect()

    async def _survives_challenge(self, claimant: Seat, character: Character) -> bool:
        """Ask all others whether they challenge a claim; return whether the claim stands."""
        question = Challenge(CHALLENGES, claimant, character, self.text, default=ALLOW)
        spoke = await self._ask_for_objection(dict.fromkeys(self.state.others(claimant), question))
        if not spoke:
            return True
        challenger, _ = spoke
        self.table.announce(Challenged(challenger, claimant, character))
        shown = await self._ask_shown_card(claimant, character, challenger)
        if shown != character:
            self._reveal(claimant, shown)
            return False
        self.table.announce(Proved(claimant, character))
        card = self.state.replace(claimant, character, self.table.random)
        self.table.tell(claimant, Drawn((card,)))
        self.table.tell(claimant, Hand(self.state.hands[claimant]))
        await self._ask_loss(challenger)
        return True

    async def _ask_shown_card(
        self, claimant: Seat, character: Character, challenger: Seat
    ) -> Character:
        """Ask the claimant for a card to show, which need not be the one it claimed."""
        hand = self._card_options(claimant)
        honest = character if character in hand else None
        return await self.table.ask(claimant, ShowCard(hand, character, challenger, default=honest))

    async def _is_blocked(self) -> bool:
        """Ask the target (or else everybody) for a block; return whether a block stands."""
        options = OneOf((ALLOW, *self.kind.blockers))
        question = Block(options, self.actor, self.text, default=ALLOW)
        spoke = await self._ask_for_objection(dict.fromkeys(self._possible_blockers(), question))
        if not spoke:
            return False
        self.table.announce(Blocked(*spoke))
        return await self._survives_challenge(*spoke)

    def _possible_blockers(self) -> list[Seat]:
        """Return the seats that may block: none if the target has lost its last influence."""
        if not self.kind.blockers:
            return []
        others = self.state.others(self.actor)
        return [seat for seat in others if self.target in (None, seat)]

    async def _ask_for_objection(
        self, questions: Mapping[Seat, Challenge | Block]
    ) -> tuple[Seat, Character] | None:
        """Ask all these seats; return the seat whose objection counts and its answer, or None."""
        words = await self.table.ask_all(questions, arrival=not self.fair)
        seats = [*words]
        if len(seats) > 1 and self.fair:  # whoever objects, so that chance reveals no answer
            self.table.random.shuffle(seats)
        return next(((seat, words[seat]) for seat in seats if words[seat] != ALLOW), None)

    async def _take_effect(self) -> None:
        """Pay or take the coins, exchange cards, or ask the target for an influence."""
        coins = self.state.coins
        coins[self.actor] += self.kind.gain
        if self.kind is EXCHANGE:
            await self._exchange()
        elif self.target is None:
            return
        elif self.kind is STEAL:
            stolen = min(STOLEN_COINS, coins[self.target])
            coins[self.target] -= stolen
            coins[self.actor] += stolen
        elif self.state.hands[self.target]:  # its last influence may be lost in a challenge
            await self._ask_loss(self.target)

    async def _exchange(self) -> None:
        """Draw two cards, ask which cards to keep, and put two back."""
        hand, drawn = self.state.hands[self.actor], sort_cards(self.state.deck[:EXCHANGE_CARDS])
        self.table.tell(self.actor, Drawn(drawn))
        options = SomeOf(sort_cards(hand + drawn), len(hand), len(hand))
        kept = await self.table.ask(self.actor, KeepCards(options, default=hand))
        self.state.exchange(self.actor, kept, EXCHANGE_CARDS, self.table.random)
        self.table.tell(self.actor, Hand(self.state.hands[self.actor]))

    async def _ask_loss(self, seat: Seat) -> None:
        """Ask a seat which influence it loses, and reveal that card.

        A seat with a single influence is asked too, so that every loss has an answer.
        """
        self._reveal(seat, await self.table.ask(seat, LoseInfluence(self._card_options(seat))))

    def _card_options(self, seat: Seat) -> OneOf[Character]:
        """Return a seat's cards as options, without duplicates."""
        return OneOf(dict.fromkeys(self.state.hands[seat]))

    def _reveal(self, seat: Seat, card: Character) -> None:
        self.state.reveal(seat, card)
        self.table.announce(Lost(seat, card))
        if left := self.state.hands[seat]:
            self.table.tell(seat, Hand(left))
        else:
            self.table.announce(Out(seat))
