"""Exact yardsticks of play, from plugins that know a game's solution.

A result says little after few matches, since most of it is luck. Where a solution says what each
deal and each draw was worth, that luck can be subtracted: the mean stays the same, and far fewer
matches tell as much. What a best reply wins says how much there is to exploit, whoever the
opponents were. It is computed from what a bot answers in information states, without matches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from arena.plugins.analysis import InformationState

if TYPE_CHECKING:
    from arena.records import Transcript

AnswerShares = Mapping[Any, float]
"""How often each answer is given; the shares sum to 1."""

AskForShares = Callable[[InformationState], AnswerShares]
"""Returns how often a bot gives each answer in an information state."""


@frozen
class CorrectedResult:
    """A seat's result in a match, and what is left of it without luck."""

    result: float  #: in the unit of the yardstick
    corrected: float  #: has the same mean, whoever plays


@frozen
class Yardstick:
    """What the solution of a game says of those who play it."""

    game: str  #: its name
    source: str  #: what it comes from, such as "the exact solution"
    unit: str  #: of results, such as `points`
    #: from transcripts to the results of each, by seat; to none where one cannot be explained
    correct: Callable[[Sequence[Transcript]], Sequence[Sequence[CorrectedResult]]] = field(eq=False)
    #: from a variant and a bot that is asked to what a best reply wins in a match, beyond what it
    #: wins against the solution; raises UserError for a variant that is not solved
    compute_gain: Callable[[Any, AskForShares], float] = field(eq=False)
    #: what the solution answers, which a best reply gains nothing from
    solve: AskForShares = field(eq=False)
