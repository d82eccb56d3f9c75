"""What answers are worth: the share of games that a seat wins after each of them."""

from __future__ import annotations

import re

import pytest

from arena.host import play_match
from arena.plugins import get_plugins
from arena_web.pages import playouts, review
from arena_web.pages.playouts import compare, rewind
from arena_web.pages.review import (
    CHANCES,
    COSTLY,
    MAYBE,
    ONLY_LOSSES,
    POINTS,
    Review,
    review_match,
)

GAMES = 10  # from each position, which is enough to see that something is said


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play few games from each position."""
    review_match.cache_clear()
    monkeypatch.setattr(review, "ROUGH_PLAYOUTS", 12 * GAMES)
    monkeypatch.setattr(review, "PLAYOUTS", 18 * GAMES)


@pytest.mark.parametrize(("game", "bots"), [("coup", 3), ("briscola", 2)])
def test_chances_go_from_the_deal_to_the_result(game: str, bots: int) -> None:
    """Those of all seats make one at any time; in the end the winner has it. They are repeatable."""
    rules = get_plugins().find_game(game)
    played = play_match(game, ["counter"] * bots, seed="1")
    (source,) = get_plugins().list_hint_sources(game)
    bot = source.playouts
    assert bot
    assert played.outcome.places

    def weigh(line: int) -> list[float]:
        juncture = rewind(rules, played.transcript, line)
        found = [compare(rules, juncture, seat, bot, games=GAMES) for seat in range(bots)]
        return [seen.shares[0] for seen in found if seen]

    *_, end = played.transcript.lines
    assert weigh(end.number) == [float(place == 1) for place in played.outcome.places]
    chances = weigh(5)
    assert len(chances) == bots
    assert all(0 <= chance <= 1 for chance in chances)
    assert chances == weigh(5)


def lose(seed: str, *bots: str, seat: int = 0) -> Review:
    """Return what is said of a seat's loss at Coup."""
    played = play_match("coup", bots, seed=seed)
    (source,) = get_plugins().list_hint_sources("coup")
    return review_match(played.transcript.text, seat, source)


def test_why_a_match_was_lost_is_told_by_answers_and_the_end() -> None:
    """Answers that led to a loss have two chances, their own and that of a better one.

    What the other really held is told, too, and the end is told once.
    """
    review = lose("2", "bold:chance=1", "honest", "honest")
    assert review.summary == ONLY_LOSSES
    assert review.method == CHANCES
    assert [moment.title for moment in review.moments] == ["Turn 2", "Turn 4, the end"]
    first, end = review.moments
    doubted = "You doubted the {}, but Medium 1 held it: whoever challenges a true claim loses an"
    assert first.better.startswith(doubted.format("Captain"))
    chances = re.search(
        r"chosen allow, your chance .* been (\d+)\xa0% instead of (\d+)\xa0%", first.better
    )
    assert chances
    assert int(chances[1]) > int(chances[2])
    assert " ".join(end.words).endswith("You are out. The assassination fails.")
    assert end.better.startswith(doubted.format("Contessa"))


def test_a_mistake_that_changed_no_score_is_among_the_moments() -> None:
    """Who takes one coin in each turn reads which turn that cost most, and what it won instead."""
    mistakes = [
        moment
        for moment in lose("3", "trusting", "counter", "counter", "counter").moments
        if not moment.change
    ]
    assert any("If you had chosen tax, " in moment.better for moment in mistakes)


def test_the_cards_that_cost_most_points_are_found_at_once() -> None:
    """In Hearts the deal is played on after each card: one number for each, none of it chance."""
    bots = ["random", "careful", "careful", "careful"]
    played = play_match("hearts", bots, seed="3", options={"deals": 2})
    (source,) = get_plugins().list_hint_sources("hearts")
    review = review_match(played.transcript.text, 0, source)
    costs = [
        float(moment.better.split(" would have been ")[1].split(" points better on average.")[0])
        for moment in review.moments
        if " points better" in moment.better
    ]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > 1
    assert (review.summary, review.method) == (COSTLY, POINTS)


def test_what_may_be_chance_is_no_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the page says so, and shows what the source answers otherwise, without figures.

    An answer that led to a loss is a moment all the same.
    """
    monkeypatch.setattr(playouts, "CONFIDENCE", 100)
    monkeypatch.setattr(review, "ROUGH_PLAYOUTS", 1)
    monkeypatch.setattr(review, "PLAYOUTS", GAMES)
    losses = lose("2", "bold:chance=1", "honest", "honest")
    assert losses.summary == ONLY_LOSSES
    assert "The bot counter would have chosen allow. The claim is" in losses.moments[0].better
    assert "%" not in losses.moments[0].better.split("allow. ")[0]
    maybe = lose("2", "bold:chance=1", "honest", "honest", seat=1)
    assert maybe.summary == MAYBE
    assert maybe.moments[0].choices
    assert losses.method == maybe.method == ""
