"""BS in sentences, for pages: who lays what, what is claimed, and who takes the pile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    AnswerEvent,
    Greeting,
    Mark,
    MarkedLine,
    Phrases,
    Question,
    Seat,
    begin_sentence,
    format_count,
)
from arena.cards import Cards, show_cards
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

RANK_NAMES = {
    "A": "ace", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven",
    "8": "eight", "9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king",
}  # fmt: skip


def describe_claim(count: int, rank: str) -> str:
    """Describe a claim.

    >>> describe_claim(1, "A"), describe_claim(3, "6")
    ('one ace', '3 sixes')
    """
    return f"one {RANK_NAMES[rank]}" if count == 1 else f"{count} {name_ranks(rank)}"


def name_ranks(rank: str) -> str:
    """Return the word for several cards of a rank.

    >>> name_ranks("A"), name_ranks("6")
    ('aces', 'sixes')
    """
    return f"{RANK_NAMES[rank]}{'es' if rank == '6' else 's'}"


class BsNarrator:
    """Tells of each claim once: with its cards, where the viewer knows them."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._phrases = Phrases(names, seat)
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
                return (f"Which cards do you lay and claim to be {name_ranks(rank)}?",)
            case Declare(options) if BS in options:
                return ("Do you call BS?",)
        return ("Do you declare Peanut Butter?",)

    def _lines(self, event: Any) -> Iterator[str]:
        phrases = self._phrases
        match event:
            case Greeting():
                yield f"{phrases.join(phrases.reader_first)} play BS. The first without cards wins."
            case Turn(players, rank):
                claims = phrases.clause("claim", players[0][0].seat)
                yield MarkedLine(f"{claims} {name_ranks(rank)} next.", Mark.HEADING)
            case AnswerEvent(seat, ChooseCards(rank=rank), cards):
                self._told = True
                lie = filter_rank(cards, rank) != cards
                lays = f"{phrases.clause('lay', seat)} {show_cards(cards)}"
                claims = f"{phrases.verb('claim', seat)} {describe_claim(len(cards), rank)}"
                yield f"{lays} and {claims}: {describe_truth(lie)}."
            case Played(player, count, rank):
                self._pile += count
                if not self._told:
                    yield f"{phrases.clause('claim', player.seat)} {describe_claim(count, rank)}."
                self._told = False
            case _:
                yield from self._judge(event)

    def _judge(self, event: Any) -> Iterator[str]:
        phrases = self._phrases
        match event:
            case Called(players):
                self._called = bool(players)
                seats = [player.seat for player in players]
                yield f"{phrases.clause('call', *seats)} BS." if seats else "Nobody calls."
            case Shown(_, cards):
                self._shown = cards
            case Judged(player, bluffing) if self._called:
                yield f"The cards were {show_cards(self._shown)}: {describe_truth(bluffing)}."
                if bluffing:
                    yield self._take_pile(player)
            case Judged(player):
                yield f"Peanut Butter: {phrases.name(player.seat)} lied, and nobody called."
            case Receives(player):
                yield self._take_pile(player)
            case PileTaken(cards):
                yield f"The pile brings you {show_cards(cards)}."
            case Won(player):
                line = f"{phrases.clause('win', player.seat)}: no cards are left."
                yield phrases.mark_good(line, player.seat)

    def _take_pile(self, player: Player) -> str:
        taken, self._pile = self._pile, 0
        cards = format_count(taken, "card")
        line = f"{self._phrases.clause('take', player.seat)} the pile of {cards}."
        return self._phrases.mark_bad(line, player.seat)


def describe_truth(bluffing: bool) -> str:
    """Return the words for a claim's truth."""
    return "a bluff" if bluffing else "the truth"


class BsTurningPoints:
    """Finds the calls of BS, each with what came of it."""

    def __init__(self, names: Sequence[str]) -> None:
        self._phrases = Phrases(names)
        self._callers: tuple[Player, ...] = ()

    def tell(self, event: Any) -> str:
        """Return a sentence on a call, once it is judged."""
        match event:
            case Called(players):
                self._callers = players
            case Judged(player, bluffing) if self._callers:
                call = self._phrases.clause("call", *(caller.seat for caller in self._callers))
                claim = "bluff" if bluffing else "true claim"
                return f"{call} {self._phrases.possessive(player.seat)} {claim}"
            case Won(player):
                return f"{self._phrases.clause('have', player.seat)} no cards left"
        return ""
