"""The score so far, for a person who leaves."""

from __future__ import annotations

from contextlib import suppress

from arena.plugins import Answered, MatchSpec, Observer
from arena.records import counted, standings
from arena.rules import Play, Seat, Verdict, places


class SoFar(Observer):
    """Knows at any moment how a match stands: it plays it again, answer by answer."""

    def __init__(self, spec: MatchSpec, player: str) -> None:
        self._spec, self._player = spec, player
        self._play = Play.deal(spec.variant, len(spec.names), spec.seed)
        self.left: list[str] = []  # how it stood when the player left

    def answered(self, answer: Answered) -> None:
        """Play on; where the rules fail the match is void, and it says so itself."""
        with suppress(Exception):
            self._play.answer(answer.seat, answer.answer)

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """Keep the score when it is the player who leaves: bots may play on."""
        if self._spec.names[seat] == self._player:
            self.left = self.lines()

    def lines(self) -> list[str]:
        """Say how the match stands."""
        names, scores = self._spec.names, self._play.scores
        played = counted(self._play.rounds, self._spec.game.unit)
        head = f"You left the table after {played}. The score so far:"
        return [head, *standings(names, places(scores, {}), scores)]
