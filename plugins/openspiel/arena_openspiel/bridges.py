"""Bridges, which build an OpenSpiel state from a seat's events, for the games that both have.

A bridge receives events of the arena and translates them into OpenSpiel. It stores only these
events: the state is built from them on demand, so that it contains no information hidden from the
seat, except for the samples of a `world`.

A bridge identifies messages by the names of their classes, as in JSON lines, and imports no game.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, ClassVar, Self

import pyspiel
from attrs import Factory, define, evolve, field, fields, frozen

from arena import Greeting, OneOf, Question, Score, Seat, SomeOf, UserError, load_game
from arena.cards import RANKS, Card, Cards
from arena.rules import UnknownNameError

State = Any
"""A `pyspiel.State`; OpenSpiel has no types."""

Decide = Callable[[State, int], int]
"""A function that returns the action of a player in a state where it is its turn."""


@define(eq=False, slots=False)
class Bridge(ABC):
    """A game of the arena in OpenSpiel, as far as one seat knows it.

    `seat` is the seat; `None` receives all events. `turn_based` selects OpenSpiel's sequential
    version of a simultaneous game. `opposing` selects returns by winner, if a game has a choice.
    `taken` lists the actions of the current answer so far.
    """

    variant: Any
    seats: int
    seat: Seat | None = None
    turn_based: bool = False
    opposing: bool = False
    taken: tuple[int, ...] = ()

    translated: ClassVar[frozenset[str]] = frozenset()
    """The options of the game that the bridge translates or refuses by value; another option must
    have its default, since the bridge was written before the game had it."""

    explained: ClassVar[Mapping[str, str]] = {}
    """Known differences by kind, each with the explanation."""

    @classmethod
    @abstractmethod
    def sample_variant(cls, random: Random) -> SampledVariant:
        """Draw a variant that both sides support."""

    @property
    def deals(self) -> int:
        """The number of deals that have begun; each is a game for OpenSpiel."""
        return 1

    @property
    def player(self) -> int:
        """OpenSpiel's number for this seat."""
        return self.seat or 0

    @property
    def mismatch(self) -> str:
        """The reason why OpenSpiel does not support this variant, or ""."""
        for option in fields(type(self.variant)):
            value = getattr(self.variant, option.name)
            if option.name not in self.translated and value != option.default:
                return f"the bridge to OpenSpiel does not know the option {option.name}={value}"
        return ""

    @cached_property
    def game(self) -> Any:
        """OpenSpiel's game: the nearest one, if it does not support this variant."""
        return self._load()

    @abstractmethod
    def _load(self) -> Any:
        """Load the game."""

    @abstractmethod
    def hear(self, seat: Seat, event: Any) -> None:
        """Record an event that this seat was told."""

    @abstractmethod
    def chance(self, state: State) -> int:
        """Return the outcome of this chance node, as it was announced to the players."""

    @abstractmethod
    def moves(self) -> Iterable[Sequence[int]]:
        """Return the actions since the deal: those of all players where they act at once."""

    @abstractmethod
    def action(self, value: Any) -> int:
        """Return the action number of an answer, or of one card of it."""

    @abstractmethod
    def value(self, action: int) -> Any:
        """Return the answer, or the card of it, that an action number stands for."""

    def sample_hidden_information(self, random: Random) -> Self:
        """Return a bridge that knows everything: the hidden information is sampled."""
        return self

    def returns(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """Return OpenSpiel's returns for our scores at the end."""
        return tuple(map(float, scores))

    def points(self, state: State) -> tuple[float, ...] | None:
        """Return each seat's score so far by the state; None if the state does not show it."""
        return None

    def world(self, random: Random) -> State:
        """Return a state that agrees with everything heard; the rest is sampled."""
        whole = self.sample_hidden_information(random)
        state = self.game.new_initial_state()
        for actions in (*whole.moves(), self.taken):
            whole.advance(state, actions)
        whole.settle(state)
        return state

    def settle(self, state: State) -> None:
        """Apply the announced outcomes at chance nodes."""
        while state.is_chance_node():
            state.apply_action(self.chance(state))

    def advance(self, state: State, actions: Sequence[int]) -> None:
        """Apply the actions of a move."""
        self.settle(state)
        if actions and state.is_simultaneous_node():
            state.apply_actions([*actions])
            return
        for action in actions:
            state.apply_action(action)

    def choose(self, question: Question[Any], decide: Decide, random: Random) -> Any:
        """Return the answer that `decide` chooses, card by card if the question asks for several.

        If there is no choice, `decide` is not called: OpenSpiel may not have the node.
        """
        values, wanted = list_parts(question)
        if len(values) == wanted:
            return join_parts(question, values)
        self.taken = ()
        while len(self.taken) < wanted:
            action = decide_action(self.world(random), self.player, decide)
            self.taken += (action,)
        taken, self.taken = self.taken, ()
        return join_parts(question, map(self.value, taken))


@frozen
class SampledVariant:
    """A variant for a comparison: our options, the seats, and more options for OpenSpiel."""

    options: Mapping[str, Any] = Factory(dict)
    seats: int = 2
    theirs: Mapping[str, Any] = Factory(dict)


def list_parts(question: Question[Any]) -> tuple[tuple[Any, ...], int]:
    """Return the parts of an answer and their number: one, or the number of cards asked for."""
    match question.options:
        case OneOf() as options:
            return tuple(options), 1
        case SomeOf(cards, least, most) if least == most:
            return cards, most
    raise UserError(f"OpenSpiel has no counterpart of {type(question).__name__}")


def join_parts(question: Question[Any], values: Iterable[Any]) -> Any:
    """Return the answer that consists of these parts."""
    first, *more = values
    return (first, *more) if isinstance(question.options, SomeOf) else first


def decide_action(state: State, player: int, decide: Decide) -> int:
    """Return the action that `decide` chooses; raise ValueError if it is not legal."""
    action = int(decide(state, player))
    legal = state.legal_actions(player)
    if action not in legal:
        raise ValueError(f"the bot answered {action}, which is not a legal action (legal: {legal})")
    return action


ORDERS = {"shuffled": "random", "ascending": "ascending", "descending": "descending"}
RETURNS = ("total_points", "point_difference", "win_loss")
MAX_CARDS, MAX_SEATS = 13, 10


@define(eq=False, slots=False)
class GoofspielBridge(Bridge):
    """The bridge for GOPS: the prizes that were turned up, and the bids, in seat order.

    OpenSpiel has it as `goofspiel`; its cards are numbered from 0. All bids are public in both
    games (`imp_info=False`), so the state is exact. OpenSpiel does not ask for the last bid, since
    nobody has a choice, and the bridge does not ask the bot for it.
    """

    returns_type: str = "total_points"
    prizes: list[int] = field(factory=list)
    bids: list[tuple[int, ...]] = field(factory=list)

    translated: ClassVar[frozenset[str]] = frozenset({"cards", "prizes", "ties"})
    explained: ClassVar[Mapping[str, str]] = {
        "no choice": "OpenSpiel plays the last card of each hand itself; the arena asks for it, "
        "as in Ross (1971). The result is the same.",
    }

    @classmethod
    def sample_variant(cls, random: Random) -> SampledVariant:
        """Draw 1 to 13 cards, 2 to 10 seats, an order of prizes and a kind of returns."""
        cards, seats = random.randint(1, MAX_CARDS), random.randint(2, MAX_SEATS)
        options = {"cards": cards, "prizes": random.choice([*ORDERS])}
        return SampledVariant(options, seats, {"returns_type": random.choice(RETURNS)})

    @property
    def player(self) -> int:
        """The seat, or 0 where players bid in turn.

        In a turn-based game, the second player would see the first bid of the round in the state.
        The game is the same from every seat, so each bot is put first.
        """
        return 0 if self.turn_based else super().player

    @property
    def mismatch(self) -> str:
        """The option that OpenSpiel does not support (ties, prizes), or ""."""
        if self.variant.ties != "discard":
            return f"OpenSpiel supports only ties=discard, not ties={self.variant.ties}"
        if self.variant.values != tuple(range(1, self.variant.cards + 1)):
            return "OpenSpiel supports only the prizes from 1 to the number of cards, each once"
        return super().mismatch

    def _load(self) -> Any:
        order = ORDERS.get(self.variant.prizes, "random")  # a list is a random order
        load = pyspiel.load_game_as_turn_based if self.turn_based else pyspiel.load_game
        return load("goofspiel", {
            "imp_info": False, "num_cards": self.variant.cards, "players": self.seats,
            "points_order": order, "returns_type": self._returns_type,
        })  # fmt: skip

    @property
    def _returns_type(self) -> str:
        return "win_loss" if self.opposing else self.returns_type

    def hear(self, seat: Seat, event: Any) -> None:
        """Record a prize or the bids; in a turn-based game this seat's own bid comes first."""
        match type(event).__name__:
            case "Prize":
                self.prizes.append(event.card)
            case "Bids":
                first = seat if self.turn_based else 0
                self.bids.append(event.cards[first:] + event.cards[:first])

    def chance(self, state: State) -> int:
        """Return the prize of the current round."""
        return self.prizes[self._rounds(state)] - 1

    def _rounds(self, state: State) -> int:
        """Count the rounds played; each has a chance node and the players' bids."""
        return len(state.history()) // (1 + self.seats)

    def moves(self) -> Iterable[Sequence[int]]:
        """Return the bids of each round but the last one, which OpenSpiel plays itself."""
        rounds = self.bids[: max(1, self.variant.cards - 1)]
        return [tuple(map(self.action, bids)) for bids in rounds]

    def action(self, value: int) -> int:
        """Return the number of a card."""
        return value - 1

    def value(self, action: int) -> int:
        """Return the card of this number."""
        return action + 1

    def points(self, state: State) -> tuple[float, ...]:
        """Return the points, read from the text of the state."""
        found = re.search(r"^Points: (.*)$", str(state), re.MULTILINE)
        return tuple(map(float, found[1].split())) if found else ()

    def returns(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """Return OpenSpiel's returns for these points."""
        if self._returns_type == "win_loss":
            return split_win_loss(scores)
        mean = sum(scores) / len(scores) if self._returns_type == "point_difference" else 0
        return tuple(float(score - mean) for score in scores)


def split_win_loss(scores: Sequence[Score]) -> tuple[float, ...]:
    """Share 1 among the winners and -1 among the losers; all get 0 if all scores are equal.

    >>> split_win_loss((5, 5, 2)), split_win_loss((3, 3))
    ((0.5, 0.5, -1.0), (0.0, 0.0))
    """
    winners = [score == max(scores) for score in scores]
    if all(winners):
        return (0.0,) * len(scores)
    win, loss = 1 / sum(winners), -1 / (len(winners) - sum(winners))
    return tuple(win if winner else loss for winner in winners)


SUITS = "CDHS"  # in OpenSpiel's order
DIRECTIONS = {"hold": 0, "left": 1, "across": 2, "right": 3}
SEATS, PASSED_CARDS, MAX_POINTS = 4, 3, 26


@define(eq=False, slots=False)
class HeartsBridge(Bridge):
    """The bridge for Hearts, for one deal: the dealt hands, the passed and the played cards.

    OpenSpiel has it as `hearts`: four seats, and each deal is a game. A card's number is four times
    its rank, plus its suit, clubs, diamonds, hearts and spades. OpenSpiel asks for the three cards
    to pass one at a time, seat by seat; the arena asks all seats at once. Its returns are 26 minus
    the points of the deal.
    """

    number: int = 0
    direction: int = 0
    hands: dict[Seat, Cards] = field(factory=dict)
    passed: dict[Seat, Cards] = field(factory=dict)  # by the passing seat
    played: list[tuple[Seat, Card]] = field(factory=list)

    translated: ClassVar[frozenset[str]] = frozenset(
        {"deals", "limit", "moon", "passing", "queen_breaks"}  # a deal is a game of OpenSpiel
    )

    @classmethod
    def sample_variant(cls, random: Random) -> SampledVariant:
        """Draw a variant with four deals, one for each direction of passing."""
        return SampledVariant(
            {"deals": 4, "limit": 1000, "queen_breaks": random.random() < 1 / 2}, SEATS
        )

    @property
    def deals(self) -> int:
        """The number of deals so far."""
        return self.number

    @property
    def mismatch(self) -> str:
        """The option that OpenSpiel does not support (seats, moon), or ""."""
        if self.seats != SEATS:
            return f"OpenSpiel's hearts has {SEATS} seats, not {self.seats}"
        if self.variant.moon != "others":
            return f"OpenSpiel supports only moon=others, not moon={self.variant.moon}"
        return super().mismatch

    def _load(self) -> Any:
        return pyspiel.load_game("hearts", {
            "pass_cards": self.variant.passing, "qs_breaks_hearts": self.variant.queen_breaks,
        })  # fmt: skip

    def hear(self, seat: Seat, event: Any) -> None:
        """Record the deal, the seat's own cards, and the cards passed and played."""
        match type(event).__name__:
            case "DealStarted":
                self.number, self.direction = event.number, DIRECTIONS[event.direction]
                self.hands, self.passed, self.played = {}, {}, []
            case "Hand":
                self._note_hand(seat, event.cards)
            case "Received":
                self.passed[event.seat] = event.cards
            case "Played":
                self.played.append((event.seat, event.card))
        if self.seat is not None:
            self._memory.tell(event)

    def _note_hand(self, seat: Seat, cards: Cards) -> None:
        """Record a hand as it was dealt; cards missing from it later have been passed."""
        before = self.hands.setdefault(seat, cards)
        if self.direction and before != cards and not self.played:
            self.passed[seat] = tuple(card for card in before if card not in cards)

    def chance(self, state: State) -> int:
        """Return the direction of passing first, and then the cards in the order of the deal."""
        history = len(state.history())
        if not history:
            return self.direction
        at, seat = divmod(history - 1, SEATS)
        return self.action(self.hands[seat][at])

    def moves(self) -> Iterable[Sequence[int]]:
        """Yield the cards that seats have passed so far, and then the cards played."""
        for seat in range(SEATS):
            if seat in self.passed:
                yield tuple(map(self.action, self.passed[seat]))
        yield from ((self.action(card),) for _, card in self.played)

    def action(self, value: Card) -> int:
        """Return the number of a card."""
        return len(SUITS) * RANKS.index(value[0]) + SUITS.index(value[1])

    def value(self, action: int) -> Card:
        """Return the card of this number."""
        rank, suit = divmod(action, len(SUITS))
        return RANKS[rank] + SUITS[suit]

    def points(self, state: State) -> tuple[float, ...]:
        """Return the points of the tricks taken so far, as scores."""
        return tuple(-points for points in state.to_struct().points)

    def returns(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """Return 26 minus the points of each seat."""
        return tuple(float(MAX_POINTS + score) for score in scores)

    @cached_property
    def _memory(self) -> Any:
        """The game's own memory, which deals what the others may hold."""
        recall = load_game("hearts").learning.recall
        assert recall is not None
        return recall(Greeting("hearts", self.player, self.seats, self.variant, seed=""))

    def sample_hidden_information(self, random: Random) -> Self:
        """Deal the cards that this seat has not seen to the others, and let them pass some."""
        seat = self.player
        after = {seat: [*self._memory.hand], **self._memory.sample_hands(random)}
        for other, card in self.played:
            after[other].append(card)
        passed = self._choose_passed_cards(seat, after, random)
        hands = {
            other: tuple(self._restore_dealt_hand(other, after[other], passed)) for other in after
        }
        if not self._is_passing_over:  # OpenSpiel asks those before this seat first
            passed = {other: cards for other, cards in passed.items() if other < seat}
        return evolve(self, hands=hands, passed=passed)

    @property
    def _is_passing_over(self) -> bool:
        return not self.direction or self.player in self.passed

    def _choose_passed_cards(
        self, seat: Seat, after: dict[Seat, list[Card]], random: Random
    ) -> dict[Seat, Cards]:
        """Return the cards each seat passed: known ones, else some that the receiver holds."""
        if not self.direction:
            return {}

        def draw(holder: Seat) -> Cards:
            return tuple(random.sample(after[holder], PASSED_CARDS))

        if not self._is_passing_over:
            return {other: draw(other) for other in range(seat)}
        drawn = {self._find_passer(to): draw(to) for to in after}
        return {other: self.passed.get(other, cards) for other, cards in sorted(drawn.items())}

    def _find_passer(self, seat: Seat) -> Seat:
        """Return the seat that passes to this seat."""
        return (seat - self.direction) % SEATS

    def _restore_dealt_hand(
        self, seat: Seat, after: list[Card], passed: dict[Seat, Cards]
    ) -> Iterable[Card]:
        """Return a hand as it was dealt, before passing."""
        if not self._is_passing_over or not self.direction:
            return after
        received = passed[self._find_passer(seat)]
        return [*(card for card in after if card not in received), *passed[seat]]


KUHN_RANKS = (1, 2, 3)


@define(eq=False, slots=False)
class KuhnBridge(Bridge):
    """The bridge for Kuhn poker, in OpenSpiel `kuhn_poker`: the known cards, and the bets."""

    ranks: dict[Seat, int] = field(factory=dict)
    bets: list[int] = field(factory=list)

    @classmethod
    def sample_variant(cls, random: Random) -> SampledVariant:  # noqa: ARG003  # there is but one
        """Return the only variant."""
        return SampledVariant()

    def _load(self) -> Any:
        return pyspiel.load_game("kuhn_poker", {"players": self.seats})

    def hear(self, seat: Seat, event: Any) -> None:
        """Record a card, or a bet (1) or pass (0)."""
        match type(event).__name__:
            case "Card":
                self.ranks[seat] = event.rank
            case "Acted":
                self.bets.append(int(event.bets))

    def chance(self, state: State) -> int:
        """Return the card of the seat that is dealt to next."""
        return self.ranks[len(state.history())] - 1

    def moves(self) -> Iterable[Sequence[int]]:
        """Return the bets and passes."""
        return [(bet,) for bet in self.bets]

    def sample_hidden_information(self, random: Random) -> Self:
        """Deal the other seat one of the cards that this seat does not hold."""
        rest = [rank for rank in KUHN_RANKS if rank not in self.ranks.values()]
        drawn = iter(random.sample(rest, len(rest)))
        seats = range(self.seats)
        ranks = {seat: self.ranks.get(seat) or next(drawn) for seat in seats}
        return evolve(self, ranks=ranks)

    def action(self, value: bool) -> int:
        """Return 1 for a bet, 0 for a pass."""
        return int(value)

    def value(self, action: int) -> bool:
        """Return whether the action is a bet."""
        return bool(action)


BRIDGES: dict[str, type[Bridge]] = {
    "gops": GoofspielBridge,
    "hearts": HeartsBridge,
    "kuhn": KuhnBridge,
}


def find_bridge(game: str) -> type[Bridge]:
    """Return the bridge class of a game, or raise UserError."""
    if game not in BRIDGES:
        raise UnknownNameError("game", game, BRIDGES)
    return BRIDGES[game]
