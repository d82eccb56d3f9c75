"""The optimiser of real numbers, whole numbers and choices: CMA-ES with margin of `cmaes`.

Hamano et al., 'CatCMA with Margin: Stochastic Optimization for Continuous, Integer, and
Categorical Variables' (2025). Numbers are scaled to ranges of 1. The middle of the distribution
is what counts under noise, and the library does not offer it: `read_distribution` alone reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena_tune.parameters import CHOICE, INTEGER, Parameter, Settings, Value

if TYPE_CHECKING:
    from cmaes import CatCMAwM

Floats = NDArray[np.float64]
CANDIDATES = 16  # of a generation
MAX_LEVELS = 200  # of a whole number with margin; with more it is tuned as a real one
FIRST_CHOICE_SHARE = 0.5  # of the first candidates that have the default's choice, at least
TIE_STEP = 1e-9  # between equal scores: where too many are equal, the library divides by 0


@frozen
class Distribution:
    """The distribution from which candidates are drawn."""

    mean: Floats  # of the reals, then of the whole numbers
    deviation: Floats  # of the same
    shares: Floats  # a row for each choice


def read_distribution(optimiser: CatCMAwM) -> Distribution:
    """Read the distribution of the library's optimiser, from attributes that it does not offer."""
    mean = deviation = np.zeros(0)
    if optimiser.n_continuous + optimiser.n_integer:
        mean = np.array(optimiser._mean)  # noqa: SLF001
        variances = np.diag(optimiser._C)  # noqa: SLF001
        deviation = optimiser._sigma * optimiser._A * np.sqrt(variances)  # noqa: SLF001
    shares = np.array(optimiser._q) if optimiser.n_categorical else np.zeros((0, 0))  # noqa: SLF001
    return Distribution(mean, deviation, shares)


class CmaOptimiser:
    """The search by CMA-ES; `deviation` is that of the first generation, as a share of a range.

    From one seed and the same scores it asks for the same candidates.
    """

    def __init__(self, parameters: Sequence[Parameter], deviation: float, seed: int) -> None:
        from cmaes import CatCMAwM  # with scipy.stats, which takes a second

        kinds = [_classify(parameter) for parameter in parameters]
        self._x, self._z, self._c = (
            [parameter for parameter, found in zip(parameters, kinds, strict=True) if found == kind]
            for kind in "xzc"
        )
        self._order = [parameter.name for parameter in parameters]
        self._asked: list[CatCMAwM.Solution] = []
        numbers = [*self._x, *self._z]
        self._optimiser = CatCMAwM(
            x_space=[[0.0, 1.0]] * len(self._x) or None,
            z_space=[_list_levels(parameter) for parameter in self._z] or None,
            c_space=[parameter.levels for parameter in self._c] or None,
            population_size=CANDIDATES,
            mean=np.array([parameter.scale(parameter.default) for parameter in numbers]),
            cov=np.eye(len(numbers)) * deviation**2,
            cat_param=_build_shares(self._c) if self._c else None,
            seed=seed,
        )

    def ask(self) -> list[Settings]:
        """Return the next generation of candidates."""
        self._asked = [self._optimiser.ask() for _ in range(CANDIDATES)]
        return [self._read_solution(solution) for solution in self._asked]

    def tell(self, scores: Sequence[float]) -> None:
        """Learn the mean score of each candidate, in the order of asking; more is better."""
        # the library looks for the least
        losses = [TIE_STEP * place - score for place, score in enumerate(scores)]
        self._optimiser.tell(list(zip(self._asked, losses, strict=True)))

    @property
    def mean(self) -> Settings:
        """The settings in the middle of the distribution: of choices, the most probable."""
        found = read_distribution(self._optimiser)
        reals, wholes = np.split(found.mean, [len(self._x)])
        return self._build_settings(reals, wholes, found.shares)

    @property
    def spread(self) -> Mapping[str, float]:
        """The width of the distribution by parameter.

        For a number this is its standard deviation as a share of the range, for a choice the
        probability of all other choices.
        """
        found = read_distribution(self._optimiser)
        numbers = dict(zip(map(_get_name, [*self._x, *self._z]), found.deviation, strict=True))
        choices = (
            dict(zip(map(_get_name, self._c), 1 - found.shares.max(axis=1), strict=True))
            if self._c
            else {}
        )
        both = {**numbers, **choices}
        return {name: float(both[name]) for name in self._order}

    def _read_solution(self, solution: CatCMAwM.Solution) -> Settings:
        empty = np.zeros(0)
        return self._build_settings(
            empty if solution.x is None else solution.x,
            empty if solution.z is None else solution.z,
            np.zeros((0, 0)) if solution.c is None else solution.c,
        )

    def _build_settings(self, reals: Floats, wholes: Floats, shares: Floats) -> Settings:
        numbers = zip([*self._x, *self._z], [*reals, *wholes], strict=True)
        values: dict[str, Value] = {
            parameter.name: parameter.unscale(float(position)) for parameter, position in numbers
        }
        for parameter, row in zip(self._c, shares, strict=True):
            values[parameter.name] = _list_choices(parameter)[int(np.argmax(row))]
        return {name: values[name] for name in self._order}


def _classify(parameter: Parameter) -> str:
    """Return the library's kind of variable: x is real, z a whole number, c a choice."""
    if parameter.kind == CHOICE or parameter.levels == 2:  # noqa: PLR2004  # a choice of two
        return "c"
    return "z" if parameter.kind == INTEGER and parameter.levels <= MAX_LEVELS else "x"


def _list_levels(parameter: Parameter) -> list[float]:
    return [parameter.scale(parameter.low + level) for level in range(parameter.levels)]


def _list_choices(parameter: Parameter) -> tuple[Value, ...]:
    return parameter.choices or (int(parameter.low), int(parameter.high))


def _build_shares(choices: Sequence[Parameter]) -> Floats:
    """Return the first distribution of the choices, in which the default is the likeliest."""
    shares = np.zeros((len(choices), max(parameter.levels for parameter in choices)))
    for row, parameter in zip(shares, choices, strict=True):
        row[: parameter.levels] = (1 - FIRST_CHOICE_SHARE) / (parameter.levels - 1)
        row[_list_choices(parameter).index(parameter.default)] = FIRST_CHOICE_SHARE
    return shares


def _get_name(parameter: Parameter) -> str:
    return parameter.name
