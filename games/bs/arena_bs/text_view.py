"""BS for people: for a player at a seat, and for spectators, who see every lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import AnswerEvent, Codec, Greeting, Mark, MarkedLine, Question, Seat
from arena.cards import Cards, format_cards
from arena_bs.cards import filter_rank
from arena_bs.messages import (
    PASS,
    PEANUT_BUTTER,
    Called,
    ChooseCards,
    Declare,
    Hand,
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
from arena_bs.text_view_base import YOU, BsTextView
from arena_bs.typed_answers import build_prompt, sort_hand

INTRODUCTION = (
    "BS: get rid of your cards first. On your turn, lay some face down and claim that",
    "they are all of the current rank; ranks go from A to K and start again. If a",
    "false claim is called, its player takes the pile; if a true claim is called, the",
    "caller who spoke last takes it.",
)

RULES = """\
BS (Cheat): all 52 cards are dealt, and the first player without cards wins. In
turn, players lay one card or more face down on the pile and claim that all are
of the current rank: aces in the first turn, twos in the second, and so on to
the kings, then aces again. A claim may be a lie. Then all others may call BS.
If nobody does, the pile stays. If somebody does, the cards are shown: after a
lie the liar takes the whole pile, after the truth the caller who spoke last
takes it. Peanut Butter is a boast: the player who laid the cards may say it
secretly instead of passing. If nobody calls and the claim was a lie, everybody
is told. It changes nothing else.
Type cards as 7H or 7♥, 10 or T for a ten, several with spaces between them."""


def build_view(seat: Seat | None, names: Sequence[str]) -> Codec:
    """Return the view for a player at this seat, or for a spectator."""
    return SpectatorView(names) if seat is None else SeatView(seat, names)


def describe_truth(bluffing: bool) -> str:
    """Describe whether a claim is true."""
    return "a bluff" if bluffing else "the truth"


class SeatView(BsTextView):
    """The view for the player at a seat, who is called `you`."""

    def __init__(self, seat: Seat, names: Sequence[str]) -> None:
        super().__init__()
        self.seat = seat
        self.names = names
        self.shown: Cards = ()
        self.honest = False  # whether this seat's last claim was true

    def name(self, player: Player) -> str:
        """Return a player's nickname, followed by its bot's name where that differs.

        A nickname may be the name of somebody else, at this table or another one, or `you`.
        """
        if player.seat == self.seat:
            return YOU
        name, nickname = self.names[player.seat], player.nickname
        plain = nickname.casefold() == name.casefold() != YOU
        return nickname if plain else f"{nickname} ({name})"

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question, and the answers that can be typed."""
        return (build_prompt(question),)

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed answer, and record whether it is a lie."""
        answer = super().read(question, line)
        if isinstance(question, ChooseCards) and isinstance(answer, tuple):
            self.honest = filter_rank(answer, question.rank) == answer
        return answer

    def find_forced_answer(self, question: Question[Any]) -> str | None:
        """Return a pass after a true claim, since Peanut Butter is only for lies."""
        boast = isinstance(question, Declare) and PEANUT_BUTTER in question.options
        return PASS if boast and self.honest else None

    def lines(self, event: Any) -> Iterator[str]:
        """Return the lines of public events, and of the hand."""
        match event:
            case Greeting():
                yield from INTRODUCTION
            case Turn(players, rank):
                yield from self._turn_lines(players, rank)
            case Hand(cards):
                yield f"Your hand: {format_cards(sort_hand(cards))}"
            case Played(player, count, rank):
                yield f"{self.clause('say', player)}: {count} x {rank}"
            case Called(players):
                yield f"{self.clause('call', *players)} BS." if players else "Nobody calls."
            case Won(player):
                mark = Mark.WON if player.seat == self.seat else Mark.LOST
                yield MarkedLine(f"{self.clause('win', player)}: no cards left!", mark)
            case _:
                yield from self._judgement_lines(event)

    def _turn_lines(self, players: Sequence[tuple[Player, int]], rank: str) -> Iterator[str]:
        current = self.name(players[0][0])
        whose = "your" if current == YOU else f"{current}'s"
        yield ""
        yield MarkedLine(
            f"Rank {rank}, {whose} turn: {self.describe_counts(players)}", Mark.HEADING
        )

    def _judgement_lines(self, event: Any) -> Iterator[str]:
        """Return the lines of the events that follow a call or Peanut Butter."""
        match event:
            case Shown(_, cards):
                self.shown = cards
            case Judged(player, bluffing) if self.callers:
                laid = f"{self.subject(player)} had laid {format_cards(self.shown)}"
                yield f"{laid}: {describe_truth(bluffing)}."
                if bluffing:
                    yield from self._describe_taker(player)
            case Judged(player):
                yield f"Peanut Butter: {self.name(player)} lied, and nobody called."
            case Receives(player):
                yield from self._describe_taker(player)
            case PileTaken(cards):
                yield MarkedLine(f"You take the pile: {format_cards(cards)}", Mark.LOST)

    def _describe_taker(self, player: Player) -> Iterator[str]:
        """Yield the line about a player that takes the pile; its own seat sees the cards next."""
        takes = self.take_pile(player)
        if player.seat != self.seat:
            yield MarkedLine(f"{takes}.", Mark.WON)


class SpectatorView(BsTextView):
    """The view for a spectator: the cards laid, and the claims."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names = names

    def name(self, player: Player) -> str:
        """Return the host's name of a player, since two players may share a nickname."""
        return self.names[player.seat]

    def lines(self, event: Any) -> Iterator[str]:
        """Return the lines of an event; passes and repetitions of a visible play are left out."""
        match event:
            case Turn(players, rank):
                yield f"Rank {rank}: {self.describe_counts(players)}"
            case AnswerEvent(seat, Nickname(), nickname) if nickname != self.names[seat]:
                yield f"{self.names[seat]} plays as {nickname}."
            case AnswerEvent(seat, ChooseCards(rank=rank), cards):
                yield self._describe_play(self.names[seat], cards, rank)
            case Judged() if not self.callers:
                yield "  Peanut Butter: all are told of the bluff."
            case Judged(player, bluffing=True) | Receives(player):
                yield f"  {self.clause('call', *self.callers)} BS: {self.take_pile(player)}."
            case Won(player):
                yield f"  {self.clause('win', player)}."

    def _describe_play(self, name: str, cards: Cards, rank: str) -> str:
        claim = f"{len(cards)} x {rank}"
        lie = filter_rank(cards, rank) != cards
        return f"  {name} lays {format_cards(cards)} and says: {claim} — {describe_truth(lie)}"
