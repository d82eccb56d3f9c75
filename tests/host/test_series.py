"""A series: deals, rotations, seeds; any of its matches can be played again alone."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from multiprocessing import get_context
from typing import Any

import pytest
from attrs import evolve, frozen

from arena import Bot, Question, Table
from arena.host import HostConfig, Result, Series, host, parse_entrants, play_match, play_series
from arena.host.series import _run_worker
from arena.players import raise_on_signals
from arena.plugins import Game, get_plugins
from arena.rules import UserError
from tests.support.toys import PICK, TOY, Toy

GAMES = get_plugins().games
BOTS = {
    "gops": ["random", "hard", "a=random"],
    "kuhn": ["random", "careful"],
    "bs": ["random", "liar"],
}


def series(game: Game, seed: str = "seed") -> Series:
    """Return a series of bundled bots."""
    return Series(game, game.read_variant({}), parse_entrants(game, BOTS[game.name]), seed)


def played(some: Series, games: int) -> list[Result]:
    """Play it."""
    return [host(spec, seated, HostConfig()) for spec, seated in some.iter_matches(games)]


def told(result: Result) -> object:
    """Return what a result says, except for the times."""
    packed = result.pack()
    for seat in packed["seats"]:
        del seat["seconds"]
    return packed


@pytest.mark.parametrize("game", [GAMES[name] for name in BOTS], ids=[*BOTS])
def test_a_series_is_determined_by_its_seed(game: Game) -> None:
    """The same seed and seating give the same matches; another seed others."""
    one, again = ([*map(told, played(series(game), 5))] for _ in range(2))
    assert one == again
    assert one != [*map(told, played(series(game, "other"), 5))]


@pytest.mark.parametrize("game", [GAMES[name] for name in BOTS], ids=[*BOTS])
def test_each_match_can_be_played_again_alone(game: Game) -> None:
    """From the seed and the seating that its result lists: the same match to its key."""
    for result in played(series(game), 7):
        packed = result.pack()
        texts = [f"{seat['name']}={seat['bot'].rpartition('=')[2]}" for seat in packed["seats"]]
        variant = game.read_variant(packed["variant"])
        (again,) = played(Series(game, variant, parse_entrants(game, texts), packed["seed"]), 1)
        assert again.spec.key == packed["match"]
        assert again.outcome.scores == result.outcome.scores
        assert again.outcome.places == result.outcome.places


def test_seats_rotate_and_each_rotation_has_the_same_deal() -> None:
    """A new deal comes when all have sat everywhere; the first is the series' own."""
    some = series(GAMES["gops"])
    settings = [spec for spec, _ in some.iter_matches(7)]
    names = [spec.names for spec in settings]
    assert names[:3] == [("random", "hard", "a"), ("hard", "a", "random"), ("a", "random", "hard")]
    assert names[4:6] == [names[3][1:] + names[3][:1], names[3][2:] + names[3][:2]]
    seeds = [spec.seed for spec in settings]
    assert seeds[:3] == ["seed"] * 3
    assert seeds[3] == seeds[5] != seeds[6]
    assert len(set(seeds)) == 3
    assert "seed" not in seeds[3:]


async def beside_one(table: Table) -> Sequence[int]:
    """Let whoever sits behind a seat that says 1 have a point."""
    said = await table.ask_all(dict.fromkeys(table.seats, PICK))
    return [int(said[seat - 1 if seat else table.seats[-1]] == 1) for seat in table.seats]


@frozen
class TallerToy(Toy):
    """The variant of a later release."""

    height: int = 1  #: an option that nobody knew before


class Always(Bot):
    """Says one number."""

    number = 3

    def choose(self, question: Question[Any]) -> Any:
        return self.number


class Giver(Always):
    """Makes a present to whoever sits behind it."""

    number = 1


def test_identical_bots_have_the_same_neighbours_as_often() -> None:
    """Each deal has an order of its own: of two alike none sits behind the generous one for ever."""
    game = evolve(TOY, bots={"always": Always, "giver": Giver})
    some = parse_entrants(game, ["giver", "a=always", "b=always"])
    won: Counter[str] = Counter()
    for result in played(Series(game, Toy((beside_one,)), some, "seed"), 600):
        assert result.outcome.places
        won[result.spec.names[result.outcome.places.index(1)]] += 1
    assert set(won) == {"a", "b"}
    assert abs(won["a"] - won["b"]) < 127  # three deviations of 200 drawn deals


def test_every_match_has_a_key_of_its_own() -> None:
    """So that bots draw other chances in each rotation."""
    keys = [spec.key for spec, _ in series(GAMES["gops"]).iter_matches(50)]
    assert len(set(keys)) == 50
    assert all(len(bytes.fromhex(key)) == 8 for key in keys)


def test_a_game_that_gains_an_option_keeps_its_matches() -> None:
    """As long as the option has its default, also beside options that are changed."""

    def find_key(variant: Toy) -> str:
        game = evolve(TOY, variant=type(variant), bots={"always": Always})
        entrants = parse_entrants(game, ["always", "b=always"])
        return next(Series(game, variant, entrants, "seed").iter_matches(1))[0].key

    assert find_key(TallerToy()) == find_key(Toy())
    assert find_key(TallerToy((beside_one,))) == find_key(Toy((beside_one,)))
    assert find_key(TallerToy(height=2)) != find_key(TallerToy())


def test_the_seating_is_drawn_where_none_is_asked_for() -> None:
    """Each order comes up, and each time another seed."""
    game = GAMES["gops"]
    some = parse_entrants(game, BOTS["gops"])
    drawn = [Series.create(game, game.read_variant({}), some, None) for _ in range(100)]
    seated = {tuple(entrant.name for entrant in match.entrants) for match in drawn}
    assert seated == set(permutations(entrant.name for entrant in some))
    assert len({match.seed for match in drawn}) == 100


def test_the_bots_of_a_team_sit_in_its_seats_in_their_order() -> None:
    """The table is one where each has a seat; both sit with the same cards in the next match."""
    pairs = ["team:counter random", "duo=team:thrifty 'random'"]
    results = play_series("briscola", pairs, games=2, seed="1").results
    assert [result.names for result in results] == [
        ("counter_random", "duo", "counter_random.2", "duo.2"),
        ("duo", "counter_random", "duo.2", "counter_random.2"),
    ]
    assert results[0].spec.bots == ("counter", "thrifty", "random", "random")


@pytest.mark.parametrize(
    ("bots", "problem"),
    [
        (("team:counter random", "random"), "2 bots, but here an entrant has 1 seat"),
        (("team:counter", "random"), "is no team"),
        (("team:counter random random", "random"), "no table of 2 teams of 3"),
        (("team:counter 'team:random random'", "random"), "a team in a team"),
        (("team:counter rondom", "random"), "did you mean random"),
    ],
)
def test_a_team_that_has_no_seats_is_refused(bots: tuple[str, str], problem: str) -> None:
    """In one line, that says what is wrong."""
    table = 2 if "1 seat" in problem else None
    with pytest.raises(UserError, match=problem):
        play_match("briscola", bots, table=table)


def test_a_worker_that_has_played_all_can_be_ended() -> None:
    """A SIGTERM while it exits ends it without a word: the command's handler would raise there."""
    context = get_context("fork")
    reading, writing = context.Pipe(duplex=False)

    def play_nothing() -> None:
        _run_worker(lambda *_: pytest.fail("there is no match"), iter(()), writing)
        os._exit(signal.getsignal(signal.SIGTERM) != signal.SIG_DFL)

    with reading, writing, raise_on_signals():
        process = context.Process(target=play_nothing)
        process.start()
        process.join()
    assert process.exitcode == 0
