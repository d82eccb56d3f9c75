"""What a model bot is told about its model: where it is, how it is asked, what it may spend."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from attrs import Factory, field, frozen, validators

from arena import UserError


class AnswerForm(StrEnum):
    """What a model is asked for."""

    ONE = "one"  #: an answer
    MIX = "mix"  #: a probability for each answer, of which the bot draws one


class TextForm(StrEnum):
    """What a model reads of a match; results of different ones are not comparable."""

    PROSE = "prose"  #: what a person at its seat would read
    JSON = "json"  #: what a program on JSON lines would get


class Guidance(StrEnum):
    """How a model learns what it may answer; results of different ones are not comparable."""

    FREE = "free"  #: by the rules and the question alone
    LIST = "list"  #: by a list in the prompt
    ENUM = "enum"  #: by that list, and a JSON schema that the endpoint enforces


class OnFailure(StrEnum):
    """What a bot does for a model that gave no legal answer in all its tries."""

    FALLBACK = "fallback"  #: it gives the default answer, or draws one
    FORFEIT = "forfeit"  #: it answers what is not legal, and so loses the seat


@frozen
class Usage:
    """What calls have used."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0  #: by the prices that were given
    seconds: float = 0.0  #: in which a call was running

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
            self.seconds + other.seconds,
        )

    @property
    def tokens(self) -> int:
        """The number of all tokens."""
        return self.input_tokens + self.output_tokens


POSITIVE = validators.optional(validators.gt(0))


@frozen
class Budget:
    """What calls may use; None: as much as they like."""

    tokens: float | None = field(default=None, validator=POSITIVE)
    cost: float | None = field(default=None, validator=POSITIVE)
    seconds: float | None = field(default=None, validator=POSITIVE)

    def describe_excess(self, usage: Usage) -> str:
        """Return what is used up, or nothing."""
        for name in ("tokens", "cost", "seconds"):
            limit, used = getattr(self, name), getattr(usage, name)
            if limit is not None and used >= limit:
                return f"{used:g} of {limit:g} {name} are used"
        return ""


@frozen
class Prices:
    """The prices of a million tokens."""

    input: float = field(default=0.0, validator=validators.ge(0))
    output: float = field(default=0.0, validator=validators.ge(0))

    def compute_cost(self, input_tokens: int, output_tokens: int) -> float:
        """Return the cost of a call."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


@frozen(kw_only=True)
class ModelSettings:
    """All that is set for a model bot.

    Raises:
        UserError: for a budget of cost without prices, with which nothing would ever be spent.
    """

    model: str  #: as the endpoint calls it
    base_url: str | None = None  #: of the endpoint; None: the SDK's own
    key: str = field(default="none", repr=False)  #: for the endpoint; local servers need none
    form: AnswerForm = field(default=AnswerForm.ONE, converter=AnswerForm)
    text: TextForm = field(default=TextForm.PROSE, converter=TextForm)
    guidance: Guidance = field(default=Guidance.LIST, converter=Guidance)
    shuffle: bool = False  #: whether the answers are listed in an order that is drawn
    retries: int = 2  #: after a reply that is no legal answer
    on_failure: OnFailure = field(default=OnFailure.FALLBACK, converter=OnFailure)
    request: Mapping[str, Any] = Factory(lambda: {"max_completion_tokens": 2000})
    """More fields of each request, as the endpoint has them."""
    call_seconds: float = 120.0  #: that a call may take, if the clock allows as much
    prices: Prices | None = None
    match_budget: Budget = field(factory=Budget)
    run_budget: Budget = field(factory=Budget)  #: for all processes with the same ledger
    calls_per_minute: float | None = None  #: of all processes with the same ledger
    ledger: Path | None = None  #: a file; None: each process keeps its own account
    record: Path | None = None  #: a folder; None: nothing is recorded

    def __attrs_post_init__(self) -> None:
        for budget in (self.match_budget, self.run_budget):
            if budget.cost is not None and self.prices is None:
                raise UserError("a budget of cost needs the prices of tokens; give --prices, too")
