"""Settings that are compared: those of a race, random ones, and variants of a winner."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from arena.tuning.parameters import CHOICE, Parameter, Settings, Value, get_defaults
from arena.tuning.plan import RACERS

MAX_VARIANTS = 3  # of a choice


def choose_racers(parameters: Sequence[Parameter], means: Sequence[Settings]) -> list[Settings]:
    """Return the default, the averages of late means, and late means, the latest first.

    Late are those of the last half of the generations. An average has less noise than its means,
    and may lie where none of them does. Equal racers are left out. Who comes first wins a tie, so
    the default stays where nothing counts.
    """
    late = means[len(means) // 2 :]
    averages = [
        average_settings(parameters, late[len(late) // 2 :]),
        average_settings(parameters, late),
    ]
    places = np.linspace(len(late) - 1, 0, RACERS - 1 - len(averages)).round().astype(int)
    racers = [get_defaults(tuple(parameters))]
    for racer in (*averages, *(late[place] for place in places)):
        if racer not in racers:
            racers.append(racer)
    return racers


def average_settings(parameters: Sequence[Parameter], points: Sequence[Settings]) -> Settings:
    """Return the mean of each number, and the commonest value of each choice."""
    average = {}
    for parameter in parameters:
        values = [point[parameter.name] for point in points]
        if parameter.kind == CHOICE:
            average[parameter.name] = max(parameter.choices, key=values.count)
        else:
            position = float(np.mean([parameter.scale(value) for value in values]))
            average[parameter.name] = parameter.unscale(position)
    return average


def draw_settings(parameters: Sequence[Parameter], rng: Random) -> Settings:
    """Draw settings, uniformly over each range and from the choices."""
    return {
        parameter.name: rng.choice(parameter.choices)
        if parameter.kind == CHOICE
        else parameter.unscale(rng.random())
        for parameter in parameters
    }


def list_variants(parameter: Parameter, settings: Settings) -> list[Value]:
    """Return values of a parameter that differ from its present one as far as possible."""
    present = settings[parameter.name]
    if parameter.kind == CHOICE:
        return [choice for choice in parameter.choices if choice != present][:MAX_VARIANTS]
    ends = [parameter.unscale(0.0), parameter.unscale(1.0)]
    return [value for value in ends if value != present]
