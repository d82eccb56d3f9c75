"""Hidden information: a seat is sent what it was told, and nothing changes by what it was not."""

from __future__ import annotations

from typing import Any

import pytest

from arena import Bot, Greeting, Play, Question
from arena.host import Match
from arena.players import BotPlayer
from tests.support.toys import Toy, by_arrival, by_seat


class Fixed(Bot):
    """Gives one answer for ever, and keeps what it is sent."""

    def __init__(self, answer: object) -> None:
        self.fixed, self.heard = answer, list[Any]()

    def greet(self, greeting: Greeting) -> None:
        self.heard.append(greeting)

    def hear(self, event: Any) -> None:
        self.heard.append(event)

    def choose(self, question: Question[Any]) -> Any:
        self.heard.append(question)
        return self.fixed


@pytest.mark.parametrize("round_", [by_seat, by_arrival], ids=["by seat", "by arrival"])
def test_open_answers_of_others_are_sent_to_nobody(round_: Any) -> None:
    """Who is asked last has been sent the same, whatever the others have answered before."""
    sent = []
    for answer in (1, 2, 3):
        bots = [Fixed(answer), Fixed(answer), Fixed(1)]
        match = Match(Play.deal(Toy((round_,)), 3, "seed"), [BotPlayer(bot) for bot in bots])

        def take_all_but_the_last(seat: int, reply: object, match: Match = match) -> None:
            if seat != 2:
                match._process_reply(seat, reply)

        match._greet()
        match._send_questions(match.play.pending, take_all_but_the_last)
        assert [*match.play.pending] == [2]
        sent.append([repr(event) for event in bots[2].heard])
    assert sent[0] == sent[1] == sent[2]
    assert len(sent[0]) == 2


def test_an_illegal_answer_is_told_to_nobody() -> None:
    """What a bot said wrongly goes into the verdict, and to no other seat."""
    bots = [Fixed(1), Fixed(777777), Fixed(2)]
    outcome = Match(Play.deal(Toy((by_seat,)), 3, "seed"), [BotPlayer(bot) for bot in bots]).run()
    assert outcome.verdicts[1].kind == "illegal"
    assert "777777" not in repr([bots[0].heard, bots[2].heard])
