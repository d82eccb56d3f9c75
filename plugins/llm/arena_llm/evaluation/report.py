"""The report of a run: a table of all bots, and one for each game with the bots side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from html import escape
from math import isfinite, nan
from statistics import fmean
from typing import Any

from attrs import define, frozen

from arena.study import FigureReport
from arena.study.report import build_page
from arena.tables import Column, DataTable, RowFormat, escape_markdown, to_html_paragraph
from arena.tournament import Estimate
from arena.tournament.ratings import DealSums
from arena.tournament.results.charts import ChartRow, render_rows
from arena_llm.evaluation.figures import MAX_DECISIONS, CostlyDecision, PartMeasures
from arena_llm.evaluation.run import Run
from arena_llm.settings import Usage

MAX_VOID_SHARE = 0.01  # of a bot's matches, beyond which it has no place
MEANINGS = (
    "Reliability is the share of answers that the bot gave itself and that were legal, perhaps"
    " after a correction. Strength is the share of opponents that it finished ahead of, the mean of"
    " all games. Intervals are 95 %, by deal."
)
LIMITS = (
    f"A bot of which more than {100 * MAX_VOID_SHARE:.0f} % of the matches had no result has no"
    " place. Tokens and cost are those of all its matches. Never compare bots with different"
    " guidance."
)
NOTES = (MEANINGS, LIMITS)
SUMMARY = (
    Column("place"), Column("bot", is_text=True, may_wrap=True),
    Column("asked", is_text=True, may_wrap=True), Column("reliability"), Column("strength"),
    Column("void"), Column("tokens"), Column("cost"), Column("seconds"),
)  # fmt: skip
DECISIONS: RowFormat[CostlyDecision] = (
    (Column("bot", is_text=True), lambda decision: decision.bot),
    (Column("match", is_text=True), lambda decision: f"{decision.label} {decision.match}"),
    (Column("opponents", is_text=True, may_wrap=True), lambda decision: decision.opponents),
    (Column("cost"), lambda decision: f"{decision.cost:.2f}"),
    (Column("answer", is_text=True, may_wrap=True), lambda decision: decision.answer),
    (Column("best", is_text=True, may_wrap=True), lambda decision: decision.best),
    (Column("its reason", is_text=True, may_wrap=True), lambda decision: decision.reason),
)


@frozen
class BotSummary:
    """A bot in all games of a suite."""

    name: str
    parts: Sequence[PartMeasures]

    @property
    def reliability(self) -> Estimate:
        """Which of its answers were its own, and legal."""
        sums = DealSums()
        for part in self.parts:
            sums = sums.merge(part.own_answers.sums)
        return sums.estimate_share()

    @property
    def strength(self) -> Estimate:
        """The mean of its shares of the games; nan unless all were played."""
        shares = [part.share.sums.estimate_share() for part in self.parts]
        mean = fmean(share.value for share in shares)
        reach = sum(share.reach**2 for share in shares) ** 0.5 / len(shares)
        return Estimate(mean, max(0.0, mean - reach), min(1.0, mean + reach))

    @property
    def void(self) -> float:
        """Which of its matches had no result."""
        over = sum(part.over for part in self.parts)
        return sum(part.void for part in self.parts) / over if over else nan

    @property
    def has_place(self) -> bool:
        """Whether so many of its matches have a result that it can be ranked."""
        return isfinite(self.strength.value) and self.void <= MAX_VOID_SHARE

    @property
    def ways(self) -> str:
        """How the model was asked; empty for bots without records."""
        return "; ".join(sorted({record.way for part in self.parts for record in part.records}))

    @property
    def usage(self) -> Usage:
        """What all its calls took."""
        return sum((part.usage for part in self.parts), Usage())

    @property
    def seconds(self) -> float:
        """The seconds that all its answers took."""
        return sum(
            match.record.seats[match.side].seconds for part in self.parts for match in part.matches
        )

    def pack(self, place: int | None) -> dict[str, Any]:
        """Return it as JSON."""
        used = self.usage
        return {
            "bot": self.name, "place": place, "asked": self.ways,
            "reliability": self.reliability.pack(6), "strength": self.strength.pack(6),
            "void": None if self.void != self.void else round(self.void, 6),
            "calls": used.calls, "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens, "cost": round(used.cost, 6),
            "seconds": round(self.seconds, 3),
        }  # fmt: skip

    def format_cells(self, place: int | None) -> list[str]:
        """Return the cells of its row in the summary."""
        used = self.usage
        return [
            str(place or ""), self.name, self.ways, _format_share(self.reliability),
            _format_share(self.strength), "" if self.void != self.void else f"{self.void:.1%}",
            f"{used.tokens:,}" if used.calls else "", f"{used.cost:.3g}" if used.cost else "",
            f"{self.seconds:,.3f}",
        ]  # fmt: skip


def _format_share(estimate: Estimate) -> str:
    if not isfinite(estimate.value):
        return ""
    return f"{100 * estimate.value:.0f} % ({100 * estimate.low:.0f} to {100 * estimate.high:.0f})"


FindReplay = Callable[[CostlyDecision], str]
"""Returns the address of a decision in a replay."""

FindTournament = Callable[[str, str], str]
"""Returns the address of the pages of a bot and a game; empty if there are none."""


@define(slots=False)
class Evaluation:
    """What a run came to."""

    run: Run

    @cached_property
    def measures(self) -> Sequence[Sequence[PartMeasures]]:
        """What was measured, by game and by bot."""
        return [
            [PartMeasures.of(self.run, part, name) for name in self.run.bots]
            for part in self.run.suite.game
        ]

    @cached_property
    def reports(self) -> Sequence[FigureReport]:
        """A report on each game, with the bots side by side."""
        return [
            FigureReport(
                f"{parts[0].part.label}: {parts[0].part.matches} matches of each bot",
                [figure for part in parts for figure in part.iterate_figures()],
            )
            for parts in self.measures
        ]

    @cached_property
    def places(self) -> Sequence[tuple[int | None, BotSummary]]:
        """The bots with their places, the strongest first, those without a place last."""
        bots = [BotSummary(name, parts) for name, parts in zip(
            self.run.bots, zip(*self.measures, strict=True), strict=True)]  # fmt: skip
        ranked = sorted((bot for bot in bots if bot.has_place), key=lambda bot: -bot.strength.value)
        return [*enumerate(ranked, 1), *((None, bot) for bot in bots if not bot.has_place)]

    @cached_property
    def decisions(self) -> Sequence[Sequence[CostlyDecision]]:
        """The costliest decisions of each game, where a solution says what they cost."""
        return [
            sorted(
                (decision for part in parts for decision in part.list_decisions()),
                key=lambda decision: -decision.cost,
            )[:MAX_DECISIONS]
            for parts in self.measures
        ]

    @property
    def title(self) -> str:
        """What it is of."""
        return f"Suite {self.run.suite.title}"

    @property
    def notes(self) -> Sequence[str]:
        """What stands below the tables."""
        self.reports  # noqa: B018  # which find what is missing
        return [*NOTES, *(line for parts in self.measures for part in parts
                          for line in part.remarks)]  # fmt: skip

    @property
    def is_incomplete(self) -> bool:
        """Whether something of it is missing."""
        return len(self.notes) > len(NOTES)

    def build_tables(self) -> Iterator[DataTable]:
        """Yield all tables for people."""
        yield self._build_summary()
        for report, decisions in zip(self.reports, self.decisions, strict=True):
            yield report.to_table()
            if decisions:
                yield self._build_decisions(decisions)

    def to_records(self) -> list[dict[str, Any]]:
        """Return all of it for programs: an object for each bot, and one for each figure."""
        suite = {"suite": self.run.suite.name, "version": self.run.suite.version,
                 "digest": self.run.suite.digest}  # fmt: skip
        rows = [bot.pack(place) for place, bot in self.places]
        for parts, report in zip(self.measures, self.reports, strict=True):
            for figure in report.to_records():
                bot, opponents = figure.pop("variant"), figure.pop("bots")
                rows.append({"bot": bot, "game": parts[0].part.label, "opponents": opponents,
                             **figure})  # fmt: skip
        return [{**suite, **row} for row in rows]

    def to_markdown(self) -> str:
        """Return all tables as Markdown, with the notes."""
        tables = [table.to_markdown() for table in self.build_tables()]
        return "\n".join([*tables, *(f"{escape_markdown(note)}\n" for note in self.notes)])

    def to_html(
        self, find_replay: FindReplay | None = None, find_tournament: FindTournament | None = None
    ) -> str:
        """Return a page, with links to the replays of decisions and to tournaments, if given."""
        parts = [f"<h1>{escape(self.title)}</h1>", self._build_summary().to_html()]
        parts += map(to_html_paragraph, self.notes)
        for report, decisions, measures in zip(
            self.reports, self.decisions, self.measures, strict=True
        ):
            parts += [report.to_table().to_html(), self._draw_shares(report)]
            label = measures[0].part.label
            if find_tournament:
                parts.append(_list_links(
                    "Tournaments",
                    [(name, find_tournament(name, label), "") for name in self.run.bots],
                ))  # fmt: skip
            if decisions:
                parts.append(self._build_decisions(decisions).to_html())
            if decisions and find_replay:
                parts.append(_list_links("Replays", [
                    (f"{decision.bot} {decision.opponents}", find_replay(decision),
                     f": {decision.answer} costs {decision.cost:.2f}. {decision.reason}")
                    for decision in decisions
                ]))  # fmt: skip
        return build_page(self.title, "\n".join(parts))

    def _build_summary(self) -> DataTable:
        rows = [bot.format_cells(place) for place, bot in self.places]
        return DataTable(SUMMARY, rows, self.title, goes_on_below=True)

    def _build_decisions(self, decisions: Sequence[CostlyDecision]) -> DataTable:
        title = f"{decisions[0].label}: the costliest decisions"
        return DataTable.of(decisions, DECISIONS, title)

    def _draw_shares(self, report: FigureReport) -> str:
        """Draw the share of each bot against each opponent."""
        rows = [
            ChartRow(
                f"{figure.variant} {figure.bots}",
                figure.estimate.map(lambda share: 100 * share),
                figure.value,
            )
            for figure in report.figures
            if figure.name == "share" and isfinite(figure.estimate.value)
        ]
        if not rows:
            return ""
        return render_rows("Share of opponents beaten", "95 % intervals, by deal", rows)


def _list_links(title: str, links: Sequence[tuple[str, str, str]]) -> str:
    """Return a list of links as HTML: what each is called, its address, and what is behind it."""
    items = [
        f'<li><a href="{escape(address)}">{escape(label)}</a>{escape(text)}</li>'
        for label, address, text in links
        if address
    ]
    return f"<p>{escape(title)}:</p><ol>{''.join(items)}</ol>" if items else ""
