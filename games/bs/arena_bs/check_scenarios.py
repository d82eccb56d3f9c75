"""Difficult situations in BS, for `arena check`: scripted players lead a bot into them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from attrs import define

from arena import FailingBot, Question, Scenario
from arena.cards import Cards
from arena_bs.bots import Cautious, Honest, Liar
from arena_bs.bots.base import CardPlayer
from arena_bs.messages import Nickname

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
