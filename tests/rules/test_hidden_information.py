"""Hidden information: a seat is sent what it was told, and nothing changes by what it was not."""

from __future__ import annotations

from typing import Any

import pytest

from arena import Bot, Greeting, Play, Question, load_game
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


def test_each_seat_is_sent_its_own_events_only() -> None:
    """Nobody hears what was told to another."""
    game = load_game("kuhn")
    heard: list[list[Any]] = [[], []]

    class Listening(Bot):
        """Keeps what it hears."""

        def hear(self, event: Any) -> None:
            heard[self.seat].append(event)

        def choose(self, question: Question[bool]) -> bool:
            return False

    Match(
        Play.deal(game.read_variant({}), 2, "seed"),
        [BotPlayer(Listening()), BotPlayer(Listening())],
    ).run()
    assert [type(event).__name__ for event in heard[0]] == ["Card", "Acted", "Acted", "Showdown"]
    assert heard[0][0] != heard[1][0]
    assert heard[0][1:] == heard[1][1:]


def test_an_illegal_answer_is_told_to_nobody() -> None:
    """What a bot said wrongly goes into the verdict, and to no other seat."""
    bots = [Fixed(1), Fixed(777777), Fixed(2)]
    outcome = Match(Play.deal(Toy((by_seat,)), 3, "seed"), [BotPlayer(bot) for bot in bots]).run()
    assert outcome.verdicts[1].kind == "illegal"
    assert "777777" not in repr([bots[0].heard, bots[2].heard])


def test_no_seed_but_its_own_is_told_to_a_bot() -> None:
    """From the deal's a bot could find out all hands."""
    bots = [Fixed(1), Fixed(2)]
    Match(
        Play.deal(Toy((by_seat,)), 2, "the seed of the deal"), [BotPlayer(bot) for bot in bots]
    ).run()
    seeds = [bot.heard[0].seed for bot in bots]
    assert seeds[0] != seeds[1]
    assert "the seed of the deal" not in repr([bot.heard for bot in bots])
