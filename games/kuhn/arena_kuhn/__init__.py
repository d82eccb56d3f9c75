"""Kuhn poker (Kuhn 1950): three cards, one each, one bet.

The smallest game here, written like a third-party game: rules, and a page about them. Its only
protocol is JSON lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen, validators

import arena
from arena import (
    Bot,
    Count,
    Game,
    Greeting,
    Learning,
    Mark,
    MarkedLine,
    Narrator,
    OneOf,
    Phrases,
    Presentation,
    PrivateEvent,
    Question,
    Score,
    Seat,
    Secrecy,
    Table,
    Zone,
    ZoneKind,
    format_count,
    hookimpl,
)

if TYPE_CHECKING:
    from arena import Yardstick


@frozen
class Card:
    """You hold this card: 1 the jack, 2 the queen, 3 the king."""

    rank: int


@frozen
class Acted:
    """A seat bet (or called), or passed (or folded)."""

    seat: Seat
    bets: bool


@frozen
class Showdown:
    """Nobody folded: these were the cards, in seat order."""

    ranks: tuple[int, ...]


class Bet(Question[bool]):
    """Asks whether to put one more chip in."""


BET = Bet(OneOf((False, True)), default=False)


@frozen
class Kuhn:
    """The variant; there is but one."""

    async def deal(self, table: Table) -> KuhnPosition:
        """Deal two of the three cards."""
        return KuhnPosition(self, tuple(table.random.sample((1, 2, 3), 2)))


@frozen
class KuhnPosition:
    """The position before a hand or after it: one round is one hand."""

    variant: Kuhn
    ranks: tuple[int, ...]
    scores: tuple[int, ...] = (0, 0)
    over: bool = False

    async def round(self, table: Table) -> KuhnPosition:
        """Ask for bets in turn: twice, or three times if the second seat bets after a pass."""
        for seat in table.seats:
            table.tell(seat, Card(self.ranks[seat]))
        bets = [await ask_bet(table, 0), await ask_bet(table, 1)]
        if bets == [False, True]:
            bets[0] = await ask_bet(table, 0)
        if bets[0] != bets[1]:
            winner, chips = bets.index(True), 1
        else:
            table.announce(Showdown(self.ranks))
            winner, chips = self.ranks.index(max(self.ranks)), 1 + bets[0]
        scores = (chips, -chips) if winner == 0 else (-chips, chips)
        return evolve(self, scores=scores, over=True)

    def resample_hidden(self, seat: Seat, random: Random) -> KuhnPosition:
        """Deal the other seat one of the two cards that this seat does not hold."""
        mine = self.ranks[seat]
        other = random.choice([rank for rank in (1, 2, 3) if rank != mine])
        return evolve(self, ranks=(mine, other) if seat == 0 else (other, mine))


async def ask_bet(table: Table, seat: Seat) -> bool:
    """Ask a seat for its bet, and announce it."""
    bets = await table.ask(seat, BET)
    table.announce(Acted(seat, bets))
    return bets


RULES = """\
Kuhn poker: a jack, a queen and a king; two of them are dealt, and you see
yours. Each has put a chip in. In turn you may bet one more, or pass. After a
bet the other calls by betting as well, or folds by passing.

If only one has bet, that one takes the pot. Otherwise the cards are shown, and
the higher one takes it."""

NAMES = {1: "jack", 2: "queen", 3: "king"}
FACES = {1: "JS", 2: "QS", 3: "KS"}  # on a board, as in a pack where they are all of one suit


def name_action(bets: bool, others_bet: bool) -> str:
    """Return the verb for a bet or a pass; after the other's bet they are a call or a fold."""
    if others_bet:
        return "call" if bets else "fold"
    return "bet" if bets else "pass"


class KuhnNarrator(Narrator):
    """Kuhn poker in sentences."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        super().__init__(seat, names)
        self.bets = [False, False]
        self.rank, self.bettor = 0, -1  # the reader's card, and who has bet first
        self.ranks: dict[Seat, int] = {}  # the cards that somebody sees who watches

    def describe(self, message: Any) -> Iterator[str]:
        """Yield the sentences on an event, or the question."""
        phrases = self.phrases
        match message:
            case Greeting():
                yield f"{phrases.join(phrases.reader_first)} play Kuhn poker for a pot of 2 chips."
            case Card(rank):
                self.rank = rank
                yield MarkedLine(f"You hold the {NAMES[rank]}.", Mark.HEADING)
            case PrivateEvent(seat, Card(rank)):
                self.ranks[seat] = rank
                yield f"{phrases.clause('hold', seat)} the {NAMES[rank]}."
            case Bet():
                yield "Do you call?" if any(self.bets) else "Do you bet?"
            case Acted(seat, bets):
                verb = name_action(bets, self.bets[1 - seat])
                self.bets[seat] = bets
                self.bettor = seat if verb == "bet" else self.bettor
                yield f"{phrases.clause(verb, seat)}."
                if verb == "fold":
                    bluffed = self.bettor == self.seat and self.rank == min(NAMES)
                    why = "a bluff that worked" if bluffed else "no card is shown"
                    yield self.describe_winner(1 - seat, 1, why)
            case Showdown(ranks):
                shows = (f"{phrases.clause('show', at)} the {NAMES[ranks[at]]}" for at in (0, 1))
                yield f"{', '.join(shows)}."
                bluffed = self.bettor == ranks.index(min(ranks)) and min(ranks) == min(NAMES)
                why = "the bet was a bluff" if bluffed else "the higher card"
                yield self.describe_winner(ranks.index(max(ranks)), 1 + any(self.bets), why)

    def spell(self, question: Question[Any], option: bool) -> Sequence[str]:
        """Return the word for a bet or a pass; `yes` and `no` may be typed, too."""
        return name_action(option, any(self.bets)), *super().spell(question, option)

    def explain(self, question: Question[Any], option: bool) -> str:
        """Return the cost of a bet or a pass, and whether the cards are shown then."""
        called = any(self.bets)
        if called and not option:
            return "gives up the pot"
        cost = "adds 1 chip" if option else "adds nothing"
        ends = called or (self.seat == 1 and not option)
        return f"{cost}, shows the cards" if ends else cost

    def reveal(self, seat: Seat, question: Question[Any], answer: bool) -> str:
        """Return the other card after a fold, which leaves it hidden."""
        if answer or not any(self.bets):
            return ""
        own, other = self.ranks[seat], self.ranks[1 - seat]
        bluff = ": a bluff" if other == min(NAMES) else ""
        held = f"{self.phrases.names[1 - seat]} held the {NAMES[other]}{bluff}."
        return MarkedLine(
            f"You folded the {NAMES[own]}. {held}", Mark.WON if own < other else Mark.LOST
        )

    def describe_winner(self, seat: Seat, chips: int, why: str) -> str:
        """Return the sentence on who wins and why, which is good news for that player."""
        wins = f"{self.phrases.clause('win', seat)} {format_count(chips, 'chip')}: {why}."
        return self.phrases.mark_good(wins, seat)


class KuhnBoard:
    """The card of each as far as the viewer knows it, what each did last, and the pot."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self.seat, self.phrases = seat, Phrases(names)
        self.cards: dict[Seat, int] = {}
        self.bets = [False, False]
        self.acts = ["", ""]
        self.winner: Seat | None = None

    def tell(self, event: Any) -> None:
        """Record an event."""
        match event:
            case Card(rank) if self.seat is not None:
                self.cards[self.seat] = rank
            case PrivateEvent(seat, Card(rank)):
                self.cards[seat] = rank
            case Acted(seat, bets):
                verb = name_action(bets, self.bets[1 - seat])
                self.acts[seat], self.bets[seat] = self.phrases.verb(verb, seat), bets
                if verb == "fold":
                    self.winner = 1 - seat
            case Showdown(ranks):
                self.cards = dict(enumerate(ranks))
                self.winner = ranks.index(max(ranks))

    @property
    def chips(self) -> int:
        """The chips in the pot, or those that the winner took from it."""
        return 2 + sum(self.bets)

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: the other hand, the pot, the viewer's hand."""
        first = self.seat or 0
        if self.winner is None:
            text, chips = format_count(self.chips, "chip"), self.chips
        else:
            text, chips = f"goes to {self.phrases.names[self.winner]}", 0
        pot = Zone(kind=ZoneKind.TABLE, title="Pot", text=text, chips=chips)
        other, own = ({f"hand{seat}": self.build_hand(seat)} for seat in (1 - first, first))
        return {**other, "pot": pot, **own}

    def build_hand(self, seat: Seat) -> Zone:
        """Return what one of them holds."""
        card, has_won = self.cards.get(seat), seat == self.winner
        return Zone(
            kind=ZoneKind.HAND,
            title=self.phrases.names[seat],
            of=seat,
            cards=(FACES[card],) if card else (),
            hidden=0 if card else 1,
            act=self.phrases.verb("win", seat) if has_won else self.acts[seat],
            text=format_count(self.chips, "chip") if has_won else "",
            chips=self.chips if has_won else 0,
        )


class KuhnTurningPoints:
    """Finds bets, calls, folds and showdowns."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._phrases, self._bets = Phrases(names, seat), [False, False]

    def tell(self, event: Any) -> str:
        """Return a sentence on such a moment."""
        match event:
            case Acted(seat, bets) if bets or any(self._bets):
                verb = name_action(bets, self._bets[1 - seat])
                self._bets[seat] = bets
                return self._phrases.clause(verb, seat)
            case Showdown(ranks):
                winner = ranks.index(max(ranks))
                return f"{self._phrases.clause('win', winner)} with the {NAMES[max(ranks)]}"
        return ""


class RandomPlayer(Bot):
    """Bets one time in two."""

    def choose(self, question: Question[bool]) -> bool:
        """Bet with a probability of one half."""
        return question.options.draw(self.random)


class Careful(Bot):
    """Bets with the king, and never otherwise."""

    rank = 0

    def hear(self, event: object) -> None:
        """Record the card."""
        if isinstance(event, Card):
            self.rank = event.rank

    def choose(self, question: Question[bool]) -> bool:
        """Bet if it holds the king."""
        return self.rank == max(NAMES)


THIRD = Fraction(1, 3)


def bet_probability(rank: int, bets: tuple[bool, ...], jacks: Score) -> Score:
    """Return the probability of a bet with this card after these bets (Kuhn 1950).

    The first player may bet with the jack with any probability up to one third.
    """
    by_rank: dict[tuple[bool, ...], tuple[Score, Score, Score]] = {
        (): (jacks, 0, 3 * jacks),
        (False,): (THIRD, 0, 1),
        (True,): (0, THIRD, 1),
        (False, True): (0, jacks + THIRD, 1),
    }
    return by_rank[bets][rank - 1]


@define(eq=False)
class Optimal(Bot):
    """Plays Kuhn's equilibrium; `jacks` is the first player's probability of betting the jack."""

    jacks: float = field(default=0.2, validator=[validators.ge(0), validators.le(1 / 3)])
    rank: int = field(init=False, default=0)
    bets: tuple[bool, ...] = field(init=False, default=())

    def hear(self, event: object) -> None:
        """Record the card and the bets."""
        match event:
            case Card(rank):
                self.rank = rank
            case Acted(_, bets):
                self.bets += (bets,)

    def choose(self, question: Question[bool]) -> bool:
        """Bet with the probability of the equilibrium."""
        return self.random.random() < bet_probability(self.rank, self.bets, self.jacks)


def actions(variant: Kuhn, seats: int) -> Sequence[bool]:  # noqa: ARG001
    """Return all answers that are ever legal."""
    return (False, True)


class KuhnObservationEncoder:
    """A seat's knowledge as 13 numbers.

    They are its seat, its card (3), the other card if it was shown (3), and up to three actions:
    bet, passed.
    """

    def __init__(self, greeting: Greeting) -> None:
        self.seat = greeting.seat
        self.own, self.shown, self.acts = [0.0] * 3, [0.0] * 3, list[float]()

    def tell(self, event: Any) -> None:
        """Record an event."""
        match event:
            case Card(rank):
                self.own[rank - 1] = 1.0
            case Acted(_, bets):
                self.acts += [float(bets), float(not bets)]
            case Showdown(ranks):
                self.shown[ranks[1 - self.seat] - 1] = 1.0

    def observation(self) -> list[float]:
        """Return the observation as numbers; unknown values are 0."""
        acts = [*self.acts, *[0.0] * (6 - len(self.acts))]
        return [float(self.seat), *self.own, *self.shown, *acts]


GAME = Game(
    name="kuhn",
    title="Kuhn poker",
    summary="Kuhn poker: three cards, one each, one bet",
    variant=Kuhn,
    seats=range(2, 3),
    messages=(Card, Acted, Showdown, Bet),
    unit="hand",
    deals_hands=True,
    bots={"random": RandomPlayer, "careful": Careful, "optimal": Optimal},
    secrecy=Secrecy(reveals=(Showdown,)),
    presentation=Presentation(
        rules=RULES,
        count=Count("chip"),
        scoring="Chips are those won or lost; now you see both cards, shown or not.",
        narrator=KuhnNarrator,
        board=KuhnBoard,
        turning_points=KuhnTurningPoints,
        guide={
            Bet: (
                "A bet may be a bluff: who does not call it loses one chip, whatever you hold.",
                "Who folds loses one chip; who calls with the lower card loses two.",
            )
        },
        strengths=Path(__file__).with_name("strengths.json"),
    ),
    learning=Learning(actions=actions, encoder=KuhnObservationEncoder),
)


@hookimpl
def arena_games() -> list[Game]:
    """Return the game of this plugin."""
    return [GAME]


@hookimpl
def arena_hints() -> list[arena.HintSource]:
    """Return the hints of the equilibrium."""
    from arena_kuhn.hints import HINTS

    return [HINTS]


@hookimpl
def arena_yardsticks() -> list[Yardstick]:
    """Return the yardsticks of the equilibrium."""
    from arena_kuhn.yardsticks import YARDSTICK

    return [YARDSTICK]


@hookimpl
def arena_insights() -> list[arena.Insights]:
    """Return the statistics of playing styles."""
    from arena_kuhn.insights import INSIGHTS

    return [INSIGHTS]
