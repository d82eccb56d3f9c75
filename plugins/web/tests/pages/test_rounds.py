"""Rounds of a recorded match, also where its rules fail when they are played again."""

from __future__ import annotations

import re

import pytest

from arena import RandomBot
from arena.host import play_match
from arena.rules import UserError
from arena_web.rounds import list_rounds
from tests.support.toys import TOY, buggy, by_seat, register_rounds


def test_rules_that_fail_are_an_error_of_one_line() -> None:
    """The page of a match that is void by the fault of its rules is shown, and names the line."""
    rounds = [*register_rounds((by_seat, buggy))]
    void = play_match(TOY, [RandomBot, RandomBot], seed="1", options={"rounds": rounds})
    assert "ZeroDivisionError: a bug in the rules (toys.py:" in void.outcome.detail
    failure = (
        r"line \d+: the rules fail: ZeroDivisionError: a bug in the rules \(toys\.py:\d+, in .*"
    )
    with pytest.raises(UserError, match=failure) as raised:
        list_rounds(TOY, void.transcript)
    assert re.sub(r".*fail: ", "", str(raised.value)) == void.outcome.detail
