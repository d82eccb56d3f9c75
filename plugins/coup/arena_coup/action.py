"""One action, from the claim to its effect: challenges, blocks, and who loses what.

A challenge is settled before anything else, and a block comes after it. Who loses a
challenge loses an influence. Coins that were paid come back if the action was challenged
with success, and stay spent if it was blocked.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from arena import OneOf, Seat, SomeOf, Table
from arena_coup.characters import (
    DRAWN,
    EXCHANGE,
    STEAL,
    STOLEN,
    Character,
    Deed,
    in_order,
    parsed,
)
from arena_coup.court import Court
from arena_coup.messages import (
    ALLOW,
    CHALLENGE,
    Block,
    Blocked,
    Challenge,
    Challenged,
    Drawn,
    Hand,
    Keep,
    Lose,
    Lost,
    Out,
    Proved,
    Settled,
    Show,
)

CHALLENGES = OneOf((ALLOW, CHALLENGE))


@frozen
class Action:
    """What a seat has chosen to do, at this table and court.

    `fair` says that chance decides between those who speak at once, instead of arrival.
    """

    table: Table
    court: Court
    fair: bool
    actor: Seat
    words: str  # as it was answered
    deed: Deed = field(init=False)
    target: Seat | None = field(init=False)

    @deed.default
    def _deed(self) -> Deed:
        return parsed(self.words)[0]

    @target.default
    def _target(self) -> Seat | None:
        return parsed(self.words)[1]

    async def play(self) -> None:
        """Pay for it, hear challenges and blocks, and let it take effect if it stands."""
        coins, claim, cost = self.court.coins, self.deed.claims, self.deed.cost
        coins[self.actor] -= cost
        proper = claim is None or await self._stands(self.actor, claim)
        if not proper and self.court.hands[self.actor]:
            coins[self.actor] += cost
        succeeded = proper and not await self._blocked()
        self.table.announce(Settled(self.actor, self.words, succeeded))
        if succeeded and not self.court.over:
            await self._take_effect()

    async def _stands(self, claimant: Seat, character: Character) -> bool:
        """Let all others challenge a claim; say whether it holds."""
        question = Challenge(CHALLENGES, claimant, character, self.words, default=ALLOW)
        spoke = await self._first(dict.fromkeys(self.court.others(claimant), question))
        if not spoke:
            return True
        challenger, _ = spoke
        self.table.announce(Challenged(challenger, claimant, character))
        shown = await self._shown(claimant, character, challenger)
        if shown != character:
            self._reveal(claimant, shown)
            return False
        self.table.announce(Proved(claimant, character))
        card = self.court.replace(claimant, character, self.table.random)
        self.table.tell(claimant, Drawn((card,)))
        self.table.tell(claimant, Hand(self.court.hands[claimant]))
        await self._lose(challenger)
        return True

    async def _shown(self, claimant: Seat, character: Character, challenger: Seat) -> Character:
        """Ask which card is turned up; nobody has to prove what is true."""
        hand = self._choice(claimant)
        honest = character if character in hand else None
        return await self.table.ask(claimant, Show(hand, character, challenger, default=honest))

    async def _blocked(self) -> bool:
        """Let the target block, or everybody where there is none; say whether a block holds."""
        options = OneOf((ALLOW, *self.deed.blockers))
        question = Block(options, self.actor, self.words, default=ALLOW)
        spoke = await self._first(dict.fromkeys(self._blockers(), question))
        if not spoke:
            return False
        self.table.announce(Blocked(*spoke))
        return await self._stands(*spoke)

    def _blockers(self) -> list[Seat]:
        """Return those who may block: nobody, if the target has lost its last influence."""
        if not self.deed.blockers:
            return []
        others = self.court.others(self.actor)
        return [seat for seat in others if self.target in (None, seat)]

    async def _first(
        self, questions: Mapping[Seat, Challenge | Block]
    ) -> tuple[Seat, Character] | None:
        """Ask all of them; return who does not allow it, and in which word: one at most counts."""
        words = await self.table.ask_all(questions, arrival=not self.fair)
        spoke = [(seat, word) for seat, word in words.items() if word != ALLOW]
        if len(spoke) > 1 and self.fair:
            return self.table.random.choice(spoke)
        return spoke[0] if spoke else None

    async def _take_effect(self) -> None:
        """Pay coins, take them, or have the target lose an influence."""
        coins = self.court.coins
        coins[self.actor] += self.deed.gain
        if self.deed is EXCHANGE:
            await self._exchange()
        elif self.target is None:
            return
        elif self.deed is STEAL:
            stolen = min(STOLEN, coins[self.target])
            coins[self.target] -= stolen
            coins[self.actor] += stolen
        elif self.court.hands[self.target]:  # it may have lost its last one in a challenge
            await self._lose(self.target)

    async def _exchange(self) -> None:
        """Draw two cards, keep as many as before of all, and put two back."""
        hand, drawn = self.court.hands[self.actor], in_order(self.court.deck[:DRAWN])
        self.table.tell(self.actor, Drawn(drawn))
        options = SomeOf(in_order(hand + drawn), len(hand), len(hand))
        kept = await self.table.ask(self.actor, Keep(options, default=hand))
        self.court.exchange(self.actor, kept, DRAWN, self.table.random)
        self.table.tell(self.actor, Hand(self.court.hands[self.actor]))

    async def _lose(self, seat: Seat) -> None:
        """Let a seat choose which influence it loses.

        It is asked even if it has but one: what others see comes from an answer.
        """
        self._reveal(seat, await self.table.ask(seat, Lose(self._choice(seat))))

    def _choice(self, seat: Seat) -> OneOf[Character]:
        """Return a seat's cards, those that are alike once."""
        return OneOf(dict.fromkeys(self.court.hands[seat]))

    def _reveal(self, seat: Seat, card: Character) -> None:
        self.court.reveal(seat, card)
        self.table.announce(Lost(seat, card))
        if left := self.court.hands[seat]:
            self.table.tell(seat, Hand(left))
        else:
            self.table.announce(Out(seat))
