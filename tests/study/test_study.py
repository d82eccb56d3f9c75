"""A study says of a game what is known of it beforehand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from math import inf, isnan
from random import Random
from typing import Any

import pytest
from attrs import evolve, frozen

from arena import Bot, Game, OneOf, Question, RandomBot, Seat, SomeOf, Table, UserError
from arena.host import play_match
from arena.study import Figure, Study, study_game
from arena.study.estimates import (
    estimate_duplicate_worth,
    estimate_matches_to_tell_apart,
    estimate_part,
    estimate_ratio,
    estimate_typical,
)
from arena.study.measures import AnswerPattern, can_avoid, count_options, measure_match
from arena.study.subjects import RestrictedBot, narrow
from tests.support.command import Cli

SMALL: dict[str, Any] = {"matches": 40, "playouts": 6, "seed": "1"}


@frozen
class Hidden:
    """You have hidden this."""

    side: str


@frozen
class Found:
    """The hider had hidden this."""

    side: str


class Guess(Question[str]):
    """Where is it?"""


class Take(Question[int]):
    """How much do you take?"""


@frozen
class Hunt:
    """In each round a seat guesses what the other has hidden, or both take points."""

    rounds: int = 1
    head_start: int = 0
    takes: bool = False

    async def deal(self, table: Table) -> HuntPosition:
        """Hide the first thing."""
        return HuntPosition(self, (self.head_start, 0), table.random.choice(("left", "right")))


@frozen
class HuntPosition:
    """What is hidden, and the points."""

    variant: Hunt
    scores: tuple[int, int]
    side: str
    rounds: int = 0

    @property
    def over(self) -> bool:
        """Whether all rounds were played."""
        return self.rounds == self.variant.rounds

    async def round(self, table: Table) -> HuntPosition:
        """Hide, and guess."""
        points = list(self.scores)
        if self.variant.takes:
            for seat, points_taken in (
                await table.ask_all({seat: Take(OneOf((1, 2))) for seat in table.seats})
            ).items():
                points[seat] += points_taken
        else:
            hider = self.rounds % 2
            table.tell(hider, Hidden(self.side))
            guess = await table.ask(1 - hider, Guess(OneOf(("left", "right"))))
            points[1 - hider if guess == self.side else hider] += 1
            table.announce(Found(self.side))
        side = table.random.choice(("left", "right"))
        return evolve(self, scores=(points[0], points[1]), side=side, rounds=self.rounds + 1)

    def resample_hidden(self, seat: Seat, random: Random) -> HuntPosition:
        """Hide it anew, unless the seat has hidden it."""
        hides = seat == self.rounds % 2 and not self.variant.takes
        return self if hides else evolve(self, side=random.choice(("left", "right")))


class Greedy(Bot):
    """Gives the last answer."""

    def choose(self, question: Question[Any]) -> Any:
        """Return it."""
        options: Any = question.options
        return options[-1]


HUNT = Game(
    name="hunt", summary="Hide and guess.", variant=Hunt, seats=range(2, 3),
    messages=(Hidden, Found, Guess, Take),
)  # fmt: skip
GREEDY = evolve(HUNT, bots={"random": RandomBot, "greedy": Greedy})


@frozen
class Dawdle:
    """The first to stop wins; nobody has to."""

    rounds: int = 60

    async def deal(self, table: Table) -> DawdlePosition:
        """Begin."""
        return DawdlePosition(self)


@frozen
class DawdlePosition:
    """How often somebody went on."""

    variant: Dawdle
    scores: tuple[int, int] = (0, 0)
    rounds: int = 0

    @property
    def over(self) -> bool:
        """Whether somebody has stopped, or all rounds were played."""
        return any(self.scores) or self.rounds == self.variant.rounds

    async def round(self, table: Table) -> DawdlePosition:
        """Ask a seat."""
        seat = self.rounds % 2
        points = await table.ask(seat, Take(OneOf((1, 0))))
        scores = (points, 0) if seat == 0 else (0, points)
        return evolve(self, scores=scores, rounds=self.rounds + 1)

    def resample_hidden(self, seat: Seat, random: Random) -> DawdlePosition:
        """Return it: nothing is hidden."""
        return self


DAWDLE = Game(
    name="dawdle", summary="Go on.", variant=Dawdle, seats=range(2, 3), messages=(Take,),
    bots={"greedy": Greedy},
)  # fmt: skip


def get_value(study: Study, name: str, at: int = -1) -> float:
    """Return the value of a figure, of the best bot or the last step."""
    return study.find(name)[at].estimate.value


def test_a_game_without_bots_is_studied_by_search() -> None:
    """Who sees what is hidden finds it, and hides half of the time with success."""
    study = study_game(HUNT, **SMALL)
    assert study.bots == ["random", "search:playouts=1", "search:playouts=6"]
    (figure,) = study.find("hidden_worth")
    assert figure.estimate.low < 0.75 < figure.estimate.high
    assert figure.estimate.low > 0.5
    assert get_value(study, "rounds") == 1
    assert get_value(study, "options") == pytest.approx(2)
    assert get_value(study, "forced") == 0


def test_a_head_start_is_the_first_seats() -> None:
    """Whoever sits there wins, leads from the first round on, and no bot is stronger."""
    study = study_game(GREEDY, options={"head_start": 9, "rounds": 4}, **SMALL)
    assert study.bots == ["random", "greedy"]
    assert [figure.estimate.value for figure in study.find("seat_share")] == [1, 1]
    assert get_value(study, "settled") == 1 / 4
    assert get_value(study, "lead_changes") == 0
    assert get_value(study, "skill") == 0.5
    assert get_value(study, "tell_apart") == inf
    assert get_value(study, "hidden_worth") == 0.5


def test_never_taking_the_most_costs_the_match() -> None:
    """A bot that does without its best answer loses to itself; who plays so ties with itself."""
    study = study_game(GREEDY, options={"takes": True}, without=["2"], **SMALL)
    assert get_value(study, "use") == 1
    assert get_value(study, "restricted") == 0
    assert get_value(study, "ties") == 1
    by_search = study_game(HUNT, options={"takes": True}, without=["take:2"], **SMALL)
    assert get_value(by_search, "restricted") < 0.5


def test_matches_that_only_good_bots_make_long_are_not_searched() -> None:
    """Matches at random end at once, but a search would play those of the best bot."""
    study = study_game(DAWDLE, playouts=48, seed="1")
    assert get_value(study, "rounds", 0) < 4
    assert get_value(study, "rounds") == 60
    assert not study.find("hidden_worth")
    assert "searching takes too long" in study.remarks[0]


def test_what_never_comes_up_cannot_be_avoided() -> None:
    """The message lists what did."""
    with pytest.raises(UserError, match=r"without 3: no such answer .* some that did: 1, 2"):
        study_game(GREEDY, options={"takes": True}, without=["3"], **SMALL)


def test_variants_stand_side_by_side() -> None:
    """Each figure is there for each of them, and the table has a column for each."""
    study = study_game(GREEDY, vary={"rounds": [1, 3]}, **SMALL)
    lengths = {figure.variant: figure.value for figure in study.figures if figure.name == "rounds"}
    assert lengths == {"rounds=1": "1.00 rounds", "rounds=3": "3.00 rounds"}
    headings = [column.heading for column in study.to_table().columns]
    assert headings == ["figure", "bots", "rounds=1", "rounds=3"]


def test_a_seed_gives_the_same_figures_with_any_workers() -> None:
    """With one or two; another seed gives others. The matches are as many as were asked for."""
    played = dict[str, int]()

    def count(series: str, over: int, matches: int) -> None:
        played[series] = over
        assert over <= matches <= 40

    first = study_game(GREEDY, progress=count, **SMALL)
    assert first == study_game(GREEDY, workers=2, **SMALL)
    assert first != study_game(GREEDY, **{**SMALL, "seed": "2"})
    assert played["random among itself"] == 40
    assert played["greedy against random"] == 40


def test_an_interrupt_leaves_complete_figures() -> None:
    """The figures of series that were over stay, and the study says that some are missing."""

    def interrupt(series: str, *_: int) -> None:
        if series == "greedy against random":
            raise KeyboardInterrupt

    study = study_game(GREEDY, progress=interrupt, **SMALL)
    assert study.interrupted
    assert study.find("rounds")
    assert not study.find("skill")


def test_nobody_plays_against_anybody_in_a_game_of_partners() -> None:
    """The figures are the matches won and the score, and no bot is set against another."""
    study = study_game(evolve(GREEDY, variant=Partners), **SMALL)
    assert {figure.name for figure in study.figures} >= {"won", "score", "rounds"}
    assert not study.find("skill")
    assert study.remarks


class Partners(Hunt):
    """Both seats are one team."""

    def teams(self, seats: int) -> Sequence[Sequence[Seat]]:
        """Return the one team."""
        return [range(seats)]


def test_bots_are_ranked_by_matches_where_nobody_has_measured_them() -> None:
    """Whoever takes more is the stronger one, in whatever order they are listed."""
    lazy = type("Lazy", (Greedy,), {"choose": lambda _, question: question.options[0]})
    for names in (("lazy", "greedy"), ("greedy", "lazy")):
        kinds = {"lazy": lazy, "greedy": Greedy}
        game = evolve(HUNT, bots={name: kinds[name] for name in names})
        assert study_game(game, options={"takes": True}, **SMALL).bots == [
            "random",
            "lazy",
            "greedy",
        ]


def test_long_matches_are_not_searched() -> None:
    """Where no number of matches is set, what is hidden is left out, and the study says so."""
    game = evolve(GREEDY, bots={"random": RandomBot})
    study = study_game(game, ["random", "random"], options={"rounds": 99}, playouts=5000, seed="1")
    assert not study.find("hidden_worth")
    assert "What is hidden was not measured" in study.remarks[0]
    assert study.find("rounds")[0].deals == 161


def test_a_narrowed_question_has_another_default() -> None:
    """Neither its options nor its default are of the kind; cards are left out of selections."""
    pattern = AnswerPattern(["a*"])
    question = Question(OneOf(("ace", "king")), default="ace")
    assert narrow(question, pattern) == Question(OneOf(("king",)))
    cards = Question(SomeOf(("ace", "king", "ten"), 1, 3))
    assert narrow(cards, pattern).options == SomeOf(("king", "ten"), 1, 2)
    assert not can_avoid(pattern, Question(SomeOf(("ace", "king"), 2, 2)))
    assert count_options(Question(SomeOf(tuple(range(80)), 0))) == 2**80


def test_a_bot_that_ignores_what_is_left_is_overruled() -> None:
    """A bundled bot that plans by the rules alone still does without the answer."""
    bots = [lambda: RestrictedBot(Greedy, AnswerPattern(["right"])), Greedy]
    match = play_match(HUNT, bots, seed="1", options={"rounds": 6})
    assert "right" not in {
        line.value["answer"] for line in match.transcript.lines if line.value.get("from") == 0
    }


def test_who_leads_is_measured_by_round() -> None:
    """The leads of a recorded match are counted by hand."""
    match = play_match(HUNT, [Greedy, Greedy], seed="3", options={"rounds": 5})
    points, leads = [0, 0], list[int]()
    for at, line in enumerate(
        line.value["event"]["side"]
        for line in match.transcript.lines
        if line.value.get("event", {}).get("tell") == "Found"
    ):
        points[1 - at % 2 if line == "right" else at % 2] += 1
        leads.append((points[0] > points[1]) - (points[0] < points[1]))
    sole = [lead for lead in leads if lead]
    measures = measure_match(match, AnswerPattern(()))
    assert measures.lead_changes == sum(one != other for one, other in pairwise(sole))
    later = max((at for at, lead in enumerate(leads) if lead != leads[-1]), default=-1)
    assert measures.settled == (later + 2) / 5
    assert measures.rounds == 5


def test_rotations_are_worth_what_they_take_from_luck() -> None:
    """Alike rotations are worth half a match each, opposed ones more, independent ones one."""
    random = Random(1)
    alike = [(won, won) for won in (random.random() < 0.7 for _ in range(200))]
    assert estimate_duplicate_worth(alike).value == pytest.approx(0.5, abs=0.01)
    independent = [(random.random(), random.random()) for _ in range(600)]
    worth = estimate_duplicate_worth(independent)
    assert worth.low < 1 < worth.high
    assert isnan(estimate_duplicate_worth([(1.0, 0.0)] * 9).value)


def test_a_small_step_needs_many_matches() -> None:
    """A share of 60 % of won and lost matches needs about 190; a difference that may be 0, none."""
    deals = [(1.0, 1.0)] * 300 + [(0.0, 0.0)] * 200
    found = estimate_matches_to_tell_apart(deals)
    assert found.value == pytest.approx(7.84 * 0.24 / 0.01)
    assert found.low < found.value < found.high
    assert estimate_matches_to_tell_apart([(1.0, 0.0)] * 10).high == inf


def test_ratios_and_typical_numbers() -> None:
    """Both weigh deals by how many things they have; of nothing there is no share."""
    assert estimate_ratio([(1, 1), (0, 3)]).value == 0.25
    assert estimate_part([(1, 1), (0, 3)]).low == 0
    assert isnan(estimate_ratio([(0, 0)]).value)
    assert estimate_typical([[0.0], [0.0, 0.0]]).value == 1


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_study_is_written_for_pages(quick: Cli, form: str) -> None:
    """Both forms have each figure; a page has charts, and needs nothing from elsewhere."""
    done = quick("study", "kuhn", "--matches", "12", "--playouts", "2", "--seed", "1",
                 "--workers", "1", "--format", form)  # fmt: skip
    assert done.returncode == 0
    assert "share of the stronger bot" in done.stdout
    assert "Each figure is one of these bots" in done.stdout
    assert done.stdout.count("<svg") == (4 if form == "html" else 0)
    assert "href" not in done.stdout
    assert "src=" not in done.stdout


def test_json_has_an_object_for_each_figure(quick: Cli) -> None:
    """Each is of some bots and deals; what is not known is null."""
    words = ("study", "kuhn", "careful", "optimal", "--matches", "12", "--playouts", "2")
    done = quick(*words, "--seed", "1", "--workers", "1", "--json")
    figures = [json.loads(line) for line in done.stdout.splitlines()]
    assert {figure["figure"] for figure in figures} == {
        "seat_share", "rounds", "options", "forced", "settled", "lead_changes", "ties",
        "skill", "tell_apart", "duplicate_worth", "hidden_worth",
    }  # fmt: skip
    assert all(figure["deals"] and figure["bots"] for figure in figures)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["kuhn", "careful"], "a study needs at least two bots, the weakest first"),
        (["kuhn", "--vary", "ties"], "--vary ties: write NAME=VALUE,VALUE..."),
        (["gops", "-o", "ties=split", "--vary", "ties=carry"], "ties: it is varied"),
        (["gops", "--vary", "tis=carry"], "tis"),
        (["kuhn", "--json", "--format", "html"], "--json and --format cannot be combined"),
        (["kuhn", "--table", "3"], "kuhn"),
    ],
)
def test_a_mistake_is_a_line(quick: Cli, words: Sequence[str], problem: str) -> None:
    """It says what is wrong and what is allowed."""
    done = quick("study", *words)
    assert done.returncode == 2
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_open_end_is_shown_as_one() -> None:
    """An interval that is not known is not written, and is null for programs."""
    study = study_game("kuhn", ["careful", "optimal"], matches=2, playouts=1, seed="1")
    figure: Figure = study.find("tell_apart")[0]
    assert figure.pack()["high"] is None
    assert figure.interval.endswith("?")
