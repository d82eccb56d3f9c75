"""The page of results on GOPS solved: `python -m benchmarks.gops.results --cards 11`.

It compares the solution for points with the one to win, both read from tables in the cache (`arena
gops solve`), for the given number of cards and four fewer. What depends on how a game goes is a
mean over games that the solutions play against each other, with its 95 % interval. In these games
a round is not judged by its cards, but by the weights of both strategies, so few are enough.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import TYPE_CHECKING

import click
import numpy as np
from attrs import evolve, frozen
from click.testing import CliRunner

from arena.plugins import get_plugins
from arena_gops_solver import SolvedGame, SolverPosition, Strategy, find_equilibrium
from arena_gops_solver.cli import gops
from arena_gops_solver.positions import Float64Array
from arena_gops_solver.table_cache import find_solution
from arena_gops_solver.value_table import OBJECTIVES

if TYPE_CHECKING:
    from altair import Chart

SOLUTIONS = ("nash", "nash-win")
FEWER = 4  # cards of the smallest game beside the large one
LEADS = range(-40, 41, 2)  # points
MADE = 0.0005  # the least weight of a bid that is shown
DIFFERENT = 0.01  # of the weight is on other bids
EXACT_CARDS = 5  # of games with bots, whose best responses are found exactly
UNITS = {"points": "points", "win": "wins less losses in 100 games"}
SCALES = {"points": 1.0, "win": 100.0}

Solved = dict[str, SolvedGame]
"""The solved game of each objective."""


@frozen
class Round:
    """A round of a game in which one side plays for points and the other to win."""

    number: int
    place: SolverPosition
    apart: float  # the share of the weight that the two solutions put on other bids
    lost: dict[str, float]  # by objective, by the strategy for the other objective


def play_rounds(solved: Solved, cards: int, games: int, seed: str) -> Iterator[list[Round]]:
    """Play games of the solution for points against the one to win; yield the rounds of each."""
    random, suit = Random(seed), range(1, cards + 1)
    for _ in range(games):
        place, rounds = SolverPosition(suit, suit, suit), []
        for number, prize in enumerate(random.sample(suit, cards), 1):
            stages = {by: game.build_stage(place, prize) for by, game in solved.items()}
            mixes = {by: find_equilibrium(stage) for by, stage in stages.items()}
            rounds.append(Round(number, place, *compare(stages, mixes)))
            mine = random.choices(place.mine, mixes["points"].weights.tolist())[0]
            theirs = random.choices(place.theirs, mixes["win"].theirs.tolist())[0]
            place = place.after(prize, mine, theirs)
        yield rounds


def compare(
    stages: Mapping[str, Float64Array], mixes: Mapping[str, Strategy]
) -> tuple[float, dict[str, float]]:
    """Return `apart` and `lost` of a round."""
    apart = np.abs(mixes["points"].weights - mixes["win"].weights).sum() / 2
    lost = {}
    for by, other in (("points", "win"), ("win", "points")):
        worth = float(mixes[other].weights @ stages[by] @ mixes[by].theirs)
        lost[by] = SCALES[by] * max(0.0, mixes[by].value - worth)
    return float(apart), lost


def format_mean(figures: Sequence[float]) -> str:
    """Format a mean with its 95 % interval."""
    return f"{mean(figures):.2f} ± {1.96 * stdev(figures) / sqrt(len(figures)):.2f}"


def format_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def find_first_bids(solved: SolvedGame, cards: int) -> list[list[float]]:
    """Return the first strategy for each first prize."""
    suit = range(1, cards + 1)
    start = SolverPosition(suit, suit, suit)
    strategies = (find_equilibrium(solved.build_stage(start, prize)) for prize in suit)
    return [strategy.weights.tolist() for strategy in strategies]


def render_growth(solved: Solved, cards: Sequence[int]) -> str:
    """Return a table of how the first strategies change with the number of cards."""
    rows = []
    for many in cards:
        row = [str(many)]
        for game in solved.values():
            bids = find_first_bids(game, many)
            sizes = mean(sum(weight > MADE for weight in weights) for weights in bids)
            row += [f"{bids[-1][-1]:.3f}", f"{sizes:.1f}"]
        rows.append(row)
    head = ["cards", "points: top card for the top prize", "bids that are made, mean",
            "win: top card for the top prize", "bids that are made, mean"]  # fmt: skip
    return format_table(head, rows)


def render_costs(games: Sequence[Sequence[Round]]) -> Iterator[str]:
    """Yield how often the solutions differ, and what one costs by the other's objective."""
    rows = []
    for rounds in zip(*games, strict=True):
        apart = [each.apart for each in rounds]
        rows.append([
            str(rounds[0].number),
            f"{100 * mean(share > DIFFERENT for share in apart):.0f}",
            f"{100 * mean(apart):.1f}",
            *(f"{mean(each.lost[by] for each in rounds):.3f}" for by in ("win", "points")),
        ])  # fmt: skip
    head = ["round", "positions where they differ, %", "weight on other bids, %",
            f"points' solution loses, {UNITS['win']}", "win's solution loses, points"]  # fmt: skip
    yield format_table(head, rows)
    for by, name in (("win", "for points costs"), ("points", "to win costs")):
        total = [sum(each.lost[by] for each in rounds) for rounds in games]
        yield f"Over a game, to play {name} {format_mean(total)} {UNITS[by]}."


def build_leads(solved: SolvedGame, games: Sequence[Sequence[Round]]) -> list[dict[str, float]]:
    """Return the mean value to win by cards left and lead, over the positions of games."""
    found = []
    total = sum(solved.table.prizes)
    for rounds in zip(*games, strict=True):
        gone = [total - sum(each.place.prizes) for each in rounds]
        for lead in LEADS:
            values = [
                solved.compute_value(evolve(each.place, difference=lead))
                for each, points in zip(rounds, gone, strict=True)
                if abs(lead) <= points
            ]
            if len(values) == len(rounds):
                left = len(rounds[0].place.prizes)
                found.append({"left": left, "lead": lead, "wins": 100 * mean(values)})
    return found


def draw_first_bids(solved: Solved, cards: int) -> Chart:
    """Draw the first strategies: a square for each prize and bid."""
    import altair as alt

    rows = [
        {"prize": prize, "bid": bid, "weight": weight, "for": by}
        for by, game in solved.items()
        for prize, weights in enumerate(find_first_bids(game, cards), 1)
        for bid, weight in enumerate(weights, 1)
    ]
    chart: Chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect()
        .encode(
            alt.X("bid:O"), alt.Y("prize:O", sort="descending"),
            alt.Color("weight:Q", scale=alt.Scale(scheme="blues", domain=[0, 1])),
            alt.Column("for:N", title=None),
        )
    )  # fmt: skip
    return chart


def draw_leads(rows: list[dict[str, float]]) -> Chart:
    """Draw the value to win by lead, a line for each number of cards left."""
    import altair as alt

    chart: Chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line()
        .encode(
            alt.X("lead:Q", title="points ahead"), alt.Y("wins:Q", title=UNITS["win"]),
            alt.Color("left:O", title="cards left", scale=alt.Scale(scheme="viridis")),
        )
        .properties(width=480, height=320)
    )  # fmt: skip
    return chart


def render_bots(cards: int, games: int) -> str:
    """Return a table of what bots lose to a best response: exact, and learned in the large game."""
    rows = []
    for name in get_plugins().find_game("gops").bots:
        if name in SOLUTIONS:
            continue
        row = [f"`{name}`"]
        for many in (EXACT_CARDS, cards):
            for by in OBJECTIVES:
                words = f"exploit {name} --cards {many} --objective {by} --games {games}"
                done = CliRunner().invoke(
                    gops, [*words.split(), "--seed", "1", "--json"], catch_exceptions=False
                )
                found = json.loads(done.stdout)
                sign = "" if found["method"] == "exact" else "≥ "
                row.append(f"{sign}{SCALES[by] * found['value']:.2f}")
        rows.append(row)
    sizes = (EXACT_CARDS, cards)
    head = ["bot", *(f"{many} cards, {UNITS[by]}" for many in sizes for by in OBJECTIVES)]
    return format_table(head, rows)


INTRODUCTION = """\
Two players, prizes in random order, a tie gives the prize to nobody. `points` is the solution for
the expected difference of points, `win` the one for the chance to win: [how they are
found](how-gops-is-solved.md), and [how exact they are](how-gops-is-solved.md#how-exact). The tables
come from `arena gops solve`, and all figures from:"""
FIRST_BIDS = """\
`arena gops strategy --cards {cards} --prize P --objective points` prints them; with `win`, those
to win."""
BOTS = """\
What a best response wins against each bundled bot (`arena gops exploit`). ≥ marks a response that
was learned from games, at most {games}; a best one wins at least as much."""


def render_page(cards: int, games: int, bots: int) -> tuple[str, dict[str, Chart]]:
    """Return the page, and its pictures by name."""
    solved = {by: find_solution(by, cards) for by in OBJECTIVES}
    played = [*play_rounds(solved, cards, games, "results")]
    options = f" --bots {bots}" if bots else ""
    command = f"python -m benchmarks.gops.results --cards {cards} --games {games}{options}"
    parts = [
        f"# GOPS solved: results for {cards} cards",
        INTRODUCTION,
        f"```text\n{command}\n```",
        "## The first bid",
        "![The first bid for each first prize](../_static/gops-first-bids.svg)",
        FIRST_BIDS.format(cards=cards),
        "## Points against wins",
        f"Means over {games} games with `points` on one side and `win` on the other:",
        *render_costs(played),
        "## The score",
        "What a lead is worth to `win` in the positions of these games, before a prize is up:",
        "![The chance to win by lead and cards left](../_static/gops-leads.svg)",
        "## With more cards",
        render_growth(solved, range(max(2, cards - FEWER), cards + 1)),
    ]
    if bots:
        parts += ["## The bots", BOTS.format(games=bots), render_bots(cards, bots)]
    drawn = {
        "gops-first-bids": draw_first_bids(solved, cards),
        "gops-leads": draw_leads(build_leads(solved["win"], played)),
    }
    return "\n\n".join(parts) + "\n", drawn


@click.command()
@click.option("--cards", default=13, show_default=True, type=click.IntRange(3, 13))
@click.option("--games", default=400, show_default=True, type=click.IntRange(2))
@click.option("--bots", default=0, help="Games against each bot; without this they are left out.")
@click.option("--docs", default="docs", show_default=True, type=click.Path(path_type=Path))
def main(cards: int, games: int, bots: int, docs: Path) -> None:
    """Write the page of results and its pictures into the book."""
    page, drawn = render_page(cards, games, bots)
    for folder in ("explanation", "_static"):
        (docs / folder).mkdir(parents=True, exist_ok=True)
    for name, chart in drawn.items():
        chart.configure(background="#ffffff").save(str(docs / "_static" / f"{name}.svg"))
    (docs / "explanation" / "gops-results.md").write_text(page, "utf-8")


if __name__ == "__main__":
    main()
