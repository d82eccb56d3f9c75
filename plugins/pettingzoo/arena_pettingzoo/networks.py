"""Networks with one hidden layer, and how they learn, in numpy.

Every number is in single precision, and every chance comes from a generator that is given.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Parameters = list[Floats]


@define(eq=False)
class LayeredNetwork:
    """A network with one hidden layer of rectified linear units."""

    from_input: Floats  #: inputs x hidden
    hidden_bias: Floats
    to_output: Floats  #: hidden x outputs
    output_bias: Floats

    @classmethod
    def create(cls, inputs: int, hidden: int, outputs: int, random: np.random.Generator) -> Self:
        """Return a network that answers nearly alike to everything (He et al., 2015)."""
        first = random.standard_normal((inputs, hidden)) * (2 / inputs) ** 0.5
        second = random.standard_normal((hidden, outputs)) * (0.01 / hidden**0.5)
        return cls(
            first.astype(np.float32),
            np.zeros(hidden, np.float32),
            second.astype(np.float32),
            np.zeros(outputs, np.float32),
        )

    @property
    def parameters(self) -> Parameters:
        """All weights and biases."""
        return [self.from_input, self.hidden_bias, self.to_output, self.output_bias]

    def copy(self) -> Self:
        """Return a network with the same weights, which learns by itself."""
        return type(self)(*[weights.copy() for weights in self.parameters])

    def compute(self, observations: Floats) -> tuple[Floats, Floats]:
        """Return the hidden layer and the outputs for each row of observations."""
        hidden = np.maximum(observations @ self.from_input + self.hidden_bias, 0)
        return hidden, hidden @ self.to_output + self.output_bias

    def find_gradients(self, observations: Floats, hidden: Floats, outputs: Floats) -> Parameters:
        """Return the gradients of all parameters, given those of the outputs."""
        behind = (outputs @ self.to_output.T) * (hidden > 0)
        return [observations.T @ behind, behind.sum(0), hidden.T @ outputs, outputs.sum(0)]


@define(eq=False)
class Adam:
    """Changes parameters by their gradients (Kingma and Ba, 2015)."""

    parameters: Parameters
    rate: float
    steps: int = 0
    means: Parameters = field(init=False)
    squares: Parameters = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.means = [np.zeros_like(weights) for weights in self.parameters]
        self.squares = [np.zeros_like(weights) for weights in self.parameters]

    def step(self, gradients: Parameters) -> None:
        """Change the parameters in place; long gradients are shortened to a length of 1."""
        length = float(np.sqrt(sum(float((one * one).sum()) for one in gradients)))
        scale = np.float32(1 / max(1.0, length))
        self.steps += 1
        rate = np.float32(
            self.rate * (1 - SQUARE_DECAY**self.steps) ** 0.5 / (1 - MEAN_DECAY**self.steps)
        )
        for number, gradient in enumerate(gradients):
            shortened, mean, square = gradient * scale, self.means[number], self.squares[number]
            np.add(mean, np.float32(1 - MEAN_DECAY) * (shortened - mean), out=mean)
            change = shortened * shortened - square
            np.add(square, np.float32(1 - SQUARE_DECAY) * change, out=square)
            weights = self.parameters[number]
            np.subtract(weights, rate * mean / (np.sqrt(square) + TINY), out=weights)


MEAN_DECAY = 0.9
SQUARE_DECAY = 0.999
TINY = np.float32(1e-8)
