"""What a position is worth: the share of games that a seat wins from there."""

from __future__ import annotations

import pytest

from arena.host import play_match
from arena.plugins import get_plugins
from arena_web.pages import playouts
from arena_web.pages.moments import find_moments, say_what_was_better, weigh_moments
from arena_web.pages.playouts import estimate, rewind


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play ten games from each position, which is enough to see that something is said."""
    monkeypatch.setattr(playouts, "PLAYOUTS", 10)
    monkeypatch.setattr(playouts, "MIN_PLAYOUTS", 3)


@pytest.mark.parametrize(("game", "bots"), [("coup", 3), ("briscola", 2)])
def test_chances_go_from_the_deal_to_the_result(game: str, bots: int) -> None:
    """Those of all seats make one at any time; in the end the winner has it. They are repeatable."""
    rules = get_plugins().find_game(game)
    played = play_match(game, ["counter"] * bots, seed="1")
    (source,) = get_plugins().list_hint_sources(game)
    assert source.playouts
    assert played.outcome.places
    *_, end = played.transcript.lines
    last = rewind(rules, played.transcript, end.number)
    assert [estimate(rules, last, seat, source.playouts) for seat in range(bots)] == [
        float(place == 1) for place in played.outcome.places
    ]
    first = rewind(rules, played.transcript, 5)
    chances = [estimate(rules, first, seat, source.playouts) for seat in range(bots)]
    assert all(chance is not None and 0 <= chance <= 1 for chance in chances)
    assert chances == [estimate(rules, first, seat, source.playouts) for seat in range(bots)]


def test_a_lost_challenge_is_named_with_what_it_cost() -> None:
    """A moment tells who did what in the words of the seat, its chances, and the better answer."""
    rules = get_plugins().find_game("coup")
    played = play_match("coup", ["bold:chance=1", "honest", "honest"], seed="1")
    (source,) = get_plugins().list_hint_sources("coup")
    review = find_moments(rules, played.transcript, 0, news=True)
    moment = weigh_moments(rules, played.transcript, 0, review, source).moments[0]
    assert any(word.startswith("You challenge") for word in moment.words)
    assert any(word.startswith("You lose an influence") for word in moment.words)
    before, after = moment.chances
    assert before > after
    assert any("You are out." in told.words for told in review.moments)
    better = say_what_was_better(rules, played.transcript, moment, source)
    assert better.startswith("You answered challenge; the bot counter answers allow.")


def test_a_mistake_that_changed_no_score_is_among_the_moments() -> None:
    """Who takes one coin in each turn reads which turn that cost most, and what it won instead."""
    rules = get_plugins().find_game("coup")
    played = play_match("coup", ["trusting", "counter", "counter", "counter"], seed="3")
    (source,) = get_plugins().list_hint_sources("coup")
    review = find_moments(rules, played.transcript, 0, news=True)
    mistakes = [
        moment
        for moment in weigh_moments(rules, played.transcript, 0, review, source).moments
        if moment.before == moment.after and not moment.chances
    ]
    assert any("the bot counter answers tax" in moment.better for moment in mistakes)
    assert all(moment.better.endswith("after the other.") for moment in mistakes)
