"""Hosting from Python: a match, a series, and how they show themselves."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from rich.console import Console

from arena import Bot, Greeting, Observer, Outcome, Play, Question, Scenario, UserError, load_game
from arena.check import check
from arena.host import (
    AnyBot,
    Limits,
    Result,
    Series,
    configure,
    iter_series,
    parse_entrant,
    play_match,
    play_series,
)
from arena.plugins import MatchSpec, get_plugins
from arena.records import read_transcript, verify
from arena.rules import Fault
from arena.testing import Case
from arena.tournament import Tournament, play_duel
from arena.tournament.store import StoredSettings
from tests.support.command import Cli


class Most(Bot):
    """Answers the most that it may, but not more than it is told."""

    def __init__(self, most: int = 99) -> None:
        self.most = most

    def choose(self, question: Any) -> Any:
        return max(card for card in question.options if card <= self.most)


class Fails(Bot):
    """Raises when it is asked, and writes what looks like markup."""

    def choose(self, question: Any) -> Any:
        raise ValueError("<script>alert(1)</script> \x1b[31m")


def figures(results: Any) -> list[object]:
    """Return all of some results but what is measured."""
    packed = [result.pack() for result in results]
    for match in packed:
        for seat in match["seats"]:
            seat.pop("seconds")
            if seat["verdict"]:
                seat["verdict"].pop("seconds")
    return packed


def test_three_lines_host_a_match() -> None:
    """A seed seats as listed; what belongs to the players stands in seat order."""
    result = play_match("gops", ["planner", "easy"], seed="1", options={"cards": 9})
    assert result.names == ("planner", "easy")
    assert (result.places, result.scores) == ((1, 2), (23, 20))
    assert result.verdicts == (None, None)
    assert result.pack()["variant"]["cards"] == 9


def test_the_command_line_plays_the_same_match(cli: Cli) -> None:
    """From the same seed: its object is that of the result."""
    done = cli("match", "gops", "planner", "easy", "--seed", "42", "-o", "cards=9", "--json")
    result = play_match("gops", ["planner", "easy"], seed="42", options={"cards": 9})
    told = json.loads(done.stdout)
    for seat in told["seats"]:
        seat.pop("seconds")
    assert [told] == figures([result])


def test_a_transcript_is_saved_as_it_was_recorded(tmp_path: Path) -> None:
    """It is read back, and holds."""
    result = play_match("kuhn", ["careful", "random"])
    result.transcript.save(tmp_path / "m.jsonl")
    found = read_transcript(tmp_path / "m.jsonl")
    assert found == result.transcript
    assert found.text == (tmp_path / "m.jsonl").read_text()
    assert verify(get_plugins().find_game("kuhn"), found)
    with pytest.raises(UserError, match="cannot be written"):
        result.transcript.save(tmp_path)


@pytest.mark.parametrize(
    ("bot", "name"),
    [
        (Most, "Most"), (partial(Most, 3), "Most"), (lambda: Most(3), "_lambda_"),
        (configure(Most, name="low", most=3), "low"), ("x=easy", "x"),
    ],
)  # fmt: skip
def test_whatever_makes_a_bot_is_seated(bot: AnyBot, name: str) -> None:
    """A text, a class, a function, a class with parameters; each is made anew for each match."""
    assert play_match("gops", [bot, "easy"], seed="1").names == (name, "easy")


@pytest.mark.parametrize("own", [None, Most], ids=["without bots", "with a bot"])
def test_a_game_that_is_given_has_the_bots_that_plugins_add(own: type[Bot] | None) -> None:
    """As if it were named, whether it is installed like this or not; its own bots stay first."""
    named = get_plugins().find_game("gops")
    bots = {} if own is None else {"most": own}
    given = evolve(load_game("gops"), bots=bots)
    match = play_match(given, ["search:playouts=2", own or "search:playouts=1"], seed="1")
    assert match.scores
    completed = get_plugins().find_game(given)
    *added, last = [name for name in named.bots if name not in load_game("gops").bots]
    assert [*completed.bots] == [*bots, *added, "random", last]  # which a game without one is lent
    assert get_plugins().find_game(completed) is completed
    assert get_plugins().find_game(named) is get_plugins().find_game("gops") is named


@pytest.mark.parametrize(
    ("game", "bots", "options", "said"),
    [
        ("gop", ["easy", "easy"], {}, "unknown game 'gop'; did you mean gops?"),
        ("gops", ["easie", "easy"], {}, "unknown bot 'easie'; did you mean easy?"),
        ("gops", ["easy"], {}, "gops is for 2 to"),
        ("gops", ["easy", "easy"], {"card": 3}, "unknown option 'card'; did you mean cards?"),
        ("gops", [3, "easy"], {}, "3 is not a bot"),
        ("gops", [int, "easy"], {}, "int returns int, not an arena.Bot"),
        ("gops", [partial(Most, many=1), "easy"],  # type: ignore[call-arg]
         {}, "Most cannot be created: TypeError"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_told_in_one_line(
    game: str, bots: list[Any], options: dict[str, Any], said: str
) -> None:
    """A match that cannot be played raises a UserError of one line."""
    with pytest.raises(UserError, match=r"^[^\n]+$") as caught:
        play_match(game, bots, options=options)
    assert said in str(caught.value)


def test_a_series_is_a_sequence_of_results_and_has_standings() -> None:
    """The best mean place first; each has sat everywhere as often."""
    series = play_series("gops", ["easy", Most, "match"], games=6, seed="2")
    assert len(series) == 6
    assert all(isinstance(match, Result) for match in series)
    rows = series.standings()
    assert [row.matches for row in rows] == [6, 6, 6]
    assert [row.mean_place for row in rows] == sorted(row.mean_place for row in rows)
    assert [row.place for row in rows] == [1, 2, 3]
    assert sum(row.won for row in rows) <= 6
    assert rows[0].name == "match"


def test_won_counts_only_games_that_were_won_alone() -> None:
    """Ties count as shared; a column shows them only if there are any."""
    rows = play_series("gops", ["match", "match"], games=6, seed="1").standings()
    assert [(row.won, row.shared) for row in rows] == [(0, 6), (0, 6)]
    assert "shared" in [column.heading for column in rows.to_table().columns]
    rows = play_series("gops", ["match", "random"], games=2, seed="1").standings()
    assert [(row.won, row.shared) for row in rows] == [(2, 0), (0, 0)]
    assert "shared" not in [column.heading for column in rows.to_table().columns]


@pytest.mark.slow
def test_workers_play_the_same_matches() -> None:
    """With classes that nobody could import, their verdicts and their transcripts."""

    class Own(Most):
        def hear(self, event: Any) -> None:
            self.most = 1 + self.most % 7

        def choose(self, question: Any) -> Any:
            return min(question.options, key=lambda card: abs(card - self.most))

    bots: list[AnyBot] = [Own, configure(Own, name="two", most=2), Fails]
    alone = play_series("gops", bots, games=7, seed="1", record=True)
    several = play_series("gops", bots, games=7, seed="1", record=True, workers=3)
    assert figures(several) == figures(alone)
    failed = [match.verdicts[match.names.index("Fails")] for match in several]
    assert [verdict and verdict.kind for verdict in failed] == ["crashed"] * 7
    game = get_plugins().find_game("gops")
    assert all(verify(game, match.transcript) for match in several)


@pytest.mark.slow
def test_a_worker_that_dies_is_told() -> None:
    """And so is what a worker cannot play; the other workers end."""

    class Deadly(Most):
        def choose(self, question: Any) -> Any:
            os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(UserError, match=r"a worker died in the middle of a match: .* signal 9"):
        play_series("gops", [Deadly, "easy"], games=4, workers=2)

    def watching(_: object) -> list[Observer]:
        raise UserError("nobody watches")

    with pytest.raises(UserError, match="nobody watches"):
        play_series("gops", [Most, "easy"], games=4, workers=2, observers=watching)
    with pytest.raises(UserError, match="at least 1"):
        play_series("gops", [Most, "easy"], games=4, workers=0)


def test_an_interrupt_leaves_what_was_played() -> None:
    """The series ends with the matches until then; an error leaves them with who takes each."""
    shown: list[tuple[int, int | None]] = []

    def show(over: int, games: int | None) -> None:
        shown.append((over, games))
        if over == 3:
            raise KeyboardInterrupt

    for workers in (1, 2):
        series = play_series(
            "gops", ["easy", Most], games=6, seed=1, workers=workers, progress=show
        )
        assert (len(series), series.interrupted) == (3, True)
    assert shown == [(1, 6), (2, 6), (3, 6)] * 2
    whole = play_series("gops", ["easy", Most], games=6, seed=1)
    assert figures(whole[:3]) == figures(series)
    assert not whole.interrupted

    def fail(spec: MatchSpec) -> list[Observer]:
        if spec.key == whole[2].spec.key:
            raise UserError("no more")
        return []

    results: list[Result] = []
    with pytest.raises(UserError, match="no more"):
        results.extend(iter_series("gops", ["easy", Most], games=6, seed=1, observers=fail))
    assert figures(results) == figures(whole[:2])


@pytest.mark.slow
def test_a_seed_is_a_text_or_a_whole_number() -> None:
    """A number is the seed that a command line would read; all else is refused in one line."""
    game = get_plugins().find_game("kuhn")
    bots: list[AnyBot] = ["careful", "random"]
    calls: list[Callable[[Any], Any]] = [
        lambda seed: figures([play_match("kuhn", bots, seed=seed)]),
        lambda seed: figures(play_series("kuhn", bots, games=2, seed=seed)),
        lambda seed: Series(game, game.read_variant({}), (), seed),
        lambda seed: StoredSettings.of(Tournament("kuhn", bots, seed=seed).spec),
        lambda seed: play_duel("kuhn", *bots, pairs=1, workers=1, seed=seed).pack(),
        lambda seed: check(game, parse_entrant(game, "careful"), seed=seed, quick=True).facts.seed,
        lambda seed: Play.deal(game.read_variant({}), 2, seed).key,
        lambda seed: Scenario("a scenario", (), seed=seed),
        lambda seed: Case(seed=seed),
    ]
    for call in calls:
        assert call(7) == call("7")
        for seed in (True, 1.0, b"1", ["1"]):
            with pytest.raises(UserError, match=r"^seed: .* is not a text or a whole number$"):
                call(seed)


TWO: Any = ("kuhn", ["careful", "random"])
PLAY: Any = play_match  # which takes less than anything
ENTER: Any = Tournament
SERIES: Any = play_series
DUEL: Any = play_duel


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: SERIES(*TWO, games="x"), "games: 'x' is not a whole number of at least 1"),
        (lambda: SERIES(*TWO, games=2.5), "games: 2.5 is not a whole number of at least 1"),
        (lambda: SERIES(*TWO, games=2, workers=0), "workers: 0 is not a whole number of at"),
        (lambda: DUEL("kuhn", *TWO[1], pairs=0), "pairs: 0 is not a whole number of at least"),
        (lambda: DUEL("kuhn", *TWO[1], sprt=(0, 5)), r"sprt: \(0, 5\) is not Sprt\(\.\.\.\), such"),
        (lambda: PLAY("kuhn", "careful"), "bots: 'careful' is not a list; write a list of bots"),
        (lambda: ENTER("kuhn", "careful"), "bots: 'careful' is not a list; write a list of bots"),
        (lambda: PLAY(5, TWO[1]), "game: 5 is not the name of a game, nor a Game"),
        (lambda: PLAY(*TWO, options=["a"]), r"options: \['a'\] is not a dictionary"),
        (lambda: PLAY(*TWO, limits=3), r"limits: 3 is not Limits\(\.\.\.\), such as Limits\(move=5\)"),
        (lambda: ENTER(*TWO, limits=3), r"limits: 3 is not Limits\(\.\.\.\), such as Limits\(move=5\)"),
    ],
)  # fmt: skip
def test_an_argument_of_another_kind_is_refused(call: Callable[[], object], said: str) -> None:
    """In one line that names it and says what may be there, whichever call it is."""
    with pytest.raises(UserError, match=f"^{said}"):
        call()


class Ungreeted(Bot):
    """Forgets to hand the greeting on."""

    def greet(self, greeting: Greeting) -> None:
        pass

    def choose(self, question: Question[Any]) -> Any:
        return self.random.choice([True, False])


class Seatless(Ungreeted):
    """Wants to know its seat."""

    def choose(self, question: Question[Any]) -> Any:
        return bool(self.seat)


class Choiceless(Bot):
    """Lacks what each bot has."""


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        (Ungreeted, "; `greet` has to call `super().greet(greeting)`"),
        (Seatless, "; `greet` has to call `super().greet(greeting)`"),
        (Choiceless, "NotImplementedError: Choiceless has no `def choose(self, question)`"),
    ],
)
def test_a_verdict_names_the_mistake_of_a_class(bot: type[Bot], said: str) -> None:
    """What a bot in Python has to have, where it is missing."""
    verdict = play_match("kuhn", [bot, "careful"], seed=1).verdicts[0]
    assert verdict
    assert verdict.kind is Fault.CRASHED
    assert said in verdict.detail


def test_a_bot_that_nobody_would_await_is_refused() -> None:
    """As soon as its class is defined, with the line and the mend."""
    with pytest.raises(
        TypeError, match=r"Waits\.choose \(.*:\d+\) is a coroutine, .*; write `def choose`"
    ):

        class Waits(Bot):
            async def choose(self, question: Question[Any]) -> Any:
                return True


def test_who_watches_sees_the_end() -> None:
    """Beside those that plugins bring."""

    class Ends(Observer):
        ended_with: Outcome

        def on_outcome(self, outcome: Outcome) -> None:
            self.ended_with = outcome

    watcher = Ends()
    result = play_match("gops", ["easy", "match"], observers=[watcher])
    assert watcher.ended_with == result.outcome
    watchers: list[Ends] = []

    def watched(_: object) -> list[Ends]:
        watchers.append(Ends())
        return watchers[-1:]

    series = play_series("gops", ["easy", "match"], games=3, observers=watched)
    assert [listener.ended_with for listener in watchers] == [match.outcome for match in series]


def test_limits_are_those_of_the_match() -> None:
    """Who thinks for longer has a verdict; nothing is raised."""
    slow = "python3 -c 'input()'"
    result = play_match("gops", [slow, "easy"], seed="1", limits=Limits(move=0.05, start=0.05))
    verdict = result.verdicts[0]
    assert verdict
    assert verdict.kind in {"timeout", "crashed"}
    assert result.outcome.end == "forfeited"


def test_what_strangers_say_does_nothing_in_a_page_or_a_terminal() -> None:
    """Names and verdicts are escaped where markup or control characters would act."""
    series = play_series("gops", [Fails, "easy"], games=2, seed="1")
    page = series[0]._repr_html_()
    assert "&lt;script&gt;" in page
    assert "<script>" not in page + series._repr_html_()
    console = Console(width=100, record=True, force_terminal=True, color_system=None)
    with console.capture() as said:
        console.print(series[0], series, series.standings())
    assert "crashed" in said.get()
    assert "\x1b[31m" not in said.get() + str(series[0])


@pytest.mark.slow
def test_data_frames_have_a_column_for_each_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pandas or polars is installed; else one line says what to install."""
    standings = play_series("gops", ["easy", Most], games=4, seed="1").standings()
    frames = standings.to_pandas(), standings.to_polars()
    for frame in frames:
        assert [*frame["name"]] == [row.name for row in standings]
        assert [*frame["score"]] == [row.score for row in standings]
    for name in ("pandas", "polars"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
        with pytest.raises(UserError, match=f"^to_{name} needs {name}: pip install {name}$"):
            getattr(standings, f"to_{name}")()
