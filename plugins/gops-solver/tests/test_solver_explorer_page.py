"""The pages of the solved game: three rows of cards, each of which leads on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from arena import ChoiceShare, ExplorerPage, UserError
from arena_gops_solver.explorer_page import PURPOSES, build_page

LATE = {
    "mine": "2 5 7 9 10 j q k",
    "theirs": "A,3,4,8,9,10,J,K",
    "prizes": "1 2 5 7 8 9 12 13",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def find_card(page: ExplorerPage, row: int, label: str) -> ChoiceShare:
    return next(bar for bar in page.charts[row].bars if bar.label == label)


def follow(page: ExplorerPage, row: int, label: str) -> ExplorerPage:
    bar = find_card(page, row, label)
    assert bar.query
    return build_page(bar.query)


def find_objective(page: ExplorerPage, label: str) -> Mapping[str, str]:
    (query,) = [option.query for option in page.options[0].bars if option.label == label]
    assert query
    return query


def list_labels(page: ExplorerPage) -> list[str]:
    return [" ".join(bar.label for bar in chart.bars) for chart in page.charts]


def test_a_walk_leads_from_the_deal_to_the_end() -> None:
    """A prize, then both bids in either order, until the prizes are gone."""
    page = build_page({"cards": "3"})
    assert (
        page.words[0] == "The score is level. If both play optimally, you can expect to end level."
    )
    page = follow(page, 0, "2")
    assert page.words[1] == "The prize is the 2: choose both bids."
    for side in page.charts[1:]:
        assert sum(bar.share or 0 for bar in side.bars) == pytest.approx(1)
    page = follow(page, 1, "3")
    assert page.words[1] == "You bid the 3 for the 2: choose their bid."
    page = follow(page, 2, "A")
    assert list_labels(page) == ["A 3", "A 2", "2 3"]
    assert page.words[0].startswith("You are 2 points ahead. ")
    page = follow(follow(page, 0, "3"), 2, "3")
    assert page.words[1] == "They bid the 3 for the 3: choose your bid."
    page = follow(page, 1, "2")
    assert page.words[0].startswith("You are 1 point behind. ")
    page = follow(follow(follow(page, 0, "A"), 2, "2"), 1, "A")
    assert page.words == ("The game is over. You are 2 points behind.",)
    assert not page.charts


def test_the_rounds_of_a_walk_lead_back() -> None:
    """Each is told, and its link shows the hands, the prize and the score as they were."""
    first = follow(build_page({"cards": "4"}), 0, "4")
    second = follow(follow(follow(follow(first, 1, "A"), 2, "A"), 0, "2"), 1, "4")
    page = follow(second, 2, "2")
    assert [(step.label, step.text) for step in page.path] == [
        ("Round 1", "for the 4 you bid the ace, they the ace: a tie"),
        ("Round 2", "for the 2 you bid the 4, they the 2: yours"),
    ]
    queries = [step.query or {} for step in page.path]
    assert build_page(queries[0]) == first
    back = build_page(queries[1])
    assert list_labels(back) == ["A 2 3", "2 3 4", "2 3 4"]
    assert [step.text for step in back.path] == [page.path[0].text]
    assert back.words[0].startswith("The score is level. ")
    other = build_page(page.steps["the other player's side"])
    assert other.path[1].text == "for the 2 you bid the 2, they the 4: theirs"
    assert [chart.title for chart in page.options] == ["Both play for"]
    assert not page.missing


def test_cards_are_drawn_in_the_suits_of_a_table() -> None:
    """Prizes are diamonds, your hand is clubs and theirs spades; there is no fourteenth card."""
    page = build_page({"mine": "1 13", "theirs": "10 14", "prizes": "11 12"})
    cards = [[bar.card for bar in chart.bars] for chart in page.charts]
    assert cards == [["JD", "QD"], ["AC", "KC"], ["10S", ""]]


def test_a_bid_shows_what_each_reply_brings() -> None:
    """Before one is chosen, bids of the solution bring the value; then the matrix is read."""
    page = build_page({"mine": "1 3", "theirs": "2 4", "prizes": "2 3", "prize": "3", "bid": "1"})
    assert find_card(page, 1, "A").is_chosen
    assert [bar.text for bar in page.charts[2].bars] == ["+5.00", "+1.00"]
    assert "what it brings them against the ace" in page.charts[2].note


def test_another_prize_may_be_turned_up_instead() -> None:
    """The one that is turned up is marked; each other leads to the same hands."""
    page = follow(build_page({"cards": "4"}), 0, "4")
    assert [bar.label for bar in page.charts[0].bars if bar.is_chosen] == ["4"]
    other = follow(page, 0, "2")
    assert [bar.label for bar in other.charts[0].bars if bar.is_chosen] == ["2"]
    assert list_labels(other) == list_labels(page)


def test_cards_are_read_as_people_write_them() -> None:
    """Faces, numbers, blanks and commas; the fields show faces, and lead to the same page."""
    page = build_page({**LATE, "prize": "q", "difference": "-4"})
    assert list_labels(page) == ["A 2 5 7 8 9 Q K", "2 5 7 9 10 J Q K", "A 3 4 8 9 10 J K"]
    assert page.words[0].startswith("You are 4 points behind. ")
    assert "The prize is the queen" in page.words[1]
    fields = {field.name: field.value for field in page.fields}
    assert (fields["prize"], fields["mine"]) == ("Q", "2 5 7 9 10 J Q K")
    assert build_page(fields) == page


def test_the_end_of_a_large_game_needs_no_table() -> None:
    """It is computed, for points and, with few cards, to win; both sides see the opposite."""
    page = build_page({**LATE, "prize": "q"})
    other = build_page(page.steps["the other player's side"])
    lead, deficit = (seen.words[0].split("to end ")[1] for seen in (page, other))
    assert deficit == lead.replace("ahead", "behind")
    won = build_page(find_objective(page, "the chance to win"))
    assert won.words[0].endswith("more wins than losses in 100 games.")


def test_who_plays_to_win_sees_games_in_a_hundred() -> None:
    """All links but one stay with the objective, which is a choice of the form, too."""
    page = build_page({"cards": "5", "prize": "5", "objective": "win"})
    assert page.words[0].endswith("you can expect as many wins as losses.")
    shares = {bar.label: bar.share for bar in page.charts[1].bars}
    assert shares == pytest.approx(
        {"A": 0.144423, "2": 0.015354, "3": 0, "4": 0, "5": 0.840223}, abs=1e-6
    )
    queries = [bar.query or {} for chart in page.charts for bar in chart.bars]
    assert {query["objective"] for query in queries} == {"win"}
    assert find_objective(page, "the most points")["objective"] == "points"
    assert [option.is_chosen for option in page.options[0].bars] == [False, True]
    (objective,) = [field for field in page.fields if field.choices]
    assert (objective.value, objective.choices) == ("win", PURPOSES)


def test_both_make_their_likeliest_bid() -> None:
    """For the highest prize of four that is the highest card."""
    page = build_page({"cards": "4", "prize": "4"})
    assert list_labels(build_page(page.steps["both make their likeliest bid"])) == ["A 2 3"] * 3


def test_the_first_page_names_games_that_can_be_shown() -> None:
    """Each opens; for the whole suit it says which command solves it, and how long that takes."""
    page = build_page({})
    _, sizes = page.options
    assert [bar.label for bar in sizes.bars if bar.query] == [*map(str, range(3, 11))]
    assert [bar.label for bar in sizes.bars if not bar.query] == ["13"]
    assert [bar.label for bar in sizes.bars if bar.is_chosen] == ["6"]
    largest = next(bar.query for bar in sizes.bars if bar.label == "10")
    assert list_labels(build_page(largest or {}))[0].endswith("9 10")
    assert "30 seconds" in page.missing[0].note


def test_the_first_page_shows_a_draw_among_cards() -> None:
    """A prize is up, for which optimal players bid one of several cards, and not all are as good."""
    page = build_page({})
    shares = [bar.share or 0 for bar in page.charts[1].bars]
    assert sum(share > 0.05 for share in shares) >= 3
    assert len({bar.text for bar in page.charts[1].bars}) > 1
    assert [bar.label for bar in page.charts[0].bars if bar.is_chosen] == ["5"]


def test_an_objective_that_is_not_solved_says_its_command() -> None:
    """It is there to see, leads nowhere, and the command stands at the end."""
    page = build_page({**LATE, "mine": "1 2 5 7 9 10 11 12 13", "theirs": "1 2 3 4 8 9 10 11 13",
                       "prizes": "1 2 5 7 8 9 11 12 13"})  # fmt: skip
    (objectives,) = page.options
    assert [option.query is None for option in objectives.bars] == [False, True]
    assert "GOPS with 13 cards (win) is not solved yet" in page.missing[0].note


def test_a_position_that_is_not_solved_yet_is_what_can_be_solved_first() -> None:
    """The page has no cards, but all that leads elsewhere; the game that was asked for is named."""
    page = build_page({"cards": "11", "objective": "win"})
    assert not page.charts
    assert page.words == ("This position can be shown once the game is solved.",)
    assert "GOPS with 11 cards (win) is not solved yet" in page.missing[0].note
    assert page.missing[0].query["objective"] == "win"
    assert [bar.query is None for bar in page.options[0].bars] == [True, True]
    assert page.fields[0].value.endswith(" 10 J")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"cards": "21"}, "cards: 21 is not between 1 and 15"),
        ({"cards": "x" * 1000}, "is not a number"),
        ({"mine": "1 2", "theirs": "1", "prizes": "1 2"}, "2"),
        ({"mine": "1 2 x"}, "mine: 'X' is not a card: 1 to 15, A, J, Q or K"),
        ({"cards": "3", "prize": "9"}, "prize: 9 is not one of A 2 3"),
        ({"cards": "3", "prize": "3 2"}, "prize: 3 2 are 2 cards, but one is asked"),
        ({"cards": "3", "prize": "3", "bid": "K"}, "bid: K is not one of A 2 3"),
        ({"mine": "1 1", "theirs": "1 2", "prizes": "1 2"}, "1"),
        ({"hand": "1"}, "hand: unknown parameter; there are objective, cards"),
        ({"cards": "3", "path": "5-3"}, "path: '5-3' is not a prize and two bids, such as 5-3-A"),
        ({"cards": "3", "path": "3-3-3"}, "path: a card of A 2 3 3 is played twice"),
        ({"cards": "3", "path": "4-4-4 " * 99}, "path: more than 15 rounds"),
        ({"objective": "fun"}, "objective: 'fun' is not one of points, win"),
        ({"mine": " ".join(["1"] * 99)}, "more than 15 cards"),
        ({"cards": "15"}, "is not solved; at most 14 cards can be solved in an hour"),
    ],
)
def test_what_is_no_position_is_refused_in_a_line(query: dict[str, str], words: str) -> None:
    """Whoever writes into the address by hand is told what is wrong."""
    with pytest.raises(UserError, match=words) as refusal:
        build_page(query)
    assert "\n" not in str(refusal.value)


def test_equal_hands_show_the_bids_for_each_prize() -> None:
    """All prizes are worth nothing to either then; in other positions their worth is told."""
    start = build_page({"cards": "4"}).charts[0]
    averages = [float(bar.text) for bar in start.bars]
    assert averages == sorted(averages)
    assert 1 <= averages[0] < averages[-1] <= 4
    assert "on average" in start.note
    other = build_page({"mine": "1 3", "theirs": "2 3", "prizes": "1 2"}).charts[0]
    assert "what you can expect" in other.note
