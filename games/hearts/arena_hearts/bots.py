"""The bots that come with Hearts, by name in `BOTS`, and difficult situations for `arena check`.

`counter` and `shooter` sample deals of the unseen cards that agree with what they know, and play
each of their cards to the end of the deal in them (`PlayoutTable`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import prod, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from attrs import define, field, validators

from arena import Bot, FailingBot, Greeting, Question, RandomBot, Scenario, Seat, join_words
from arena.cards import (
    RANKS,
    SUIT_SYMBOLS,
    SUITS,
    Card,
    Cards,
    filter_suit,
    find_trick_winner,
    rank_of,
    remove_cards,
    show_cards,
    suit_of,
)
from arena_hearts.memory import Memory
from arena_hearts.rules import (
    ALL_POINTS,
    CARD_ORDER,
    CARD_POINTS,
    HEARTS,
    PASSED_CARDS,
    QUEEN,
    STEPS,
    PassCards,
    PlayCard,
    build_pack,
    score_deal,
)

if TYPE_CHECKING:
    from arena import AnswerContrast


class CardPlayer(Bot):
    """Base class of bots that remember the table; they implement `passes` and `plays`."""

    memory: Memory

    def greet(self, greeting: Greeting) -> None:
        """Start with an empty memory."""
        super().greet(greeting)
        self.memory = Memory(self.seat, self.seats, self.variant)

    def hear(self, event: Any) -> None:
        """Record an event in the memory."""
        self.memory.tell(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return three cards, or one."""
        match question:
            case PassCards(options):
                return self.passes(options.cards)
            case PlayCard(options):
                return options[0] if len(options) == 1 else self.plays(options)
        raise TypeError(f"unknown question {type(question).__name__}")

    def passes(self, hand: Cards) -> Cards:
        """Return three cards of the hand."""
        raise NotImplementedError

    def plays(self, cards: Cards) -> Card:
        """Return one of the playable cards; there are at least two."""
        raise NotImplementedError


class RandomPlayer(RandomBot):
    """Passes and plays random cards."""


class LowCardPlayer(CardPlayer):
    """Stays below the others' cards, discards the queen of spades first, and counts nothing."""

    def passes(self, hand: Cards) -> Cards:
        """Return the cards to pass: QS, then the highest."""
        return tuple(sorted(hand, key=discard_priority)[-PASSED_CARDS:])

    def plays(self, cards: Cards) -> Card:
        """Lead low, follow with QS or just below the highest card, discard the worst card."""
        trick = self.memory.trick
        if not trick:
            return min(cards, key=rank_height)
        if suit_of(cards[0]) != suit_of(trick[0]):
            return max(cards, key=discard_priority)
        highest = rank_height(trick[find_trick_winner(trick)])
        under = [card for card in cards if rank_height(card) < highest]
        return max(under, key=discard_priority) if under else min(cards, key=discard_priority)


def rank_height(card: Card) -> int:
    """Return the height of a card's rank, 0 for a two."""
    return RANKS.index(rank_of(card))


def discard_priority(card: Card) -> tuple[bool, int, bool]:
    """Return a sort key for discards: QS, then the high cards, hearts first."""
    return card == QUEEN, rank_height(card), card in CARD_POINTS


SPADES = "S"
MIN_GUARDS = 4  # lower spades that make it safe to hold a high one
LEAST_TOLD_POINTS = 0.5  # of a difference that is told with one digit
GUARDED_QUEEN_COST, UNGUARDED_QUEEN_COST = 2.0, 8.0  # of holding QS, in points
HIGH_SPADE_COST = 3.0  # of holding an unguarded KS or AS while QS is out
HIGHEST_CARD_COST = 1.5  # of holding the highest card of a suit, in points
LAST_OF_SUIT_COST = 0.2  # of holding a card of a suit that nobody else has
DISCARD_POINTS = 2.0  # expected points of a discard
LEAST_CONTRASTED_POINTS = 1.0  # of a difference that is worth a word after the match
CONTRASTED_DEALS = 100  # in which two cards are compared
SURE_ERRORS = 2.0  # standard errors of a difference that is no chance
NOTICEABLE_SHARE = 0.05  # of the deals, by which moons make a difference
Answer = Card | Cards
"""A card that is played, or those that are passed."""
UNSEEN_DEALS = "deals of the cards that you do not see"
NOBODY: Seat = -1


class Careful(CardPlayer):
    """Counts cards; plays the card that costs least in this trick and in the remaining hand.

    The weights were found by playing against the other bundled bots.
    """

    def passes(self, hand: Cards) -> Cards:
        """Return the cards that are worst to hold; among equals, those of short suits."""
        costs = self._passing_costs(hand)
        return tuple(sorted(hand, key=costs.__getitem__)[-PASSED_CARDS:])

    def plays(self, cards: Cards) -> Card:
        """Return the card with the lowest cost, of equals the highest."""
        return min(cards, key=lambda card: (self._playing_cost(card), -rank_height(card)))

    def _passing_costs(self, hand: Cards) -> dict[Card, float]:
        """Estimate the cost of holding each card of a hand, in points; short suits cost more."""
        return {
            card: self._holding_cost(card) - len(filter_suit(hand, suit_of(card))) / 5
            for card in hand
        }

    def _playing_cost(self, card: Card) -> float:
        """Estimate the cost of playing a card, minus the cost of keeping it, in points."""
        saved = self._holding_cost(card)
        if self.memory.trick and suit_of(card) != self.memory.led_suit:
            return -saved
        return self._chance_to_take(card) * self._expected_points(card) - saved

    def _chance_to_take(self, card: Card) -> float:
        """Estimate the probability that a card which leads or follows suit takes the trick."""
        memory = self.memory
        suit = suit_of(card)
        if any(
            suit_of(played) == suit and CARD_ORDER[played] > CARD_ORDER[card]
            for played in memory.trick
        ):
            return 0.0
        lower, higher = self._count_others(card)
        return prod(self._duck_probability(seat, suit, lower, higher) for seat in memory.to_come)

    def _count_others(self, card: Card) -> tuple[int, int]:
        """Count the others' cards of the same suit, below and above this card."""
        held = filter_suit(self.memory.unseen, suit_of(card))
        lower = sum(CARD_ORDER[other] < CARD_ORDER[card] for other in held)
        return lower, len(held) - lower

    def _duck_probability(self, seat: Seat, suit: str, lower: int, higher: int) -> float:
        """Estimate the probability that a seat can play a lower card, or is out of the suit."""
        if suit in self.memory.void[seat]:
            return 1.0
        elsewhere = 1 - 1 / (self.seats - 1)  # the probability that another seat holds a given card
        return 1 - elsewhere**lower + elsewhere ** (lower + higher)

    def _expected_points(self, card: Card) -> float:
        """Estimate the points of the trick if this card takes it."""
        memory = self.memory
        stake = memory.stake + CARD_POINTS.get(card, 0)
        if memory.is_first_trick:
            return stake
        suit = suit_of(card)
        held = filter_suit(memory.unseen, suit)
        return stake + sum(self._points_added(seat, suit, card, held) for seat in memory.to_come)

    def _points_added(self, seat: Seat, suit: str, card: Card, held: Cards) -> float:
        """Estimate the points that a seat adds to the trick by following suit or by discarding."""
        others = self.seats - 1
        queen = 13 / others if QUEEN in self.memory.unseen else 0.0
        out = 1.0 if suit in self.memory.void[seat] else (1 - 1 / others) ** len(held)
        follows = float(suit == HEARTS)
        if suit == SPADES and CARD_ORDER[card] > CARD_ORDER[QUEEN]:
            follows = queen
        return out * (DISCARD_POINTS + queen * (suit != SPADES)) + (1 - out) * follows

    def _holding_cost(self, card: Card) -> float:
        """Estimate the cost of holding a card until later, in points."""
        memory = self.memory
        suit = suit_of(card)
        guarded = len(
            [
                spade
                for spade in filter_suit(memory.hand, suit)
                if CARD_ORDER[spade] < CARD_ORDER[QUEEN]
            ]
        )
        if card == QUEEN:
            return GUARDED_QUEEN_COST if guarded >= MIN_GUARDS else UNGUARDED_QUEEN_COST
        if suit == SPADES and QUEEN in memory.unseen and CARD_ORDER[card] > CARD_ORDER[QUEEN]:
            return 0.0 if guarded >= MIN_GUARDS else HIGH_SPADE_COST
        lower, higher = self._count_others(card)
        if not lower + higher:
            return LAST_OF_SUIT_COST
        return HIGHEST_CARD_COST * (lower / (lower + higher)) ** 2


@define(eq=False)
class MonteCarloPlayer(Careful):
    """Deals the unseen cards in several `worlds`, and plays the card that does best in them.

    The deals agree with the passed cards and void suits that it remembers.
    """

    worlds: int = field(default=20, validator=validators.ge(1))
    _deals: Sequence[list[Suits]] = field(init=False, default=())  # of the last choice
    _costs: dict[Card, float] = field(init=False, factory=dict)  # in them, in points

    def plays(self, cards: Cards) -> Card:
        """Return the card that costs this seat the fewest points relative to the others."""
        self._deals = self._sample_deals(self.worlds)
        self._costs = {card: self.cost(card, self._deals) for card in cards}
        return min(cards, key=self._costs.__getitem__)

    def explain(self, question: Question[Any], answer: Any) -> str:
        """Return how much better a card came out than the next best one, and whether by a moon."""
        if isinstance(question, PassCards):
            return self._explain_pass(answer)
        deals = f"In {self.worlds} {UNSEEN_DEALS}"
        others = {card: cost for card, cost in self._costs.items() if card != answer}
        next_best = min(others, key=others.__getitem__, default=answer)
        saved = (others.get(next_best, 0.0) - self._costs.get(answer, 0.0)) / self.worlds
        if saved < LEAST_TOLD_POINTS:
            return f"{deals} it came out best, and {show_answer(next_best)} hardly worse."
        why = self._find_reason(self._play_deals(self._deals, next_best, answer))
        return f"{deals} it came out {saved:.1f} points better than {show_answer(next_best)}{why}."

    def _explain_pass(self, cards: Cards) -> str:
        """Return why these cards are the worst to hold, and why Q♠ is not, if it stays.

        Each reason names what it holds of: a hand may be so low that its highest cards are none.
        """
        hand, gives = self.memory.hand, QUEEN in cards
        over = [card for card in filter_suit(cards, SPADES) if CARD_ORDER[card] > CARD_ORDER[QUEEN]]
        others = [card for card in cards if card != QUEEN and (gives or card not in over)]
        high = [card for card in others if self._is_high(card)]
        low = tuple(card for card in others if card not in high)
        kept = remove_cards(hand, cards)
        empty = [suit for suit in SUITS if filter_suit(low, suit) and not filter_suit(kept, suit)]
        rest = [card for card in low if suit_of(card) not in empty]
        symbols = join_words([SUIT_SYMBOLS[suit] for suit in empty])
        they = "it is" if len(empty) == 1 else "they are"
        shorten = "shortens a suit" if len(rest) == 1 else "shorten suits"
        reasons = (
            (gives, "Q♠ costs 13 points, and you hold too few lower spades to keep it."),
            (over and not gives, f"{show_cards(over)} may have to take Q♠."),
            (high, f"{show_cards(high)} may take tricks with others' points."),
            (empty, f"Out of {symbols}, you can discard points when {they} led."),
            (rest, f"{show_cards(rest)} {shorten}: out of one, you can discard points."),
            (not gives and QUEEN in hand, "Your lower spades protect your Q♠."),
        )  # fmt: skip
        return " ".join(reason for holds, reason in reasons if holds)

    def _is_high(self, card: Card) -> bool:
        """Whether others hold more lower than higher cards of the suit of a card."""
        lower, higher = self._count_others(card)
        return lower > higher

    def contrast(self, question: Question[Any], answer: Any, better: Any) -> AnswerContrast | None:
        """Return why another answer is better than one that was given; None where it hardly is."""
        deals = self._sample_deals(CONTRASTED_DEALS)
        ends = self._play_deals(deals, answer, better)
        gains = [
            self._cost_of(given) - self._cost_of(instead)
            for given, instead in zip(*ends.values(), strict=True)
        ]
        gain, error = fmean(gains), stdev(gains) / sqrt(len(gains))
        if gain < max(LEAST_CONTRASTED_POINTS, SURE_ERRORS * error):
            return None
        why = self._find_reason(ends)
        text = (
            f"In {len(deals)} {UNSEEN_DEALS}, {show_answer(better)} came out {gain:.1f} points"
            f" better than {show_answer(answer)}{why}."
        )
        from arena import AnswerContrast  # of reviews, which few need

        return AnswerContrast(text, gain)

    def cost(self, card: Card, worlds: Sequence[list[Suits]], greedy: Seat = NOBODY) -> float:
        """Return the cost of playing a card, summed over these worlds."""
        return sum(self._cost_in(hands, card, greedy) for hands in worlds)

    def choose_plan(self, card: Answer, worlds: Sequence[list[Suits]]) -> Seat:
        """Return the seat that tries to take all tricks after a card: nobody."""
        return NOBODY

    def _play_deals(
        self, deals: Sequence[list[Suits]], answer: Answer, better: Answer
    ) -> dict[Answer, list[PlayoutTable]]:
        """Return the tables at the end of each deal after an answer, and after a better one."""
        plans = {given: self.choose_plan(given, deals[: self.worlds]) for given in (answer, better)}
        return {
            given: [self._play_out(hands, given, greedy) for hands in deals]
            for given, greedy in plans.items()
        }

    def _find_reason(self, ends: Mapping[Answer, Sequence[PlayoutTable]]) -> str:
        """Return what happens more often after one of two answers, after a colon; or nothing.

        `ends` are the tables at the end of the same deals after an answer, and after a better one.
        """
        me, (answer, better) = self.seat, ends

        def count(given: Answer, happens: Callable[[PlayoutTable], bool]) -> int:
            return sum(map(happens, ends[given]))

        bad, good = (answer, better), (better, answer)
        for what, happens, (often, seldom) in (
            ("another player shot the moon", lambda end: _is_moon(end, me, own=False), bad),
            ("you shot the moon", lambda end: _is_moon(end, me, own=True), good),
            (f"you took {show_cards([QUEEN])}", lambda end: end.queen_taker == me, bad),
        ):
            many, few = count(often, happens), count(seldom, happens)
            if many - few >= NOTICEABLE_SHARE * len(ends[answer]):
                return (
                    f": after {show_answer(often)} {what} in {many} of them,"
                    f" after {show_answer(seldom)} in {few or 'none'}"
                )
        return ""

    def _sample_deals(self, count: int) -> list[list[Suits]]:
        """Return so many deals of the cards that it does not see."""
        return [self._sample_world() for _ in range(count)]

    def _sample_world(self) -> list[Suits]:
        held = self.memory.sample_hands(self.random)
        return [split_by_suit(held.get(seat, ())) for seat in range(self.seats)]

    def _cost_in(self, hands: list[Suits], answer: Answer, greedy: Seat) -> float:
        """Return the points this seat takes above the mean if it gives this answer now."""
        return self._cost_of(self._play_out(hands, answer, greedy))

    def _cost_of(self, end: PlayoutTable) -> float:
        """Return the points this seat has taken above the mean in a deal that is over."""
        points = score_deal(tuple(end.taken), self.variant.moon)
        return points[self.seat] - sum(points) / self.seats

    def _play_out(self, hands: list[Suits], answer: Answer, greedy: Seat = NOBODY) -> PlayoutTable:
        """Return the table at the end of the deal if this seat gives this answer now."""
        memory = self.memory
        if isinstance(answer, tuple):
            return self._pass_and_play(hands, answer)
        hands[self.seat] = split_by_suit(remove_cards(memory.hand, (answer,)))
        table = PlayoutTable.of(hands, memory.taken, memory.hearts_broken, greedy)
        for seat, played in zip(memory.order, memory.trick, strict=True):
            table.play_card(seat, *CARD_NUMBERS[played])
        table.play_card(self.seat, *CARD_NUMBERS[answer])
        table.play_to_end(memory.to_come)
        return table

    def _pass_and_play(self, hands: Sequence[Suits], cards: Cards) -> PlayoutTable:
        """Return the table at the end of the deal if this seat passes these cards, others theirs.

        The others pass as the bot `low` does.
        """
        held = [join_suits(hand) for hand in hands]
        held[self.seat] = self.memory.hand
        passed = [tuple(sorted(hand, key=discard_priority)[-PASSED_CARDS:]) for hand in held]
        passed[self.seat] = cards
        step = STEPS[self.memory.direction]
        held = [
            remove_cards(hand, passed[seat]) + passed[(seat - step) % self.seats]
            for seat, hand in enumerate(held)
        ]
        lowest = build_pack(self.seats)[0]
        leader = next(seat for seat, hand in enumerate(held) if lowest in hand)
        table = PlayoutTable.of([*map(split_by_suit, held)], self.memory.taken, broken=False)
        table.play_to_end([*range(leader, self.seats), *range(leader)])
        return table


def show_answer(answer: Answer) -> str:
    """Return a card, or those that are passed, with symbols."""
    return show_cards(answer if isinstance(answer, tuple) else (answer,))


def _is_moon(end: PlayoutTable, seat: Seat, *, own: bool) -> bool:
    """Whether a seat, or another one, has taken all points of a deal that is over."""
    return ALL_POINTS in end.taken and (end.taken[seat] == ALL_POINTS) == own


HIGH_RANKS = "QKA"
MIN_HIGH_CARDS = 6  # to keep the high cards; three hearts count as one more


@define(eq=False)
class MoonShooter(MonteCarloPlayer):
    """Deals the unseen cards in several `worlds`, and tries to take all points, too.

    For that it plays high for the rest of the deal.
    """

    def passes(self, hand: Cards) -> Cards:
        """Return the lowest cards of a very strong hand; else those that are worst to hold."""
        if not is_strong(hand):
            return super().passes(hand)
        return tuple(sorted(hand, key=rank_height)[:PASSED_CARDS])

    def _explain_pass(self, cards: Cards) -> str:
        """Return why these cards are passed: of a very strong hand they are the lowest."""
        if is_strong(self.memory.hand):
            return "With so many high cards you may take all points: keep them, and pass low ones."
        return super()._explain_pass(cards)

    def cost(self, card: Card, worlds: Sequence[list[Suits]], greedy: Seat = NOBODY) -> float:
        """Return the cost of playing a card and then following the better of the two plans."""
        ducking = super().cost(card, worlds, greedy)
        if not self._may_take_all:
            return ducking
        return min(ducking, super().cost(card, worlds, self.seat))

    def choose_plan(self, card: Answer, worlds: Sequence[list[Suits]]) -> Seat:
        """Return its own seat where it comes out better if it tries to take all tricks."""
        if isinstance(card, tuple) or not self._may_take_all:
            return NOBODY
        return min(
            (NOBODY, self.seat),
            key=lambda greedy: super(MoonShooter, self).cost(card, worlds, greedy),
        )

    @property
    def _may_take_all(self) -> bool:
        """Whether nobody else has taken a point in this deal."""
        return self.memory.collector in (None, self.seat)


def is_strong(hand: Cards) -> bool:
    """Whether a hand has so many high cards that it may take all points."""
    high = sum(rank_of(card) in HIGH_RANKS for card in hand)
    return high + len(filter_suit(hand, HEARTS)) // 3 >= MIN_HIGH_CARDS


BOTS = {
    "counter": MonteCarloPlayer,
    "careful": Careful,
    "shooter": MoonShooter,
    "low": LowCardPlayer,
    "random": RandomPlayer,
}

# A hand of a playout: four lists, one for each suit, of ranks from low to high, 0 for a two.
Suits = list[list[int]]

HEARTS_NUMBER, SPADES_NUMBER = SUITS.index(HEARTS), SUITS.index(suit_of(QUEEN))
QUEEN_RANK = RANKS.index(rank_of(QUEEN))
QUEEN_POINTS = CARD_POINTS[QUEEN]

CARD_NUMBERS = {
    rank + suit: (at, RANKS.index(rank)) for at, suit in enumerate(SUITS) for rank in RANKS
}
"""The suit and rank of each card as numbers."""


@define
class PlayoutTable:
    """A deal in progress, all cards known: the hands and points by seat, and the current trick.

    It is played to its end fast, by the simple rules of the bot `low`. The ban on points in the
    first trick is left out.
    """

    hands: list[Suits]
    taken: list[int]
    broken: bool
    led: int = -1  # the suit that was led, or -1
    best: int = -1  # the rank that currently takes the trick
    taker: Seat = NOBODY
    stake: int = 0
    greedy: Seat = NOBODY  # the seat that tries to take all tricks
    queen_taker: Seat = NOBODY  # from here on

    @classmethod
    def of(
        cls, hands: Sequence[Suits], taken: Iterable[int], broken: bool, greedy: Seat = NOBODY
    ) -> PlayoutTable:
        """Return a table with copies of these hands, and an empty trick."""
        copies = [[ranks[:] for ranks in hand] for hand in hands]
        return cls(copies, [*taken], broken, greedy=greedy)

    def play_card(self, seat: Seat, suit: int, rank: int) -> None:
        """Add a card to the trick; it must be removed from its hand already."""
        if self.led < 0:
            self.led = suit
        if suit == self.led and rank > self.best:
            self.best, self.taker = rank, seat
        if suit == HEARTS_NUMBER:
            self.stake += 1
            self.broken = True
        elif suit == SPADES_NUMBER and rank == QUEEN_RANK:
            self.stake += QUEEN_POINTS

    def play_to_end(self, to_come: Iterable[Seat]) -> list[int]:
        """Complete the trick with these seats, play the deal to its end, and return the points."""
        seats = len(self.hands)
        order = [*to_come]
        while True:
            for seat in order:
                if seat == self.greedy:
                    self._take(seat)
                else:
                    self._duck(seat, last=seat == order[-1])
            self.taken[self.taker] += self.stake
            if self.stake >= QUEEN_POINTS:
                self.queen_taker = self.taker
            leader, self.led, self.best, self.stake = self.taker, -1, -1, 0
            if not any(self.hands[leader]):
                return self.taken
            order = [*range(leader, seats), *range(leader)]

    def _take(self, seat: Seat) -> None:
        """Play a seat's highest card if it can win, else its lowest."""
        hand = self.hands[seat]
        if self.led < 0:
            suits = [
                suit for suit in range(4) if hand[suit] and (suit != HEARTS_NUMBER or self.broken)
            ]
            suit = max(suits, key=lambda suit: hand[suit][-1], default=HEARTS_NUMBER)
            self.play_card(seat, suit, hand[suit].pop())
        elif ranks := hand[self.led]:
            self.play_card(seat, self.led, ranks.pop(-(ranks[-1] > self.best)))
        else:
            suit = min((suit for suit in range(4) if hand[suit]), key=lambda suit: hand[suit][0])
            self.play_card(seat, suit, hand[suit].pop(0))

    def _duck(self, seat: Seat, last: bool) -> None:
        """Play below the best card; high if the seat must take the trick as the last to play."""
        hand = self.hands[seat]
        if self.led < 0:
            suit = self._lowest(hand)
            self.play_card(seat, suit, hand[suit].pop(0))
        elif ranks := hand[self.led]:
            at = bisect_left(ranks, self.best)
            self.play_card(seat, self.led, ranks.pop(at - 1 if at else -last))
        else:
            self._throw_off(seat, hand)

    def _lowest(self, hand: Suits) -> int:
        """Return the suit of the lowest card that may be led."""
        suits = [suit for suit in range(4) if hand[suit] and (suit != HEARTS_NUMBER or self.broken)]
        return min(suits, key=lambda suit: hand[suit][0], default=HEARTS_NUMBER)

    def _throw_off(self, seat: Seat, hand: Suits) -> None:
        """Discard QS, or the highest card, preferably a heart."""
        if QUEEN_RANK in hand[SPADES_NUMBER]:
            hand[SPADES_NUMBER].remove(QUEEN_RANK)
            self.play_card(seat, SPADES_NUMBER, QUEEN_RANK)
            return
        high = -1
        for at, ranks in enumerate(hand):
            if ranks and ranks[-1] >= high:
                suit, high = at, ranks[-1]
        self.play_card(seat, suit, hand[suit].pop())


def split_by_suit(cards: Iterable[Card]) -> Suits:
    """Return a hand's ranks by suit."""
    hand: Suits = [[], [], [], []]
    for suit, rank in sorted(CARD_NUMBERS[card] for card in cards):
        hand[suit].append(rank)
    return hand


def join_suits(hand: Suits) -> Cards:
    """Return the cards of a hand that is split by suit."""
    return tuple(RANKS[rank] + SUITS[at] for at, ranks in enumerate(hand) for rank in ranks)


ONE_DEAL = {"deals": 1}
FOUR_DEALS = {"deals": 4}
MANY_DEALS = {"limit": 1000, "deals": 12}


class HeartsBreaker(LowCardPlayer):
    """Keeps few hearts, so that hearts are broken early: passes and plays them when it can."""

    def passes(self, hand: Cards) -> Cards:
        """Return hearts to pass, the lowest first."""
        return tuple(sorted(hand, key=lambda card: suit_of(card) != HEARTS)[:PASSED_CARDS])

    def plays(self, cards: Cards) -> Card:
        """Play a heart if possible."""
        return max(cards, key=lambda card: (suit_of(card) == HEARTS, rank_height(card)))


SCENARIOS: Sequence[Scenario] = (
    Scenario("three play, and each holds 17 cards", (LowCardPlayer,) * 2, 1, FOUR_DEALS),
    Scenario("five play, and the three of clubs leads", (LowCardPlayer,) * 4, 2, FOUR_DEALS),
    Scenario("nobody passes cards", (LowCardPlayer,) * 3, 3, {"passing": False, **ONE_DEAL}),
    Scenario("hearts are broken early", (HeartsBreaker,) * 3, 0, FOUR_DEALS),
    Scenario("the others try to take all points",
             (MoonShooter,) * 3, 1, {"moon": "self", **ONE_DEAL}),
    Scenario("twelve deals, and points have three digits", (LowCardPlayer,) * 3, 2, MANY_DEALS),
    Scenario("QS breaks hearts", (LowCardPlayer,) * 3, 0, {"queen_breaks": True, **FOUR_DEALS}),
    Scenario("an opponent fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, LowCardPlayer), LowCardPlayer, LowCardPlayer), 1, FOUR_DEALS),
)  # fmt: skip
