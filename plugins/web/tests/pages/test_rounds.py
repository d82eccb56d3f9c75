"""Rounds of a recorded match, also where its rules fail when they are played again."""

from __future__ import annotations

import re

import pytest

from arena import RandomBot
from arena.host import play_match
from arena.plugins import get_plugins
from arena.records import parse_text
from arena.rules import UserError
from arena_web.matches.rounds import list_rounds
from arena_web.review.reviewer import NO_REVIEW, review_match
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


def test_an_answer_that_rules_allow_no_more_is_an_error_of_one_line() -> None:
    """A game may change its options after a match was recorded."""
    played = play_match("gops", ["easy", "easy"], seed="1", options={"cards": 3})
    first = next(line for line in played.transcript.lines if "answer" in line.value)
    changed = re.sub(r'"answer":\d+', '"answer":99', first.text)
    transcript = parse_text(played.transcript.text.replace(first.text, changed))
    with pytest.raises(UserError, match=f"line {first.number}: the rules do not allow this answer"):
        list_rounds(get_plugins().find_game("gops"), transcript)
    assert review_match(transcript, 0, None) == NO_REVIEW
