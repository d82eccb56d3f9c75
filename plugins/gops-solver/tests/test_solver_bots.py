from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from arena import Greeting, OneOf, UserError
from arena.host import Match, parse_entrant
from arena.players import BotPlayer
from arena.plugins import get_plugins
from arena.rules import End, Play
from arena_gops import Bid, Bids, Gops, Prize
from arena_gops_solver import TableSpec, solve
from arena_gops_solver.bots import Nash, NashWin
from arena_gops_solver.table_cache import MAX_INSTANT_CARDS

BOTS = [Nash, NashWin]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path_factory.getbasetemp() / "cache-of-bots"
    monkeypatch.setenv("XDG_CACHE_HOME", str(path))


def greeted(bot: Nash, cards: int, seed: str = "seed", **options: Any) -> Nash:
    bot.greet(Greeting("gops", 0, 2, Gops(cards, **options), seed))
    return bot


@pytest.mark.parametrize(
    ("bot", "first", "bids"),
    [
        (Nash, 3, {1: 0.268731, 3: 0.513981, 4: 0.217288}),
        (Nash, 4, {4: 1.0}),
        (NashWin, 4, {4: 1.0}),
    ],
)
def test_it_mixes_as_published(bot: type[Nash], first: int, bids: dict[int, float]) -> None:
    """The first bids of the game with four cards."""
    player = greeted(bot(), 4)
    player.hear(Prize(first))
    mix = player.mix(Bid(OneOf((1, 2, 3, 4))))
    assert {card: p for card, p in mix.items() if p} == pytest.approx(bids, abs=1e-6)


def test_for_the_win_it_looks_at_the_score() -> None:
    """One behind, the 3 for the 3 is to win or to draw, the 2 to win or to lose."""
    bot = greeted(NashWin(), 3)
    for event in (Prize(1), Bids((1, 2)), Prize(3)):
        bot.hear(event)
    assert bot.mix(Bid(OneOf((2, 3)))) == pytest.approx({2: 1 / 3, 3: 2 / 3})


@pytest.mark.each("kind", "ties", "cards")
@pytest.mark.parametrize("kind", BOTS)
@pytest.mark.parametrize("ties", ["discard", "split"])
@pytest.mark.parametrize("cards", [2, 5, 7])
def test_it_plays_whole_games(kind: type[Nash], ties: str, cards: int) -> None:
    """Against itself, to the end, without a verdict."""
    for number in range(10):
        play = Play.deal(Gops(cards, ties), 2, str(number))
        outcome = Match(play, [BotPlayer(kind()), BotPlayer(kind())]).run()
        assert (outcome.end, outcome.verdicts) == (End.FINISHED, {})


@pytest.mark.parametrize("kind", BOTS)
@pytest.mark.parametrize(
    ("variant", "seats", "why"),
    [
        (Gops(5), 3, "supports 2 players, not 3"),
        (
            Gops(5, prizes="ascending"),
            2,
            "prizes=ascending: the GOPS solver supports only shuffled prizes",
        ),
        (Gops(3, prizes=(3, 3, 1)), 2, "the GOPS solver supports only shuffled prizes"),
        (
            Gops(5, ties="carry"),
            2,
            "ties=carry: the GOPS solver supports only ties=discard and ties=split",
        ),
        (Gops(14), 2, r"GOPS with 14 cards \(.*\) is not solved"),
        (Gops(16), 2, "cards=16: the GOPS solver supports 2 to 15 cards"),
        (Gops(1), 2, "cards=1: the GOPS solver supports 2 to 15 cards"),
    ],
)
def test_another_game_is_refused(kind: type[Nash], variant: Gops, seats: int, why: str) -> None:
    """Before it begins, and by the bot itself where it runs as a program."""
    with pytest.raises(UserError, match=why):
        kind().check_support(variant, seats)
    with pytest.raises(UserError, match=why):
        kind().greet(Greeting("gops", 0, seats, variant, "seed"))


def test_a_seat_passes_on_which_command_solves_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text ends with it; a page shows the message alone, which says how long solving takes."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    nash = parse_entrant(get_plugins().find_game("gops"), "nash")
    with pytest.raises(UserError) as refusal:
        nash.check_support(Gops(), 2)
    told, command = refusal.value.message, refusal.value.command
    assert told.endswith(" is not solved yet; solving it takes about 30 seconds")
    assert command == "arena gops solve --cards 13"
    assert str(pickle.loads(pickle.dumps(refusal.value))) == f"{told}; run: {command}"  # noqa: S301


def test_a_bot_prepares_itself_by_solving_its_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says how far it is, and plays afterwards; what takes more than an hour is refused."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(MAX_INSTANT_CARDS, "points", 2)
    bot, shares = Nash(), list[float]()
    with pytest.raises(UserError, match="is not solved yet"):
        bot.check_support(Gops(4), 2)
    bot.prepare(Gops(4), 2, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    bot.check_support(Gops(4), 2)
    with pytest.raises(UserError, match="can be solved in an hour"):
        bot.prepare(Gops(15), 2, shares.append)


def test_a_damaged_table_is_refused_before_the_match(tmp_path: Path) -> None:
    """Not in the middle of it, where it would be the bot's crash."""
    path = solve(TableSpec(5), tmp_path / "five").path
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(UserError, match="the layer of 4 cards a hand is damaged; delete it"):
        Nash(table=str(path)).check_support(Gops(5), 2)


def test_a_table_can_be_named(tmp_path: Path) -> None:
    """A file that is no table is refused."""
    (tmp_path / "file").write_text("no table")
    with pytest.raises(UserError, match="file: not a table of GOPS"):
        Nash(table=str(tmp_path / "file")).check_support(Gops(4), 2)
