"""A player of the arena whose policy is OpenSpiel's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena import Bot, Greeting, Question, UserError
from arena_openspiel.bot_kinds import CustomPolicy, Policy, PolicyKind, build_decide
from arena_openspiel.bridge import Bridge, Decide
from arena_openspiel.bridge_registry import find_bridge


class OpenSpielBot(Bot):
    """A bot that plays by a bot or a policy of OpenSpiel, in a game that both have.

    `kind` is one of `arena_openspiel.bot_kinds`, or a factory: `factory(game, player, seed)` gives
    a bot or a policy. Raises UserError at the greeting if OpenSpiel does not support the variant.
    """

    bridge: Bridge
    decide: Decide

    def __init__(self, kind: PolicyKind | Callable[[Any, int, int], Policy]) -> None:
        self.kind = kind if isinstance(kind, PolicyKind) else CustomPolicy(kind)

    def greet(self, greeting: Greeting) -> None:
        """Load OpenSpiel's game and create the policy."""
        super().greet(greeting)
        self.bridge = find_bridge(greeting.game)(
            self.variant, self.seats, self.seat, turn_based=self.kind.turn_based, opposing=True
        )
        if self.bridge.mismatch:
            raise UserError(self.bridge.mismatch)
        self.decide = build_decide(self.kind.make(self.bridge, self.random), self.random)

    def hear(self, event: Any) -> None:
        """Record what this seat is told."""
        self.bridge.hear(self.seat, event)

    def choose(self, question: Question[Any]) -> Any:
        """Ask OpenSpiel's bot."""
        return self.bridge.choose(question, self.decide, self.random)
