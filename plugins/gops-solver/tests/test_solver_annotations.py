"""Replays are explained by the solution, and it can be walked through page by page."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from arena import Annotation, Hint, InformationState, Insights, OneOf, UserError
from arena.host import play_match
from arena.plugins import get_plugins
from arena.records import Transcript, parse_lines
from arena.wires import Greeting
from arena_gops import Bids, Gops, Prize
from arena_gops.rules import Bid
from arena_gops_solver import TableSpec, solve
from arena_gops_solver.analysis import split_result
from arena_gops_solver.bots import NashWin
from arena_gops_solver.commentary import COST, COST_BY_PRIZE, COSTLY, HINTS, build_insights
from arena_gops_solver.explorer_page import build_page
from arena_gops_solver.recorded_matches import read_match
from arena_gops_solver.table_cache import find_finished_solution, get_table_path

GAME = get_plugins().find_game("gops")


@pytest.fixture(autouse=True)
def _nothing_solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def played(*bots: str, **options: object) -> Transcript:
    result = play_match("gops", bots or ("easy", "hard"), seed="3", options=options)
    assert result.transcript
    return result.transcript


def notes(transcript: Transcript) -> list[Annotation]:
    return get_plugins().list_annotations(GAME, transcript)


def test_each_round_says_what_can_be_expected_and_the_last_what_came() -> None:
    """The curve ends at the difference of the points; the lines are those that show bids."""
    transcript = played(cards=5)
    found = [note for note in notes(transcript) if note.figure is not None]
    shown = [
        line.number
        for line in transcript.lines
        if line.value.get("event", {}).get("tell") == "Bids"
    ]
    assert [note.line for note in found] == shown
    scores = [Fraction(score) for score in transcript.lines[-1].value["outcome"]["scores"]]
    assert found[-1].figure == scores[0] - scores[1]


def test_a_costly_bid_names_what_the_solution_bids() -> None:
    """A bot that bids its highest card for the lowest prize is told so, and the other is not."""
    transcript = parse_lines(
        line.replace('"easy"', '"liar"') for line in played(cards=5).text.splitlines()
    )
    marked = [note for note in notes(transcript) if note.seat is not None and note.text]
    assert marked
    for note in marked:
        assert " which costs " in note.text
        assert "the solution bids" in note.text
        assert note.query
        named = note.text.rpartition("bids ")[2].split()[0].rstrip(".")
        _, mine, _ = build_page(note.query).charts
        assert max(mine.bars, key=lambda bar: bar.share or 0).label == named
    assert {note.seat for note in marked} <= {0, 1}


def test_every_bid_leads_to_its_position() -> None:
    """As its seat saw it: the prize is turned up, and the hands are exchanged for the other."""
    transcript = played(cards=5)
    pages = [build_page(note.query) for note in notes(transcript) if note.query]
    assert len(pages) == 2 * 5
    for first, second in zip(pages[::2], pages[1::2], strict=True):
        hands = [
            [[bar.label for bar in chart.bars] for chart in page.charts] for page in (first, second)
        ]
        assert hands[0] == [hands[1][0], hands[1][2], hands[1][1]]
        assert any(bar.is_chosen for bar in first.charts[0].bars)


def test_every_bid_has_its_cost() -> None:
    """Both seats have one a round; those that cost much are also told, with the same figure."""
    costs = [note for note in notes(played(cards=5)) if note.cost]
    assert [note.seat for note in costs] == [0, 1] * 5
    assert any(note.cost.is_best for note in costs if note.cost)
    for note in costs:
        assert note.cost
        assert note.cost.amount >= 0
        assert note.cost.is_best == (f"{note.cost.amount:.2f}" == "0.00")
        assert bool(note.text) == (note.cost.amount >= COSTLY)
        assert f"{note.cost.amount:.1f} points" in note.text or not note.text


def test_every_bid_has_its_cost_in_chances_to_win() -> None:
    """They begin even, end with the result, and no bid makes it likelier to win."""
    transcript = played("easy", "hard", cards=5)
    first, last = both = [
        [note.cost.chances for note in notes(transcript) if note.cost and note.seat == seat]
        for seat in (0, 1)
    ]
    for mine, theirs in zip(first, last, strict=True):
        assert mine
        assert theirs
        assert mine.before + theirs.before == pytest.approx(1)
        assert min(mine.lost, theirs.lost) >= 0
    assert max(chances.lost for side in both for chances in side if chances) > 0.1
    scores = transcript.lines[-1].value["outcome"]["scores"]
    won = (1 + (scores[0] > scores[1]) - (scores[0] < scores[1])) / 2
    end = first[-1]
    assert end
    assert end.after == pytest.approx(won)


def test_of_a_large_game_the_chances_of_the_last_rounds_are_known() -> None:
    """Those of fewer rounds than what bids cost in points."""
    known = [note.cost.chances for note in notes(played()) if note.cost and note.seat == 0]
    assert None in known
    assert known[-1]
    assert [*map(bool, known)] == sorted(map(bool, known))


def test_of_a_large_game_the_last_rounds_are_explained() -> None:
    """Within a second, and it is said why the rest is not."""
    first, *rest = notes(played())
    assert first.line == 1
    judged = len([note for note in rest if note.figure is not None])
    assert first.text == (
        f"Rounds 1 to {13 - judged} of 13 are not judged: GOPS with 13 cards is not solved on this"
        " server."
    )
    assert first.query == {"cards": "13"}  # which leads to where it can be solved
    assert len([note for note in rest if note.query]) == 2 * judged


@pytest.mark.parametrize(
    "transcript",
    [
        pytest.param(lambda: played("easy", "hard", "medium", cards=5), id="three"),
        pytest.param(lambda: played(cards=5, ties="carry"), id="carried"),
        pytest.param(lambda: play_match("bs", ["liar", "honest"], seed="1").transcript, id="bs"),
    ],
)
def test_what_is_not_solved_has_no_notes(transcript: object) -> None:
    """Another variant, more players, another game."""
    assert callable(transcript)
    made = transcript()
    assert get_plugins().list_annotations(get_plugins().find_game(made.header.game), made) == []


FIRST = Prize(3)


def state(events: Sequence[Any], *, cards: int = 5, seat: int = 0) -> InformationState:
    bids = [event.cards[seat] for event in events if isinstance(event, Bids)]
    hand = tuple(card for card in range(1, cards + 1) if card not in bids)
    greeting = Greeting("gops", seat, 2, Gops(cards=cards), "seed")
    return InformationState(greeting, tuple(events), Bid(OneOf(hand)))


def hint(*events: Any, cards: int = 5, seat: int = 0) -> Hint:
    return HINTS.compute_hint(state(events, cards=cards, seat=seat))


def shares(found: Hint) -> dict[int, float]:
    return {hinted.answer: hinted.share for hinted in found.answers}


@pytest.mark.parametrize("seat", [0, 1])
def test_a_hint_gives_the_probabilities_of_the_bot_that_plays_the_solution(seat: int) -> None:
    """The solver's bot finds them in the table of the whole game, the hint in the rest of it."""
    events = (FIRST, Bids((4, 2)), Prize(5))
    found = shares(hint(*events, seat=seat))
    bot, known = NashWin(), state(events, seat=seat)
    bot.greet(known.greeting)
    for event in known.events:
        bot.hear(event)
    assert found == pytest.approx(bot.mix(known.question), abs=1e-9)
    assert sum(found.values()) == pytest.approx(1)


def test_a_hint_tells_both_seats_the_same_value_from_their_own_side() -> None:
    """One of both wins, and a tie counts half for each."""
    events = (FIRST, Bids((4, 2)), Prize(5))
    texts = [hint(*events, seat=seat).text for seat in (0, 1)]
    chances = [int(re.findall(r" to win of (\d+)\xa0%", text)[0]) for text in texts]
    assert sum(chances) == 100
    assert chances[0] != chances[1]


def test_a_hint_is_to_win_where_few_cards_are_left_and_that_is_open() -> None:
    """With more cards it is for points, and so it is where it is decided who wins."""
    begun = [event for at in range(1, 5) for event in (Prize(at), Bids((at, at)))]
    assert hint(*begun, Prize(13), cards=13).text.endswith(" on average.")
    later = [event for at in range(5, 8) for event in (Prize(at), Bids((at, at)))]
    assert " chance to win of " in hint(*begun, *later, Prize(13), cards=13).text
    lost = (Prize(5), Bids((1, 2)), Prize(4), Bids((2, 3)))
    assert hint(*lost, Prize(3)).text.endswith(" points behind on average.")


def test_a_game_that_is_solved_to_win_has_hints_to_win() -> None:
    """They are those of the bot that plays this solution, and say what they are for."""
    events = (FIRST, Bids((4, 2)), Prize(5))
    known = state(events)
    bot = NashWin()
    bot.greet(known.greeting)
    for event in known.events:
        bot.hear(event)
    found = hint(*events)
    assert shares(found) == pytest.approx(bot.mix(known.question), abs=1e-9)
    assert re.search(r" you have a chance to win of \d+\xa0%\.$", found.text)
    assert hint(FIRST).text.endswith("perfectly, you have a chance to win of 50\xa0%.")


def test_the_last_card_is_named_with_the_result() -> None:
    """Two cards were bid for 1 and 2; the last one is all that is left to bid."""
    found = hint(Prize(1), Bids((1, 2)), Prize(2), Bids((2, 1)), Prize(3), cards=3)
    assert shares(found) == {3: 1}
    assert found.text.startswith("A perfect player always bids 3: no card does better.")
    assert found.text.endswith("you end 1.0 points ahead on average.")
    assert [bid.text for bid in found.answers] == ["1.0 points ahead"]


def test_the_first_card_of_a_large_game_needs_its_solution() -> None:
    """It says when hints begin, and to the host alone how to have them from the start."""
    with pytest.raises(UserError, match=r"hints begin when .* \d+ cards .* --cards 13") as refusal:
        hint(FIRST, cards=13)
    assert re.fullmatch(r"hints begin when each player has \d+ cards left", refusal.value.message)


@pytest.mark.parametrize(
    ("variant", "seats"), [(Gops(cards=5, ties="carry"), 2), (Gops(cards=5), 3)]
)
def test_a_variant_without_a_solution_has_no_hints(variant: Gops, seats: int) -> None:
    """So that a page shows no button for them."""
    with pytest.raises(UserError):
        HINTS.check_support(variant, seats)


def test_the_plugin_brings_the_hints() -> None:
    """They are found by the name of the game, and come before those of bots."""
    assert get_plugins().list_hint_sources("gops")[0] == HINTS
    assert HINTS not in get_plugins().list_hint_sources("bs")


Lines = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def solve_into_cache(cards: int) -> Insights:
    """Solve a game, and return what is observed with it."""
    path = get_table_path(TableSpec(cards, "points"))
    path.parent.mkdir(parents=True, exist_ok=True)
    solve(TableSpec(cards, "points"), path)
    (part,) = build_insights()
    return part


def build_lines(*rounds: tuple[int, tuple[int, ...]], fallback: int = -1, **variant: Any) -> Lines:
    """Return a transcript in which these prizes were bid for; one seat has the fallback bot."""
    seats = len(rounds[0][1])
    lines: Lines = [{"variant": {"cards": len(rounds), **variant}, "seats": [{}] * seats}]
    for prize, bids in rounds:
        lines.append({"to": None, "event": {"tell": "Prize", "card": prize}})
        lines += [
            {"from": seat, "answer": bid, "fallback": seat == fallback}
            for seat, bid in enumerate(bids)
        ]
        lines.append({"to": None, "event": {"tell": "Bids", "cards": [*bids]}})
    return lines


def observe(part: Insights, lines: Lines) -> list[tuple[Any, ...]]:
    seen = [*part.observe(lines)]
    by_prize: list[tuple[Any, ...]] = [
        (found.seat, found.value, found.x) for found in seen if found.key == COST_BY_PRIZE
    ]
    assert [found[:2] for found in by_prize] == [
        (found.seat, found.value) for found in seen if found.key == COST
    ]
    return by_prize


def test_a_match_of_two_cards_has_known_costs() -> None:
    """To bid the 1 for the prize of 2 gives away 2 points and wins the other prize back."""
    part = solve_into_cache(2)
    assert observe(part, build_lines((2, (1, 2)), (1, (2, 1)))) == [
        (0, pytest.approx(1), 2), (1, 0, 2), (0, 0, 1), (1, 0, 1),
    ]  # fmt: skip
    assert observe(part, build_lines((1, (1, 2)), (2, (2, 1)))) == [
        (0, 0, 1), (1, pytest.approx(1), 1), (0, 0, 2), (1, 0, 2),
    ]  # fmt: skip


def test_costs_are_those_of_the_analysis() -> None:
    """They are the losses by which a replay explains a match, with a table of more cards, too."""
    part = solve_into_cache(6)
    transcript = play_match("gops", ["easy", "hard"], seed="3", options={"cards": 5}).transcript
    assert transcript
    match, solved = read_match(transcript, "", ""), find_finished_solution("points", 5)
    assert match
    assert solved
    expected = [
        (seat, pytest.approx(max(0, float(step.losses[seat])), abs=1e-9), step.round.prize)
        for step in split_result(solved, match)
        for seat in (0, 1)
    ]
    lines = [*map(json.loads, transcript.text.splitlines())]
    assert observe(part, lines) == expected
    assert any(cost > 0.1 for _, cost, _ in observe(part, lines))


def test_what_the_fallback_bot_bids_is_not_observed() -> None:
    """The game goes on from its bids."""
    part = solve_into_cache(2)
    found = observe(part, build_lines((2, (1, 2)), (1, (2, 1)), fallback=0))
    assert found == [(1, 0, 2), (1, 0, 1)]


@pytest.mark.parametrize(
    "lines",
    [
        build_lines((2, (1, 2, 2)), (1, (2, 1, 1))),
        build_lines((3, (1, 2)), (1, (2, 1)), (2, (3, 3))),
        build_lines((2, (1, 2)), (1, (2, 1)), ties="carry"),
        build_lines((2, (1, 2)), (1, (2, 1)), prizes="descending"),
    ],
    ids=["three players", "more cards", "ties carry", "ordered prizes"],
)
def test_nothing_is_observed_of_what_is_not_solved(lines: Lines) -> None:
    """The other statistics of such a match are observed as ever."""
    assert observe(solve_into_cache(2), lines) == []


def test_there_is_nothing_to_observe_without_a_solved_game() -> None:
    """Once one is solved, or a larger one, matches are observed anew."""
    assert build_insights() == []
    assert len(get_plugins().list_insights("gops")) == 2
    small, large = solve_into_cache(2), solve_into_cache(3)
    assert small.version != large.version
    assert len(get_plugins().list_insights("gops")) == 3
