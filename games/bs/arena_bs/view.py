"""BS for people: at a seat, and for those who watch and see every lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import Codec, Greeting, Question, Seat
from arena.view import Said
from arena_bs.cards import Cards, of_rank
from arena_bs.messages import (
    BS,
    Called,
    Declare,
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
from arena_bs.typed import keys, pretty, read_declaration, read_lay, read_nickname, sorted_hand
from arena_bs.wire import spaced

YOU = "you"

RULES = (
    "BS: whoever is rid of all cards first wins. Lay cards face down and claim the rank",
    "whose turn it is, from A to K and again from A. If a false claim is called, its player",
    "takes the pile; if a true one is, the caller who spoke last does.",
)


def view(seat: Seat | None, names: Sequence[str]) -> Codec:
    """Give the lines for a person at this seat, or for one who watches."""
    return Watching(names) if seat is None else Seated(seat)


def verdict(bluffing: bool) -> str:
    """Say what became of a claim."""
    return "a bluff" if bluffing else "the truth"


def listed(names: Sequence[str]) -> str:
    """Join names with commas and an `and`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


class Telling:
    """What both views share: what lies on the pile, who has called, and how to say it."""

    def __init__(self) -> None:
        self.pile = 0  # cards, with those just laid
        self.callers: tuple[Player, ...] = ()

    def name(self, player: Player) -> str:
        """Say who it is."""
        raise NotImplementedError

    def does(self, players: Sequence[Player], verb: str) -> str:
        """Begin a sentence: these do something; the verb is regular."""
        names = [self.name(player) for player in players]
        ending = "s" if len(names) == 1 and names[0] != YOU else ""
        who = listed(names)
        return f"{'You' + who[len(YOU) :] if names[0] == YOU else who} {verb}{ending}"

    def holding(self, players: Sequence[tuple[Player, int]]) -> str:
        """Say how many cards each holds, and the pile."""
        hands = ", ".join(f"{self.name(player)} {count}" for player, count in players)
        return f"{hands}; pile {self.pile}" if self.pile else hands

    def take_pile(self) -> int:
        """Somebody takes the pile; give how many cards it had."""
        taken, self.pile = self.pile, 0
        return taken


class Seated(Telling):
    """The lines for the person at a seat, who is `you`."""

    def __init__(self, seat: Seat) -> None:
        super().__init__()
        self.seat = seat
        self.nicknames: list[str] = []

    def name(self, player: Player) -> str:
        """Call a player by the nickname, and by the number where two chose the same."""
        if player.seat == self.seat:
            return YOU
        alone = self.nicknames.count(player.nickname) == 1
        return player.nickname if alone else str(player)

    def tell(self, event: Any) -> Iterable[str]:
        """Give the lines for what happens."""
        return [*self._lines(event)]  # at once, as things stand now

    def _lines(self, event: Any) -> Iterable[str]:
        match event:
            case Greeting():
                return RULES
            case Turn(players, rank):
                return self._turn(players, rank)
            case Hand(cards):
                return (f"Your hand: {pretty(sorted_hand(cards))}",)
            case Played(player, count, rank):
                self.pile += count
                return (f"{self.does([player], 'say')}: {count} x {rank}",)
            case Called(players):
                self.callers = players
                calls = f"{self.does(players, 'call')} BS." if players else "Nobody calls."
                return (calls,)
            case Won(player):
                return (f"{self.does([player], 'win')}: no cards left!",)
        return self._judgement(event)

    def _turn(self, players: Sequence[tuple[Player, int]], rank: str) -> Iterator[str]:
        self.nicknames = [player.nickname for player, _ in players]
        current = self.name(players[0][0])
        whose = "your" if current == YOU else f"{current}'s"
        yield ""
        yield f"Rank {rank}, {whose} turn: {self.holding(players)}"

    def _judgement(self, event: Any) -> Iterable[str]:
        match event:
            case Shown(_, cards):
                return (f"The cards were {pretty(cards)}:",)
            case Judged(player, bluffing):
                return self._judged(player, bluffing)
            case Receives(player):
                return self._given(player)
            case Taken(cards):
                return (f"You take the pile: {pretty(cards)}",)
        return ()

    def _judged(self, player: Player, bluffing: bool) -> Iterator[str]:
        if not self.callers:
            were = "were" if player.seat == self.seat else "was"
            yield f"Peanut Butter: {self.name(player)} {were} bluffing."
            return
        yield f"  {verdict(bluffing)}."
        if bluffing:
            yield from self._given(player)

    def _given(self, player: Player) -> Iterator[str]:
        """Say who takes the pile; oneself sees the cards in a moment."""
        count = self.take_pile()
        if player.seat != self.seat:
            yield f"{self.does([player], 'take')} the pile of {count}."

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Give the question, and what can be typed."""
        match question:
            case Nickname():
                return (f"What is your name at this table? (Enter for {question.default})",)
            case Lay(rank=rank, default=default):
                example = f" (such as {spaced(default)})" if default else ""
                return (f"Which cards do you lay as {rank}?{example}",)
            case Declare():
                return (f"What do you say? ({keys(question)})",)
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Give the answer that is typed, or say kindly what can be typed."""
        return read(question, line)

    def say(self, question: Question[Any], answer: Any) -> str:
        """Give an answer as it can be typed."""
        return say(answer)
