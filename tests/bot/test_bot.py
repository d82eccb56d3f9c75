"""The bot-side kit: one class of bot, in this process or as a program, plays the same."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attrs import frozen

from arena import Bot, Greeting, OneOf, Play, Question
from arena.bot import run
from arena.plugins import Game, get_plugins
from tests.support.command import Cli

GAMES = get_plugins().games


class Drawing(Bot):
    """Keeps what it hears, and draws what is allowed."""

    heard: list[Any]

    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.heard = [greeting]

    def hear(self, event: Any) -> None:
        self.heard.append(event)

    def choose(self, question: Question[Any]) -> Any:
        self.heard.append(question)
        return question.options.draw(Random(0))


@frozen
class Sent:
    """What seat 0 is sent in a drawn game, and the lines of it."""

    events: list[Any]
    lines: list[str]


def sent(game: Game, seats: int) -> Sent:
    """Play a game that is drawn, and keep what seat 0 is sent."""
    variant, wire = game.read_variant({}), game.build_codec("json", 0)
    greeting = Greeting(game.name, 0, seats, variant, "own")
    events: list[Any] = [greeting]
    lines = [*wire.tell(greeting)]
    play = Play.deal(variant, seats, "seed")
    while True:
        for to, event in play.drain():
            if to in (None, 0):
                events.append(event)
                lines += wire.tell(event)
        if play.over or len(events) > 60:
            return Sent(events, lines)
        for seat, question in sorted(play.pending.items()):
            if seat == 0:
                events.append(question)
                lines += wire.ask(question)
        for seat, question in list(play.pending.items()):
            play.answer(seat, Drawing.choose(Listening(), question))


class Listening(Drawing):
    """One that was never greeted."""

    def __init__(self) -> None:
        self.heard = []


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_kit_rebuilds_what_was_told_and_asked(game: Game) -> None:
    """Events, questions and the variant are the same objects again; each question is answered."""
    expected, bots, out = sent(game, max(2, game.seats[0])), list[Drawing](), StringIO()

    def make() -> Drawing:
        bots.append(Drawing())
        return bots[0]

    run(make, StringIO("".join(f"{line}\n" for line in expected.lines)), out)
    assert bots[0].heard == expected.events
    assert bots[0].variant == game.read_variant({})
    asked = [event for event in expected.events if isinstance(event, Question)]
    answers = out.getvalue().splitlines()
    assert len(answers) == len(asked) > 0
    for question, answer in zip(asked, answers, strict=True):
        assert question.options.read(game.build_codec("json", 0).read(question, answer)) is not None


def test_a_bundled_bot_plays_the_same_as_a_program(cli: Cli) -> None:
    """The seed of its own reaches it either way: scores and places are equal."""
    results = []
    for form in ("{}={}", "{}=program:{}"):
        words = [form.format(f"b{at}", bot) for at, bot in enumerate(("random", "planner"))]
        done = cli("match", "gops", *words, "--seed", "1", "--json")
        assert done.returncode == 0, done.stderr
        results.append([
            [(seat["name"], seat["score"], seat["place"], seat["verdict"], seat["stderr"]) for seat in result["seats"]]
            for result in map(json.loads, done.stdout.splitlines())
        ])  # fmt: skip
    assert results[0] == results[1]


OWN = """
from arena import Bot
from arena.bot import run

class Mine(Bot):
    def choose(self, question):
        {}

run(Mine)
"""


@pytest.mark.parametrize(
    ("choose", "kind"),
    [("return max(question.options)", None), ("return 1 / 0", "crashed"), ("return 99", "illegal"),
     ("return {1: 2}", "malformed")],
)  # fmt: skip
def test_a_bot_of_ones_own(cli: Cli, tmp_path: Path, choose: str, kind: str | None) -> None:
    """Twenty lines of Python make a program; what it raises stands in the result."""
    (tmp_path / "mine.py").write_text(OWN.format(choose))
    done = cli("match", "gops", f"json:{sys.executable} mine.py", "match", "--seed", "1", "--json")
    (seat, _) = json.loads(done.stdout)["seats"]
    assert (seat["verdict"] or {}).get("kind") == kind
    if kind == "crashed":
        assert seat["verdict"]["detail"].endswith(
            "exit status 1, ZeroDivisionError: division by zero"
        )
        assert "line 7, in choose" in seat["stderr"]


def test_a_bot_that_says_nothing_must_not_choose() -> None:
    """The base class says what is missing."""
    with pytest.raises(NotImplementedError):
        Bot().choose(Question(OneOf((1,))))


def test_a_line_of_another_protocol_is_named_in_one_line() -> None:
    """A program of the kit that was started without `json:` says so."""
    with pytest.raises(SystemExit) as ended:
        run(Drawing, StringIO("Competition card: 3\n"), StringIO())
    assert str(ended.value).startswith("'Competition card: 3' is not JSON")
    assert "json:FILE" in str(ended.value)
