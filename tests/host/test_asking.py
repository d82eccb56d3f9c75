"""A bot is asked in an information state as in a match: by its wire, its clock and its options."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena import Greeting, InformationState, OneOf, Question, RandomBot, UserError
from arena.host import Entrant, HostConfig, ask_entrant, configure, parse_entrant
from arena.plugins import get_plugins
from arena_gops import Bid, Bids, Prize
from arena_gops.bots import Matching
from tests.support.programs import LIMITS

GOPS = get_plugins().find_game("gops")
CONFIG = HostConfig(LIMITS)


def build_state(seat: int = 1) -> InformationState:
    """Return what a seat knows in the second round of five."""
    greeting = Greeting("gops", seat, 2, GOPS.read_variant({"cards": 5}), "")
    return InformationState(greeting, [Prize(2), Bids((1, 3)), Prize(4)], Bid(OneOf((1, 2, 4, 5))))


@pytest.mark.parametrize("bot", ["match", "program:match"])
def test_any_bot_is_told_the_state_and_asked(bot: str) -> None:
    """It answers to the prize that is up, with a card that it has left."""
    assert ask_entrant(GOPS, parse_entrant(GOPS, bot), build_state(), "key", CONFIG) == 4


def test_its_chance_comes_from_the_key() -> None:
    """The same key draws the same answer, and others draw others."""
    bot = configure(RandomBot)
    draws = [ask_entrant(GOPS, bot, build_state(), f"{key}", CONFIG) for key in range(20)]
    assert draws == [ask_entrant(GOPS, bot, build_state(), f"{key}", CONFIG) for key in range(20)]
    assert {*draws} == {1, 2, 4, 5}


class Stubborn(Matching):
    """Bids a card that it has played."""

    def choose(self, question: Question[int]) -> int:
        return 3


def write_program(folder: Path, text: str) -> Entrant:
    """Return a program of one line."""
    (folder / "bot.sh").write_text(text)
    return parse_entrant(GOPS, f"sh {folder / 'bot.sh'}")


def test_an_answer_that_is_none_is_an_error_with_its_reason(tmp_path: Path) -> None:
    """Also of a program that cannot play, through no fault of its own."""
    with pytest.raises(UserError, match=r"^Stubborn: illegal: .*3"):
        ask_entrant(GOPS, configure(Stubborn), build_state(), "key", CONFIG)
    tired = write_program(tmp_path, "echo out of money >&2; exit 75")
    with pytest.raises(UserError, match=r": seat 1 could not play: out of money$"):
        ask_entrant(GOPS, tired, build_state(), "key", CONFIG)
