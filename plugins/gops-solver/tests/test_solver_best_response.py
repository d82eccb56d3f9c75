"""How much a best reply wins: exactly, and estimated from games."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import mean, stdev
from typing import Any, cast

import pytest
from click.testing import CliRunner, Result

from arena import Bot, Greeting, OneOf, UserError
from arena.host import Entrant, HostConfig, Series, host, parse_entrant
from arena.plugins import get_plugins
from arena_gops import Bid, Bids, Gops, Prize
from arena_gops.bots import ScoreKeeper, find_nearest
from arena_gops_solver.best_replies import (
    LESSON_GAMES,
    BestReplySearch,
    OpponentModel,
    SearchTooLargeError,
    SnapshotError,
    SnapshotWriter,
    UntimedEntrant,
    _find_best_reply,
    compute_interval,
    find_best_reply,
    learn_reply,
)
from arena_gops_solver.cli import gops
from arena_gops_solver.positions import SolverPosition
from arena_gops_solver.strategy_extraction import BotPickler, BotPolicy, dump_bot, load_bot
from tests.support.programs import TIMEOUT

GAME = get_plugins().find_game("gops")
ARENA = str(Path(sys.executable).parent / "arena")


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    cache: Path = tmp_path_factory.getbasetemp() / "exploit"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def exact(bot: str, cards: int, objective: str = "points") -> float:
    return find_best_reply(GAME.bots[bot], Gops(cards), objective).value


# --- exactly ---------------------------------------------------------------------------


@pytest.mark.parametrize("cards", [2, 3, 4])
def test_the_best_reply_to_a_random_order_bids_the_prize(cards: int) -> None:
    """Ross 1971: the sum of v(v-1)/N to that of v(N-v)/N, with the card v for the prize v."""
    reply = find_best_reply(GAME.bots["random"], Gops(cards), "points")
    suit = range(1, cards + 1)
    assert reply.value == pytest.approx(sum(v * (2 * v - 1 - cards) for v in suit) / cards)
    assert reply.first == {v: v for v in suit}


@pytest.mark.parametrize(("bot", "objective"), [("nash", "points"), ("nash-win", "win")])
def test_nobody_gains_on_the_solution(bot: str, objective: str) -> None:
    """The best reply to nash in points, and to nash-win in games, wins nothing."""
    assert exact(bot, 4, objective) == pytest.approx(0, abs=1e-6)


class Best(Bot):
    """Plays the best reply as the search has it, from what is heard at the table."""

    def __init__(self, make: Callable[[], Bot], search: BestReplySearch) -> None:
        self.make, self.search = make, search

    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.policy = BotPolicy.greet(self.make, Greeting("gops", 1, 2, self.variant, ""))
        self.place = SolverPosition(*[self.variant.suit] * 3)

    def hear(self, event: Any) -> None:
        if isinstance(event, Prize):
            self.prize = event.card
        elif isinstance(event, Bids):
            question = Bid(OneOf(self.place.theirs))
            self.policy = self.policy.answer(question, event.cards[1])
            self.place = self.place.after(self.prize, *event.cards)
        self.policy = self.policy.hear(event)

    def choose(self, question: Any) -> int:
        if len(self.place.mine) == 1:
            return self.place.mine[0]
        worth = dict(self.search.compute_worth(self.policy, self.place, self.prize))
        return max(worth, key=worth.__getitem__)


@pytest.mark.parametrize("bot", ["hard", "planner"])
def test_the_best_reply_wins_as_much_at_the_table(bot: str) -> None:
    """Over 60 real games its mean is within four standard errors of the exact value."""
    make, search = GAME.bots[bot], BestReplySearch(win=False)
    best = Entrant("best", "best", UntimedEntrant(lambda: Best(make, search)))
    results = []
    for spec, seated in Series(GAME, Gops(3), (best, parse_entrant(GAME, bot)), "7").iter_matches(
        120
    ):
        if seated[0] is best:
            scores = host(spec, seated, HostConfig()).outcome.scores
            assert scores is not None
            results.append(float(scores[0] - scores[1]))
    assert abs(mean(results) - exact(bot, 3)) < 4 * stdev(results) / len(results) ** 0.5


def whole(make: Callable[[], Bot], cards: int, writer: type[BotPickler] = BotPickler) -> float:
    return _find_best_reply(make, Gops(cards), "points", lambda _: None, writer).value


@pytest.mark.parametrize("bot", ["medium", "hard-patterned"])
def test_who_does_not_look_at_the_order_of_bids_loses_nothing_by_it(bot: str) -> None:
    """The value is the same when the bot keeps all bids in their order."""
    assert whole(GAME.bots[bot], 3) == pytest.approx(exact(bot, 3), abs=1e-12)


class Copying(ScoreKeeper):
    """Bids what was last bid against it."""

    def bid(self, hand: Any) -> int:
        last = self.board.bids[-1][0] if self.board.bids else 0
        return last if last in hand else int(self.random.choice(hand))


def test_who_looks_at_the_order_of_bids_is_asked_with_it() -> None:
    """A bot that cannot do without is not spoiled by it, and is exploited all the same."""
    with pytest.raises(SnapshotError, match="it reads the board's bids"):
        whole(Copying, 3, SnapshotWriter)
    value = find_best_reply(Copying, Gops(3), "points").value
    assert value == pytest.approx(whole(Copying, 3))
    assert value > exact("random", 3)


class Doubling(ScoreKeeper):
    """Bids the card next to the prize, which it reads from the board in its other place."""

    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.places = [self.board]

    def bid(self, hand: Any) -> int:
        return find_nearest(hand, self.places[0].prize + 1)


def test_a_board_that_is_kept_twice_stays_one() -> None:
    """A bot that looks at it in another place than where it is told sees the same."""
    assert whole(Doubling, 3, SnapshotWriter) == whole(Doubling, 3)


@pytest.mark.parametrize("ties", ["discard", "split", "carry"])
def test_what_is_left_of_a_board_says_the_same(ties: str) -> None:
    """Hands, scores, prizes and rounds are those of the whole board after every event."""
    names = ("hands", "scores", "carried", "round", "face_down", "prize", "stake", "seats")
    whole, short = ScoreKeeper(), ScoreKeeper()
    for bot in (whole, short):
        bot.greet(Greeting("gops", 1, 2, Gops(4, ties), "any"))
    short = cast("ScoreKeeper", load_bot(dump_bot(short, SnapshotWriter)))
    for prize, *bids in ((2, 3, 3), (4, 1, 1), (1, 2, 4), (3, 4, 2)):
        for event in (Prize(prize), Bids(tuple(bids))):
            whole.hear(event)
            short.hear(event)
            for name in names:
                assert getattr(short.board, name) == getattr(whole.board, name)
    with pytest.raises(SnapshotError):
        _ = short.board.bids


def test_what_would_take_too_long_is_seen_beforehand() -> None:
    """How the positions grow from 3 to 4 cards tells it."""
    with pytest.raises(SearchTooLargeError, match="more than 250,000 positions"):
        find_best_reply(GAME.bots["medium"], Gops(6), "points")


def test_a_search_ends_where_it_gets_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """However it was judged beforehand."""
    monkeypatch.setattr("arena_gops_solver.best_replies.MOST_POSITIONS", 100)
    with pytest.raises(SearchTooLargeError):
        find_best_reply(GAME.bots["random"], Gops(4), "points")


# --- estimated -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bot", "objective"),
    [("planner", "points"), pytest.param("hard", "win", marks=pytest.mark.release)],
)
def test_a_learned_reply_wins_nearly_as_much_as_a_best_one(bot: str, objective: str) -> None:
    """After 400 games; not more, except for chance."""
    found = learn_reply(parse_entrant(GAME, bot), Gops(4), objective, 800, seed="1")
    low, high = found.interval
    best = exact(bot, 4, objective)
    assert low <= best
    assert high >= 0.8 * best
    assert low <= found.value <= high
    assert found.lessons <= 400
    assert found.games <= 800 - found.lessons


def test_no_more_is_played_than_it_takes() -> None:
    """It learns from three lessons where the first bids stay, and two more judge the reply."""
    sure = learn_reply(parse_entrant(GAME, "match"), Gops(4), "points", 5000, seed="1")
    assert (sure.lessons, sure.games) == (3 * LESSON_GAMES, 2 * LESSON_GAMES)
    assert sure.interval[0] < sure.value == 2.0 < sure.interval[1]


def test_a_narrow_interval_is_enough() -> None:
    """Within 2 % of all points to either side, looked at every hundred games."""
    found = learn_reply(parse_entrant(GAME, "planner"), Gops(6), "points", 5000, seed="1")
    low, high = found.interval
    assert high - low <= 0.04 * sum(range(1, 7))
    assert found.games % LESSON_GAMES == 0
    assert found.games + found.lessons < 5000


def test_the_same_seed_gives_the_same_estimate() -> None:
    """All chance comes from it."""
    first, same, other = (
        learn_reply(parse_entrant(GAME, "hard"), Gops(3), "points", 60, seed=seed).value
        for seed in ("a", "a", "b")
    )
    assert first == same != other


def test_results_that_are_all_alike_are_no_certainty() -> None:
    """Of 100 games won a few may have been lost, and 20 points in each may have been others."""
    low, high = compute_interval([1.0] * 100, 1)
    assert 0.92 < low < 0.97
    assert high == 1
    low, high = compute_interval([20.0] * 100, 55)
    assert 17 < low < 19
    assert 20 < high < 22


def test_bids_are_guessed_from_like_positions() -> None:
    """What was seen with this hand counts most, then what was seen for this prize, then nothing."""
    model, start = OpponentModel(), SolverPosition((1, 2, 3), (1, 2, 3), (1, 2, 3))
    for _ in range(50):
        model.note(start, 3, 1)
    later = SolverPosition((1, 2), (2, 3), (1, 3))
    assert model.estimate_chances(start, 3)[1] > 0.99
    assert model.estimate_chances(SolverPosition((1, 2), (1, 3), (1, 3)), 3)[1] > 0.9
    assert model.estimate_chances(later, 3) == pytest.approx({2: 1 / 2, 3: 1 / 2})


# --- the command -----------------------------------------------------------------------


def ran(*words: str) -> Result:
    return CliRunner().invoke(gops, ["exploit", *words])


def packed(*words: str) -> Any:
    done = ran(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_exact_answer_for_programs() -> None:
    """One object, with the method and the number of positions."""
    assert packed("ordered:start=2", "--cards", "2", "--option", "ties=split") == {
        "bot": "ordered:start=2",
        "cards": 2,
        "objective": "points",
        "value": 0.5,  # the other bids 2 and then 1: all is tied, or it wins the 1 and I the 2
        "method": "exact",
        "interval": None,
        "positions": 2,
        "first": {"1": 1, "2": 2},
    }


def test_the_exact_answer_for_people() -> None:
    """A line, and the first bids by prize."""
    assert ran("match", "--cards", "4").stdout.splitlines() == [
        "match, 4 cards: a best reply wins 2.00 points a game (exact, 124 positions)",
        "  first prize   1  2  3  4",
        "  its bid       2  3  4  1",
    ]


LOWEST = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if "ask" in said:
        print(said["options"]["one_of"][0], flush=True)
"""


@pytest.fixture
def lowest(tmp_path: Path) -> str:
    (tmp_path / "lowest.py").write_text(LOWEST)
    return str(tmp_path / "lowest.py")


def test_a_program_is_judged_by_games(lowest: str) -> None:
    """Real processes play; it is said that it is an estimate, of how many games, and why."""
    found = packed(f"json:{lowest}", "--cards", "3", "--games", "20", "--seed", "1")
    assert (found["method"], found["lessons"] + found["games"]) == ("estimated", 20)
    assert found["interval"][0] <= found["value"] <= found["interval"][1]
    assert found["why"] == (
        "the probabilities of a program are unknown (those of a Python bot from arena_bots are not)"
    )


def test_a_bundled_bot_as_a_program_is_asked_as_the_bot() -> None:
    """It is the same one, and no process is needed to ask it."""
    first, other = (packed(bot, "--cards", "3") for bot in ("program:match", "match"))
    assert first["method"] == "exact"
    assert first | {"bot": "match"} == other


def test_the_wrong_wire_is_guessed(lowest: str) -> None:
    """A bot that fails over JSON which it does not get is asked whether it speaks it."""
    problem = str(ran(lowest, "--cards", "3").exception)
    assert problem.endswith(f"(if it speaks JSON lines, name it json:{lowest})")


def test_what_is_too_large_is_estimated() -> None:
    """It is said why, and that a best reply wins as much or more."""
    lines = ran("easy", "--objective", "win", "--cards", "13", "--games", "60").stdout.splitlines()
    won = r"easy, 13 cards: a learned reply wins (\S+) games in a hundred more than it loses; .*"
    judged = (
        r"  learned from \d+ games, measured in others: \d+ games, 95 % interval (\S+) to (\S+)"
    )
    value, interval = re.fullmatch(won, lines[0]), re.fullmatch(judged, lines[1])
    assert value
    assert interval
    assert float(interval[1]) <= float(value[1]) <= float(interval[2])
    assert lines[2] == "  not exact: there are more than 250,000 positions to search"


def test_games_that_are_all_alike_have_an_interval() -> None:
    """One of no width would promise too much."""
    lines = ran("match", "--cards", "10", "--games", "1000").stdout.splitlines()
    assert "wins 35.00 points a game" in lines[0]
    judged = (
        r"  learned from 300 games, measured in others: 200 games, 95 % interval (\S+) to (\S+)"
    )
    found = re.fullmatch(judged, lines[1])
    assert found
    assert float(found[1]) < 35 < float(found[2])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nosuch", "unknown bot 'nosuch'"),
        (
            "match --option ties=carry",
            "ties=carry: the GOPS solver supports only ties=discard and ties=split",
        ),
        (
            "match --option cards=5 --cards 4",
            "set the number of cards with --cards instead of -o cards",
        ),
        ("match --option cards=4", "set the number of cards with --cards instead of -o cards"),
        ("false --games 20", "false: a match could not be finished: crashed"),
    ],
)
def test_what_cannot_be_is_refused(words: str, said: str) -> None:
    """Impossible arguments are refused in a line."""
    problem = ran(*words.split()).exception
    assert isinstance(problem, UserError)
    assert said in str(problem)


def test_ctrl_c_ends_it_quietly(tmp_path: Path) -> None:
    """In the middle of a search, while it shows how far it is, and without a traceback."""
    ours, its = pty.openpty()
    command = [ARENA, "gops", "exploit", "random", "--cards", "6"]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "TERM": "xterm"}
    with subprocess.Popen(command, stderr=its, env=environment) as process:
        os.close(its)
        shown = b""
        while b"6 cards" not in shown:
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=TIMEOUT) == 128 + signal.SIGINT
    try:
        while more := os.read(ours, 4096):
            shown += more
    except OSError:  # all was read: the other end is closed
        os.close(ours)
    assert b"Traceback" not in shown
