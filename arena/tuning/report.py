"""The report of a run: a page with plots, in one file that needs nothing else.

The body of the page is rendered by itself, too: pages in a browser have the same one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.rules import UserError
from arena.tournament.ratings import Sprt
from arena.tuning.plots import plot_parameter, plot_progress, plot_test
from arena.tuning.stages import GATE, HELD, HELD_ELO0
from arena.tuning.summary import TuningSummary

PAGE = "index.html"
TEMPLATES = Path(__file__).with_name("templates")
TITLES = {GATE: "Against the default", HELD: "Against the opponents held out"}


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
    tests = {GATE: Sprt(0.0, summary.run.terms.elo1), HELD: Sprt(HELD_ELO0, 0.0)}
    for stage, row in summary.tests.items():
        ratios = [step.llr for step in summary.steps if step.generation.stage == stage]
        chart = plot_test([0.0, *ratios], tests[stage].bounds)
        yield {"title": TITLES[stage], "text": row.text, "chart": chart}
