"""Laws for hosted matches of every game: outcomes, faults, transcripts, bots."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import cycle, islice, pairwise
from math import ceil
from random import Random
from typing import Any

from arena.host import Match
from arena.players import Bot, RandomBot
from arena.plugins import (
    Game,
    MatchSpec,
    build_variant,
    build_with_parameters,
    get_plugins,
    parse_bundled_bot,
)
from arena.records import (
    InMemoryFile,
    Recorder,
    Transcript,
    TranscriptMismatchError,
    parse_lines,
    parse_text,
    replay_for_seat,
    replay_for_spectator,
    verify,
)
from arena.rules import End, Fault, Outcome, Play, Question, UserError, average, derive_seed
from arena.search import Search, create_bot_player
from arena.testing.harness.cases import Case, choose_legal_answer, list_seat_counts
from arena.testing.harness.hypothesis_strategies import BAD_ANSWERS, cases_by_seats
from arena.testing.law import law

MIN_BOTS_PER_SCENARIO = 2  # the next scenario tries other bots: a game's own bots may be slow


class ScriptedBot(Bot):
    """Answers with the moves of a case, and with an illegal answer where it is told to fail."""

    def __init__(self, case: Case, faults: frozenset[int] = frozenset()) -> None:
        self._moves, self._faults, self._asks = case.move_stream(), faults, 0

    def choose(self, question: Question[Any]) -> Any:
        """Return the next answer, or an illegal one."""
        self._asks += 1
        move = next(self._moves)
        if self._asks in self._faults:
            return BAD_ANSWERS[move % len(BAD_ANSWERS)]
        return choose_legal_answer(question, move)


def host_match(game: Game, case: Case, bots: Sequence[Bot]) -> tuple[Outcome, Transcript]:
    """Host a match of these bots, and return its outcome and its transcript."""
    outcome, _, transcript = _play_match(game, case, bots)
    return outcome, transcript


def _play_match(game: Game, case: Case, bots: Sequence[Bot]) -> tuple[Outcome, Play, Transcript]:
    names, file = tuple(f"player_{seat}" for seat in range(case.seats)), InMemoryFile()
    variant = game.read_variant(case.options)
    spec = MatchSpec(derive_seed(case.seed), game, variant, case.seed, names, names)
    play = Play.deal(variant, case.seats, case.seed)
    players = [create_bot_player(bot) for bot in bots]
    match = Match(play, players, game=game.name, observers=[Recorder(spec, file)])
    match.hand_junctures(game)
    outcome = match.run()
    assert outcome.end is not End.VOID, f"the match is void: {outcome.detail}"
    return outcome, play, parse_text(file.text)


@law()
def outcomes_are_complete(game: Game, case: Case) -> None:
    """A match of sound players ends by the rules, and places follow from the scores."""
    bots = [ScriptedBot(case) for _ in range(case.seats)]
    outcome, play, _ = _play_match(game, case, bots)
    assert outcome.end is End.FINISHED, f"nobody failed, but the match is {outcome.end}"
    assert outcome.scores is not None
    assert outcome.places is not None
    if play.everybody_lost:
        assert {*outcome.places} == {2}, "everybody has lost, but not all have place 2"
        return
    for side in play.sides:
        assert len({outcome.places[seat] for seat in side}) == 1, "partners have different places"
    _check_places(
        [outcome.places[side[0]] for side in play.sides],
        [average([outcome.scores[seat] for seat in side]) for side in play.sides],
    )


def _check_places(places: Sequence[int], scores: Sequence[float | Fraction]) -> None:
    best = sorted(zip(places, scores, strict=True), key=lambda pair: pair[0])
    assert best[0][0] == 1, "nobody has place 1"
    for (place, score), (behind, lower) in pairwise(best):
        assert score >= lower, (
            f"score {score} has place {place}, but score {lower} has place {behind}"
        )
        assert (place == behind) == (score == lower), (
            "sides must share a place if, and only if, their scores are equal"
        )


@law()
def a_match_survives_its_players(game: Game, case: Case) -> None:
    """Whichever seat fails, and whenever: the game goes on to its end, and can be verified."""
    random = Random(case.seed)
    for _ in range(3):
        faults = [frozenset({random.randint(1, 9)}) for _ in range(case.seats)]
        bots = [ScriptedBot(case, faulty) for faulty in faults]
        outcome, transcript = host_match(game, case, bots)
        assert {verdict.kind for verdict in outcome.verdicts.values()} <= {Fault.ILLEGAL}
        verify(game, transcript)


@law()
def transcripts_verify_and_replay(game: Game, case: Case) -> None:
    """A transcript can be verified, and replayed for spectators and through each seat's eyes."""
    _, transcript = host_match(game, case, [ScriptedBot(case) for _ in range(case.seats)])
    assert verify(game, transcript) == len(transcript.lines) + 1
    assert [*replay_for_spectator(game, transcript)], "a spectator sees nothing"
    for seat in range(case.seats):
        assert all(isinstance(line, str) for line in replay_for_seat(game, transcript, seat))


@law()
def verification_rejects_other_transcripts(game: Game, case: Case) -> None:
    """A transcript in which a seat was told something else is not verified."""
    _, transcript = host_match(game, case, [ScriptedBot(case) for _ in range(case.seats)])
    lines = [json.dumps(line.value) for line in transcript.lines if "event" not in line.value]
    if len(lines) == len(transcript.lines):
        return  # nobody is told anything
    head = {"format": 1, "match": "", "game": game.name, "seed": case.seed}
    head["variant"] = game.write_variant(game.read_variant(case.options))
    head["seats"] = [{"name": name} for name in transcript.header.names]
    try:
        verify(game, parse_lines([json.dumps(head), *lines]))
    except TranscriptMismatchError:
        return
    raise AssertionError("a transcript without its events is verified")


@law(cases_by_seats)
def bots_play_without_fault(game: Game, case: Case) -> None:
    """Each of the game's bots plays in every seat, and plays the same again at one table size."""
    tables = list_seat_counts(game)
    own = {name: kind for name, kind in game.bots.items() if kind is not Search}  # has its own law
    for number, (name, kind) in enumerate(own.items()):
        make: Callable[[], Bot] = kind
        outcome, transcript = host_match(game, case, [make() for _ in range(case.seats)])
        failed = [f"{verdict.kind}: {verdict.detail}" for verdict in outcome.verdicts.values()]
        assert not failed, f"the bot {name} fails: {failed[0]}"
        if case.seats != tables[number % len(tables)]:
            continue
        _, again = host_match(game, case, [make() for _ in range(case.seats)])
        assert _answers_in(transcript) == _answers_in(again), (
            f"the bot {name} plays differently each time"
        )


def _answers_in(transcript: Transcript) -> list[Any]:
    return [line.value.get("answer") for line in transcript.lines]


def check_scenarios(game: Game) -> None:
    """Raise AssertionError unless the game's bots can play each scenario to its end.

    A game without bots has its scenarios played at random.
    """
    own = game.bots or {"random": RandomBot}
    turns = cycle(own.items())
    at_once = min(len(own), max(MIN_BOTS_PER_SCENARIO, ceil(len(own) / (len(game.scenarios) or 1))))
    for scenario in game.scenarios:
        seats = len(scenario.others) + 1
        subject = f"the scenario {scenario.name!r}"
        assert seats in game.seats, f"{subject} has {seats} seats, which the game does not allow"
        assert scenario.seat in range(seats), f"{subject} has no seat {scenario.seat}"
        case = Case(scenario.options, seats, scenario.seed)
        for name, kind in islice(turns, at_once):
            bots = [make() for make in scenario.others]
            bots.insert(scenario.seat, kind())
            outcome, _ = host_match(game, case, bots)
            failed = outcome.verdicts.get(scenario.seat)
            assert not failed, f"in {subject}, the bot {name} fails: {failed}"


def check_demo(game: Game) -> None:
    """Raise AssertionError unless the bots of the demo exist, and can fill a table.

    They may be bots that plugins add, such as `search`, and have parameters.
    """
    complete, seats = get_plugins().find_game(game), len(game.presentation.demo)
    assert not seats or seats in game.seats, (
        f"the demo has {seats} seats, which the game does not allow"
    )
    for bot in game.presentation.demo:
        try:
            made = build_with_parameters(*parse_bundled_bot(complete, bot))
            made.check_support(build_variant(game, {}), seats)
        except UserError as problem:
            raise AssertionError(f"the demo cannot be played: {problem}") from None
