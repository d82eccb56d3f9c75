"""The scenarios of a game, played by a bot."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from arena import Game, Scenario, Seat
from arena.check.trials import CheckPlan
from arena.host import HostConfig, Result, host, parse_entrant
from arena.plugins import Observer


@frozen
class ScenarioRecord(Observer):
    """A played scenario: the seat, its events, and the result."""

    game: Game
    seat: Seat
    events: list[Any] = field(factory=list)
    results: list[Result] = field(factory=list)

    def on_event(self, seat: Seat | None, event: Any) -> None:
        if seat in (None, self.seat):
            self.events.append(event)

    @property
    def lines(self) -> str:
        """Return the seat's events as lines of the game's own protocol."""
        wire = self.game.build_codec(None, self.seat)
        return "\n".join(line for event in self.events for line in wire.tell(event))

    @property
    def result(self) -> Result:
        """Return the result."""
        (result,) = self.results
        return result


def play_scenario(game: Game, words: str, bot: str, **options: Any) -> ScenarioRecord:
    """Play the scenario whose name contains these words, with a bot on its seat."""
    tried = parse_entrant(game, f"tried={bot}")
    iter_batches = CheckPlan(game, game.read_variant(options), tried, "1").iter_batches()
    (trial,) = next(batch.trials for batch in iter_batches if words in batch.name)
    sat = ScenarioRecord(game, trial.seat)
    sat.results.append(host(trial.spec, trial.seated, HostConfig(), [sat]))
    assert trial.seated[trial.seat] == tried
    return sat


def assert_playable(game: Game, situation: Scenario, **options: Any) -> None:
    """Check that each bundled bot plays a scenario to its end, and that only failing bots fail."""
    failing = {
        f"other_{at}" for at, make in enumerate(situation.others, 1) if "Failing" in str(make)
    }
    for bot in game.bots:
        result = play_scenario(game, situation.name, bot, **options).result
        assert {result.names[seat] for seat in result.outcome.verdicts} <= failing
        assert result.outcome.end == "finished"
