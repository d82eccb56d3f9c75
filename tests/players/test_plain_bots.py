"""The two plain bots that games and tests share."""

from __future__ import annotations

from arena import FailingBot, RandomBot
from arena.players import BotPlayer, Player
from arena.rules import End, join_words
from tests.support.programs import host


def test_a_random_bot_plays_to_the_end() -> None:
    """What it draws is legal."""
    assert host([BotPlayer(RandomBot()), BotPlayer(RandomBot())]).outcome.end is End.FINISHED


def test_a_failing_bot_fails_behind_its_answers() -> None:
    """It crashes at the next question, and the fallback bot plays its seat on."""
    players: list[Player] = [BotPlayer(RandomBot()) for _ in range(2)]
    outcome = host([BotPlayer(FailingBot(RandomBot, 3)), *players]).outcome
    (verdict,) = outcome.verdicts.values()
    assert (verdict.kind, verdict.ask) == ("crashed", 4)
    assert outcome.end is End.FINISHED


def test_a_list_is_said() -> None:
    """Of nobody, one, two and more."""
    assert [join_words("ABC"[:many]) for many in range(4)] == ["", "A", "A and B", "A, B and C"]
