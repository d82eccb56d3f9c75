"""What answers are worth to a seat: the same worlds are played on after each of them.

So the difference between two answers is known better than what each is worth. The worse half of
the answers is left out again and again, until the last playouts go to the best two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, inf, log2, sqrt, tanh
from random import Random
from typing import Any, NamedTuple

from attrs import frozen

from arena.rules import Between, OneOf, Play, Question, Seat, SomeOf, Text, is_same
from arena.search.worlds import MAX_TRIES, Worlds

MAX_CANDIDATES = 24  # of more answers some are drawn
BEATEN_SHARE = 0.8  # of what an end is worth is whom the seat has beaten, the rest its lead
LEAD_POINTS = 10.0  # a lead of so many points is worth three quarters of the largest lead
LEAST_DOUBT = 0.05  # of one more world, in what an end is worth
MAX_TRIES_EACH = 10  # for a playout: behind the others in a trick, one deal in hundreds fits


def list_candidates(question: Question[Any], random: Random, more: Sequence[Any] = ()) -> list[Any]:
    """Return the answers to compare: all, or some of too many, and `more` that are known."""
    options = question.options
    if isinstance(options, Text):
        drawn = [options.draw(random) if question.default is None else question.default]
    elif isinstance(options, OneOf) or (
        isinstance(options, Between | SomeOf) and _is_short(options)
    ):
        drawn = [*options]
    elif isinstance(options, SomeOf):
        drawn = [*_draw_selections(options, random)]
    else:
        drawn = [options.draw(random) for _ in range(MAX_CANDIDATES)]
    default = [] if question.default is None else [question.default]
    candidates = dict[Any, Any]()
    for answer in (*more, *default, *drawn):
        # the order in which cards are laid makes no other answer
        key = frozenset(Counter(answer).items()) if isinstance(options, SomeOf) else answer
        candidates.setdefault(key, answer)
    return [*candidates.values()]


def _is_short(options: Between | SomeOf[Any]) -> bool:
    """Whether so few answers are allowed that all can be compared."""
    if isinstance(options, SomeOf) and len(options.cards) > MAX_CANDIDATES:
        return False  # there may be more selections than `len` can return
    return len(options) <= MAX_CANDIDATES


def _draw_selections(options: SomeOf[Any], random: Random) -> Iterator[tuple[Any, ...]]:
    """Yield single cards if they are allowed, and selections of few cards."""
    sizes = options.sizes
    least = max(1, sizes[0])
    singles = options.cards[: MAX_CANDIDATES // 2] if least == 1 else ()
    yield from ((card,) for card in singles)
    for _ in range(MAX_CANDIDATES - len(singles)):
        size = least
        while size < sizes[-1] and random.random() < 0.5:  # noqa: PLR2004  # as often as not
            size += 1
        yield tuple(random.sample(options.cards, size))


class End(NamedTuple):
    """What the end of a play comes to for a seat."""

    worth: float  #: from 0 to 1: whom the seat has beaten, and a little of its lead
    win: float  #: 1 for a win, 0 for a loss, and for a tie a share of the win


@frozen(eq=False)
class Comparison:
    """Answers, with what the ends of the same worlds after each of them are worth."""

    answers: Sequence[Any]  #: that were compared
    weights: Sequence[float]  #: of the worlds
    #: for each world, its end after each answer that was still compared, by number
    results: Sequence[Mapping[int, End]]
    live: Sequence[int]  #: the numbers of the answers that were compared to the last

    @property
    def best(self) -> Any:
        """The answer that came out best."""
        return self.answers[max(self.live, key=lambda at: self._compute_mean(at).worth)]

    def mean(self, answer: Any) -> float:
        """Return what an answer is worth, from 0 to 1."""
        return self._compute_mean(self._find(answer)).worth

    def find_win_chance(self, answer: Any) -> float:
        """Return how often the seat wins after an answer; a tie is a share of a win."""
        return self._compute_mean(self._find(answer)).win

    def gain(self, answer: Any, other: Any) -> tuple[float, float, int]:
        """Return by how much an answer is worth more than another, and how sure that is.

        Returns the mean difference, its standard error, and in how many worlds both were compared.
        It is never surer than if one more world had said the opposite: bots that never err would
        make certainty from a single playout.
        """
        first, second = self._find(answer), self._find(other)
        pairs = [
            (weight, row[first].worth - row[second].worth)
            for weight, row in zip(self.weights, self.results, strict=True)
            if first in row and second in row
        ]
        total = sum(weight for weight, _ in pairs)
        if not total:
            return 0.0, inf, 0
        mean = sum(weight * gain for weight, gain in pairs) / total
        doubt = total / len(pairs) * (2 * abs(mean) + LEAST_DOUBT)
        spread = sum((weight * (gain - mean)) ** 2 for weight, gain in pairs) + doubt**2
        return mean, sqrt(spread) / total, len(pairs)

    def _compute_mean(self, number: int) -> End:
        rows = [
            (weight, row[number])
            for weight, row in zip(self.weights, self.results, strict=True)
            if number in row
        ]
        total = sum(weight for weight, _ in rows)
        if not total:
            return End(0.0, 0.0)
        worth = sum(weight * end.worth for weight, end in rows) / total
        return End(worth, sum(weight * end.win for weight, end in rows) / total)

    def _find(self, answer: Any) -> int:
        """Return the number of an answer; raise ValueError where it was not compared."""
        for number, compared in enumerate(self.answers):
            if is_same(compared, answer):
                return number
        raise ValueError(f"{answer!r} was not compared")


def compare(
    worlds: Worlds, answers: Sequence[Any], playouts: int, keep: Any = None
) -> Comparison | None:
    """Compare answers in so many playouts, or fewer; return None if no world was found.

    Where hardly any deal fits what the seat was told, the tries at dealing are over first.

    Args:
        worlds: what they are compared in.
        answers: to the juncture's question.
        playouts: how many worlds are played on in all, for all answers together.
        keep: the answer that is compared to the last, whatever it is worth.
    """
    seat = worlds.juncture.seat
    live = [*range(len(answers))]
    weights, results = list[float](), list[Mapping[int, End]]()
    compared = Comparison(answers, weights, results, live)
    stages = max(1, ceil(log2(len(answers))))
    spent, stage = 0, 1
    most = worlds.tries + max(MAX_TRIES, MAX_TRIES_EACH * playouts)
    while spent < playouts:
        world = worlds.draw(most - worlds.tries)
        if world is None:
            break
        weights.append(world.weight)
        results.append({at: _find_end(world.play_on(answers[at]), seat) for at in live})
        spent += len(live)
        if len(live) > 2 and stage < stages and spent >= playouts * stage / stages:  # noqa: PLR2004
            means = {at: compared._compute_mean(at).worth for at in live}  # noqa: SLF001
            live.sort(key=lambda at: (not is_same(answers[at], keep), -means[at]))
            del live[max(2, ceil(len(live) / 2)) :]
            stage += 1
    return compared if results else None


def _find_end(play: Play, seat: Seat) -> End:
    """Return what the end of a play comes to for a seat."""
    scores = [*map(float, play.scores)]
    own = next(side for side in play.sides if seat in side)
    others = [score for at, score in enumerate(scores) if at not in own]
    if not others:
        worth = 0.5 + 0.5 * tanh(scores[seat] / LEAD_POINTS)
        return End(worth, float(not play.everybody_lost))
    beaten = sum((scores[seat] > score) + 0.5 * (scores[seat] == score) for score in others)
    first = [side for side in play.sides if scores[side[0]] == max(scores)]
    win = 1 / len(first) if own in first else 0.0
    if play.everybody_lost:
        beaten = win = 0.0
    lead = scores[seat] - sum(others) / len(others)
    share = beaten / len(others)
    worth = BEATEN_SHARE * share + (1 - BEATEN_SHARE) * (0.5 + 0.5 * tanh(lead / LEAD_POINTS))
    return End(worth, win)
