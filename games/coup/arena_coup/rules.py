"""Coup: claim characters of the court, lie if you dare, and be the last with influence.

The court has five characters with three cards each, and each allows some actions.

Rules: Rikki Tahta, Coup (La Mame Games 2012; The Resistance: Coup, Indie Boards and Cards).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from attrs import define, evolve, field, frozen, validators

from arena import OneOf, Question, Seat, SomeOf, Table
from arena.cards import redistribute, remove_cards

Character = str

Cards = tuple[Character, ...]
"""Hands are sorted in the order of `CHARACTERS`; the court deck has an order of its own."""

DUKE, ASSASSIN, CAPTAIN = "Duke", "Assassin", "Captain"
AMBASSADOR, CONTESSA = "Ambassador", "Contessa"
CHARACTERS: Cards = (DUKE, ASSASSIN, CAPTAIN, AMBASSADOR, CONTESSA)
CARDS_PER_CHARACTER = 3
DECK: Cards = tuple(character for character in CHARACTERS for _ in range(CARDS_PER_CHARACTER))

INFLUENCES = 2
"""The number of cards in each hand at the start."""

STARTING_COINS = 2
"""The coins of each player at the start."""

FORCED_COUP_COINS = 10
"""A player with at least this many coins at the start of a turn must launch a coup."""

STOLEN_COINS = 2
EXCHANGE_CARDS = 2
DUEL_SEATS = 2

FAIR, ARRIVAL = "fair", "arrival"
ALLOW, CHALLENGE = "allow", "challenge"


@frozen
class ActionKind:
    """A kind of action: its cost and gain in coins, the character claimed, and its blockers.

    The target of an action may block it, or everybody if it has no target.
    """

    name: str
    cost: int = 0
    gain: int = 0
    claims: Character | None = None
    blockers: Cards = ()
    targeted: bool = False


INCOME = ActionKind("income", gain=1)
FOREIGN_AID = ActionKind("foreign-aid", gain=2, blockers=(DUKE,))
TAX = ActionKind("tax", gain=3, claims=DUKE)
EXCHANGE = ActionKind("exchange", claims=AMBASSADOR)
STEAL = ActionKind("steal", claims=CAPTAIN, blockers=(CAPTAIN, AMBASSADOR), targeted=True)
ASSASSINATE = ActionKind("assassinate", 3, claims=ASSASSIN, blockers=(CONTESSA,), targeted=True)
COUP = ActionKind("coup", 7, targeted=True)

ACTION_KINDS = {
    deed.name: deed for deed in (INCOME, FOREIGN_AID, TAX, EXCHANGE, STEAL, ASSASSINATE, COUP)
}


@frozen
class Turn:
    """A turn begins; the rest is what lies open, in seat order.

    `influence` counts the cards that are face down, `revealed` has those that are face up.
    """

    number: int  # from 1
    seat: Seat
    coins: tuple[int, ...]
    influence: tuple[int, ...]
    revealed: tuple[Cards, ...]


@frozen
class Hand:
    """These are your influences, at the beginning of a turn and whenever they have changed."""

    cards: Cards


@frozen
class Acted:
    """Whose turn it is has chosen this action, and has paid for it."""

    seat: Seat
    action: str  # such as `tax`, or `steal:2` for one with a target


@frozen
class Blocked:
    """A seat blocks the action, and claims this character."""

    seat: Seat
    character: Character


@frozen
class Challenged:
    """A seat challenges the claim that was just made."""

    seat: Seat
    claimant: Seat
    character: Character


@frozen
class Proved:
    """The claimant has shown the character, shuffled it into the court deck, and drawn another."""

    seat: Seat
    character: Character


@frozen
class Lost:
    """A seat has lost an influence, and turned this card up."""

    seat: Seat
    character: Character


@frozen
class Out:
    """A seat has no influence left; its coins are gone, too."""

    seat: Seat


@frozen
class Settled:
    """The action takes effect now, or has failed."""

    seat: Seat
    action: str
    succeeded: bool


@frozen
class Drawn:
    """You have drawn these from the court deck: for the exchange, or in place of one you proved."""

    cards: Cards


@frozen
class Won:
    """This seat is the only one left."""

    seat: Seat


@frozen
class ChooseAction(Question[str]):
    """Asks which action to take."""

    options: OneOf[str]


@frozen
class Challenge(Question[str]):
    """Asks whether to challenge the claim that this seat has this character.

    The claim is part of the `action`, or blocks it.
    """

    options: OneOf[str]
    claimant: Seat
    character: Character
    action: str


@frozen
class Block(Question[str]):
    """Asks whether to allow this seat's action, or to claim a character that blocks it."""

    options: OneOf[str]
    seat: Seat
    action: str


@frozen
class ShowCard(Question[str]):
    """Asks which card to turn up, when a claim of this character is challenged.

    The character itself wins the challenge; any other card is lost.
    """

    options: OneOf[str]
    character: Character
    challenger: Seat


@frozen
class LoseInfluence(Question[str]):
    """Asks which influence to lose."""

    options: OneOf[str]


@frozen
class KeepCards(Question[Cards]):
    """Which of these, your own and those drawn, do you keep? The others go back unseen."""

    options: SomeOf[str]


MESSAGES = (
    Turn,
    Hand,
    Acted,
    Blocked,
    Challenged,
    Proved,
    Lost,
    Out,
    Settled,
    Drawn,
    Won,
    ChooseAction,
    Challenge,
    Block,
    ShowCard,
    LoseInfluence,
    KeepCards,
)


@frozen
class Coup:
    """The variant: whose objection counts, the starter's coins, and the limit of turns."""

    order: str = field(
        default=FAIR,
        validator=validators.in_((FAIR, ARRIVAL)),
        metadata={
            "help": "Of several challenges (or blocks of foreign aid), the one that counts is",
            "choices": {"fair": "drawn", "arrival": "the first to arrive"},
        },
    )
    starter: int = field(
        default=1,
        validator=validators.in_((1, 2)),
        metadata={
            "help": "In a game of two, the first player starts with",
            "choices": {"1": "one coin, as published", "2": "two coins"},
        },
    )
    max_turns: int = field(
        default=300,
        validator=validators.ge(1),
        metadata={"help": "Turns after which whoever has the most cards left wins"},
    )

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


CHALLENGES = OneOf((ALLOW, CHALLENGE))


@frozen
class ActionResolution:
    """The resolution of one action: challenges, blocks, its effect and losses of influence.

    A challenge is settled first, then a block. The loser of a challenge loses an influence. Coins
    paid for an action are returned if a challenge to it succeeds, but not if it is blocked.

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


@define
class TurnState:
    """All cards and coins while a turn is played; lists are in seat order."""

    hands: list[Cards]
    revealed: list[Cards]
    coins: list[int]
    deck: Cards  # in the order in which cards are drawn from it
    gone: list[Seat]  # the seats that are out, in the order in which they went

    @property
    def alive(self) -> list[Seat]:
        """Return the seats that have influence."""
        return [seat for seat, hand in enumerate(self.hands) if hand]

    @property
    def over(self) -> bool:
        """Whether only one player is left."""
        return sum(map(bool, self.hands)) == 1

    def others(self, seat: Seat) -> list[Seat]:
        """Return the other seats that have influence."""
        return [other for other, hand in enumerate(self.hands) if hand and other != seat]

    def reveal(self, seat: Seat, card: Character) -> None:
        """Turn up this card of a seat; remove the seat's coins with its last card."""
        self.hands[seat] = remove_cards(self.hands[seat], [card])
        self.revealed[seat] = sort_cards((*self.revealed[seat], card))
        if not self.hands[seat]:
            self.coins[seat] = 0
            self.gone.append(seat)

    def replace(self, seat: Seat, card: Character, random: Random) -> Character:
        """Shuffle a seat's card into the court deck; return the card drawn in its place."""
        deck = (*self.deck, card)
        first, *rest = random.sample(deck, len(deck))
        self.deck = tuple(rest)
        self.hands[seat] = sort_cards((*remove_cards(self.hands[seat], [card]), first))
        return first

    def exchange(self, seat: Seat, kept: Cards, drawn: int, random: Random) -> None:
        """Set a seat's hand to the kept cards; shuffle its other cards and draws into the deck."""
        back = remove_cards((*self.hands[seat], *self.deck[:drawn]), kept)
        deck = (*self.deck[drawn:], *back)
        self.deck = tuple(random.sample(deck, len(deck)))
        self.hands[seat] = sort_cards(kept)


def format_action(deed: ActionKind, target: Seat | None = None) -> str:
    """Write an action as players answer it: `tax`, or `steal:2`."""
    return deed.name if target is None else f"{deed.name}:{target}"


def parse_action(action: str) -> tuple[ActionKind, Seat | None]:
    """Return the kind of an action, and its target or None."""
    name, _, target = action.partition(":")
    return ACTION_KINDS[name], int(target) if target else None


def sort_cards(cards: Iterable[Character]) -> Cards:
    """Return these cards in the order of a hand."""
    return tuple(sorted(cards, key=CHARACTERS.index))
