"""Hidden information: a seat is sent what it was told, and nothing changes by what it was not."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from arena import Bot, Codec, Game, Greeting, Play, Position, Question
from arena.match import Match
from arena.players.local import Local
from arena.plugins import plugins
from tests.toys import Toy, by_arrival, by_seat

GAMES = plugins().games
SEATS = [
    (name, seats) for name, seats in (("gops", 2), ("gops", 4), ("kuhn", 2), ("bs", 2), ("bs", 5))
]
WIRES = [(name, seats, wire) for name, seats in SEATS for wire in GAMES[name].protocols]


def lines_to(play: Play, seat: int, codec: Codec) -> list[str]:
    """Give all that a seat is sent up to its next answer, the others answering by habit."""
    lines: list[str] = []
    while True:
        for to, event in play.drain():
            if to in (None, seat):
                lines += codec.tell(event)
        if play.over:
            return lines
        if seat in play.pending:
            return [*lines, *codec.ask(play.pending[seat])]
        other, question = next(iter(play.pending.items()))
        play.answer(other, question.options.draw(Random(0)))


def positions(game: Game, seats: int) -> Iterator[Position]:
    """Give positions of a few drawn games."""
    for seed in "abc":
        random, play, number = Random(seed), Play.deal(game.read_variant({}), seats, seed), 0
        while play.pending and number < 30:
            if play.number > number:
                yield play.position
                number = play.number
            seat, question = next(iter(play.pending.items()))
            drawn = question.options.draw(random)
            play.answer(seat, drawn[:2] if isinstance(drawn, tuple) else drawn)


def sent(start: Position, seats: int, seat: int, codec: Codec) -> list[str]:
    """Give what a seat is sent from this position up to its next answer."""
    codec.tell(Greeting("game", seat, seats, start.variant, "seed"))
    return lines_to(Play(start, seats, "seed"), seat, codec)


@pytest.mark.parametrize(("name", "seats", "wire"), WIRES)
def test_no_seat_can_tell_another_position(name: str, seats: int, wire: str) -> None:
    """What it is sent, on each wire, is the same to the byte."""
    game, differs = GAMES[name], 0
    for position in positions(game, seats):
        for seat in range(seats):
            other = position.another(seat, Random(f"{seat}"))
            differs += other != position
            here, there = (
                sent(one, seats, seat, game.wire(wire, seat)) for one in (position, other)
            )
            assert here == there
    assert differs


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_no_view_tells_of_another_position(name: str, seats: int) -> None:
    """A person sees no more than a program: from the first position, the same to the byte."""
    game = GAMES[name]
    for seed in "abcdef":
        play = Play.deal(game.read_variant({}), seats, seed)
        while play.number == 0:
            seat, question = next(iter(play.pending.items()))
            play.answer(seat, question.options.draw(Random(seed)))
        for seat in range(seats):
            views = [game.view_for(seat, ["x"] * seats) for _ in range(2)]
            other = play.position.another(seat, Random(seed))
            assert sent(play.position, seats, seat, views[0]) == sent(other, seats, seat, views[1])


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
        match = Match(Play.deal(Toy((round_,)), 3, "seed"), [Local(bot) for bot in bots])

        def take_all_but_the_last(seat: int, reply: object, match: Match = match) -> None:
            if seat != 2:
                match._settle(seat, reply)

        match._greet()
        match._put(match.play.pending, take_all_but_the_last)
        assert [*match.play.pending] == [2]
        sent.append([repr(one) for one in bots[2].heard])
    assert sent[0] == sent[1] == sent[2]
    assert len(sent[0]) == 2


def test_each_seat_is_sent_its_own_events_only() -> None:
    """Nobody hears what was told to another."""
    game = GAMES["kuhn"]
    heard: list[list[Any]] = [[], []]

    class Listening(Bot):
        """Keeps what it hears."""

        def hear(self, event: Any) -> None:
            heard[self.seat].append(event)

        def choose(self, question: Question[bool]) -> bool:
            return False

    Match(
        Play.deal(game.read_variant({}), 2, "seed"), [Local(Listening()), Local(Listening())]
    ).run()
    assert [type(event).__name__ for event in heard[0]] == ["Card", "Acted", "Acted", "Showdown"]
    assert heard[0][0] != heard[1][0]
    assert heard[0][1:] == heard[1][1:]


def test_an_illegal_answer_is_told_to_nobody() -> None:
    """What a bot said wrongly goes into the verdict, and to no other seat."""
    bots = [Fixed(1), Fixed(777777), Fixed(2)]
    outcome = Match(Play.deal(Toy((by_seat,)), 3, "seed"), [Local(bot) for bot in bots]).run()
    assert outcome.verdicts[1].kind == "illegal"
    assert "777777" not in repr([bots[0].heard, bots[2].heard])


def test_no_seed_but_its_own_is_told_to_a_bot() -> None:
    """From the deal's a bot could find out all hands."""
    bots = [Fixed(1), Fixed(2)]
    Match(Play.deal(Toy((by_seat,)), 2, "the seed of the deal"), [Local(bot) for bot in bots]).run()
    seeds = [bot.heard[0].seed for bot in bots]
    assert seeds[0] != seeds[1]
    assert "the seed of the deal" not in repr([bot.heard for bot in bots])
