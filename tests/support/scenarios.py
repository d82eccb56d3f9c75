"""The situations of a game, each with a bot that sits in it, and what came of that."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from arena import Game, Scenario, Seat
from arena.check.trials import CheckPlan
from arena.host import HostConfig, Result, host, parse_entrant
from arena.plugins import Observer


@frozen
class Sat(Observer):
    """Who sat where, what it was told there, and how the match came out."""

    game: Game
    seat: Seat
    events: list[Any] = field(factory=list)
    results: list[Result] = field(factory=list)

    def on_event(self, seat: Seat | None, event: Any) -> None:
        if seat in (None, self.seat):
            self.events.append(event)

    @property
    def lines(self) -> str:
        """Return what it was told in the lines of the game's own wire."""
        wire = self.game.build_codec(None, self.seat)
        return "\n".join(line for event in self.events for line in wire.tell(event))

    @property
    def result(self) -> Result:
        """Return how it came out."""
        (result,) = self.results
        return result


def sit(game: Game, words: str, bot: str, **options: Any) -> Sat:
    """Let a bot sit in the situation of these words."""
    tried = parse_entrant(game, f"tried={bot}")
    iter_batches = CheckPlan(game, game.read_variant(options), tried, "1").iter_batches()
    (trial,) = next(batch.trials for batch in iter_batches if words in batch.name)
    sat = Sat(game, trial.seat)
    sat.results.append(host(trial.spec, trial.seated, HostConfig(), [sat]))
    assert trial.seated[trial.seat] == tried
    return sat


def see_played(game: Game, situation: Scenario, **options: Any) -> None:
    """See that each bundled bot plays it to its end, and that only who is to fail does."""
    failing = {
        f"other_{at}" for at, make in enumerate(situation.others, 1) if "Failing" in str(make)
    }
    for bot in game.bots:
        result = sit(game, situation.name, bot, **options).result
        assert {result.names[seat] for seat in result.outcome.verdicts} <= failing
        assert result.outcome.end == "finished"
