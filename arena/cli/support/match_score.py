"""The score so far, for a person who leaves a match."""

from __future__ import annotations

from contextlib import suppress

from arena.plugins import AcceptedAnswer, MatchSpec, Observer
from arena.records import format_placings
from arena.rules import Play, Seat, Verdict, format_count, rank_seats


class MatchScoreTracker(Observer):
    """Tracks the score of a match by replaying it, answer by answer."""

    def __init__(self, spec: MatchSpec, player: str) -> None:
        self._spec, self._player = spec, player
        self._play = Play.deal(spec.variant, len(spec.names), spec.seed)
        self.left: list[str] = []  # the score when the player left

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Replay an answer; ignore errors of the rules, which make the match void anyway."""
        with suppress(Exception):
            self._play.answer(answer.seat, answer.answer)

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Store the score when the player leaves, since bots may play on."""
        if self._spec.names[seat] == self._player:
            self.left = self.describe_score()

    def describe_score(self) -> list[str]:
        """Return the current score as lines."""
        names, scores = self._spec.names, self._play.scores
        played = format_count(self._play.rounds, self._spec.game.unit)
        head = f"You left the table after {played}. The score so far:"
        return [head, *format_placings(names, rank_seats(scores, {}), scores)]
