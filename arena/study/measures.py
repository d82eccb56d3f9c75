"""What one recorded match measures of its game: its length, its choices, who led when.

The rules play the match again, since a transcript does not say what the scores were after a round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from math import log
from typing import Any

from attrs import frozen

from arena.host import Result
from arena.rules import (
    Between,
    OneOf,
    Play,
    Question,
    Score,
    Sides,
    SomeOf,
    average,
    compute_beaten_share,
)
from arena.wires import freeze


@frozen
class MatchMeasures:
    """What one match measures."""

    shares: Sequence[float]  # of the others that each side has finished ahead of; ties count half
    score: float  # of the first side, in the game's points
    is_tied: bool  # do several sides share the first place?
    rounds: int  # as the game counts them
    asks: int  # questions with options that can be counted
    choices: Sequence[float]  # the logarithm of the number of options, where there is a choice
    settled: float  # the share of the rounds after which the winner led for good
    lead_changes: int  # from one sole leader to another
    avoidable: int  # questions that allow answers of a kind and others
    given: int  # of these, how many were answered so
    names: frozenset[str]  # of all answers


@frozen
class AnswerPattern:
    """A kind of answers, by patterns of what they are called; `*` stands for any letters.

    An answer is called as it is written, by its class, and by each of several cards; all of them
    also behind the class of the question and a colon.
    """

    patterns: Sequence[str]

    def fits(self, question: Question[Any], answer: Any) -> bool:
        """Whether an answer is of this kind."""
        kind = type(question).__name__
        return any(
            fnmatchcase(label.casefold(), pattern.casefold())
            for name in list_names(answer)
            for label in (name, f"{kind}:{name}")
            for pattern in self.patterns
        )


def list_names(answer: Any) -> Iterator[str]:
    """Yield what an answer is called."""
    for part in answer if isinstance(answer, tuple) else (answer,):
        yield str(part)
        if type(part).__module__ != "builtins":
            yield type(part).__name__


def measure_shares(places: Sequence[int], sides: Sides) -> list[float]:
    """Return the share of the others that each side finished ahead of; a tie counts half.

    A side that plays against nobody has 1 where it is first: it has won.
    """
    ranks = [places[side[0]] for side in sides]
    if len(ranks) == 1:
        return [float(ranks[0] == 1)]
    return [compute_beaten_share(ranks, side) for side in range(len(ranks))]


def measure_match(result: Result, pattern: AnswerPattern) -> MatchMeasures:
    """Return what a recorded match measures; it must not be void."""
    assert result.places is not None
    spec = result.spec
    play = Play.deal(spec.variant, len(spec.names), spec.seed)
    by_round = dict[int, Sequence[Score]]()
    choices, asks, avoidable, given, names = list[float](), 0, 0, 0, set[str]()
    for line in result.transcript.lines:
        match line.value:
            case {"from": int(seat), "answer": packed}:
                question = play.pending[seat]
                answer = play.answer(seat, freeze(packed))
                if play.number > 1:
                    by_round[play.number - 1] = play.scores
                size = count_options(question)
                if size:
                    asks += 1
                    choices += [log(size)] if size > 1 else []
                names.update(list_names(answer))
                if pattern.patterns and can_avoid(pattern, question):
                    avoidable += 1
                    given += pattern.fits(question, answer)
    places = [result.places[side[0]] for side in result.sides]
    leaders = [_find_leaders(scores, result.sides) for scores in by_round.values()]
    sole = [leading for leading in leaders if len(leading) == 1]
    return MatchMeasures(
        shares=measure_shares(result.places, result.sides),
        score=float(average([play.scores[seat] for seat in result.sides[0]])),
        is_tied=len(places) > 1 and places.count(min(places)) > 1,
        rounds=result.outcome.rounds,
        asks=asks,
        choices=choices,
        settled=_measure_settled(leaders),
        lead_changes=sum(before != after for before, after in pairwise(sole)),
        avoidable=avoidable,
        given=given,
        names=frozenset(names),
    )


def count_options(question: Question[Any]) -> int:
    """Return how many answers a question allows; 0 where they cannot be counted."""
    options = question.options
    if isinstance(options, OneOf | Between):
        return len(options)
    return options.total if isinstance(options, SomeOf) else 0


def can_avoid(pattern: AnswerPattern, question: Question[Any]) -> bool:
    """Whether a question allows answers of a kind, and others."""
    options = question.options
    if isinstance(options, SomeOf):  # which may be too many to look at
        hits = sum(pattern.fits(question, card) for card in options.cards)
        return hits > 0 and len(options.cards) - hits >= max(options.sizes[0], 1)
    if not isinstance(options, OneOf | Between):
        return False
    hits = sum(pattern.fits(question, option) for option in options)
    return 0 < hits < len(options)


def _find_leaders(scores: Sequence[Score], sides: Sides) -> frozenset[int]:
    totals = [average([scores[seat] for seat in side]) for side in sides]
    return frozenset(at for at, total in enumerate(totals) if total == max(totals))


def _measure_settled(leaders: Sequence[frozenset[int]]) -> float:
    """Return the share of the rounds after which those who led at the end led for good."""
    if not leaders:
        return 1.0
    others = [at for at, leading in enumerate(leaders) if leading != leaders[-1]]
    return (others[-1] + 2 if others else 1) / len(leaders)
