"""A series: deals, rotations, seeds; any of its matches can be played again alone."""

from __future__ import annotations

from itertools import permutations

import pytest

from arena.entrants import entrants
from arena.game import Game
from arena.hosting import House, Result, host
from arena.plugins import plugins
from arena.series import Series

GAMES = plugins().games
BOTS = {
    "gops": ["random", "hard", "a=random"],
    "kuhn": ["random", "careful"],
    "bs": ["random", "liar"],
}


def series(game: Game, seed: str = "seed") -> Series:
    """Give a series of bundled bots."""
    return Series(game, game.read_variant({}), entrants(game, BOTS[game.name]), seed)


def played(some: Series, games: int) -> list[Result]:
    """Play it."""
    return [host(setting, seated, House()) for setting, seated in some.matches(games)]


def told(result: Result) -> object:
    """Give what a result says, but for the times."""
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
        (again,) = played(Series(game, variant, entrants(game, texts), packed["seed"]), 1)
        assert again.setting.key == packed["match"]
        assert again.outcome.scores == result.outcome.scores
        assert again.outcome.places == result.outcome.places


def test_seats_rotate_and_each_rotation_has_the_same_deal() -> None:
    """A new deal comes when all have sat everywhere; the first is the series' own."""
    some = series(GAMES["gops"])
    settings = [setting for setting, _ in some.matches(7)]
    names = [setting.names for setting in settings]
    assert names[:4] == [
        ("random", "hard", "a"),
        ("hard", "a", "random"),
        ("a", "random", "hard"),
        names[0],
    ]
    seeds = [setting.seed for setting in settings]
    assert seeds[:3] == ["seed"] * 3
    assert seeds[3] == seeds[5] != seeds[6]
    assert len(set(seeds)) == 3
    assert "seed" not in seeds[3:]


def test_every_match_has_a_key_of_its_own() -> None:
    """So that bots draw other chances in each rotation."""
    keys = [setting.key for setting, _ in series(GAMES["gops"]).matches(50)]
    assert len(set(keys)) == 50
    assert all(len(bytes.fromhex(key)) == 8 for key in keys)


def test_entrants_sit_where_the_setting_says() -> None:
    """Names, bots and players go together."""
    for setting, seated in series(GAMES["gops"]).matches(4):
        assert setting.names == tuple(entrant.name for entrant in seated)
        assert setting.bots == tuple(entrant.bot for entrant in seated)


def test_the_seating_is_drawn_where_none_is_asked_for() -> None:
    """Each order comes up, and each time another seed."""
    game = GAMES["gops"]
    some = entrants(game, BOTS["gops"])
    drawn = [Series.seated(game, game.read_variant({}), some, None) for _ in range(100)]
    seated = {tuple(entrant.name for entrant in one.entrants) for one in drawn}
    assert seated == set(permutations(entrant.name for entrant in some))
    assert len({one.seed for one in drawn}) == 100
