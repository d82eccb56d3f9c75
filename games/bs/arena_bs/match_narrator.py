"""BS in sentences, for pages: who lays what, what is claimed, and who takes the pile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    AnswerEvent,
    Greeting,
    Mark,
    MarkedLine,
    Question,
    Seat,
    begin_sentence,
    join_words,
)
from arena.cards import Card, Cards
from arena_bs.cards import filter_rank
from arena_bs.messages import (
    BS,
    Called,
    ChooseCards,
    Declare,
    Judged,
    Nickname,
    PileTaken,
    Played,
    Player,
    Receives,
    Shown,
    Turn,
    Won,
)
from arena_bs.typed_answers import format_cards

YOU = "you"
RANK_NAMES = {
    "A": "ace", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven",
    "8": "eight", "9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king",
}  # fmt: skip


def describe_claim(count: int, rank: str) -> str:
    """Describe a claim.

    >>> describe_claim(1, "A"), describe_claim(3, "6")
    ('one ace', '3 sixes')
    """
    name = RANK_NAMES[rank]
    if count == 1:
        return f"one {name}"
    return f"{count} {name}{'es' if name == 'six' else 's'}"


def show_cards(cards: Iterable[Card]) -> str:
    """Write cards as they are drawn: 10♥, not T♥."""
    return format_cards(cards).replace("T", "10")


class BsNarrator:
    """Tells of each claim once: with its cards, where the viewer knows them."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._seat = seat
        self._names = [YOU if at == seat else name for at, name in enumerate(names)]
        self._told = False  # was the play that comes next told with its cards?
        self._pile = 0
        self._shown: Cards = ()
        self._called = False

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""
        return [*map(begin_sentence, self._lines(event))]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question."""
        match question:
            case Nickname():
                return ("What is your name at this table?",)
            case ChooseCards(rank=rank):
                return (f"Which cards do you lay and claim to be {describe_claim(2, rank)[2:]}?",)
            case Declare(options) if BS in options:
                return ("Do you call BS?",)
        return ("Do you declare Peanut Butter?",)

    def _lines(self, event: Any) -> Iterator[str]:
        match event:
            case Greeting():
                reader_first = sorted(range(len(self._names)), key=lambda at: at != self._seat)
                players = join_words([self._names[seat] for seat in reader_first])
                yield f"{players} play BS. The first without cards wins."
            case Turn(players, rank):
                claim = describe_claim(2, rank)[2:]
                whose = self._clause("claim", players[0][0])
                yield MarkedLine(f"{whose} {claim} next.", Mark.HEADING)
            case AnswerEvent(seat, ChooseCards(rank=rank), cards):
                self._told = True
                lie = filter_rank(cards, rank) != cards
                lays = f"{self._does('lay', seat)} {show_cards(cards)}"
                claims = f"claim{self._ending(seat)} {describe_claim(len(cards), rank)}"
                yield f"{lays} and {claims}: {'a bluff' if lie else 'the truth'}."
            case Played(player, count, rank):
                self._pile += count
                if not self._told:
                    yield f"{self._clause('claim', player)} {describe_claim(count, rank)}."
                self._told = False
            case _:
                yield from self._judge(event)

    def _judge(self, event: Any) -> Iterator[str]:
        match event:
            case Called(players):
                self._called = bool(players)
                several = len(players) > 1
                if players:
                    names = join_words([self._names[player.seat] for player in players])
                    verb = f"call{'' if several else self._ending(players[0].seat)}"
                    yield f"{names} {verb} BS."
                else:
                    yield "Nobody calls."
            case Shown(_, cards):
                self._shown = cards
            case Judged(player, bluffing) if self._called:
                yield f"The cards were {show_cards(self._shown)}: {describe_truth(bluffing)}."
                if bluffing:
                    yield self._take_pile(player)
            case Judged(player):
                yield f"Peanut Butter: {self._does('lie', player.seat, 'd')}, and nobody called."
            case Receives(player):
                yield self._take_pile(player)
            case PileTaken(cards):
                yield f"The pile brings you {show_cards(cards)}."
            case Won(player):
                good = player.seat == self._seat
                line = f"{self._clause('win', player)}: no cards are left."
                yield (
                    line
                    if self._seat is None
                    else MarkedLine(line, Mark.WON if good else Mark.LOST)
                )

    def _take_pile(self, player: Player) -> str:
        taken, self._pile = self._pile, 0
        cards = f"{taken} card{'' if taken == 1 else 's'}"
        line = f"{self._clause('take', player)} the pile of {cards}."
        if self._seat is None:
            return line
        return MarkedLine(line, Mark.LOST if player.seat == self._seat else Mark.WON)

    def _clause(self, verb: str, player: Player) -> str:
        return self._does(verb, player.seat)

    def _does(self, verb: str, seat: Seat, ending: str | None = None) -> str:
        return f"{self._names[seat]} {verb}{self._ending(seat) if ending is None else ending}"

    def _ending(self, seat: Seat) -> str:
        return "" if seat == self._seat else "s"


def describe_truth(bluffing: bool) -> str:
    """Return the words for a claim's truth."""
    return "a bluff" if bluffing else "the truth"


class BsTurningPoints:
    """Finds the calls of BS, each with what came of it."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._callers: tuple[Player, ...] = ()

    def tell(self, event: Any) -> str:
        """Return a sentence on a call, once it is judged."""
        match event:
            case Called(players):
                self._callers = players
            case Judged(player, bluffing) if self._callers:
                callers = join_words([self._names[caller.seat] for caller in self._callers])
                calls = f"call{'' if len(self._callers) > 1 else 's'}"
                name = self._names[player.seat]
                return f"{callers} {calls} {name}'s {'bluff' if bluffing else 'true claim'}"
            case Won(player):
                return f"{self._names[player.seat]} has no cards left"
        return ""
