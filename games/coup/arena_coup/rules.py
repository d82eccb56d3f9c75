"""Coup: claim characters of the court, lie if you dare, and be the last with influence.

Rules: Rikki Tahta, Coup (La Mame Games 2012; The Resistance: Coup, Indie Boards and Cards).
"""

from __future__ import annotations

from random import Random

from attrs import evolve, field, frozen, validators

from arena import OneOf, Seat, Table
from arena.cards import redistribute
from arena_coup.action_resolution import ActionResolution
from arena_coup.characters import (
    ACTION_KINDS,
    COUP,
    DECK,
    FORCED_COUP_COINS,
    INCOME,
    INFLUENCES,
    STARTING_COINS,
    Cards,
    format_action,
    sort_cards,
)
from arena_coup.messages import Act, Acted, Hand, Turn, Won
from arena_coup.turn_state import TurnState

FAIR, ARRIVAL = "fair", "arrival"
DUEL_SEATS = 2


@frozen
class Coup:
    """The variant: who is first of those who speak at once, and when the game is broken off.

    `order`: of several who challenge (or block foreign aid) at once, one is drawn (`fair`),
    or the first to answer counts (`arrival`). `starter` is what the first player begins with
    where two play: 1 coin as published, or 2. After `max_turns` most influence wins.
    """

    order: str = field(default=FAIR, validator=validators.in_((FAIR, ARRIVAL)))
    starter: int = field(default=1, validator=validators.in_((1, 2)))
    max_turns: int = field(default=300, validator=validators.ge(1))

    async def deal(self, table: Table) -> CoupPosition:
        """Deal each seat two cards, and the coins."""
        seats = len(table.seats)
        cards = tuple(table.random.sample(DECK, len(DECK)))
        dealt = [cards[INFLUENCES * seat :][:INFLUENCES] for seat in table.seats]
        first = self.starter if seats == DUEL_SEATS else STARTING_COINS
        return CoupPosition(
            variant=self,
            hands=tuple(map(sort_cards, dealt)),
            revealed=((),) * seats,
            coins=(first, *(STARTING_COINS,) * (seats - 1)),
            deck=cards[INFLUENCES * seats :],
        )


@frozen
class CoupPosition:
    """The game between two turns; tuples are in seat order.

    `hands` are the cards face down, `revealed` those face up, `deck` the court deck in the
    order in which cards are drawn from it. `gone` are those who are out, the first to go
    first.
    """

    variant: Coup
    hands: tuple[Cards, ...]
    revealed: tuple[Cards, ...]
    coins: tuple[int, ...]
    deck: Cards
    turn: Seat = 0  # whose turn comes
    turns: int = 0  # played so far
    gone: tuple[Seat, ...] = ()

    @property
    def over(self) -> bool:
        """Whether only one player is left, or the limit of turns is reached."""
        return sum(map(bool, self.hands)) == 1 or self.turns >= self.variant.max_turns

    @property
    def scores(self) -> tuple[int, ...]:
        """Count the players that each has outlived: those with less influence, and out before."""
        worth = [
            len(hand) if hand else self.gone.index(seat) - len(self.hands)
            for seat, hand in enumerate(self.hands)
        ]
        return tuple(sum(other < mine for other in worth) for mine in worth)

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions that the seat whose turn it is can take: only coups, if it is rich."""
        coins = self.coins[self.turn]
        deeds = (
            [COUP]
            if coins >= FORCED_COUP_COINS
            else [deed for deed in ACTION_KINDS.values() if deed.cost <= coins]
        )
        targets = [seat for seat, hand in enumerate(self.hands) if hand and seat != self.turn]
        return tuple(
            format_action(deed, target)
            for deed in deeds
            for target in (targets if deed.targeted else (None,))
        )

    async def round(self, table: Table) -> CoupPosition:
        """Play one turn: one action, with all that is said against it."""
        self._announce_turn(table)
        words = await table.ask(self.turn, self._build_question())
        table.announce(Acted(self.turn, words))
        court = self._turn_state()
        await ActionResolution(table, court, self.variant.order == FAIR, self.turn, words).play()
        if court.over:
            table.announce(Won(*court.alive))
        return self._after(court)

    def _announce_turn(self, table: Table) -> None:
        influence = tuple(map(len, self.hands))
        table.announce(Turn(self.turns + 1, self.turn, self.coins, influence, self.revealed))
        for seat, hand in enumerate(self.hands):
            if hand:
                table.tell(seat, Hand(hand))

    def _build_question(self) -> Act:
        """Ask for an action; the fallback bot takes the income, if it may."""
        actions = self.actions
        default = INCOME.name if INCOME.name in actions else None
        return Act(OneOf(actions), default=default)

    def _turn_state(self) -> TurnState:
        """Return all cards and coins in a form that can be changed."""
        hands, revealed, coins = [*self.hands], [*self.revealed], [*self.coins]
        return TurnState(hands, revealed, coins, self.deck, [*self.gone])

    def _after(self, court: TurnState) -> CoupPosition:
        """Return the next turn's position."""
        seats = len(self.hands)
        after = [(self.turn + step) % seats for step in range(1, seats + 1)]
        return CoupPosition(
            variant=self.variant,
            hands=tuple(court.hands),
            revealed=tuple(court.revealed),
            coins=tuple(court.coins),
            deck=court.deck,
            turn=next(seat for seat in after if court.hands[seat]),
            turns=self.turns + 1,
            gone=tuple(court.gone),
        )

    def resample_hidden(self, seat: Seat, random: Random) -> CoupPosition:
        """Mix the cards that this seat does not see: the others' influences and the court deck."""
        others = [hand for other, hand in enumerate(self.hands) if other != seat]
        *hands, deck = redistribute([*others, self.deck], random)
        hands.insert(seat, self.hands[seat])
        return evolve(self, hands=tuple(map(sort_cards, hands)), deck=deck)
