"""What answers are worth: the share of games that a seat wins after each of them."""

from __future__ import annotations

import pytest

from arena.host import play_match
from arena.plugins import get_plugins
from arena_web.pages import moments, playouts
from arena_web.pages.moments import (
    POINTS,
    Review,
    choose_costly,
    find_moments,
    weigh_moments,
    weigh_points,
)
from arena_web.pages.playouts import compare, rewind

GAMES = 10  # from each position, which is enough to see that something is said


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play few games from each position."""
    monkeypatch.setattr(moments, "ROUGH_PLAYOUTS", GAMES // 2)
    monkeypatch.setattr(moments, "PLAYOUTS", 6 * GAMES)


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


def lose(seed: str, *bots: str) -> Review:
    """Return what is said of the first seat's loss at Coup."""
    rules = get_plugins().find_game("coup")
    played = play_match("coup", bots, seed=seed)
    (source,) = get_plugins().list_hint_sources("coup")
    review = find_moments(rules, played.transcript, 0)
    return weigh_moments(rules, played.transcript, 0, review, source)


def test_why_a_match_was_lost_is_told_in_two_sentences() -> None:
    """Who threw the seat out by what, and which answer cost most; both fatal challenges are moments.

    Each number of a moment is that of one position: after the own answer, or after the better one.
    """
    review = lose("2", "bold:chance=1", "honest", "honest")
    ended, decisive = review.story
    assert ended.startswith(
        "It ended for you in turn 4: You challenge Medium 1's Contessa. Medium 1 shows"
    )
    assert ended.endswith("You are out. The assassination fails.")
    assert decisive.startswith(
        "Your decisive answer came in turn 2: asked “Do you challenge Medium 1's Captain?”, you"
        " answered challenge, which left you a "
    )
    first, second = review.moments
    mine, best = (text.split(" %")[0].split()[-1] for text in decisive.split(" chance to win; "))
    assert first.better.startswith("Asked “Do you challenge Medium 1's Captain?”, you answered")
    assert f": a {mine} % chance to win. The bot counter answers allow: {best} %." in first.better
    assert int(mine) < int(best)
    assert second.better.startswith("Asked “Do you challenge Medium 1's Contessa?”, you answered")
    assert review.measure == "chances"
    assert 0 < review.noise < 0.4


def test_a_mistake_that_changed_no_score_is_among_the_moments() -> None:
    """Who takes one coin in each turn reads which turn that cost most, and what it won instead."""
    mistakes = [
        moment
        for moment in lose("3", "trusting", "counter", "counter", "counter").moments
        if moment.before == moment.after
    ]
    assert any("The bot counter answers tax: " in moment.better for moment in mistakes)


def test_the_cards_that_cost_most_points_are_found_at_once() -> None:
    """In Hearts the deal is played on after each card: one number for each, none of it chance."""
    bots = ["random", "careful", "careful", "careful"]
    played = play_match("hearts", bots, seed="3", options={"deals": 2})
    (source,) = get_plugins().list_hint_sources("hearts")
    assert source.weigh
    found = find_moments(get_plugins().find_game("hearts"), played.transcript, 0)
    review = choose_costly(found, weigh_points(found, source.weigh), POINTS)
    costs = [
        float(moment.better.split(" is ")[1].removesuffix(" points better."))
        for moment in review.moments
    ]
    assert costs == sorted(costs, reverse=True)
    assert review.noise > 0
    *_, decisive = review.story
    assert f"which cost {costs[0]} points on average; " in decisive
    assert review.measure == POINTS


def test_what_may_be_chance_is_no_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the page says so and how much that is, and shows what the source answers otherwise."""
    monkeypatch.setattr(playouts, "CONFIDENCE", 100)
    review = lose("2", "bold:chance=1", "honest", "honest")
    assert review.measure == "unsure"
    *_, said = review.story
    assert said.startswith("No answer of yours cost more than luck explains (±")
    assert all(moment.own for moment in review.moments)
    assert "you answered challenge; the bot counter answers allow. " in review.moments[0].better
    assert "%" not in review.moments[0].better.split("allow. ")[0]
