"""BS for people: at a seat, and for those who watch and see every lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import Codec, Greeting, Question, Said, Seat
from arena.cards import Cards
from arena_bs.cards import of_rank
from arena_bs.messages import (
    Called,
    Hand,
    Judged,
    Lay,
    Nickname,
    Played,
    Player,
    Receives,
    Shown,
    Taken,
    Turn,
    Won,
)
from arena_bs.telling import YOU, Telling
from arena_bs.typed import pretty, prompt, sorted_hand

RULES = (
    "BS: be rid of your cards first. On your turn lay some face down and claim that they are",
    "of the rank that it is; ranks go from A to K and begin again. If a false claim is called,",
    "its player takes the pile; if a true one is, the caller who spoke last takes it.",
)


def view(seat: Seat | None, names: Sequence[str]) -> Codec:
    """Give the lines for a person at this seat, or for one who watches."""
    return Watching(names) if seat is None else Seated(seat)


def truth(bluffing: bool) -> str:
    """Say what a claim was."""
    return "a bluff" if bluffing else "the truth"


class Seated(Telling):
    """The lines for the person at a seat, who is `you`."""

    def __init__(self, seat: Seat) -> None:
        super().__init__()
        self.seat = seat
        self.nicknames: list[str] = []
        self.shown: Cards = ()

    def name(self, player: Player) -> str:
        """Call a player by the nickname, and by the number where two chose the same."""
        if player.seat == self.seat:
            return YOU
        alone = self.nicknames.count(player.nickname) == 1
        return player.nickname if alone else str(player)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Give the question, and what can be typed."""
        return (prompt(question),)

    def lines(self, event: Any) -> Iterator[str]:
        """Give the lines of what everybody hears, and of the hand."""
        match event:
            case Greeting():
                yield from RULES
            case Turn(players, rank):
                yield from self._turn(players, rank)
            case Hand(cards):
                yield f"Your hand: {pretty(sorted_hand(cards))}"
            case Played(player, count, rank):
                yield f"{self.does('say', player)}: {count} x {rank}"
            case Called(players):
                yield f"{self.does('call', *players)} BS." if players else "Nobody calls."
            case Won(player):
                yield f"{self.does('win', player)}: no cards left!"
            case _:
                yield from self._judgement(event)

    def _turn(self, players: Sequence[tuple[Player, int]], rank: str) -> Iterator[str]:
        self.nicknames = [player.nickname for player, _ in players]
        current = self.name(players[0][0])
        whose = "your" if current == YOU else f"{current}'s"
        yield ""
        yield f"Rank {rank}, {whose} turn: {self.held(players)}"

    def _judgement(self, event: Any) -> Iterator[str]:
        """Give the lines of what follows a call, or Peanut Butter."""
        match event:
            case Shown(_, cards):
                self.shown = cards
            case Judged(player, bluffing) if self.callers:
                laid = f"{self.who(player)} had laid {pretty(self.shown)}"
                yield f"{laid}: {truth(bluffing)}."
                if bluffing:
                    yield from self._given(player)
            case Judged(player):
                yield f"Peanut Butter: {self.name(player)} lied, and nobody called."
            case Receives(player):
                yield from self._given(player)
            case Taken(cards):
                yield f"You take the pile: {pretty(cards)}"

    def _given(self, player: Player) -> Iterator[str]:
        """Say who takes the pile; this seat itself is shown the cards in a moment."""
        takes = self.takes(player)
        if player.seat != self.seat:
            yield f"{takes}."


class Watching(Telling):
    """The lines for one who watches: what was laid, and what was claimed."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names = names

    def name(self, player: Player) -> str:
        """Call players as the host does: two may have chosen one nickname."""
        return self.names[player.seat]

    def lines(self, event: Any) -> Iterator[str]:
        """Give the lines; passes are left out, and what repeats the play that was seen."""
        match event:
            case Turn(players, rank):
                yield f"Rank {rank}: {self.held(players)}"
            case Said(seat, Nickname(), nickname) if nickname != self.names[seat]:
                yield f"{self.names[seat]} plays as {nickname}."
            case Said(seat, Lay(rank=rank), cards):
                yield self._laid(self.names[seat], cards, rank)
            case Judged() if not self.callers:
                yield "  Peanut Butter: all are told of the bluff."
            case Judged(player, bluffing=True) | Receives(player):
                yield f"  {self.does('call', *self.callers)} BS: {self.takes(player)}."
            case Won(player):
                yield f"  {self.does('win', player)}."

    def _laid(self, name: str, cards: Cards, rank: str) -> str:
        claim = f"{len(cards)} x {rank}"
        lie = of_rank(cards, rank) != cards
        return f"  {name} lays {pretty(cards)} and says: {claim} — {truth(lie)}"
