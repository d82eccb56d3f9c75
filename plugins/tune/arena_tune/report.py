"""The report of a run: a page with plots, in one file that needs nothing else.

The body of the page is rendered by itself, too: pages in a browser have the same one. Here is the
geometry of the plots, which the templates draw as SVG without inline styles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from arena import UserError
from arena.tournament.results.charts import choose_ticks
from arena_tune.parameters import CHOICE, REAL, Parameter
from arena_tune.staged_search import GATE, HELD, Step
from arena_tune.summary import TuningSummary, title_tests

PAGE = "index.html"
TEMPLATES = Path(__file__).with_name("templates")

WIDTH, HEIGHT = 720, 240  # pixels
LEFT, RIGHT, TOP, BOTTOM = 60, 700, 12, 212  # pixels: where the curves are
MARKS = 5  # of the vertical axis of a number on a log scale


def write_report(summary: TuningSummary, folder: Path) -> Path:
    """Write the report into a new folder; return the path of its page."""
    text = _render("report.html", summary)
    try:
        folder.mkdir(parents=True)
        (folder / PAGE).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise UserError(f"{folder} already exists; name a new folder") from None
    except OSError as problem:
        raise UserError(f"{folder} cannot be written: {problem.strerror}") from None
    return folder / PAGE


def render_report_body(summary: TuningSummary) -> str:
    """Render the body of the report as HTML, in which all values are escaped."""
    return _render("body.html", summary)


def _render(template: str, summary: TuningSummary) -> str:
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    return environment.get_template(template).render(
        summary=summary,
        progress=plot_progress(summary.searched),
        tests=list(_list_tests(summary)),
        courses=[
            plot_parameter(parameter, summary.searched)
            for parameter in summary.run.terms.parameters
        ],
    )


def _list_tests(summary: TuningSummary) -> Iterator[dict[str, Any]]:
    terms = summary.run.terms
    tests, titles = {GATE: terms.gate_test, HELD: terms.held_test}, title_tests(terms)
    for stage, row in summary.tests.items():
        ratios = [step.llr for step in summary.steps if step.generation.stage == stage]
        chart = plot_test([0.0, *ratios], tests[stage].bounds)
        yield {"title": titles[stage], "text": row.text, "chart": chart}


@frozen
class Plot:
    """A plot of curves over generations or blocks."""

    title: str
    axis: str
    marks: tuple[AxisMark, ...]
    lines: tuple[CurveLine, ...]
    limits: tuple[float, ...] = ()
    band: str = ""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = RIGHT


@frozen
class CurveLine:
    """A curve of a plot."""

    kind: str  # tuned or default
    points: str  # as SVG writes them


@frozen
class AxisMark:
    """A mark of the vertical axis."""

    y: float
    text: str


def plot_progress(steps: Sequence[Step]) -> Plot:
    """Plot the scores of a search's candidates, and of the default in the same matches."""
    candidates = [step.candidates_mean for step in steps]
    default = [step.means[0] for step in steps]
    low, high = _find_span([*candidates, *default])
    return Plot(
        "Score by generation",
        "generation",
        _build_marks(low, high),
        (
            CurveLine("tuned", _place_points(candidates, low, high)),
            CurveLine("default", _place_points(default, low, high)),
        ),
    )


def plot_test(ratios: Sequence[float], bounds: tuple[float, float]) -> Plot:
    """Plot the log likelihood ratios of a test between its bounds."""
    low, high = _find_span([*ratios, *bounds])
    return Plot(
        "Log likelihood ratio by block",
        "block",
        _build_marks(low, high),
        (CurveLine("tuned", _place_points(ratios, low, high)),),
        tuple(_place_height(bound, low, high) for bound in bounds),
    )


def plot_parameter(parameter: Parameter, steps: Sequence[Step]) -> Plot:
    """Plot a number with its spread in its range, a choice as the place among its choices."""
    if parameter.kind == CHOICE:
        places = [float(parameter.choices.index(step.settings[parameter.name])) for step in steps]
        high = float(len(parameter.choices) - 1)
        marks = tuple(
            AxisMark(_place_height(place, 0.0, high), str(choice))
            for place, choice in enumerate(parameter.choices)
        )
        line = CurveLine("tuned", _place_points(places, 0.0, high))
        return Plot(parameter.name, "generation", marks, (line,))
    means = [parameter.scale(step.settings[parameter.name]) for step in steps]
    widths = [step.spread[parameter.name] for step in steps]
    upper = [min(1.0, mean + width) for mean, width in zip(means, widths, strict=True)]
    lower = [max(0.0, mean - width) for mean, width in zip(means, widths, strict=True)]
    back = " ".join(reversed(_place_points(lower, 0.0, 1.0).split()))
    marks = tuple(
        AxisMark(_place_height(parameter.scale(value), 0.0, 1.0), f"{value:.3g}")
        for value in _choose_marks(parameter)
    )
    return Plot(
        parameter.name,
        "generation",
        marks,
        (CurveLine("tuned", _place_points(means, 0.0, 1.0)),),
        (_place_height(0.0, 0.0, 1.0), _place_height(1.0, 0.0, 1.0)),
        f"{_place_points(upper, 0.0, 1.0)} {back}",
    )


def _choose_marks(parameter: Parameter) -> Sequence[Any]:
    """Return the values of a number that are marked on its axis, each where it is."""
    if not parameter.log:
        ticks = choose_ticks(float(parameter.low), float(parameter.high))
        return [tick for tick in ticks if parameter.kind == REAL or tick == int(tick)]
    positions = np.linspace(0.0, 1.0, MARKS).tolist()
    return [*dict.fromkeys(map(parameter.unscale, positions))]


def _find_span(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis, which are never equal."""
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _build_marks(low: float, high: float) -> tuple[AxisMark, ...]:
    ticks = choose_ticks(low, high)
    return tuple(AxisMark(_place_height(value, low, high), f"{value:g}") for value in ticks)


def _place_points(values: Sequence[float], low: float, high: float) -> str:
    """Return a curve's points, from the left to the right."""
    width = (RIGHT - LEFT) / max(1, len(values) - 1)
    return " ".join(
        f"{LEFT + number * width:.1f},{_place_height(value, low, high)}"
        for number, value in enumerate(values)
    )


def _place_height(value: float, low: float, high: float) -> float:
    return round(float(BOTTOM - (value - low) / (high - low) * (BOTTOM - TOP)), 1)
