"""The bots that come with BS, by name in `BOTS`, and difficult situations for `arena check`.

A bot remembers the table in a `Memory`, and a counter records how each player lies and calls. It
plans its hand by the turns until each card can be laid honestly: the order of the ranks is known to
everybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from math import exp, prod
from statistics import fmean
from typing import Any

from attrs import Factory, define, field, validators

from arena import Bot, FailingBot, Greeting, Question, Scenario, Seat, format_count
from arena.cards import Card, Cards, remove_cards
from arena_bs.rules import (
    BS,
    DECK,
    PASS,
    PEANUT_BUTTER,
    RANKS,
    SUITS,
    Called,
    ChooseCards,
    Declare,
    Hand,
    Judged,
    Nickname,
    PileTaken,
    Played,
    Receives,
    Shown,
    Turn,
    filter_rank,
)


class CardPlayer(Bot):
    """Base class of bots that remember the table; they override `lay`, `doubts` and `brags`.

    All three methods read the table from `memory`. The defaults are honest where possible, and call
    impossible claims.
    """

    memory: Memory

    def greet(self, greeting: Greeting) -> None:
        """Start with an empty memory."""
        super().greet(greeting)
        self.memory = Memory(self.seat, range(self.seats))

    def hear(self, event: Any) -> None:
        """Record an event in the memory."""
        self.memory.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return a name, cards, or a declaration."""
        match question:
            case Nickname():
                return type(self).__name__
            case ChooseCards():
                self.memory.laid = self.lay()
                return self.memory.laid
        return self._declare()

    def _declare(self) -> str:
        if self.memory.current == self.seat:
            return PEANUT_BUTTER if self.brags() else PASS
        return BS if self.doubts() else PASS

    def lay(self) -> Cards:
        """Return all cards of the rank, or else the single card that is needed last."""
        return self.memory.cards_of_rank or self.memory.hand_by_need[:1]

    def doubts(self) -> bool:
        """Return whether to call the claim."""
        return self.memory.is_impossible

    def brags(self) -> bool:
        """Return whether to declare Peanut Butter."""
        return False

    @property
    def bluffing(self) -> bool:
        """Whether its last play was a lie."""
        return any(card[0] != self.memory.rank for card in self.memory.laid)


@define(eq=False)
class RandomPlayer(Bot):
    """Lays a few random cards, and calls or brags now and then.

    With more cards at a time it would empty its hand, and end the game, within a few turns.
    """

    most: int = field(default=2, validator=validators.ge(1))
    chance: float = field(default=0.1, validator=[validators.ge(0), validators.le(1)])

    def choose(self, question: Question[Any]) -> Any:
        """Choose a random answer."""
        match question:
            case ChooseCards(options):
                return options.draw(self.random)[: self.random.randint(1, self.most)]
            case Declare((silence, word)):
                return word if self.random.random() < self.chance else silence
        return type(self).__name__


class Honest(CardPlayer):
    """Lays its cards of the rank, else a single card; calls impossible claims."""


class Cautious(CardPlayer):
    """Plays honestly too, and calls every player that would go out."""

    def doubts(self) -> bool:
        """Call impossible claims, and any claim of a player with no cards left."""
        return super().doubts() or not self.memory.counts[self.memory.current]


@define(eq=False)
class Liar(CardPlayer):
    """Lays several cards at once, those that it needs last, and brags about its lies.

    It never calls: at a table where few claims are called, it goes out first.
    """

    most: int = field(default=3, validator=validators.ge(1))

    def lay(self) -> Cards:
        """Lay a random number of cards, whatever the rank."""
        return self.memory.hand_by_need[: self.random.randint(1, self.most)]

    def doubts(self) -> bool:
        """Never call."""
        return False

    def brags(self) -> bool:
        """Declare Peanut Butter after every lie."""
        return self.bluffing


@define(eq=False)
class Caller(CardPlayer):
    """Plays honestly, but also calls now and then without a reason."""

    chance: float = field(default=0.25, validator=[validators.ge(0), validators.le(1)])

    def doubts(self) -> bool:
        """Call impossible claims, and others at random."""
        return super().doubts() or self.random.random() < self.chance


CARDS_PER_RANK = len(SUITS)
PAIR = 2  # players
PROOFS = {1: "one", 2: "two", 3: "three", CARDS_PER_RANK: "all four"}  # cards that prove a lie


@define(eq=False)
class CardCounter(CardPlayer):
    """Calls impossible claims; weighs the expected gain of other calls and of its own lies.

    The weights were found by playing against the other bundled bots.
    """

    lie_turns: float = field(default=1.0, metadata={"min": 0.0, "max": 4.0})
    """The cost of a turn in which it has to lie."""
    card_turns: float = field(default=0.6, metadata={"min": 0.0, "max": 2.0})
    """The cost in turns of each card that it takes."""
    last_card_gain: float = field(default=13.0, metadata={"min": 0.0, "max": 40.0})
    """The gain in cards of stopping a player from going out."""
    misjudging_cost: float = field(default=3.0, metadata={"min": 0.0, "max": 12.0})
    """The cost in cards of a wrong call, besides the pile."""
    records: Records = field(init=False)

    def greet(self, greeting: Greeting) -> None:
        """Start with an empty memory, and with no records."""
        super().greet(greeting)
        self.records = Records(self.memory)

    def hear(self, event: Any) -> None:
        """Record an event in the memory, and what it says about players."""
        super().hear(event)
        self.records.hear(event)

    def lay(self) -> Cards:
        """Lay the cards of the rank, with as many others as are worth the risk."""
        honest = self.memory.cards_of_rank
        others = remove_cards(self.memory.hand_by_need, honest)
        fewest = 0 if honest else 1
        counts = range(fewest, CARDS_PER_RANK - len(honest) + 1)
        caught = self._count_turns(self.memory.hand) + self._count_pile_turns()
        return min(
            (honest + others[:count] for count in counts),
            key=lambda laid: self._cost(laid, caught),
        )

    def doubts(self) -> bool:
        """Call an impossible claim, or a lie so likely that calling pays."""
        memory = self.memory
        if memory.is_impossible:
            return True
        lie = self.records.players[memory.current].lie_probability(memory.claim)
        prize = memory.pile_height / (self.seats - 1)  # all the others gain as well
        if memory.is_going_out:
            prize += self.last_card_gain
        return lie * prize > (1 - lie) * (memory.pile_height + self.misjudging_cost)

    def explain(self, question: Question[Any], answer: Any) -> Sequence[str]:
        """Return what speaks for a play, a call or a pass.

        These are facts: the probabilities that the bot reckons with are chosen for how well it
        plays, and players lie more often than it assumes.
        """
        if isinstance(question, Nickname):
            return ("Any name will do.",)
        if isinstance(question, ChooseCards):
            return self._explain_play(answer)
        if self.memory.current == self.seat:
            return ("To brag moves no cards.",)
        return self._explain_call(calls=answer == BS)

    def _explain_call(self, *, calls: bool) -> Sequence[str]:
        """Return what is known of a claim, and what a call may cost and bring."""
        memory = self.memory
        if memory.is_impossible:
            return (self._explain_impossible(),)
        record = self.records.players[memory.current].describe_claims(memory.claim)
        cards = format_count(memory.pile_height, "card")
        if memory.is_going_out:
            if calls:
                return "Unless somebody calls, this player wins.", record
            return f"If it is true, this player wins, and a call only brings you {cards}.", record
        if calls or self.seats == PAIR:
            return record, f"Whoever is wrong takes {cards}."
        others = self.seats - 1
        risk = "A wrong call brings you the pile, and a right one only one of your"
        return f"{risk} {others} opponents.", record

    def _explain_impossible(self) -> str:
        """Return why a claim cannot be true."""
        own = len(self.memory.cards_of_rank)
        if own + self.memory.claim > CARDS_PER_RANK:
            held = f"hold {own} of them" if own else "need not hold any"
            return f"There are only {CARDS_PER_RANK} cards of this rank, and you {held}."
        return "It cannot be true: the cards that you know of leave too few of this rank."

    def _explain_play(self, laid: Cards) -> Sequence[str]:
        """Return why to lay these cards, and why so many of them."""
        honest = self.memory.cards_of_rank
        if len(laid) <= len(honest):
            return ("It is the truth, so whoever calls takes the pile.",)
        secret = self._explain_secret(len(laid))
        if honest:
            more = len(laid) - len(honest)
            if more == 1:
                gain = "Beside the truth, the card that you need last empties your hand sooner."
            else:
                gain = f"Beside the truth, {more} cards more empty your hand sooner."
            return gain, secret
        if len(laid) > 1:
            return "Several cards empty your hand sooner than one.", secret
        return "The best card for a lie is the one that you need last.", secret

    def _explain_secret(self, claim: int) -> str:
        """Return who can prove that a lie of so many cards is one."""
        if self._is_known(claim):
            if self.seats == PAIR:
                return "Your opponent can prove that it is a lie."
            return "One of your opponents can surely prove that it is a lie."
        proof = PROOFS[CARDS_PER_RANK + 1 - claim]
        return f"Only a hand with {proof} of this rank proves that it is a lie."

    def _cost(self, laid: Cards, caught: float) -> float:
        """Estimate the number of turns to empty the hand after laying these cards.

        `caught` is that number where a lie is called.
        """
        memory = self.memory
        after = self._count_turns(remove_cards(memory.hand, laid))
        if len(laid) <= len(memory.cards_of_rank):
            return after
        called = self._chance_of_call(len(laid))
        return (1 - called) * after + called * caught

    def _count_pile_turns(self) -> float:
        """Estimate the turns that taking the pile costs."""
        return self.card_turns * self.memory.pile_height

    def _count_turns(self, hand: Cards) -> float:
        return count_turns(hand, self.memory.rank, self.seats, self.lie_turns)

    def _chance_of_call(self, claim: int) -> float:
        """Estimate the probability that somebody calls a claim of this number of cards."""
        if self._is_known(claim):
            return 1.0
        memory = self.memory
        last = claim == len(memory.hand)
        return 1 - prod(
            (1 - record.call_probability(last)) * (1 - self._chance_to_know(seat, claim))
            for seat, record in self.records.players.items()
            if seat != self.seat
        )

    def _is_known(self, claim: int) -> bool:
        """Return whether some other hand certainly holds too many of the rank for this claim."""
        return self._count_most_held() + claim > CARDS_PER_RANK

    def _count_most_held(self) -> int:
        """Return how many cards of the rank the other hand with the most of them holds at least."""
        memory = self.memory
        places = [memory.find_places(memory.rank + suit) for suit in SUITS]
        held = [at for at in places if not at & {PILE, self.seat}]
        known = Counter(next(iter(at)) for at in held if len(at) == 1)
        shared = -(-len(held) // max(1, len(set[int]().union(*held))))  # as even as can be
        return max([shared, *known.values()])

    def _chance_to_know(self, seat: Seat, claim: int) -> float:
        """Estimate the probability that a seat knows from its own cards that the claim is false."""
        cards = (self.memory.rank + suit for suit in SUITS)
        chances = [self._chance_to_hold(seat, card) for card in cards]
        return probability_at_least(CARDS_PER_RANK + 1 - claim, chances)

    def _chance_to_hold(self, seat: Seat, card: Card) -> float:
        """Estimate the probability that a seat holds a card, from the sizes of possible places."""
        memory = self.memory
        places = memory.find_places(card)
        if seat not in places:
            return 0.0
        sizes = (memory.pile_height if at == PILE else memory.counts[at] for at in places)
        return memory.counts[seat] / sum(sizes)


@define(eq=False)
class Seasoned(CardCounter):
    """Weighs calls and lies, and calls last cards if it has little left to lose.

    When a player goes out, the game is over, and whoever holds the most cards loses nothing by a
    call. A single opponent knows nearly all of its cards, so that a pile is dear there. The weights
    were found by playing against `counter`.
    """

    card_turns: float = field(default=0.5, metadata={"min": 0.0, "max": 2.0})
    """The cost in turns of each card that it takes, at tables of more than two."""
    duel_card_turns: float = field(default=1.7, metadata={"min": 0.0, "max": 4.0})
    """The cost in turns of each card that it takes from a single opponent."""
    misjudging_cost: float = field(default=8.0, metadata={"min": 0.0, "max": 24.0})
    """The cost in cards of a wrong call, besides the pile."""
    lead_cards: float = field(default=6.0, metadata={"min": 1.0, "max": 20.0})
    """The lead in cards with which it expects to finish ahead of a player in 73 of 100 games."""

    def doubts(self) -> bool:
        """Call as a counter does, and last cards if what it may win is worth what it may lose."""
        memory = self.memory
        if memory.is_impossible or not memory.is_going_out:
            return super().doubts()
        lie = self.records.players[memory.current].lie_probability(memory.claim)
        caught = {**memory.counts, memory.current: memory.pile_height}
        wrong = {**memory.counts, self.seat: len(memory.hand) + memory.pile_height}
        called = lie * self._expect_share(caught) + (1 - lie) * self._count_share(wrong)
        return called > self._count_share(memory.counts)

    def _expect_share(self, counts: Mapping[Seat, int]) -> float:
        """Estimate the share of the others that it will finish ahead of, from their cards."""
        own = counts[self.seat]
        leads = [count - own for seat, count in counts.items() if seat != self.seat]
        return fmean(1 / (1 + exp(-lead / self.lead_cards)) for lead in leads)

    def _count_share(self, counts: Mapping[Seat, int]) -> float:
        """Return the share of the others that hold more cards; as many count half."""
        own = counts[self.seat]
        others = [count for seat, count in counts.items() if seat != self.seat]
        return fmean((count > own) + (count == own) / 2 for count in others)

    def _count_pile_turns(self) -> float:
        if self.seats > PAIR:
            return super()._count_pile_turns()
        return self.duel_card_turns * self.memory.pile_height


def probability_at_least(count: int, chances: Iterable[float]) -> float:
    """Return the probability that at least `count` of some independent events happen."""
    many = [1.0]  # the probabilities of 0, 1, 2 ... events so far
    for chance in chances:
        pairs = zip([0.0, *many], [*many, 0.0], strict=True)
        many = [fewer * chance + same * (1 - chance) for fewer, same in pairs]
    return sum(many[count:])


BOTS = {
    "honest": Honest,
    "cautious": Cautious,
    "liar": Liar,
    "caller": Caller,
    "counter": CardCounter,
    "seasoned": Seasoned,
    "random": RandomPlayer,
}

PILE = -1
"""The number of the pile as a place of cards; seats are the other places."""

CardSet = int
"""A set of cards, with a bit for each: sets are united and parted for each event."""

BITS = {card: 1 << at for at, card in enumerate(DECK)}


def build_set(cards: Iterable[Card]) -> CardSet:
    """Return the set of these cards, which differ."""
    return sum(map(BITS.__getitem__, cards))


ALL_CARDS = build_set(DECK)
RANK_CARDS = {rank: build_set(rank + suit for suit in SUITS) for rank in RANKS}


@define
class Memory:
    """One seat's knowledge of where the cards are, updated by the events that the seat receives.

    `possible` maps each place to all the cards that can be there.
    """

    me: Seat
    seats: range
    hand: Cards = ()
    laid: Cards = ()  # this seat's last play
    current: Seat = 0
    rank: str = RANKS[0]
    latest: Claim = field(factory=lambda: Claim(0, 0, RANKS[0]))  # of the current player
    pile: list[Claim] = field(factory=list)  # the latest play last
    taken: list[Claim] = field(factory=list)  # the pile that somebody took last
    counts: dict[Seat, int] = field(factory=dict)
    possible: dict[int, CardSet] = field(init=False)
    _called: bool = False

    @possible.default
    def _anywhere(self) -> dict[int, CardSet]:
        return dict.fromkeys(self.seats, ALL_CARDS) | {self.me: 0, PILE: 0}

    def hear(self, event: Any) -> None:
        """Update the memory after an event."""
        match event:
            case Turn(players, rank):
                self.counts = {player.seat: count for player, count in players}
                self.current, self.rank = players[0][0].seat, rank
            case Hand(cards):
                self._set_hand(cards)
            case Played(player, count, rank):
                self.latest = Claim(player.seat, count, rank)
                self.pile.append(self.latest)
                self.counts[player.seat] -= count
            case Called(players):
                self._called = bool(players)
                if not players and self.current != self.me:
                    self._spread(self.current, PILE)
            case Shown(_, cards):
                self._locate(build_set(cards), PILE)
            case Judged(_, bluffing):
                if bluffing and self._called:
                    self._give_pile(self.current)
            case Receives(player):
                self._give_pile(player.seat)

    @property
    def claim(self) -> int:
        """The number of cards that the current player has just laid."""
        return self.latest.count

    @property
    def pile_height(self) -> int:
        """The number of cards on the pile."""
        return sum([claim.count for claim in self.pile])

    @property
    def is_going_out(self) -> bool:
        """Whether the current player has no cards left."""
        return not self.counts[self.current]

    @property
    def cards_of_rank(self) -> Cards:
        """The cards of the current rank in this seat's hand."""
        return filter_rank(self.hand, self.rank)

    @property
    def hand_by_need(self) -> Cards:
        """The hand sorted by the turns until each card can be laid honestly, most first."""
        return sort_by_need(self.hand, self.rank, len(self.seats))

    @property
    def is_impossible(self) -> bool:
        """Whether the claim is certainly false: more cards than the current player can have."""
        ranked = self.possible[self.current] & RANK_CARDS[self.rank]
        return self.latest.count > ranked.bit_count()

    def find_places(self, card: Card) -> set[int]:
        """Return all the places where a card can be."""
        return {place for place, cards in self.possible.items() if cards & BITS[card]}

    def _set_hand(self, cards: Cards) -> None:
        """Record the own hand; what it held last and was not shown since then is on the pile."""
        if cards == self.hand:
            return
        hand = build_set(cards)
        laid = build_set(self.hand) & ~hand
        for place, possible in self.possible.items():
            if place != self.me:
                laid &= ~possible
        self._locate(laid, PILE)
        self._locate(hand, self.me)
        self.hand = cards

    def _locate(self, cards: CardSet, place: int) -> None:
        """Record that these cards are at this place and nowhere else."""
        for other in self.possible:
            self.possible[other] &= ~cards
        self.possible[place] |= cards

    def _give_pile(self, taker: Seat) -> None:
        self.taken, self.pile = self.pile, []
        self._spread(PILE, taker)
        self.possible[PILE] = 0

    def _spread(self, source: int, to: int) -> None:
        """Record that hidden cards may have moved from one place to another."""
        self.possible[to] |= self.possible[source]


@define
class Claim:
    """A play of a seat: the number of cards and the rank claimed."""

    seat: Seat
    count: int
    rank: str
    recorded: bool = False  # in the player's record already, or not meant for it


@define
class Records:
    """The records of all players, updated by events that the memory has heard."""

    memory: Memory
    players: dict[Seat, PlayerRecord] = field(init=False)

    @players.default
    def _no_records(self) -> dict[Seat, PlayerRecord]:
        return {seat: PlayerRecord() for seat in self.memory.seats}

    def hear(self, event: Any) -> None:
        """Update the records after an event.

        A single card that everybody can see to be a lie was forced, so it is left out of the
        player's record.
        """
        memory = self.memory
        match event:
            case Played(_, count):
                memory.latest.recorded = count == 1 and memory.is_impossible
            case Called(players):
                self._note_calls({player.seat for player in players})
            case Judged(_, bluffing):
                self._settle(memory.latest, bluffing)
            case PileTaken(cards):
                self._review_pile(cards)

    def _note_calls(self, callers: set[Seat]) -> None:
        last, current = self.memory.is_going_out, self.memory.current
        for seat, record in self.players.items():
            if seat != current:
                record.note_call(last, seat in callers)

    def _review_pile(self, cards: Cards) -> None:
        """Record which claims were lies, from the pile that this seat took, latest play first."""
        for claim in reversed(self.memory.taken):
            laid, cards = cards[: claim.count], cards[claim.count :]
            self._settle(claim, filter_rank(laid, claim.rank) != laid)

    def _settle(self, claim: Claim, bluffing: bool) -> None:
        if not claim.recorded:
            claim.recorded = True
            self.players[claim.seat].note_claim(claim.count, bluffing)


@define
class PlayerRecord:
    """The rates at which a seat lied and called, as far as the others could see.

    A player without a card of the rank must lie, and most then lay a single card, so only a lie of
    several cards marks a liar. Many players call those who go out but nobody else. The priors are
    the rates of the bundled bots playing each other.
    """

    single_lies: SmoothedRate = Factory(lambda: SmoothedRate(0.3, 5))
    other_lies: SmoothedRate = Factory(lambda: SmoothedRate(0.1, 3))
    last_calls: SmoothedRate = Factory(lambda: SmoothedRate(0.5, 2))
    other_calls: SmoothedRate = Factory(lambda: SmoothedRate(0.05, 6))

    def lie_probability(self, claim: int) -> float:
        """Estimate the probability that a claim of this number of cards is a lie."""
        return (self.single_lies if claim == 1 else self.other_lies).rate

    def call_probability(self, last: bool) -> float:
        """Estimate the probability that it calls a claim, which may be of a player's last cards."""
        return (self.last_calls if last else self.other_calls).rate

    def describe_claims(self, claim: int) -> str:
        """Return the sentence on what is known of its claims of about this number of cards."""
        record = self.single_lies if claim == 1 else self.other_lies
        cards = "one card" if claim == 1 else "several cards"
        if not record.trials:
            return f"None of this player's claims of {cards} has come to light yet."
        if record.trials == 1:
            truth = "a lie" if record.successes else "true"
            return f"This player's only claim of {cards} that came to light was {truth}."
        were = "was a lie" if record.successes == 1 else "were lies"
        return (
            f"Of the {record.trials} claims of {cards} by this player that came to light,"
            f" {record.successes or 'none'} {were}."
        )

    def note_claim(self, claim: int, lie: bool) -> None:
        """Record whether its claim of this number of cards was a lie."""
        (self.single_lies if claim == 1 else self.other_lies).count(lie)

    def note_call(self, last: bool, called: bool) -> None:
        """Record whether it called when it could have."""
        (self.last_calls if last else self.other_calls).count(called)


@define
class SmoothedRate:
    """The observed rate of an event, smoothed by a prior."""

    expected: float  # the rate expected before any observation
    weight: float  # the number of observations that the prior counts as
    trials: int = 0
    successes: int = 0

    def count(self, so: bool) -> None:
        """Add an observation."""
        self.trials += 1
        self.successes += so

    @property
    def rate(self) -> float:
        """The estimated rate."""
        return (self.successes + self.expected * self.weight) / (self.trials + self.weight)


RANK_COUNT = len(RANKS)


@cache
def turns_until(wanted: str, rank: str, seats: int) -> int:
    """Count a player's turns from the one with the first rank to the one with the other.

    After 13 turns all ranks have come up, or the same one 13 times; then return 13.
    """
    steps = RANKS.index(wanted) - RANKS.index(rank)
    reached = (turn for turn in range(RANK_COUNT) if (turn * seats - steps) % RANK_COUNT == 0)
    return next(reached, RANK_COUNT)


@cache
def _map_turns(rank: str, seats: int) -> dict[Card, int]:
    """Return the turns until each card can be laid honestly."""
    return {card: turns_until(card[0], rank, seats) for card in DECK}


def sort_by_need(hand: Cards, rank: str, seats: int) -> Cards:
    """Return the hand sorted by the turns until each card can be laid honestly, most first."""
    return tuple(sorted(hand, key=_map_turns(rank, seats).__getitem__, reverse=True))


def next_rank(rank: str, seats: int) -> str:
    """Return the rank of the player's next turn."""
    return RANKS[(RANKS.index(rank) + seats) % RANK_COUNT]


def count_turns(hand: Cards, rank: str, seats: int, lie: float) -> float:
    """Count the turns after the one of this rank until the hand is empty, played honestly.

    A turn without a card of its rank costs the card that is needed last, and this many turns more.
    """
    waits = _map_turns(next_rank(rank, seats), seats)
    counts = [0] * (RANK_COUNT + 1)  # of cards, by wait
    for card in hand:
        counts[waits[card]] += 1
    effort, turn, last, left = 0.0, 0, RANK_COUNT, len(hand)
    while left:
        if honest := counts[turn % RANK_COUNT]:
            counts[turn] = 0
            left -= honest
            effort += 1.0
        else:
            while not counts[last]:
                last -= 1
            counts[last] -= 1
            left -= 1
            effort += 1.0 + lie
        turn += 1
    return effort


SHORT = {"max_turns": 80}
HIGH_PILE_CARDS = 15  # the number of cards on a pile


@define(eq=False)
class NicknamedPlayer(Cautious):
    """Plays normally, under this nickname."""

    nickname: str = "Ann"

    def choose(self, question: Question[Any]) -> Any:
        """Return the nickname, or the usual answer."""
        return self.nickname if isinstance(question, Nickname) else super().choose(question)


class Doubter(CardPlayer):
    """Calls every claim."""

    def doubts(self) -> bool:
        """Call every claim."""
        return True


@define(eq=False)
class LongNicknameCaller(Doubter):
    """Calls every claim, under a nickname of the maximum length."""

    letter: str = "x"

    def choose(self, question: Question[Any]) -> Any:
        """Return the nickname, or the usual answer."""
        return self.letter * 32 if isinstance(question, Nickname) else super().choose(question)


class Trusting(CardPlayer):
    """Lays any single card, and never calls."""

    def lay(self) -> Cards:
        """Lay the card that is needed last."""
        return self.memory.hand_by_need[:1]

    def doubts(self) -> bool:
        """Never call."""
        return False


class LateCaller(Trusting):
    """Calls once the pile is large."""

    def doubts(self) -> bool:
        """Call if the pile is large, or if the current player has no cards left."""
        return self.memory.pile_height >= HIGH_PILE_CARDS or self.memory.is_going_out


class LastCardCaller(Trusting):
    """Lays a single card at a time, and calls every player that would go out."""

    def doubts(self) -> bool:
        """Call if the current player has no cards left."""
        return self.memory.is_going_out


class ScriptedDumper(CardPlayer):
    """Lays all cards but one at once."""

    def lay(self) -> Cards:
        """Lay all cards but the last."""
        return self.memory.hand[1:] or self.memory.hand

    def doubts(self) -> bool:
        """Call if the current player has no cards left."""
        return self.memory.is_going_out


def build_players(*names: str) -> tuple[partial[NicknamedPlayer], ...]:
    """Return players of these nicknames."""
    return tuple(partial(NicknamedPlayer, name) for name in names)


STRANGELY_NAMED = build_players(
    "_", "0", "Players", "plays", "BS", "Called_BS", "The_pile_", "W" * 32
)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxy"

SCENARIOS: Sequence[Scenario] = (
    Scenario("whatever is laid is called, by two at once", (Doubter, Doubter), 1, SHORT),
    Scenario("five call at once", (Doubter,) * 5, 3, SHORT),
    Scenario("nobody else ever calls", (Trusting,) * 3, 2, SHORT),
    Scenario("the others bluff, and declare Peanut Butter", (Liar, Liar), 0, SHORT),
    Scenario("calls come late, and the pile is high", (LateCaller, LateCaller), 2, SHORT),
    Scenario("the opponent lays 25 cards at once", (ScriptedDumper,), 1, SHORT),
    Scenario("everybody holds four cards, and the last play is called", (LastCardCaller,) * 12, 0,
              {"max_turns": 200}),
    Scenario("the others have strange nicknames", STRANGELY_NAMED, 4),
    Scenario("the others have the same nickname", build_players("Bob", "Bob", "Bob"), 1),
    Scenario("an opponent fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, Cautious), Cautious), 1),
    Scenario("the order of the callers is drawn", (Doubter, Doubter), 0,
              {"order": "fair", **SHORT}),
    Scenario("the game ends at its turn limit, and nobody has won", (Honest, Honest), 0,
              {"max_turns": 7}),
    Scenario("52 play, and lines have 2000 characters",
              tuple(partial(LongNicknameCaller, letter) for letter in LETTERS), 20),
)  # fmt: skip
