"""What answers cost: worlds that the seat could not tell from the true one are played on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve

from arena import Hint, InformationState, UserError
from arena.cards import RANKS, rank_of
from arena.host import configure, play_match
from arena.plugins import get_plugins
from arena.records import Transcript
from arena_web import hints
from arena_web.hints import find_hint_source, search_hint
from arena_web.protocol.messages import SeatOutcome
from arena_web.review import weighing
from arena_web.review.judgments import AnswerJudge
from arena_web.review.moments import Choice, Findings, Moment
from arena_web.review.own_answers import OwnAnswer, find_own_answers
from arena_web.review.reviewer import ABOUT_PLAYOUTS, Review, review_match
from arena_web.review.selection import MomentSelector, Selection
from arena_web.review.statements import Reason
from arena_web.review.summaries import FAULTLESS, UNSURE, Kind
from arena_web.review.weighing import WeighedAnswer
from benchmarks.reviews import list_named, plant_matches

COUP_LOSS = "coup", ["bold:chance=1", "honest", "honest"], "2"


def review_seat(transcript: Transcript, seat: int = 0) -> Review:
    """Return what the page says to a seat."""
    game = get_plugins().find_game(transcript.header.game)
    variant = transcript.header.read_variant(game)
    source = find_hint_source(game.name, variant, transcript.seats)
    return review_match(transcript, seat, source)


def lose(game: str, bots: list[str], seed: str, seat: int = 0, **options: int) -> Review:
    """Return what the page says to a seat of a match that it loses."""
    return review_seat(play_match(game, bots, seed=seed, options=options).transcript, seat)


@pytest.fixture
def _usual_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play on as often as pages do."""
    monkeypatch.setattr(weighing, "ROUGH_PLAYOUTS", 200)
    monkeypatch.setattr(weighing, "PLAYOUTS", 160)


@pytest.mark.usefixtures("_usual_playouts")
def test_planted_errors_are_named() -> None:
    """The best bot errs and loses; the page leads to its errors, and says the same each time."""
    planted = plant_matches(get_plugins().find_game("coup"), 3, first_seed=3)
    named = [list_named(match) for match in planted]
    assert named == [[*match.lines] for match in planted]
    assert named[:1] == [list_named(match) for match in planted[:1]]


@pytest.mark.parametrize("seat", [0, 1])
def test_answers_of_known_worth_are_blamed_if_they_lose_something(seat: int) -> None:
    """Kuhn poker's equilibrium says what answers are worth, in a hand that was won as in others."""
    (source,) = get_plugins().list_hint_sources("kuhn")
    blamed = set[SeatOutcome | None]()
    for seed in map(str, range(60)):
        played = play_match("kuhn", ["random", "random"], seed=seed).transcript
        review = review_seat(played, seat)
        losses = list[float]()
        for own in find_own_answers(get_plugins().find_game("kuhn"), played, seat):
            worth = {
                each.answer: each.worth or 0.0 for each in source.compute_hint(own.state).answers
            }
            losses.append(max(worth.values()) - worth[own.answer])
        is_blamed = " on average, instead of " in " ".join(told.better for told in review.moments)
        assert is_blamed == (max(losses) > 0.005), seed
        assert is_blamed != review.summary.text.startswith(FAULTLESS.removesuffix("."))
        blamed |= {review.outcome} if is_blamed else set()
    assert blamed == {SeatOutcome.WON, SeatOutcome.LOST}


def test_why_a_match_was_lost_is_told_by_answers_and_the_end() -> None:
    """Answers that led to a loss come with what the others really held, the end once."""
    lost = lose(*COUP_LOSS)
    assert (lost.summary.kind, lost.method) == (Kind.LOSSES, "")
    first, end = lost.moments
    assert (first.title, end.title) == ("Turn 2, the worst", "Turn 4, the end")
    doubted = "You doubted the {}, but Medium 1 held it."
    assert first.better.startswith(doubted.format("Captain"))
    assert re.search(r"would have chosen allow\. .* a wrong challenge .* You see ", first.better)
    assert " ".join(end.moment.words).endswith("You are out. The assassination fails.")
    assert doubted.format("Contessa") in end.better


@pytest.mark.usefixtures("_usual_playouts")
def test_losses_go_before_other_costs_of_which_each_has_chances() -> None:
    """Where it is sure what one of them cost, the chance to win after it and after the hint is told."""
    lost = lose("coup", ["bold", "counter", "honest"], "9")
    assert (lost.summary.kind, lost.method) == (Kind.LOSSES_AND_COSTLY, ABOUT_PLAYOUTS)
    assert [moment.title for moment in lost.moments] == ["Turn 4", "Turn 10, the end"]
    for moment in lost.moments:
        chances = re.search(
            r"If you had chosen tax, your chance to win .* been (\d+)\xa0% instead of (\d+)\xa0%",
            moment.better,
        )
        assert chances
        assert int(chances[1]) > int(chances[2])


@pytest.mark.usefixtures("_usual_playouts")
def test_a_mistake_that_changed_no_score_is_among_the_moments() -> None:
    """Who takes one coin in each turn reads which turn that cost most, and what it won instead."""
    lost = lose("coup", ["trusting", "counter", "counter", "counter"], "2")
    assert lost.summary.kind is Kind.COSTLY
    first, *_ = lost.moments
    assert first.moment.change == 0
    assert "If you had chosen tax, " in first.better


def test_a_trifle_is_not_told_however_sure_it_is() -> None:
    """A cost of few games in a hundred is no mistake, and may not be called one."""
    trifle = evolve(weigh(1, 0.04, 0.01), least=0.05)
    assert (trifle.is_sure, trifle.is_likely) == (False, False)
    assert choose([], [trifle]).moments == []
    assert [told.line for told in choose([], [trifle, weigh(2, 0.1, 0.01)]).moments] == [3]


def test_what_may_be_chance_has_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the page says so, and what the source answers otherwise.

    An answer that led to a loss is a moment all the same.
    """
    monkeypatch.setattr(weighing, "CONFIDENCE", 100)
    losses = lose(*COUP_LOSS)
    assert losses.summary.kind is Kind.LOSSES
    assert "An expert bot would have chosen allow. " in losses.moments[0].better
    assert "%" not in losses.moments[0].better.split("allow. ")[0]
    maybe = lose(*COUP_LOSS, seat=1)
    assert maybe.summary.kind is Kind.MAYBE
    assert maybe.moments[0].moment.choices
    assert "chance to win" not in "".join(moment.better for moment in maybe.moments)
    assert losses.method == maybe.method == ""


def pass_lowest(_: Any, hand: Sequence[str]) -> Sequence[str]:
    """Return the lowest cards of a hand, which nobody should pass in Hearts."""
    return tuple(sorted(hand, key=lambda card: RANKS.index(rank_of(card)))[:3])


def test_badly_passed_cards_are_found() -> None:
    """In Hearts cards that were passed are weighed as those that were played."""
    low = get_plugins().find_game("hearts").bots["low"]
    members = {"passes": pass_lowest}
    careless = configure(type("Careless", (low,), members), name="careless")
    played = play_match("hearts", [careless, "careful", "careful"], seed="5", options={"deals": 2})
    lost = review_seat(played.transcript)
    found = [at.better for at in lost.moments if re.search(r", \S+ \S+ \S+ came out ", at.better)]
    assert found
    assert all(" points better than " in better for better in found)


@pytest.mark.usefixtures("_usual_playouts")
@pytest.mark.parametrize(("game", "options"), [("bs", {"max_turns": 60}), ("coup", {})])
def test_whoever_answers_as_the_hints_do_is_not_blamed(game: str, options: dict[str, int]) -> None:
    """The bot that gives the hints loses against itself: by bad luck, as far as it knows."""
    lost = [
        review
        for seat in (0, 1)
        if (review := lose(game, ["counter", "counter"], "2", seat, **options)).outcome
        is SeatOutcome.LOST
    ]
    assert lost
    for review in lost:
        unlucky = [told for told in review.moments if told.moment.wrong]
        if unlucky:
            assert review.summary.kind is Kind.UNLUCKY
        else:
            assert review.summary.text.startswith(UNSURE[:-1])
        better = " ".join(told.better for told in review.moments)
        assert "chance to win" not in better
        agreed = re.findall(r" would (?:also )?have chosen [^.]*, (so it|which) ", better)
        assert len(agreed) == better.count(" have chosen ")


def weigh(line: int, cost: float, noise: float) -> WeighedAnswer:
    """Return an answer of this cost in a round of its own."""
    moment = Moment(line, (line, line + 1), f"Turn {line}", ())
    played = play_match("kuhn", ["random", "random"], seed="1").transcript
    own, *_ = find_own_answers(get_plugins().find_game("kuhn"), played, 0)
    answer = OwnAnswer(line, own.state, own.answer, own.say, "", is_choice=True)
    return WeighedAnswer(Choice(moment, answer), cost, noise, [Reason("sure")], [Reason("maybe")])


def choose(moments: Sequence[Moment], weighed: Sequence[WeighedAnswer]) -> Selection:
    """Return which answers of a lost match are told, given the moments of the score."""
    findings = Findings(SeatOutcome.LOST, moments)
    return MomentSelector(findings, weighed, AnswerJudge(None)).select_costly()


def test_what_is_sure_goes_first_then_what_the_score_says() -> None:
    """Those of each that cost most come first; what seems to have cost nothing is left out."""
    fell = weigh(1, 0.05, 0.06)
    weighed = [
        weigh(2, 0.4, 0.5), fell, weigh(3, -0.1, 0.0), weigh(4, 0.2, 0.1),
        weigh(5, 0.3, 0.9), weigh(6, 0.3, 0.1),
    ]  # fmt: skip
    found = choose([fell.choice.moment], weighed)
    assert [moment.line for moment in found.moments] == [7, 5, 2]
    assert [moment.better for moment in found.moments] == ["sure", "sure", "maybe"]
    assert found.summary.kind is Kind.MIXED
    assert [at.line for at in choose([], weighed).moments] == [7, 5, 3]


def test_few_moments_are_told_of_many_deals() -> None:
    """They are the worst of each deal, the worst of all first; the end takes the last place."""
    weighed = [weigh(line, cost, 0.0) for line, cost in enumerate([3, 9, 5, 7, 8, 4, 6, 2], 1)]
    deals = [
        evolve(each, choice=Choice(evolve(each.choice.moment, chapter=f"Deal {n // 2}"), own))
        for n, each in enumerate(weighed)
        if (own := each.choice.own)
    ]
    assert [told.line - 1 for told in choose([], deals).moments] == [2, 5, 4, 7]
    many = [
        evolve(each, choice=Choice(evolve(each.choice.moment, chapter=f"Deal {n}"), own))
        for n, each in enumerate(weighed)
        if (own := each.choice.own)
    ]
    selection = choose([], many)
    assert [told.line - 1 for told in selection.moments] == [2, 5, 4, 7, 3]
    end = Moment(99, (99, 100), "Trick 13", ["It ends."])
    findings = Findings(SeatOutcome.LOST, (), end=end, is_turned_by_end=True)
    told = MomentSelector(findings, (), AnswerJudge(None)).add_end(selection).moments
    assert [each.moment.line for each in told] == [2, 5, 4, 7, 99]


def test_a_round_is_told_once_with_all_its_answers() -> None:
    """Two costly answers of one turn are one moment, so that no two links have the same name."""
    first, second = weigh(1, 0.4, 0.1), weigh(1, 0.3, 0.1)
    (told,) = choose([], [first, second]).moments
    assert told.better == "sure sure"


def find_hints(name: str, bots: list[str], seed: str) -> list[Hint]:
    """Return what a search hints at in the first seat of a match."""
    game = get_plugins().find_game(name)
    played = play_match(name, bots, seed=seed)
    return [search_hint(own.state) for own in find_own_answers(game, played.transcript, 0)]


SAID = re.compile(
    r"Bots played on (\d+) times, and it came out (\d+)\xa0% better than the next best answer,"
    r" (more than chance explains|which may be chance)\."
)


@pytest.mark.parametrize("game", ["coup", "gops"])
def test_a_search_hints_and_says_how_sure_it_is(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says the same each time; few playouts are never sure, even if bots never err."""
    monkeypatch.setattr(hints, "HINT_PLAYOUTS", 60)
    bots = ["random", "random"]
    found = find_hints(game, bots, "2")
    assert found == find_hints(game, bots, "2")
    said = [SAID.fullmatch(hint.text) for hint in found if hint.text != hints.NO_CHOICE]
    assert said
    assert all(said)
    monkeypatch.setattr(hints, "HINT_PLAYOUTS", 2)
    few = [hint.text for hint in find_hints(game, bots, "2") if hint.text != hints.NO_CHOICE]
    assert all(text.endswith(", which may be chance.") for text in few)


def test_a_search_needs_more_than_what_a_seat_was_told() -> None:
    """A source of a plugin is asked with events alone; a search says that it needs the rules."""
    played = play_match("kuhn", ["random", "random"], seed="1").transcript
    own, *_ = find_own_answers(get_plugins().find_game("kuhn"), played, 0)
    state = own.state
    with pytest.raises(UserError, match="needs the rules"):
        search_hint(InformationState(state.greeting, state.events, state.question))
