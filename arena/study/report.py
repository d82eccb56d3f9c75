"""A study's figures, and how they are shown: a table, JSON, Markdown, a page with charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import escape
from math import isfinite
from operator import mul
from typing import Any

from attrs import field, frozen

from arena.tables import Column, DataTable, PrintsAsTable, escape_markdown, to_html_paragraph
from arena.tournament import Estimate
from arena.tournament.results.charts import ChartRow, render_rows

PERCENT = "%"
WHOLE_UNITS = ("matches", "tokens")  # of numbers without decimals
CAVEAT = (
    "Each figure is one of these bots, not of the game alone: stronger bots may see it otherwise."
    " Intervals are 95 %, by deal."
)


@frozen
class Figure:
    """One figure of a study, with its interval."""

    name: str  #: for programs, such as `lead_changes`
    label: str  #: for people
    bots: str  #: of which bots it is
    estimate: Estimate  #: the value with its 95 % interval; a share from 0 to 1 where in %
    unit: str  #: `%`, or what is counted; empty for a plain number
    deals: int  #: of which it was made
    variant: str = ""  #: the option that is varied, as `NAME=VALUE`

    def pack(self) -> dict[str, Any]:
        """Return the figure as JSON; an end of the interval that is not known is None."""
        return {
            "figure": self.name, "label": self.label, "bots": self.bots, "variant": self.variant,
            **self.estimate.pack(), "unit": self.unit, "deals": self.deals,
        }  # fmt: skip

    @property
    def value(self) -> str:
        """The value in words."""
        return f"{self._format(self.estimate.value)}{f' {self.unit}' if self.unit else ''}"

    @property
    def interval(self) -> str:
        """The interval in words; empty where there is none."""
        low, high = self._format(self.estimate.low), self._format(self.estimate.high)
        return f"{low} to {high}" if {low, high} != {"?"} else ""

    def _format(self, value: float) -> str:
        if not isfinite(value):
            return "?"
        if self.unit == PERCENT:
            return f"{100 * value:z.0f}"
        return f"{value:z,.0f}" if self.unit in WHOLE_UNITS else f"{value:z.2f}"


COLUMNS = (
    Column("figure", is_text=True, may_wrap=True), Column("bots", is_text=True, may_wrap=True),
    Column("value"), Column("95 % interval"), Column("deals"),
)  # fmt: skip


@frozen
class FigureReport(PrintsAsTable):
    """Figures of bots, each with its interval; those of several variants stand side by side."""

    title: str  #: what they are of
    figures: Sequence[Figure]  #: in the order in which they are shown

    @property
    def notes(self) -> Sequence[str]:
        """What stands below the table."""
        return []

    def find(self, name: str, *, variant: str = "") -> Sequence[Figure]:
        """Return the figures of this name."""
        return [one for one in self.figures if (one.name, one.variant) == (name, variant)]

    def to_table(self) -> DataTable:
        """Return the table for people; variants stand side by side."""
        variants = [*dict.fromkeys(figure.variant for figure in self.figures)]
        if len(variants) > 1:
            return self._build_comparison(variants)
        rows = [
            [figure.label, figure.bots, figure.value, figure.interval, str(figure.deals)]
            for figure in self.figures
        ]
        return DataTable(COLUMNS, rows, self.title)

    def _build_comparison(self, variants: Sequence[str]) -> DataTable:
        rows = dict[tuple[str, str], dict[str, str]]()
        for figure in self.figures:
            interval = f" ({figure.interval})" if figure.interval else ""
            row = rows.setdefault((figure.label, figure.bots), {})
            row[figure.variant] = f"{figure.value}{interval}"
        columns = (*COLUMNS[:2], *(Column(variant, may_wrap=True) for variant in variants))
        cells = [[*key, *(row.get(one, "") for one in variants)] for key, row in rows.items()]
        return DataTable(columns, cells, self.title)

    def to_records(self) -> list[dict[str, Any]]:
        """Return the figures for programs, as data frames read them."""
        return [figure.pack() for figure in self.figures]

    def to_markdown(self) -> str:
        """Return the table as Markdown, with its notes."""
        return "\n".join([
            self.to_table().to_markdown(), *(f"{escape_markdown(note)}\n" for note in self.notes)
        ])  # fmt: skip


@frozen(kw_only=True)
class Study(FigureReport):
    """What self-play says of a game: figures of some bots, each with its interval."""

    bots: Sequence[str]  #: from the weakest to the strongest
    void: int = 0  #: matches that could not be played
    interrupted: bool = False  #: whether an interrupt has left some figures out
    remarks: Sequence[str] = field(factory=list)  #: sentences on what is missing, and why

    @property
    def notes(self) -> Sequence[str]:
        """What stands below the table."""
        void = [f"{self.void} void matches are left out."] if self.void else []
        return [CAVEAT, *self.remarks, *void]

    def to_html(self) -> str:
        """Return a page with charts of all shares, which needs no other file."""
        parts = [*map(to_html_paragraph, self.notes), *self._draw_charts()]
        body = "\n".join([to_html_paragraph(self.title), self.to_table().to_html(), *parts])
        return build_page("Study of a game", body)

    def _draw_charts(self) -> Iterator[str]:
        """Yield a chart of shares, and one of rounds, for each variant."""
        groups: Mapping[tuple[str, str], list[Figure]] = {}
        for figure in self.figures:
            groups.setdefault((figure.variant, figure.unit), []).append(figure)  # type: ignore[attr-defined]
        for (variant, unit), figures in groups.items():
            scale = partial(mul, 100 if unit == PERCENT else 1)
            rows = [
                ChartRow(f"{one.label} ({one.bots})", one.estimate.map(scale), one.value)
                for one in figures
                if isfinite(one.estimate.value)
            ]
            title = {PERCENT: "Shares", "": "Numbers"}.get(unit, unit.capitalize())
            subtitle = " · ".join(part for part in (variant, "95 % intervals, by deal") if part)
            if rows:
                yield render_rows(title, subtitle, rows)


PAGE_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { padding: .2rem .6rem; border-bottom: thin solid; }
svg { display: block; max-width: 100%; height: auto; margin: 1rem 0; }
</style>
"""
PAGE_END = "</html>\n"


def build_page(title: str, body: str) -> str:
    """Return a page of its own, given HTML."""
    return f"{PAGE_HEAD.replace('{title}', escape(title))}{body}{PAGE_END}"
