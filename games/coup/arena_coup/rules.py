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
from arena_coup.messages import Acted, ChooseAction, Hand, Turn, Won
from arena_coup.turn_state import TurnState

FAIR, ARRIVAL = "fair", "arrival"
DUEL_SEATS = 2


@frozen
class Coup:
    """The variant: the order of simultaneous answers, the starter's coins, and the limit of turns.

    `order`: of several simultaneous challenges (or blocks of foreign aid), one is drawn (`fair`),
    or the first to arrive counts (`arrival`). `starter`: the coins of the first player in a game of
    two, 1 as published, or 2. After `max_turns` the most influence wins.
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
    order in which cards are drawn from it, `gone` the seats that are out, the first to go first.
    """

    variant: Coup
    hands: tuple[Cards, ...]
    revealed: tuple[Cards, ...]
    coins: tuple[int, ...]
    deck: Cards
    turn: Seat = 0  # the seat to play next
    turns: int = 0  # the number of turns played
    gone: tuple[Seat, ...] = ()

    @property
    def over(self) -> bool:
        """Whether only one player is left, or the limit of turns is reached."""
        return sum(map(bool, self.hands)) == 1 or self.turns >= self.variant.max_turns

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores by seat: the number of players with less influence, or out earlier."""
        worth = [
            len(hand) if hand else self.gone.index(seat) - len(self.hands)
            for seat, hand in enumerate(self.hands)
        ]
        return tuple(sum(other < mine for other in worth) for mine in worth)

    @property
    def actions(self) -> tuple[str, ...]:
        """The legal actions of the seat whose turn it is: only coups if it has many coins."""
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
        """Play one turn: an action, with its challenges and blocks."""
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

    def _build_question(self) -> ChooseAction:
        """Return the question for an action; the default is the income, if it is legal."""
        actions = self.actions
        default = INCOME.name if INCOME.name in actions else None
        return ChooseAction(OneOf(actions), default=default)

    def _turn_state(self) -> TurnState:
        """Return a mutable copy of all cards and coins."""
        hands, revealed, coins = [*self.hands], [*self.revealed], [*self.coins]
        return TurnState(hands, revealed, coins, self.deck, [*self.gone])

    def _after(self, court: TurnState) -> CoupPosition:
        """Return the position of the next turn."""
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
        """Shuffle the cards hidden from this seat: the others' influences and the court deck."""
        others = [hand for other, hand in enumerate(self.hands) if other != seat]
        *hands, deck = redistribute([*others, self.deck], random)
        hands.insert(seat, self.hands[seat])
        return evolve(self, hands=tuple(map(sort_cards, hands)), deck=deck)
