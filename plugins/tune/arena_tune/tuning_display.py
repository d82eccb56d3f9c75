"""Watching a tuning run: a live table and curve on a terminal, plain lines elsewhere, or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from arena.cli.support.tournament_display import format_duration
from arena.tables import Column, DataTable
from arena.wires import to_printable
from arena_tune.parameters import CHOICE, Parameter
from arena_tune.run import RunState
from arena_tune.staged_search import (
    EFFECTS,
    EXPLORE,
    GATE,
    HELD,
    RACE,
    SCALE,
    SEARCH,
    Generation,
    RunDescription,
    StagedSearch,
    Step,
)
from arena_tune.summary import (
    OpponentRow,
    ParameterRow,
    TestRow,
    TuningSummary,
    pack_end,
    pack_step,
    summarize,
    title_tests,
)

BAR_CELLS = 24  # of a parameter's range
CURVE_CELLS = 60
CURVE_BLOCKS = "▁▂▃▄▅▆▇█"
REDRAW_SECONDS = 0.25
STAGES = {
    SCALE: "scale of points", EXPLORE: "random settings",
    SEARCH: "search", RACE: "race", GATE: "test", HELD: "last test", EFFECTS: "effects",
}  # fmt: skip
POSITIONS = (
    Column("parameter", is_text=True), Column("default"), Column("mean"), Column("low"),
    Column("spread in the range", is_text=True), Column("high"),
)  # fmt: skip
BUDGETED_STAGES = (EXPLORE, SEARCH, RACE)  # which the budget pays for


class PlainTuningMonitor:
    """Writes a line for each generation."""

    def __init__(self, run: RunDescription) -> None:
        self.run = run

    def on_generation(self, generation: Generation, done: int) -> None:
        """Wait for the whole."""

    def on_step(self, search: StagedSearch, step: Step) -> None:
        """Print the generation."""
        click.echo(format_step(step))

    def finish(self, state: RunState) -> None:
        """Print how it ended."""
        show_end(summarize(self.run, state))


class JsonTuningMonitor(PlainTuningMonitor):
    """Prints an object for each generation, and one at the end."""

    def on_step(self, search: StagedSearch, step: Step) -> None:
        """Print the generation."""
        click.echo(json.dumps(pack_step(step)))

    def finish(self, state: RunState) -> None:
        """Print how it ended."""
        click.echo(json.dumps(pack_end(summarize(self.run, state))))


class LiveTuningMonitor(PlainTuningMonitor):
    """Shows the parameters in their ranges, the curve and the progress on a terminal."""

    def __init__(self, run: RunDescription, live: Live) -> None:
        super().__init__(run)
        self._live = live
        self._steps: list[Step] = []
        self._began, self._next, self._played = monotonic(), 0.0, 0
        self._first: int | None = None  # matches of this generation that were there before

    def on_generation(self, generation: Generation, done: int) -> None:
        """Draw the progress, a few times a second."""
        if self._first is None:
            self._first = done
        now = monotonic()
        if now < self._next:
            return
        self._next = now + REDRAW_SECONDS
        before = sum(step.generation.matches for step in self._steps)
        played = self._played + done - self._first
        rate = played / max(0.001, now - self._began)
        left = max(0, self.run.terms.matches - self._count_budgeted() - done) / rate if rate else 0
        place = f"generation {generation.number}, {before + done} matches"
        line = f"{STAGES[generation.stage]}: {place}, {rate:.3g} a second"
        if left and generation.stage in BUDGETED_STAGES:
            line += f", about {format_duration(left)} left before the test"
        self._live.update(Group(*self._render(), Text(line)), refresh=True)

    def on_step(self, search: StagedSearch, step: Step) -> None:
        """Remember a generation."""
        self._played += step.generation.matches - (self._first or 0)
        self._first = None
        self._steps.append(step)

    def finish(self, state: RunState) -> None:
        """Leave the end on the screen."""
        self._live.update(Group(*self._render()), refresh=True)
        self._live.stop()
        show_end(summarize(self.run, state))

    def _count_budgeted(self) -> int:
        """Count the matches so far that the budget pays for."""
        generations = [step.generation for step in self._steps]
        return sum(found.matches for found in generations if found.stage in BUDGETED_STAGES)

    def _render(self) -> Iterator[RenderableType]:
        searched = [step for step in self._steps if step.generation.stage == SEARCH]
        if searched:
            yield build_position_table(self.run.terms.parameters, searched)
            yield from build_curve(searched)


@contextmanager
def open_tuning_monitor(run: RunDescription, *, as_json: bool) -> Iterator[PlainTuningMonitor]:
    """Open the monitor that suits standard output: JSON, a live display, or plain lines."""
    console = Console(highlight=False)
    if as_json:
        yield JsonTuningMonitor(run)
    elif not console.is_terminal:
        yield PlainTuningMonitor(run)
    else:
        with Live(console=console, auto_refresh=False) as live:
            yield LiveTuningMonitor(run, live)


def show_summary(summary: TuningSummary, *, as_json: bool) -> None:
    """Print a run as far as it has come."""
    if as_json:
        for step in summary.steps:
            click.echo(json.dumps(pack_step(step)))
        click.echo(json.dumps(pack_end(summary)))
        return
    console = Console(highlight=False)
    if summary.searched:
        console.print(build_position_table(summary.run.terms.parameters, summary.searched))
        for line in build_curve(summary.searched):
            console.print(line)
    show_end(summary)


def show_end(summary: TuningSummary) -> None:
    """Print the tables of a run, its remarks, and the conclusion in the last line."""
    console = Console(highlight=False)
    console.print(summary.headline)
    if summary.parameters:
        console.print(summary.parameters_table, ParameterRow.NOTE)
    if summary.opponents:
        console.print(summary.opponents_table, OpponentRow.NOTE)
    titles = title_tests(summary.run.terms)
    for stage, test in summary.tests.items():
        console.print(f"{titles[stage]}: {test.text}.")
    if summary.tests:
        console.print(TestRow.NOTE)
    for remark in summary.remarks:
        click.echo(to_printable(f"Note: {remark}."))
    searched = len(summary.searched)
    click.echo(f"{summary.matches} matches; {searched} of {summary.generations} generations")
    if summary.bot:
        click.echo(to_printable(f"Tuned bot: {summary.bot}"))
    click.echo(f"Conclusion: {summary.conclusion_text}.")


def format_step(step: Step) -> str:
    """Return a generation as a line."""
    means, generation = step.means, step.generation
    line = f"{generation.number:4} {generation.stage:7} {generation.matches:5} matches"
    if generation.stage == SEARCH:
        return f"{line}  candidates {step.candidates_mean:.3f}  default {means[0]:.3f}"
    if step.counts:
        return f"{line}  tuned {means[1]:.3f}  default {means[0]:.3f}  LLR {step.llr:+.2f}"
    return f"{line}  best {max(means):.3f}"


def build_position_table(parameters: Sequence[Parameter], steps: Sequence[Step]) -> DataTable:
    """Return the mean of each parameter, with its spread as a bar in its range."""
    rows = []
    for parameter in parameters:
        value, spread = steps[-1].settings[parameter.name], steps[-1].spread[parameter.name]
        if parameter.kind == CHOICE:
            span = ("", f"others {spread:.0%}", "")
        else:
            bar = draw_bar(parameter.scale(value), spread)
            span = (f"{parameter.low:g}", bar, f"{parameter.high:g}")
        rows.append([parameter.name, f"{parameter.default}", f"{value}", *span])
    return DataTable(POSITIONS, rows, goes_on_below=True)


def draw_bar(position: float, spread: float) -> str:
    """Draw a position in a range, and one standard deviation on both sides.

    >>> draw_bar(0.5, 0.1)
    '··········══●═··········'
    """
    middle = min(BAR_CELLS - 1, int(position * BAR_CELLS))
    low, high = (round(BAR_CELLS * (position + sign * spread)) for sign in (-1, 1))
    cells = ["═" if low <= cell < high else "·" for cell in range(BAR_CELLS)]
    cells[middle] = "●"
    return "".join(cells)


def build_curve(steps: Sequence[Step]) -> Iterator[Text]:
    """Yield two lines: the scores of the candidates, and of the default in the same matches."""
    curves = {
        "candidates": [step.candidates_mean for step in steps],
        "default": [step.means[0] for step in steps],
    }
    low = min(map(min, curves.values()))
    high = max(map(max, curves.values()))
    for name, scores in curves.items():
        last = scores[-CURVE_CELLS:]
        blocks = [
            CURVE_BLOCKS[round((score - low) / ((high - low) or 1) * (len(CURVE_BLOCKS) - 1))]
            for score in last
        ]
        yield Text(f"{name:>10} {''.join(blocks)} {last[-1]:.3f}")
