"""Checks of a table of GOPS, whatever its size: `python -m benchmarks.gops.checks TABLE`.

For sampled positions of each layer it compares the value with that of the other side, with the mean
of the stages by a linear program, and with the value of a larger lead; and, in small subgames, with
what a best response leaves to the table's strategy.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from statistics import mean

import click
from attrs import evolve, frozen

from arena_gops_solver import SolvedGame, SolverPosition, ValueTable, find_equilibrium
from tests.support.reference_solver import compute_game_value

MOST_ANSWERED = 4  # cards a hand of a subgame in which a best response is searched


@frozen
class LayerErrors:
    """The largest errors in a layer; each is 0 or more."""

    mirrored: float  # of a value and the other side's
    stages: float  # of a value and the mean of its stages
    falls: float  # of the value, where the lead grows by a point
    response: float  # that a best response gains


def draw_position(solved: SolvedGame, held: int, random: Random) -> SolverPosition:
    """Draw a position with a lead that leaves the game open, if one is found soon."""
    suit, whole = solved.table.prizes, sum(solved.table.prizes)
    for _ in range(100):
        mine, theirs, prizes = (random.sample(suit, held) for _ in range(3))
        most = min(whole - sum(prizes), sum(prizes))
        place = SolverPosition(mine, theirs, prizes, random.randint(-most, most))
        if abs(solved.compute_value(place)) < 1:
            break
    return place


def compute_answered(solved: SolvedGame, place: SolverPosition) -> float:
    """Return what the table's strategy is worth against a best response, in a subgame."""
    if not place.prizes:
        return solved.compute_value(place)
    worst: list[float] = []
    for prize in place.prizes:
        weights = find_equilibrium(solved.build_stage(place, prize)).weights
        worst.append(min(
            sum(
                weight * compute_answered(solved, place.after(prize, bid, answer))
                for bid, weight in zip(place.mine, weights.tolist(), strict=True)
                if weight
            )
            for answer in place.theirs
        ))  # fmt: skip
    return mean(worst)


def check_layer(solved: SolvedGame, held: int, samples: int, random: Random) -> LayerErrors:
    """Return the largest errors at so many positions to win."""
    found = []
    for _ in range(samples):
        place = draw_position(solved, held, random)
        value = solved.compute_value(place)
        ahead = evolve(place, difference=place.difference + 1)
        gone = sum(solved.table.prizes) - sum(place.prizes)
        stages = [compute_game_value(solved.build_stage(place, prize)) for prize in place.prizes]
        answered = held <= MOST_ANSWERED
        found.append((
            abs(value + solved.compute_value(place.mirror())),
            abs(value - mean(stages)),
            value - solved.compute_value(ahead) if ahead.difference <= gone else 0,
            value - compute_answered(solved, place) if answered else 0,
        ))  # fmt: skip
    return LayerErrors(*(max(0.0, *column) for column in zip(*found, strict=True)))


@click.command()
@click.argument("table", type=click.Path(exists=True, path_type=Path))
@click.option("--samples", default=50, show_default=True, type=click.IntRange(1))
def main(table: Path, samples: int) -> None:
    """Print the largest errors of each layer of a table to win."""
    solved, random = SolvedGame(ValueTable.open(table)), Random("checks")
    for held in solved.table.kind.layers:
        errors = check_layer(solved, held, samples, random)
        print(
            f"{held:2} cards a hand: mirrored {errors.mirrored:.1e}, stages {errors.stages:.1e},"
            f" falls {errors.falls:.1e}, response {errors.response:.1e}"
        )


if __name__ == "__main__":
    main()
