"""The figures of a bot in a game of a suite, each with its interval by deal.

Reliability and strength are kept apart. What an endpoint lost is void and nobody's result; what a
bot lost by an answer that is none counts as lost, and as unreliable; how strong its answers were is
another question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import nan
from random import Random
from statistics import fmean

from attrs import define, field, frozen

from arena import End, InformationState, UserError
from arena.plugins import (
    GENERAL_STATISTICS,
    PERCENT,
    AnswerShares,
    CorrectedResult,
    Yardstick,
    get_plugins,
)
from arena.records import Transcript, parse_text
from arena.rules import compute_beaten_share, get_player_name, join_words
from arena.study import Figure
from arena.tournament import Estimate, PlayingStyles, StoredMatch
from arena.tournament.ratings import DealSums
from arena_llm.evaluation.records import RecordFolder, SeatDecisions, list_question_numbers
from arena_llm.evaluation.run import Asker, Run, list_yardsticks
from arena_llm.evaluation.suite import SuiteGame
from arena_llm.settings import Usage

FLOOR_REPEATS = 10  # of a best reply to the solution, asked as often as a bot was
MAX_DECISIONS = 10  # the costliest ones that are listed
ALL = "against all"
COSTED_MATCHES = 1000  # whose price is shown, since that of one has many decimals


@define
class Tally:
    """Values of each deal: how many there were, and what they come to."""

    by_deal: dict[int, tuple[float, float]] = field(factory=dict)

    def add(self, deal: int, value: float, many: float = 1) -> None:
        """Add the sum of some values of a deal."""
        count, total = self.by_deal.get(deal, (0.0, 0.0))
        self.by_deal[deal] = count + many, total + value

    @property
    def sums(self) -> DealSums:
        """The sums over all deals."""
        return DealSums.of_all(self.by_deal.values())


@frozen
class CostlyDecision:
    """A decision that cost something, by an exact solution, and the reason given for it."""

    bot: str
    label: str  #: of the game
    match: str  #: its key
    opponents: str
    line: int  #: of the transcript, with which it is seen
    cost: float  #: in the game's points
    answer: str  #: what was answered to what
    best: str  #: what the solution answers
    reason: str = ""  #: the bot's own words


@frozen(slots=False)
class BotMatch:
    """A match of a bot that has a result."""

    record: StoredMatch
    transcript: Transcript
    name: str
    records: RecordFolder

    @cached_property
    def seats(self) -> Sequence[int]:
        """The seats of the bot: those of its team."""
        names = self.transcript.header.names
        return [seat for seat, name in enumerate(names) if get_player_name(name) == self.name]

    @property
    def side(self) -> int:
        """The position of the bot among the sides of the record."""
        return next(at for at, seat in enumerate(self.record.seats) if seat.name == self.name)

    @property
    def opponents(self) -> str:
        """Whom it plays against."""
        names = {seat.name for seat in self.record.seats} - {self.name}
        return f"against {join_words(sorted(names))}"

    @cached_property
    def decisions(self) -> Mapping[int, SeatDecisions]:
        """What a model decided, by seat, as far as there are records of it."""
        key = self.transcript.header.match
        found = {seat: self.records.find(key, seat) for seat in self.seats}
        return {seat: record for seat, record in found.items() if record is not None}

    def count_answers(self) -> tuple[int, int]:
        """Return the number of the bot's own answers, and that of all."""
        lines = [line.value for line in self.transcript.lines]
        answers = [line for line in lines if "answer" in line and line.get("from") in self.seats]
        taken_over = sum(line["fallback"] for line in answers)
        given_up = sum(
            decision["fault"] is not None and not decision["forfeit"]
            for record in self.decisions.values()
            for decision in record.lines
        )
        return len(answers) - taken_over - given_up, len(answers)


@define
class PartMeasures:
    """What was measured of a bot in a game."""

    run: Run
    part: SuiteGame
    name: str
    matches: Sequence[BotMatch] = ()
    void: int = 0  #: matches that had no result, also those that were played again
    over: int = 0  #: all matches, also those that were played again
    remarks: list[str] = field(factory=list)

    @classmethod
    def of(cls, run: Run, part: SuiteGame, name: str) -> PartMeasures:
        """Measure what was played."""
        measures = cls(run, part, name)
        store = run.open_store(name, part)
        if store is None:
            measures.remarks.append(f"{name}: {part.label} was not played yet.")
            return measures
        bot = run.bots[name]
        with store:
            records = [*store.matches.find_matches()]
            replaced = [result for record in records for result in record.replaced]
            measures.void = sum(record.is_void for record in records)
            measures.void += sum(result.end is End.VOID for result in replaced)
            measures.over = len(records) + len(replaced)
            measures.matches = [
                BotMatch(record, parse_text(text.decode()), name, bot.records)
                for record in records
                if not record.is_void and (text := store.transcripts.load(*record.key))
            ]
        if (left := part.matches - len(measures.matches)) > 0:
            reasons = [record.detail for record in records if record.is_void]
            why = f" ({reasons[0]})" if reasons else ""
            measures.remarks.append(
                f"{name}: {left} of {part.matches} matches of {part.label} are missing{why};"
                " run it again."
            )
        return measures

    @cached_property
    def share(self) -> Tally:
        """The share of the opponents that it finished ahead of; ties count half."""
        tally = Tally()
        for match in self.matches:
            tally.add(match.record.deal, self._compute_share(match))
        return tally

    @cached_property
    def own_answers(self) -> Tally:
        """Which answers were the bot's own, and legal."""
        tally = Tally()
        for match in self.matches:
            tally.add(match.record.deal, *match.count_answers())
        return tally

    @property
    def usage(self) -> Usage:
        """What all calls took."""
        return sum((record.usage for record in self.records), Usage())

    @property
    def records(self) -> list[SeatDecisions]:
        """All records of the bot's matches."""
        return [record for match in self.matches for record in match.decisions.values()]

    def iterate_figures(self) -> Iterator[Figure]:
        """Yield all figures."""
        yield from self._iterate_reliability()
        yield from self._iterate_strength()
        yield from self._iterate_corrected()
        yield from self._iterate_gains()
        yield from self._iterate_styles()  # last, as correcting results may solve the game
        yield from self._iterate_usage()

    def list_decisions(self) -> list[CostlyDecision]:
        """Return the decisions that cost most, by the annotations of plugins."""
        plugins = get_plugins()
        game = plugins.find_game(self.part.game)
        found = []
        for match in self.matches:
            numbers = {
                seat: list_question_numbers(match.transcript, seat) for seat in match.decisions
            }
            for note in plugins.list_annotations(game, match.transcript):
                if note.cost is None or note.cost.is_best or note.seat not in match.seats:
                    continue
                reason = ""
                if note.seat in numbers:
                    before = [at for at in numbers[note.seat] if at <= note.line]
                    number = numbers[note.seat][max(before)] if before else 0
                    reason = match.decisions[note.seat].find_reason(number)
                found.append(CostlyDecision(
                    self.name, self.part.label, match.record.match, match.opponents, note.line,
                    note.cost.amount, note.cost.answer, note.cost.best, reason,
                ))  # fmt: skip
        return sorted(found, key=lambda decision: -decision.cost)[:MAX_DECISIONS]

    def _iterate_reliability(self) -> Iterator[Figure]:
        void = self.void / self.over if self.over else nan
        yield Figure("void", "matches without a result", "", Estimate(void, nan, nan), PERCENT,
                     self.over, self.name)  # fmt: skip
        yield self._describe_share("reliability", "own legal answers", "", self.own_answers)
        forfeits = Tally()
        for match in self.matches:
            verdict = match.record.seats[match.side].failure is not None
            forfeits.add(match.record.deal, verdict)
        yield self._describe_share("forfeits", "matches lost by a verdict", "", forfeits)
        if not self.records:
            return
        wrong, corrected, given_up = Tally(), Tally(), Tally()
        for match in self.matches:
            for record in match.decisions.values():
                for line in record.lines:
                    deal, tries = match.record.deal, line["tries"]
                    wrong.add(deal, sum(reply["fault"] is not None for reply in tries), len(tries))
                    is_answered = line["fault"] is None
                    corrected.add(deal, is_answered and len(tries) > 1)
                    given_up.add(deal, not is_answered)
        yield self._describe_share("wrong_replies", "replies that are no legal answer", "", wrong)
        yield self._describe_share("corrected", "questions answered after a correction", "",
                                   corrected)  # fmt: skip
        yield self._describe_share("unanswered", "questions never answered", "", given_up)

    def _iterate_strength(self) -> Iterator[Figure]:
        label = "share of opponents beaten"
        yield self._describe_share("share", label, ALL, self.share)
        shares: dict[str, Tally] = defaultdict(Tally)
        for match in self.matches:
            shares[match.opponents].add(match.record.deal, self._compute_share(match))
        for opponents, tally in sorted(shares.items()):
            yield self._describe_share("share", label, opponents, tally)

    def _iterate_corrected(self) -> Iterator[Figure]:
        """Yield results against each opponent, as they were and corrected for luck."""
        for yardstick in get_plugins().list_yardsticks(self.part.game):
            raw: dict[str, Tally] = defaultdict(Tally)
            less: dict[str, Tally] = defaultdict(Tally)
            results = yardstick.correct([match.transcript for match in self.matches])
            for match, by_seat in zip(self.matches, results, strict=True):
                for result in _select(by_seat, match.seats):
                    raw[match.opponents].add(match.record.deal, result.result)
                    less[match.opponents].add(match.record.deal, result.corrected)
            for opponents in sorted(raw):
                yield self._describe_mean("result", "result of a match", opponents,
                                          raw[opponents], yardstick.unit)  # fmt: skip
                label = f"result corrected for luck by {yardstick.source}"
                yield self._describe_mean("corrected_result", label, opponents, less[opponents],
                                          yardstick.unit)  # fmt: skip

    def _iterate_gains(self) -> Iterator[Figure]:
        """Yield the gain of a best reply, and that of one to the solution itself."""
        game = get_plugins().find_game(self.part.game)
        for yardstick in list_yardsticks(self.part):
            asker = Asker(game, self.part, self.run.open_answers(self.name, self.part))
            try:
                gain = asker.compute_gain(yardstick)
                floor = estimate_floor(yardstick, asker, self.part)
            except UserError as problem:
                self.remarks.append(f"{self.name}: no best reply in {self.part.label}: {problem}.")
                continue
            label = f"gain of a best reply, asked in {asker.count} states"
            for name, text, value in (
                ("gain", label, gain),
                ("gain_floor", "the same for the solution, as often asked", floor),
            ):
                yield Figure(
                    name, text, "", Estimate(value, nan, nan), yardstick.unit, 0, self.name
                )

    def _iterate_styles(self) -> Iterator[Figure]:
        """Yield the figures that the game observes of its bots."""
        general = {statistic.key for statistic in GENERAL_STATISTICS}
        store = self.run.open_store(self.name, self.part)
        if store is None:
            return
        with store:
            styles = PlayingStyles.of(store)
        for style in styles:
            for entry in style.entries if style.name == self.name else ():
                statistic = entry.statistic
                if statistic.is_figure and statistic.key not in general:
                    (point,) = entry.points
                    low, high = point.interval or (nan, nan)
                    estimate = Estimate(point.value, low, high)
                    yield Figure(statistic.key, statistic.title, ALL, estimate, statistic.unit,
                                 point.deals, self.name)  # fmt: skip

    def _iterate_usage(self) -> Iterator[Figure]:
        seconds = Tally()
        usage: dict[str, Tally] = defaultdict(Tally)
        for match in self.matches:
            seconds.add(match.record.deal, match.record.seats[match.side].seconds)
            for record in match.decisions.values():
                used = record.usage
                usage["calls"].add(match.record.deal, used.calls)
                usage["tokens"].add(match.record.deal, used.tokens)
                usage["price"].add(match.record.deal, COSTED_MATCHES * used.cost)
        yield self._describe_mean("seconds", "time for a match", "", seconds, "s")
        texts = {
            "calls": ("calls in a match", "calls"),
            "tokens": ("tokens in a match", "tokens"),
            "price": (f"price of {COSTED_MATCHES:,} matches", ""),
        }
        for name, tally in usage.items():
            yield self._describe_mean(name, texts[name][0], "", tally, texts[name][1])

    def _compute_share(self, match: BotMatch) -> float:
        places = match.record.rank()
        assert places is not None
        return compute_beaten_share(places, match.side)

    def _describe_share(self, name: str, label: str, bots: str, tally: Tally) -> Figure:
        sums = tally.sums
        estimate = sums.estimate_share()
        return Figure(name, label, bots, estimate, PERCENT, sums.deals, self.name)

    def _describe_mean(self, name: str, label: str, bots: str, tally: Tally, unit: str) -> Figure:
        sums = tally.sums
        return Figure(name, label, bots, sums.estimate_mean(), unit, sums.deals, self.name)


def _select(results: Sequence[CorrectedResult], seats: Sequence[int]) -> Iterator[CorrectedResult]:
    """Yield the results of some seats of a match that was explained."""
    if results:
        yield from (results[seat] for seat in seats)


def estimate_floor(yardstick: Yardstick, asker: Asker, part: SuiteGame) -> float:
    """Estimate what a best reply seems to win against the solution, asked as often as a bot.

    Few answers look like a habit that they are not, so that a best reply gains from chance.
    """
    assert part.best_reply
    many = part.best_reply.answers
    random = Random("floor")
    variant = asker.game.read_variant(part.best_reply.options)

    def sample(state: InformationState) -> AnswerShares:
        shares = yardstick.solve(state)
        drawn = random.choices([*shares], [*shares.values()], k=many)
        return {answer: drawn.count(answer) / many for answer in set(drawn)}

    return fmean(yardstick.compute_gain(variant, sample) for _ in range(FLOOR_REPEATS))
