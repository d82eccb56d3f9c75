"""What holds for hosted matches of every game: outcomes, faults, transcripts, bots."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from io import StringIO
from itertools import cycle, islice, pairwise
from math import ceil
from random import Random
from typing import Any

from arena.host import Match
from arena.players import Bot, InProcess
from arena.plugins import Game, MatchSpec
from arena.records import Differs, Recorder, Transcript, parse, parse_text, through, verify, watch
from arena.rules import End, Fault, Outcome, Play, Question, derived
from arena.testing.bad_inputs import BAD_ANSWERS
from arena.testing.cases import Case, answer_to, seats_of
from arena.testing.law import law
from arena.testing.strategies import each_number_of_seats

SITTING = 2  # bots that are tried in a situation, and others in the next: own bots may be slow


class Habitual(Bot):
    """Answers by numbers, as a case says; where it is told to fail, it answers what is illegal."""

    def __init__(self, case: Case, faults: frozenset[int] = frozenset()) -> None:
        self._moves, self._faults, self._asks = case.move_stream(), faults, 0

    def choose(self, question: Question[Any]) -> Any:
        """Answer, or fail."""
        self._asks += 1
        move = next(self._moves)
        if self._asks in self._faults:
            return BAD_ANSWERS[move % len(BAD_ANSWERS)]
        return answer_to(question, move)


class Kept(StringIO):
    """A file whose text can be had when it has been closed."""

    text = ""

    def close(self) -> None:
        """Keep the text."""
        self.text = self.getvalue()
        super().close()


def hosted(game: Game, case: Case, bots: Sequence[Bot]) -> tuple[Outcome, Transcript]:
    """Host a match of these bots, and return how it came out and its transcript."""
    names, file = tuple(f"player_{seat}" for seat in range(case.seats)), Kept()
    variant = game.read_variant(case.options)
    spec = MatchSpec(derived(case.seed), game, variant, case.seed, names, names)
    match = Match(
        Play.deal(variant, case.seats, case.seed),
        [InProcess(bot) for bot in bots],
        game=game.name,
        observers=[Recorder(spec, file)],
    )
    outcome = match.run()
    assert outcome.end is not End.VOID, f"the match is void: {outcome.detail}"
    return outcome, parse_text(file.text)


@law()
def outcomes_are_complete(game: Game, case: Case) -> None:
    """A match of sound players is finished by the rules; places follow from the scores."""
    bots = [Habitual(case) for _ in range(case.seats)]
    outcome, _ = hosted(game, case, bots)
    assert outcome.end is End.FINISHED, f"nobody failed, and the match is {outcome.end}"
    assert outcome.scores is not None
    assert outcome.places is not None
    best = sorted(zip(outcome.places, outcome.scores, strict=True), key=lambda pair: pair[0])
    assert best[0][0] == 1, "nobody is first"
    for (place, score), (behind, lower) in pairwise(best):
        assert score >= lower, f"{score} is placed {place}, and {lower} is placed {behind}"
        assert (place == behind) == (score == lower), "places are shared by equals alone"


@law()
def a_match_survives_its_players(game: Game, case: Case) -> None:
    """Whoever fails, and when: the others' game goes on to its end, and can be verified."""
    random = Random(case.seed)
    for _ in range(3):
        faults = [frozenset({random.randint(1, 9)}) for _ in range(case.seats)]
        bots = [Habitual(case, faulty) for faulty in faults]
        outcome, transcript = hosted(game, case, bots)
        assert {verdict.kind for verdict in outcome.verdicts.values()} <= {Fault.ILLEGAL}
        verify(game, transcript)


@law()
def transcripts_are_verified_and_shown(game: Game, case: Case) -> None:
    """A transcript is verified, and shown to who watches and through each seat's eyes."""
    _, transcript = hosted(game, case, [Habitual(case) for _ in range(case.seats)])
    assert verify(game, transcript) == len(transcript.lines) + 1
    assert [*watch(game, transcript)], "who watches is shown nothing"
    for seat in range(case.seats):
        assert all(isinstance(line, str) for line in through(game, transcript, seat))


@law()
def other_transcripts_are_refused(game: Game, case: Case) -> None:
    """A transcript in which somebody was told something else is not verified."""
    _, transcript = hosted(game, case, [Habitual(case) for _ in range(case.seats)])
    lines = [json.dumps(line.value) for line in transcript.lines if "event" not in line.value]
    if len(lines) == len(transcript.lines):
        return  # nobody is told anything
    head = {"format": 1, "match": "", "game": game.name, "seed": case.seed}
    head["variant"] = game.write_variant(game.read_variant(case.options))
    head["seats"] = [{"name": name} for name in transcript.header.names]
    try:
        verify(game, parse([json.dumps(head), *lines]))
    except Differs:
        return
    raise AssertionError("a transcript without its events is verified")


@law(each_number_of_seats)
def bots_play_without_fault(game: Game, case: Case) -> None:
    """Each of the game's own bots plays a match in every seat, and at one table the same again."""
    tables = seats_of(game)
    for number, (name, kind) in enumerate(game.bots.items()):
        make: Callable[[], Bot] = kind
        outcome, transcript = hosted(game, case, [make() for _ in range(case.seats)])
        failed = [f"{one.kind}: {one.detail}" for one in outcome.verdicts.values()]
        assert not failed, f"the bot {name} fails: {failed[0]}"
        if case.seats != tables[number % len(tables)]:
            continue
        _, again = hosted(game, case, [make() for _ in range(case.seats)])
        assert _moves(transcript) == _moves(again), f"the bot {name} plays otherwise each time"


def _moves(transcript: Transcript) -> list[Any]:
    return [line.value.get("answer") for line in transcript.lines]


def situations_can_be_played(game: Game) -> None:
    """Each situation is brought about and ends, with some of the game's bots in it, all in turn."""
    turns = cycle(game.bots.items())
    at_once = min(len(game.bots), max(SITTING, ceil(len(game.bots) / (len(game.situations) or 1))))
    for situation in game.situations:
        seats = len(situation.others) + 1
        what = f"the situation {situation.name!r}"
        assert seats in game.seats, f"{what} is of {seats} seats"
        assert situation.seat in range(seats), f"{what} has no seat {situation.seat}"
        case = Case(situation.options, seats, situation.seed)
        for name, kind in islice(turns, at_once):
            bots = [make() for make in situation.others]
            bots.insert(situation.seat, kind())
            outcome, _ = hosted(game, case, bots)
            failed = outcome.verdicts.get(situation.seat)
            assert not failed, f"in {what} the bot {name} fails: {failed}"


def the_demonstration_can_be_played(game: Game) -> None:
    """The bots that a game is shown with are there, and as many as can play it."""
    for name in game.demo:
        assert name in game.bots, f"the demonstration names a bot {name!r}, and there is none"
    if game.demo:
        seats = len(game.demo)
        assert seats in game.seats, f"the demonstration is of {seats} seats"
