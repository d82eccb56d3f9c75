"""What the answers of a seat cost: as a plugin has computed it, or as bots play on after them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import starmap
from typing import Any, Self

from attrs import frozen

from arena import (
    Annotation,
    AnswerCost,
    Game,
    Mark,
    Seat,
    Variant,
    format_share,
)
from arena.search import Comparison, Substitutes, Worlds, compare, list_candidates
from arena.wires import is_marked
from arena_web.hints import CONFIDENCE, build_random
from arena_web.review.judgments import AnswerJudge, Judgment
from arena_web.review.moments import Choice, Findings, spread
from arena_web.review.own_answers import OwnAnswer
from arena_web.review.statements import (
    ChanceCost,
    Contrast,
    ExactLoss,
    PointCost,
    Possibility,
    Statement,
    WinChances,
    list_reasons,
    list_truths,
)

ROUGH_PLAYOUTS = 200  # in all, to choose the answers that are looked at
LEAST_PLAYOUTS = 4  # of each answer for that
PLAYOUTS = 160  # of each of the answers that are looked at
PLAYOUTS_EACH = 12  # that there are at least for each other answer that it is compared with
MIN_ANSWERS = 4  # that are compared all the same
LONG_PAST = 1000  # events, which halve the playouts
MAX_CHOICES = 60  # that are looked at, where the seat fell behind most
MAX_CONTRASTED = 150  # where a source of hints contrasts them, which is quick
MAX_WEIGHED = 6  # answers that are looked at
MAX_UNLIKE = 5  # of them, if so many are unlike the hint
SMALLEST_SHARE_LOST = 0.05  # of games, by an answer that is told
SMALLEST_COST = 0.5  # points of an answer that is a mistake


@frozen(eq=False)
class WeighedAnswer:
    """An answer of a seat with what it cost, against a better one."""

    choice: Choice
    cost: float  #: in points, or as a share of games: of all answers that are told in the same
    noise: float  #: by which that may be chance
    better: Sequence[Statement]  #: what would have been better, where that is sure
    maybe: Sequence[Statement] = ()  #: what may have been better, where the cost may be chance
    least: float = 0.0  #: cost below which it is a trifle

    @property
    def is_sure(self) -> bool:
        """Whether the answer costs more than chance explains, and is no trifle."""
        return self.cost > self.noise and self.cost >= self.least

    @property
    def is_likely(self) -> bool:
        """Whether it costs something, by more than one standard error."""
        return self.cost * CONFIDENCE > self.noise and self.cost >= self.least


def list_costs(notes: Iterable[Annotation], seat: Seat) -> list[tuple[int, AnswerCost]]:
    """Return what answers of a seat have cost, as plugins say, each with its line."""
    return [(note.line, note.cost) for note in notes if note.cost and note.seat == seat]


def weigh_by_costs(
    findings: Findings, costs: Iterable[tuple[int, AnswerCost]]
) -> list[WeighedAnswer]:
    """Return the answers of a seat with what plugins know of them: their lines and costs.

    What made it clearly less likely to win goes before what cost points, which may not have
    mattered; so all that are told are in the same measure.
    """
    choices = findings.choices
    by_chances, by_points = list[WeighedAnswer](), list[WeighedAnswer]()
    for line, cost in costs:
        earlier = [choice for choice in choices if choice.own.line < line]
        if not earlier:
            continue
        choice = max(earlier, key=lambda choice: choice.own.line)
        truths, chances = list_truths([choice.truth]), cost.chances
        if chances is None and not cost.is_best:
            better = [*truths, PointCost(cost.amount, cost.best)]
            by_points.append(WeighedAnswer(choice, cost.amount, SMALLEST_COST, better))
        elif chances and chances.lost >= SMALLEST_SHARE_LOST:
            better = [*truths, ChanceCost(chances.before, chances.after, chances.best)]
            by_chances.append(WeighedAnswer(choice, chances.lost, 0.0, better))
    return by_chances or by_points


@frozen(eq=False)
class CostEstimate:
    """What an answer of a seat cost against another one, by playing on after both."""

    choice: Choice
    other: Any  #: the answer that may have been better
    judgment: Judgment | None  #: whose hint has that answer; None: a search found it
    comparison: Comparison

    @property
    def cost(self) -> float:
        """By how much the other answer came out better, as a share of games."""
        return self.comparison.gain(self.other, self.choice.own.answer)[0]

    @property
    def noise(self) -> float:
        """By how much that may be chance."""
        return CONFIDENCE * self.comparison.gain(self.other, self.choice.own.answer)[1]

    @property
    def win_chances(self) -> WinChances | None:
        """How often both answers won; None where the other one did not win more often."""
        own = self.choice.own
        mine, others = map(self.comparison.find_win_chance, (own.answer, self.other))
        shares = format_share(mine), format_share(others)
        if mine >= others or shares[0] == shares[1]:
            return None
        return WinChances(own.say(self.other), *shares)

    def explain(self) -> WeighedAnswer:
        """Return the answer with what is to say of its cost."""
        own, judgment, chances = self.choice.own, self.judgment, self.win_chances
        truths = list_truths([self.choice.truth])
        maybe: Sequence[Statement] = [Possibility(own.say(self.other), own.say(own.answer))]
        better: Sequence[Statement] = [chances] if chances else maybe
        if judgment:  # who knows what is best says more than figures
            maybe = better = judgment.explain()
            if chances and judgment.source.is_bot:
                better = [chances, *list_reasons(judgment.hint.reasons)]
        return WeighedAnswer(
            self.choice, self.cost, self.noise, [*truths, *better], [*truths, *maybe],
            SMALLEST_SHARE_LOST,
        )  # fmt: skip


@frozen(eq=False)
class AnswerScale:
    """Weighs answers of a seat: worlds that it could not tell from the true one are played on."""

    substitutes: Substitutes  #: who play on
    judge: AnswerJudge  #: by whose hints answers are weighed, too

    @classmethod
    def of(cls, game: Game, variant: Variant, seats: int, judge: AnswerJudge) -> Self:
        """Return the scale on which the bot of a judge's source plays on, or those of the game."""
        own = judge.source.substitute if judge.source else None
        if own:
            return cls(Substitutes(own, [own]), judge)
        return cls(Substitutes.of(game, variant, seats), judge)

    def weigh_answers(self, findings: Findings) -> list[WeighedAnswer]:
        """Return the costs of a seat's answers: of too many, only of those that seem costliest.

        What a source of hints would have answered itself costs nothing: hints and reviews agree.
        Where it contrasts answers, costs are in the points that it says; else they are shares
        of games. In a match of several chapters, such as deals, the costliest of each chapter are
        among them.
        """
        choices = [
            choice for choice in findings.choices if not is_marked(choice.own.truth, Mark.WON)
        ]
        source = self.judge.source
        if source and source.contrast:
            mistakes, _ = self._divide(_spread(choices)[:MAX_CONTRASTED])
            return [answer for answer in starmap(_weigh_contrasted, mistakes) if answer]
        mistakes, others = self._divide(_spread(choices)[:MAX_CHOICES])
        exact = [answer for answer in starmap(_weigh_exactly, mistakes) if answer]
        known = [answer.choice for answer in exact]
        unlike = [choice for choice, _ in mistakes if choice not in known]
        chapters = {choice.moment.chapter for choice in choices if choice.moment.chapter}
        costly = self._choose_costly(unlike, max(MAX_UNLIKE, len(chapters)))
        costly = [*costly, *self._choose_costly(others, MAX_WEIGHED - len(costly))]
        playouts = round(PLAYOUTS * min(1, MAX_WEIGHED / max(1, len(costly))))
        estimates = [self.weigh(choice, playouts) for choice in costly]
        return [*exact, *(estimate.explain() for estimate in estimates if estimate)]

    def _divide(
        self, choices: Iterable[Choice]
    ) -> tuple[list[tuple[Choice, Judgment]], list[Choice]]:
        """Return the answers that are judged mistakes, and those that cannot be judged."""
        mistakes, unknown = list[tuple[Choice, Judgment]](), list[Choice]()
        for choice in choices:
            judgment = self.judge.judge(choice.own)
            if judgment is None:
                unknown.append(choice)
            elif not judgment.is_good:
                mistakes.append((choice, judgment))
        return mistakes, unknown

    def _choose_costly(self, choices: Sequence[Choice], limit: int) -> Sequence[Choice]:
        """Return the answers that seem to cost most, by a rough look at all of too many."""
        if len(choices) <= limit or limit <= 0:
            return choices[: max(0, limit)]
        playouts = max(LEAST_PLAYOUTS, ROUGH_PLAYOUTS // len(choices))
        rough = [estimate for choice in choices if (estimate := self.weigh(choice, playouts))]
        rough.sort(key=lambda estimate: (not estimate.choice.is_wrong, -estimate.cost))
        return _spread(estimate.choice for estimate in rough)[:limit]

    def weigh(self, choice: Choice, playouts: int) -> CostEstimate | None:
        """Weigh a mistake against the hint, or an answer without one against the best other one.

        Returns None if no other answer seems better, or no world was found.
        """
        own = choice.own
        judgment = self.judge.judge(own)
        if judgment:
            other = judgment.likeliest.answer
        else:  # in other worlds than those in which the two are compared: there it was lucky
            answers = self._list_candidates(own, playouts // 2)
            best = self._compare(own, answers, playouts // 2, "best")
            if best is None or best.best is own.answer:
                return None
            other = best.best
        comparison = self._compare(own, [own.answer, other], playouts, "review")
        return CostEstimate(choice, other, judgment, comparison) if comparison else None

    def _list_candidates(self, own: OwnAnswer, playouts: int) -> Sequence[Any]:
        """Return an answer, and those of bots and of chance, as many as can be compared."""
        juncture, random = own.state.juncture, build_random(own.state.juncture, "candidates")
        others = self.substitutes.list_answers(juncture, f"{random.getrandbits(64):016x}")
        answers = list_candidates(juncture.question, random, (own.answer, *others))
        return answers[: max(MIN_ANSWERS, playouts // PLAYOUTS_EACH)]

    def _compare(
        self, own: OwnAnswer, answers: Sequence[Any], playouts: int, purpose: str
    ) -> Comparison | None:
        """Compare an answer with others in so many playouts, or fewer after a long past."""
        juncture = own.state.juncture
        worlds = Worlds(juncture, self.substitutes, build_random(juncture, purpose))
        # each playout tells its bots the past anew, which takes as long as playing
        playouts = playouts * LONG_PAST // (LONG_PAST + len(juncture.past))
        return compare(worlds, answers, max(LEAST_PLAYOUTS, playouts), own.answer)


def _weigh_exactly(mistake: Choice, judgment: Judgment) -> WeighedAnswer | None:
    """Weigh a mistake by what its source knows answers to be worth; None: it does not know."""
    if judgment.loss is None:
        return None
    own, (mine, *_), best = mistake.own, judgment.same, judgment.likeliest
    loss = ExactLoss(judgment.who, own.say(best.answer), own.say(own.answer), best.text, mine.text)
    better = [*list_truths([mistake.truth]), loss, *list_reasons(judgment.hint.reasons)]
    return WeighedAnswer(mistake, judgment.loss, 0.0, better)


def _weigh_contrasted(mistake: Choice, judgment: Judgment) -> WeighedAnswer | None:
    """Weigh a mistake by the contrast with the hint; None where that is hardly better."""
    contrast = judgment.contrast
    if contrast is None:
        return None
    better = [*list_truths([mistake.truth]), Contrast(contrast.text)]
    return WeighedAnswer(mistake, contrast.gain, 0.0, better)


def _spread(choices: Iterable[Choice]) -> list[Choice]:
    """Return choices so that the first of each chapter come first."""
    return spread(choices, lambda choice: choice.moment.chapter)
