"""The bot `search` plays every game, in the host's process alone."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest
from attrs import evolve, frozen

from arena import Bot, Game, Learning, OneOf, Play, Question, RandomBot, Seat, Table, UserError
from arena.host import Entrant, configure, parse_entrant, play_match, play_series
from arena.plugins import get_plugins
from arena.sandbox import Sandbox
from arena.search import (
    MAX_ASKS,
    ChanceBot,
    Juncture,
    Search,
    SearchingBot,
    Substitutes,
    Worlds,
    compare,
    list_candidates,
    rewind,
)
from arena.search.substitutes import InformedBots
from arena.search.worlds import MAX_LEVEL_ASKS
from arena.wires import Greeting
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
    """It is a bundled bot of all games, named after the others, and plays for nobody else there.

    A bot that plays at random is lent to games that have none of their own.
    """
    games = get_plugins().games.values()
    assert all([*game.bots][-1] == "search" and "random" in game.bots for game in games)
    assert not any("random" in broken for broken in get_plugins().broken)
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


def test_the_last_seat_of_a_trick_finds_worlds(pips: Game) -> None:
    """Few deals give the others what they have laid, but enough are tried for an answer."""
    random = configure(RandomBot, name="random")
    match = play_match(pips, [random] * 4, seed="1", options={"cards": 5})
    found = list[int]()
    for seat in range(4):
        for _, juncture in rewind(pips, match.transcript, seat):
            if len(juncture.asks) == 3 and len(list_candidates(juncture.question, Random(1))) > 1:
                answers = list_candidates(juncture.question, Random(1))
                worlds = Worlds(juncture, Substitutes(ChanceBot, [ChanceBot]), Random(1))
                comparison = compare(worlds, answers, playouts=200)
                found.append(len(comparison.results) if comparison else 0)
    assert min(found) >= 5, found


def test_tries_at_dealing_are_bounded(pips: Game) -> None:
    """What fits no deal is given up after ten tries for each playout, and 60 at least."""
    play = Play.deal(pips.read_variant({}), 2, "1")
    juncture = Juncture.of(pips, play, 0, play.drain())
    told = [(*events[:-1], "never told") for events in juncture.told]
    for playouts, tries in ((2, 60), (30, 300)):
        worlds = Worlds(evolve(juncture, told=told), Substitutes(ChanceBot, [ChanceBot]), Random(1))
        assert compare(worlds, [1, 2], playouts) is None
        assert worlds.tries == tries


class Turn(Question[int]):
    """Which of the two?"""


@frozen
class Marathon:
    """Each round asks one seat. What seat 0 has answered first counts, soon or at the end."""

    rounds: int = 100
    at_once: bool = False

    async def deal(self, table: Table) -> Marathoner:
        return Marathoner(self)


@frozen
class Marathoner:
    """So many rounds are over, and this was answered first."""

    variant: Marathon
    done: int = 0
    first: int = 0

    @property
    def over(self) -> bool:
        return self.done >= self.variant.rounds

    @property
    def scores(self) -> tuple[int, int]:
        return (self.first, 0) if self.over or self.variant.at_once else (0, 0)

    async def round(self, table: Table) -> Marathoner:
        answer = await table.ask(self.done % 2, Turn(OneOf((0, 1))))
        return evolve(self, done=self.done + 1, first=answer if not self.done else self.first)

    def resample_hidden(self, seat: Seat, random: Random) -> Marathoner:
        return self


MARATHON = Game(
    name="marathon", summary="the first answer counts", variant=Marathon, seats=range(2, 3),
    messages=(Turn,),
)  # fmt: skip


@pytest.mark.parametrize(
    ("options", "closed"),
    [
        ({}, 100),  # to the end
        ({"at_once": True}, MAX_ASKS + 1),  # with the answer itself
        ({"rounds": 1000}, MAX_LEVEL_ASKS + 1),
    ],
    ids=["scores at the end", "scores at once", "endless"],
)
def test_a_playout_goes_on_while_all_scores_are_equal(options: dict[str, Any], closed: int) -> None:
    """What counts at the end alone is found, though the end is far; a lead may be cut short."""
    play = Play.deal(MARATHON.read_variant(options), 2, "1")
    juncture = Juncture.of(MARATHON, play, 0, play.drain())
    worlds = Worlds(juncture, Substitutes(ChanceBot, [ChanceBot]), Random(1))
    world = worlds.draw()
    assert world
    assert world.play_on(1).closed == closed


class Noting(Bot):
    """Keeps all that it hears; the class counts how often its bots were told something."""

    times: ClassVar[list[type[Bot]]] = []

    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.heard: list[Any] = []

    def hear(self, event: Any) -> None:
        self.heard.append(event)
        self.times.append(type(self))

    def roll(self) -> float:
        """Return what its chance comes to next."""
        return self.random.random()


class KeepsSeed(Noting):
    """Has chance of its own, which begins with the seed of its greeting."""

    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.own = Random(greeting.seed)

    def roll(self) -> float:
        return self.own.random()


class Uncopied(Noting):
    """Holds what cannot be pickled."""

    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.numbers = (number for number in range(3))


@pytest.mark.parametrize(
    ("kind", "told"), [(Noting, 2), (KeepsSeed, 2 + 20), (Uncopied, 1 + 20)]
)  # fmt: skip
def test_a_long_past_is_not_told_for_each_playout(kind: type[Noting], told: int) -> None:
    """A bot that was told it is copied; where a copy would be no new bot, each is told it."""
    match = play_match("gops", ["hard", "hard"], seed="1")
    *_, (_, juncture) = rewind(get_plugins().find_game("gops"), match.transcript, 0)
    past = [event for to, event in juncture.past if to in {None, 1}]
    informed = InformedBots(juncture)
    kind.times.clear()
    bots: list[Any] = [informed.seat(1, kind, str(number)) for number in range(20)]
    assert len(kind.times) == told * len(past) > 0
    assert all(isinstance(bot, kind) and bot.heard == past for bot in bots)
    assert len({id(bot.heard) for bot in bots}) == len(bots)
    rolls = [bot.roll() for bot in bots]
    assert len({*rolls}) == len(rolls)
    again: Any = InformedBots(juncture).seat(1, kind, "7")
    assert again.roll() == rolls[7]
