"""The bot `search` plays every game, in the host's process alone."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest
from attrs import evolve

from arena import Bot, Learning, Play, Question, RandomBot, UserError
from arena.host import Entrant, configure, parse_entrant, play_match, play_series
from arena.plugins import get_plugins
from arena.sandbox import Sandbox
from arena.search import (
    Juncture,
    Search,
    SearchingBot,
    Substitutes,
    Worlds,
    rewind,
)
from tests.support.refresh import explain_refresh, is_refreshing
from tests.testing.games.higher import HIGHER
from tests.testing.games.outcry import OUTCRY, RAISE, Outcry, Raised

GOLDEN = Path(__file__).parent / "golden"
MATCHES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "briscola": (["thrifty"], {}),
    "bs": (["liar", "counter"], {"max_turns": 12}),
    "coup": (["counter", "honest"], {}),
    "gops": (["outbid"], {"cards": 7}),
    "hearts": (["low", "low", "low"], {"deals": 1}),
    "kuhn": (["careful"], {}),
}


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_of_search_is_always_the_same(name: str) -> None:
    """With 50 playouts it gives the answers that are written down; REFRESH writes them."""
    others, options = MATCHES[name]
    match = play_match(name, ["search:playouts=50", *others], seed="1", options=options)
    lines = [line.value for line in match.transcript.lines]
    text = "".join(
        f"{json.dumps(line['answer'])} from {line['from']}\n" for line in lines if "from" in line
    )
    text += f"places {match.places}, scores {match.scores}\n"
    file = GOLDEN / f"{name}.txt"
    if is_refreshing():
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text, explain_refresh(__file__)
    assert not any(match.verdicts)


def test_every_game_has_search() -> None:
    """It is a bundled bot of all games, named after the others, and plays for nobody else there."""
    games = get_plugins().games.values()
    assert all([*game.bots][-1] == "search" for game in games)
    assert not any(kind.searches for game in games for kind in game.learning.substitutes or ())


def test_a_game_without_bots_has_an_opponent() -> None:
    """Where a game has no bots chance plays on, and search wins against chance."""
    bare = evolve(HIGHER, bots={}, learning=Learning())
    seated = [configure(Search, playouts=40), configure(RandomBot, name="random")]
    results = play_series(bare, seated, games=40, seed="1").results
    points = dict.fromkeys(("Search", "random"), 0.0)
    for result in results:
        for name, score in zip(result.names, result.scores or (), strict=True):
            points[name] += float(score)
    assert points["Search"] > points["random"]


def test_a_result_says_who_searched() -> None:
    """A bot that searches is marked in the result, whatever it is called."""
    match = play_match("kuhn", ["fair=search:playouts=2", "careful"], seed="1")
    packed = match.pack()["seats"]
    assert {seat["name"]: seat.get("searches") for seat in packed} == {
        "fair": True,
        "careful": None,
    }


def test_programs_and_sandboxes_refuse_search() -> None:
    """What cannot be handed junctures refuses a bot that searches, in one line that says why."""
    kuhn = get_plugins().find_game("kuhn")
    with pytest.raises(UserError, match=r"^program:search cannot be a program: .*; write search$"):
        parse_entrant(kuhn, "program:search")
    with pytest.raises(UserError, match=r"^search:playouts=9 cannot run in a sandbox: it searches"):
        parse_entrant(kuhn, "search:playouts=9", Sandbox("landlock"))
    with pytest.raises(UserError, match=r"^Search cannot play here: it searches .*"):
        Search().choose(None)  # type: ignore[arg-type]


class Raising(Bot):
    """Raises whenever it is asked, and keeps who has raised."""

    heard: ClassVar[list[int]] = []

    def hear(self, event: Any) -> None:
        if isinstance(event, Raised):
            self.heard.append(event.seat)

    def choose(self, question: Question[Any]) -> Any:
        return RAISE


def test_the_seat_answers_first_where_the_first_answer_counts() -> None:
    """Nobody overtakes it, so that its answer is not given to its next question."""
    play = Play.deal(Outcry(), 3, "1")
    juncture = Juncture.of(OUTCRY, play, 2, play.drain())
    worlds = Worlds(juncture, Substitutes(Raising, [Raising], slip=0.0), Random(1))
    for world in filter(None, (worlds.draw() for _ in range(8))):
        Raising.heard.clear()
        world.play_on(RAISE)
        assert Raising.heard[0] == 2


class Watching(SearchingBot):
    """Gives the first candidate, and keeps the junctures that it is handed."""

    seen: list[Juncture]

    def __init__(self) -> None:
        self.seen = []

    def choose_at(self, juncture: Juncture) -> Any:
        self.seen.append(juncture)
        return juncture.question.default or juncture.question.options.draw(self.random)


@pytest.mark.parametrize("name", MATCHES)
def test_a_transcript_is_rewound_to_the_junctures_of_the_match(name: str) -> None:
    """A review is handed what the bot in that seat was handed."""
    others, options = MATCHES[name]
    watching = Watching()
    seated: list[Entrant | str] = [configure(lambda: watching, name="me"), *others]
    match = play_match(name, seated, seed="2", options=options)
    seat = match.names.index("me")
    game = get_plugins().find_game(name)
    found = [juncture for _, juncture in rewind(game, match.transcript, seat)]
    fields = ("seat", "number", "question", "position", "asks", "told", "past")
    for one, other in zip(watching.seen, found, strict=True):
        assert all(getattr(one, field) == getattr(other, field) for field in fields)
