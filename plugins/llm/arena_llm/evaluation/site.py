"""The report as pages: a start page, and the site of each tournament behind it.

The costliest decisions on the start page lead to the step of the replay at which they are seen.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from urllib.parse import quote

from arena.records import parse_text
from arena_llm.evaluation.figures import CostlyDecision
from arena_llm.evaluation.report import Evaluation
from arena_llm.evaluation.run import Progress
from arena_llm.evaluation.suite import SuiteGame
from arena_web.matches.replay_steps import list_steps
from arena_web.site import write_site

INDEX = "index.html"


def write_evaluation_site(evaluation: Evaluation, out: Path, progress: Progress) -> Path:
    """Write all pages into a folder, and return the path of the start page."""
    run = evaluation.run
    sites: dict[tuple[str, str], str] = {}
    parts = {part.label: part for part in run.suite.game}
    for part in parts.values():
        for name in run.bots:
            database = run.find_database(name, part)
            if database.exists():
                sites[name, part.label] = folder = f"{name}/{part.label}"
                (out / name).mkdir(parents=True, exist_ok=True)
                write_site(
                    str(database), out / folder, replays="all",
                    progress=partial(progress, folder),
                )  # fmt: skip

    def find_link(decision: CostlyDecision) -> str:
        step = _find_step(evaluation, decision, parts[decision.label])
        return (
            f"{quote(sites[decision.bot, decision.label])}/match.html"
            f"#m={quote(decision.match)}&step={step}"
        )

    def find_tournament(bot: str, label: str) -> str:
        return f"{quote(sites[bot, label])}/{INDEX}" if (bot, label) in sites else ""

    page = out / INDEX
    page.write_text(evaluation.to_html(find_link, find_tournament), "utf-8")
    return page


def _find_step(evaluation: Evaluation, decision: CostlyDecision, part: SuiteGame) -> int:
    """Return the number of the step in which a decision is seen."""
    store = evaluation.run.open_store(decision.bot, part)
    assert store
    deal, rotation = decision.match.split(".")
    with store:
        text = store.transcripts.load(int(deal), int(rotation))
    assert text
    (steps,) = list_steps(parse_text(text.decode()), ["all"]).values()
    return next(step.number for step in steps if step.shown.line >= decision.line)
