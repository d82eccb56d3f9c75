"""A result is the sum of its parts: prizes, losses, and how the bids met."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import inf, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from click.testing import CliRunner

from arena import Greeting, OneOf, UserError
from arena.cli.match import match as match_command
from arena.plugins import get_plugins
from arena.records import read_transcript
from arena_gops import Bid, Bids, Gops, Prize
from arena_gops_solver import SolvedGame, SolverPosition, TableSpec, solve
from arena_gops_solver.analysis import (
    AnalysisResults,
    Asked,
    BidProbabilitySource,
    EndgameSolver,
    LuckEstimate,
    MatchAccount,
    MeanEstimate,
    StatedBids,
    WholeGameSolution,
    compute_bot_results,
    compute_pair_results,
    split_result,
)
from arena_gops_solver.recorded_matches import (
    MatchCollection,
    RecordedMatch,
    RecordedRound,
    find_transcripts,
    read_match,
)
from arena_gops_solver.solver import choose_subgame_size, count_games, solve_from
from arena_gops_solver.strategy_extraction import BotPolicy
from tests.support.gops_analyses import parse_rows, record_matches, run_analysis

Solve = Callable[..., SolvedGame]
CARDS = 7
DEAD = f"{sys.executable} -c pass"  # a program that ends at once


def played(folder: Path, words: str, games: int = 1) -> Path:
    folder.mkdir()
    words = f"{words} --games {games} --seed 7 --json --transcript {folder}"
    done = CliRunner().invoke(match_command, shlex.split(words), catch_exceptions=False)
    assert done.stdout.count("\n") == games
    return folder


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> list[RecordedMatch]:
    folder = tmp_path_factory.mktemp("matches")
    pairs = ("hard planner", "medium hard-patterned", "random match", "easy ordered -o ties=split")
    names = [played(folder / str(at), f"gops {pair} -o cards={CARDS}", 10)
             for at, pair in enumerate(pairs)]  # fmt: skip
    return MatchCollection.of(find_transcripts(map(str, names))).matches


@pytest.mark.parametrize("objective", ["points", "win"])
def test_many_matches_add_up(solved: Solve, matches: list[RecordedMatch], objective: str) -> None:
    """From 0 each round leads exactly to the next, and the last one to the result."""
    assert len(matches) == 40
    for match in matches:
        steps = split_result(solved(CARDS, objective), match)
        ahead = match.difference
        assert steps[0].before == 0
        assert [step.after for step in steps[:-1]] == [step.before for step in steps[1:]]
        assert steps[-1].after == (ahead if objective == "points" else (ahead > 0) - (ahead < 0))
        parts = [(step.prize_luck, -step.losses[0], step.losses[1], step.meeting) for step in steps]
        assert sum(sum(part) for part in parts) == steps[-1].after


@pytest.mark.parametrize("objective", ["points", "win"])
def test_no_bid_gains_against_the_solution(
    solved: Solve, matches: list[RecordedMatch], objective: str
) -> None:
    """Losses are 0 or more, except for rounding, and some are not 0."""
    steps = [step for match in matches for step in split_result(solved(CARDS, objective), match)]
    losses = [float(loss) for step in steps for loss in step.losses]
    assert min(losses) > -1e-9
    assert max(losses) > 0.5


@pytest.mark.parametrize("objective", ["points", "win"])
def test_the_stage_holds_what_comes_after(
    solved: Solve, matches: list[RecordedMatch], objective: str
) -> None:
    """Where the bids meet in the matrix is the value after the round, with what they bring."""
    for match in matches:
        for step in split_result(solved(CARDS, objective), match):
            so_far = step.round.place.difference if objective == "points" else 0
            assert so_far + step.stage[step.round.cell] == pytest.approx(float(step.after))


def test_a_match_worked_out_by_hand(solved: Solve) -> None:
    """With 1 and 2 left each, to bid 1 for the prize of 2 costs the 1 point that follows."""
    match = RecordedMatch("here", "", ("a", "b"), ("a", "b"), Gops(2), (2, 1), ((1, 2), (2, 1)))
    first, last = split_result(solved(2), match)
    assert [*first.losses, first.prize_luck, first.meeting] == [1, 0, 0, 0]
    assert [first.before, first.after] == [0, -1]
    assert [*last.losses, last.after] == [0, 0, match.difference]


def test_losses_are_exact_fractions(solved: Solve, matches: list[RecordedMatch]) -> None:
    """Nothing is rounded on the way: every part is a fraction."""
    step = split_result(solved(CARDS), matches[0])[0]
    parts = [step.before, step.prize_luck, *step.losses, step.meeting, step.after]
    assert all(isinstance(part, Fraction) for part in parts)


def test_a_forfeited_match_has_no_result(tmp_path: Path) -> None:
    """Where a program has failed there is nothing to explain."""
    file = next(played(tmp_path / "dead", f"gops easy '{DEAD}'").iterdir())
    assert read_match(read_transcript(file), str(file), "") is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("kuhn random careful", "a match of kuhn; only matches of gops can be explained"),
        ("gops easy hard medium", "the GOPS solver supports 2 players, not 3"),
        (
            "gops easy hard -o ties=carry",
            "ties=carry: the GOPS solver supports only ties=discard and ties=split",
        ),
        ("gops easy hard -o prizes=ascending", "the GOPS solver supports only shuffled prizes"),
    ],
)
def test_what_is_not_solved_is_refused(tmp_path: Path, words: str, why: str) -> None:
    """The line names the file and what is solved."""
    file = next(played(tmp_path / "other", words).iterdir())
    with pytest.raises(UserError, match=why) as refused:
        read_match(read_transcript(file), str(file), "")
    assert str(refused.value).startswith(f"{file}: ")


def test_a_changed_transcript_is_refused(tmp_path: Path) -> None:
    """A bid that is not in the hand differs from the rules; the line is named."""
    file = next(played(tmp_path / "one", "gops easy hard -o cards=4").iterdir())
    text = file.read_text().replace('"answer":', '"answer":9', 1)
    file.write_text(text)
    with pytest.raises(UserError, match=r"jsonl: line \d+: the rules do not allow the answer"):
        read_match(read_transcript(file), str(file), "")


pytestmark = pytest.mark.usefixtures("apart")
REACHED = {"points": 9, "win": 7}  # cards left: less than within seconds, and as deep for a test


@pytest.fixture
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    most = {objective: count_games(cards) for objective, cards in REACHED.items()}
    monkeypatch.setattr("arena_gops_solver.solver.MOST_GAMES", most)


@pytest.mark.parametrize("objective", ["points", "win"])
def test_each_round_is_explained_as_by_the_whole_table(objective: str, tmp_path: Path) -> None:
    """From whichever round on it is solved: all values and stages are those of the table."""
    table = SolvedGame(solve(TableSpec(7, objective), tmp_path / "7.table"))
    found = MatchCollection.of(
        find_transcripts([str(record_matches(tmp_path / "some", "hard easy -o cards=7", 4))])
    )
    for match in found.matches:
        for first, round_ in enumerate(match.rounds):
            gone = sum(match.prizes[:first])
            late = split_result(solve_from(round_.place, objective, gone), match, first)
            for whole, part in zip(split_result(table, match, first), late, strict=True):
                assert part.before == pytest.approx(whole.before, abs=1e-9)
                assert np.allclose(part.stage, whole.stage, rtol=0, atol=1e-9)


@pytest.mark.usefixtures("_hurried")
def test_the_last_rounds_of_a_large_game_are_explained(tmp_path: Path) -> None:
    """By both objectives; the rest is one number, and it is said how to get all rounds."""
    folder = record_matches(tmp_path / "large", "easy hard")
    match, last = parse_rows(folder)
    for by, number in REACHED.items():
        assert [by in round_ for round_ in match["rounds"]] == [False] * (13 - number) + [
            True
        ] * number
        some = match[by]
        total = some["left_out"] + some["prize_luck"] + some["meeting"]
        assert total - some["losses"][0] + some["losses"][1] == pytest.approx(some["result"])
        assert some["left_out"] == match["rounds"][13 - number][by]["before"]
        assert {blunder["round"] for blunder in last["summary"][by]["worst"]} <= {
            *range(14 - number, 14)
        }
    done = run_analysis(folder)
    assert "only the last 9 rounds (points)" in done.stderr
    assert "arena gops solve --cards 13" in done.stderr
    words = " ".join(done.stdout.split())
    assert "from round 5 on" in words
    assert "(expected after round 6)" in words
    assert "arena gops explore" not in done.stdout  # which would need the table


@pytest.mark.usefixtures("_hurried")
def test_several_matches_add_up(tmp_path: Path) -> None:
    """What the rounds that are left out have brought has a column of its own."""
    folder = record_matches(tmp_path / "some", "easy hard", 3)
    assert "left out" in run_analysis(folder, "--objective", "points").stdout
    for bot in parse_rows(folder, "--objective", "points")[-1]["summary"]["points"]["bots"]:
        parts = bot["left_out"] + bot["prize_luck"] + bot["lost_by_others"] + bot["meeting"]
        assert parts - sum(bot["lost_by_third"]) == pytest.approx(bot["result"]["mean"])


def test_a_place_that_was_not_reached_is_refused() -> None:
    """A card that was played before is none of the game from there on."""
    game = solve_from(SolverPosition([1, 5], [2, 3], [4, 6]), "points", 11)
    with pytest.raises(UserError, match="mine: 1 4 are not different cards of 1 5"):
        game.compute_value(SolverPosition([1, 4], [2, 3], [4, 6]))


def test_more_matches_are_solved_less_deep() -> None:
    """All of them together take no longer than one may; the last round is always explained."""
    assert count_games(2) == 10
    assert (choose_subgame_size("points", 1), choose_subgame_size("win", 1)) == (11, 9)
    for objective in ("points", "win"):
        depths = [
            EndgameSolver.of(objective, number).rounds for number in (1, 10, 100, 10**6, 10**12)
        ]
        assert depths == sorted(depths, reverse=True)
        assert depths[-1] == 1
        assert 100 * count_games(choose_subgame_size(objective, 100)) <= count_games(depths[0] + 1)


Pair = tuple[str, str]
Policies = tuple[BotPolicy, BotPolicy]
PAIRS = [("easy", "medium"), ("hard-patterned", "random"), ("medium", "planner")]
WHO: list[Asked] = [(False, False), (True, False), (False, True), (True, True)]
FEW, MORE = 3, 5  # cards
heard, answers = cache(BotPolicy.hear), cache(BotPolicy.list_answers)  # the same again and again


def panel() -> BidProbabilitySource:
    return BidProbabilitySource(get_plugins().find_game("gops"))


def policies(bots: Pair, cards: int) -> Policies:
    """Return what both have in policy before the first prize."""
    kinds = get_plugins().find_game("gops").bots
    first, second = (
        BotPolicy.greet(kinds[bot], Greeting("gops", seat, 2, Gops(cards), ""))
        for seat, bot in enumerate(bots)
    )
    return first, second


def rounds(
    both: Policies, place: SolverPosition, prize: int
) -> Iterator[tuple[float, RecordedRound, Policies]]:
    """Return all that may be bid for a prize: how likely, the round, and both policies then."""
    hands = place.mine, place.theirs
    ways = [
        answers(heard(policy, Prize(prize)), Bid(OneOf(hand))).items()
        for policy, hand in zip(both, hands, strict=True)
    ]
    for (a, (chance, mine)), (b, (other, theirs)) in product(*ways):
        after = heard(mine, Bids((a, b))), heard(theirs, Bids((a, b)))
        yield chance * other, RecordedRound(place, prize, (a, b)), after


def every_match(bots: Pair) -> Iterator[tuple[float, RecordedMatch]]:
    """Return every match that two bots may play with few cards, and how likely it is."""
    suit = Gops(FEW).suit

    def on(
        both: Policies, place: SolverPosition, order: tuple[int, ...]
    ) -> Iterator[tuple[float, Any]]:
        if not order:
            yield 1.0, ()
            return
        for chance, round_, after in rounds(both, place, order[0]):
            for rest, later in on(after, round_.after, order[1:]):
                yield chance * rest, (round_.bids, *later)

    orders = [*permutations(suit)]
    for order in orders:
        for chance, bids in on(policies(bots, FEW), SolverPosition(suit, suit, suit), order):
            match = RecordedMatch("", str(order), bots, bots, Gops(FEW), order, bids)
            yield chance / len(orders), match


def accounts(solved: SolvedGame, bots: Pair) -> list[tuple[float, MatchAccount]]:
    asked = panel()
    return [
        (chance, MatchAccount.of(match, split_result(solved, match), asked.list_mixes(match)))
        for chance, match in every_match(bots)
    ]


def moments(values: list[tuple[float, float]]) -> tuple[float, float]:
    mean = sum(chance * value for chance, value in values)
    return mean, sum(chance * (value - mean) ** 2 for chance, value in values)


@pytest.mark.each("bots", "objective")
@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("bots", PAIRS)
def test_the_correction_has_no_bias(solved: Solve, bots: Pair, objective: str) -> None:
    """Over all matches the corrected mean is the mean, whoever is asked, and with both it varies less."""
    every = accounts(solved(FEW, objective), bots)
    assert sum(chance for chance, _ in every) == pytest.approx(1, abs=1e-12)
    mean, raw = moments([(chance, account.result) for chance, account in every])
    for asked in WHO:
        corrected, left = moments(
            [(chance, account.correct_for_luck(asked)) for chance, account in every]
        )
        assert corrected == pytest.approx(mean, abs=1e-12)
    assert left < raw * 0.9


@pytest.mark.parametrize("bots", PAIRS[:1])
def test_the_solution_in_place_of_the_bots_has_a_bias(solved: Solve, bots: Pair) -> None:
    """What bots draw from cannot be left out: the solution's own probabilities will not do."""

    def wrong(match: RecordedMatch) -> float:
        steps = split_result(solved(FEW), match)
        mine, theirs = ([_solution(step, seat) for step in steps] for seat in (0, 1))
        luck = LuckEstimate.of(steps, (mine, theirs))
        return match.difference - luck.prizes - luck.bids[True, True]

    every = [*every_match(bots)]
    mean, _ = moments([(chance, match.difference) for chance, match in every])
    biased, _ = moments([(chance, wrong(match)) for chance, match in every])
    assert abs(biased - mean) > 0.05


def _solution(step: Any, seat: int) -> Mapping[int, float]:
    weights = (step.solution.weights, step.solution.theirs)[seat]
    return dict(zip(step.round.hands[seat], weights, strict=True))


def mean_of(bots: Pair, cards: int) -> float:
    """Return the expected difference of points, by all that both may do."""

    @cache
    def mean(both: Policies, place: SolverPosition) -> float:
        if not place.prizes:
            return place.difference
        ways = [way for prize in place.prizes for way in rounds(both, place, prize)]
        total = sum(chance * mean(after, round_.after) for chance, round_, after in ways)
        return total / len(place.prizes)

    suit = Gops(cards).suit
    return mean(policies(bots, cards), SolverPosition(suit, suit, suit))


def hosted(folder: Path, words: str, games: int) -> MatchCollection:
    words = f"gops {words} --games {games} --seed 11 --transcript {folder} --json"
    CliRunner().invoke(match_command, words.split(), catch_exceptions=False)
    return MatchCollection.of(find_transcripts([str(folder)]))


def analysed(
    solved: SolvedGame, gathered: MatchCollection
) -> tuple[AnalysisResults, BidProbabilitySource]:
    found, asked = AnalysisResults(WholeGameSolution(solved), 5), panel()
    for match in gathered.matches:
        found.add(match, asked.list_mixes(match))
    return found, asked


def test_matches_that_were_played(solved: Solve, tmp_path: Path) -> None:
    """In 120 games the exact mean is in the corrected interval, which is the shorter one."""
    gathered = hosted(tmp_path, "random easy -o cards=4", 120)
    found, asked = analysed(solved(4), gathered)
    pair = compute_pair_results(found.accounts, asked)[0]
    exact = mean_of(("easy", "random"), 4)
    assert (pair.names, pair.games, pair.deals) == (("easy", "random"), 120, 60)
    assert pair.corrected.low < exact < pair.corrected.high
    assert pair.share_of_games is not None
    assert pair.share_of_games < 0.8


def test_bots_of_a_pair_mirror_each_other(solved: Solve, tmp_path: Path) -> None:
    """What one wins the other loses, corrected or not; a bot's result is what it is made of."""
    found, asked = analysed(solved(MORE), hosted(tmp_path, f"hard easy -o cards={MORE}", 20))
    first, other = compute_bot_results(found.accounts, asked)
    assert first.result.mean == -other.result.mean
    assert first.corrected.mean == pytest.approx(-other.corrected.mean)
    assert first.corrected.low == pytest.approx(-other.corrected.high)
    made = found.compute_shares(first.names[0], asked)
    parts = made.prize_luck - sum(made.losses) + made.lost_by_others + made.meeting
    assert parts == pytest.approx(first.result.mean)
    luck = first.result.mean - first.corrected.mean
    assert made.prize_luck + made.bids_luck == pytest.approx(luck)
    assert made.guessing == pytest.approx(made.meeting - made.bids_luck)


def test_one_of_the_bundled_is_asked_even_as_a_program(tmp_path: Path) -> None:
    """A process of its own changes nothing in how a bot draws its bids."""
    gathered = hosted(tmp_path, f"program:easy program:match -o cards={MORE}", 1)
    asked = panel()
    assert all(all(asked.list_mixes(match)) for match in gathered.matches)
    assert asked.unasked == {}


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("./mine", "not one of the bundled bots"),
        ("json:./easy", "not one of the bundled bots"),
        ("easy:x=1", "bot easy:x=1: unknown parameter 'x' (available: none)"),
    ],
)
def test_who_is_a_stranger_is_not_asked(bot: str, why: str) -> None:
    """The reason is kept, and no program is started to find one."""
    bids = ((1, 2), (2, 1))
    match = RecordedMatch("here", "", ("a", "b"), (bot, "random"), Gops(2), (2, 1), bids)
    asked = panel()
    assert asked.list_mixes(match) == (None, [{1: 0.5, 2: 0.5}, {1: 1.0}])
    assert asked.unasked == {bot: why}
    assert asked.list_askable(match) == (False, True)


@pytest.mark.parametrize("bot", ["nash", "program:nash", "nash-win"])
def test_no_file_is_opened_that_a_transcript_names(tmp_path: Path, bot: str) -> None:
    """It might be a pipe, to wait at for ever: not even that there is none is found out."""
    named = f"{bot}:table={tmp_path / 'none'}"
    match = RecordedMatch(
        "here", "", ("a", "b"), (named, "random"), Gops(2), (2, 1), ((1, 2), (2, 1))
    )
    asked = panel()
    assert asked.list_mixes(match)[0] is None
    why = "its parameter table is not a number, and might name a file to open"
    assert asked.unasked == {named: why}


def test_a_number_names_no_file() -> None:
    """A bot with a number for a parameter is asked, such as one that begins with this card."""
    bids = ((2, 2), (1, 1))
    match = RecordedMatch("here", "", ("a", "b"), ("ordered:start=2",) * 2, Gops(2), (2, 1), bids)
    assert panel().list_mixes(match) == ([{2: 1.0}, {1: 1.0}],) * 2


def test_a_bot_that_would_have_bid_otherwise_is_not_asked(solved: Solve) -> None:
    """One bid that it never makes, and none of its matches is corrected for its bids."""
    bids = ((1, 2), (2, 1))
    match = RecordedMatch("here", "", ("a", "b"), ("match", "easy"), Gops(2), (2, 1), bids)
    found, asked = analysed(solved(2), MatchCollection([match]))
    why = "it may be another version, or draw from more than its own `random`"
    assert asked.unasked == {"match": f"in here it bid 1, which it never does there: {why}"}
    assert [*found.accounts[0].luck.bids] == [(False, False), (False, True)]
    assert isnan(found.compute_shares("a", asked).bids_luck)
    assert isnan(found.compute_shares("b", asked).bids_luck)


@pytest.mark.each("bots", "objective")
@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("bots", PAIRS)
def test_who_bids_as_it_says_is_not_doubted(solved: Solve, bots: Pair, objective: str) -> None:
    """One match in a thousand at most would bring a doubt, of all that there can be."""
    asked, doubted = panel(), 0.0
    for chance, match in every_match(bots):
        found = AnalysisResults(WholeGameSolution(solved(FEW, objective)), 0)
        found.add(match, asked.list_mixes(match))
        doubted += chance * bool(found.find_doubtful_bots(asked))
    assert doubted < 1e-3


def test_who_bids_otherwise_than_it_says_is_doubted(solved: Solve, tmp_path: Path) -> None:
    """A bot that played as another one is found out, in either seat, and nobody else."""
    matches = hosted(tmp_path, "match medium -o cards=4", 300).matches
    for seat, bots in enumerate((("random", "medium"), ("medium", "random"))):
        there = [match for match in matches if match.bots[seat] == "match"]
        liars = [evolve(match, bots=bots) for match in there]
        assert analysed(solved(4), MatchCollection(liars))[0].find_doubtful_bots(panel()) == [
            "random"
        ]
        assert analysed(solved(4), MatchCollection(there))[0].find_doubtful_bots(panel()) == []


def test_a_few_bids_bring_no_doubt() -> None:
    """The same luck in each bid is nothing in a few of them, and no chance in many."""
    assert not StatedBids(luck=1.0, variance=0.1, largest=1.0).doubtful
    assert not StatedBids(luck=40.0, variance=100.0, largest=1.0).doubtful
    assert StatedBids(luck=-44.0, variance=100.0, largest=1.0).doubtful


def test_how_many_games_would_tell(solved: Solve, tmp_path: Path) -> None:
    """With as many the interval would end at 0; nothing tells of equals."""
    found, asked = analysed(solved(MORE), hosted(tmp_path, f"hard easy -o cards={MORE}", 20))
    pair = compute_pair_results(found.accounts, asked)[0]
    shrunk = pair.corrected.away * (pair.games / pair.telling) ** 0.5
    assert shrunk == pytest.approx(abs(pair.corrected.mean))
    assert evolve(pair, corrected=MeanEstimate(0.0, -1.0, 1.0)).telling == inf
