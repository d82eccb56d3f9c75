"""Asking a bot what it answers in an information state, without a match that leads there.

The state becomes a position whose only round tells the seat what it was told, and asks it. So any
bot can be asked, also a program: it is started, greeted, timed and judged as in a match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, evolve, frozen

from arena.host.api import configure
from arena.host.entrants import Entrant
from arena.host.hosting import HostConfig, host, raise_on_shortage
from arena.players import RandomBot
from arena.plugins import AcceptedAnswer, Game, InformationState, MatchSpec, Observer
from arena.rules import End, Play, Score, Table, UserError, Variant


@frozen
class OpenQuestion:
    """A position in which one seat is asked, and nothing else happens."""

    state: InformationState
    over: bool = False

    @property
    def variant(self) -> Variant:
        """The variant that is played."""
        variant: Variant = self.state.greeting.variant
        return variant

    @property
    def scores(self) -> Sequence[Score]:
        """No scores: nobody wins by an answer."""
        return (0,) * self.state.greeting.seats

    async def round(self, table: Table) -> OpenQuestion:
        """Tell the seat what it was told, and ask it."""
        state = self.state
        for event in state.events:
            table.tell(state.seat, event)
        await table.ask(state.seat, state.question)
        return evolve(self, over=True)

    def resample_hidden(self, seat: int, random: object) -> OpenQuestion:
        """Return itself: it hides nothing."""
        return self


@define
class AnswerObserver(Observer):
    """Takes note of the answer to the only question."""

    answer: AcceptedAnswer | None = None

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Take note of it."""
        self.answer = answer


def ask_entrant(
    game: Game, entrant: Entrant, state: InformationState, key: str, config: HostConfig
) -> Any:
    """Return the answer of a bot in an information state.

    Args:
        game: the game of the state.
        entrant: the bot.
        state: what its seat was told and is asked. The seed and the limits of its greeting are
            those of `key` and `config`.
        key: of the match, from which the bot's own seed comes.
        config: limits, and where programs work.

    Raises:
        UserError: where it gives no legal answer, and why.
    """
    greeting, observer = state.greeting, AnswerObserver()
    seated = [configure(RandomBot, name=f"seat_{seat}") for seat in range(greeting.seats)]
    seated[greeting.seat] = entrant
    names = tuple(player.name for player in seated)
    bots = tuple(player.bot for player in seated)
    spec = MatchSpec(key, game, greeting.variant, key, names, bots)
    play = Play(OpenQuestion(state), greeting.seats, key)
    result = raise_on_shortage(host(spec, seated, config, [observer], play=play))
    verdict = result.outcome.verdicts.get(greeting.seat)
    if verdict:
        raise UserError(f"{entrant.name}: {verdict.kind}: {verdict.describe()}")
    if result.outcome.end is End.VOID or observer.answer is None:
        raise UserError(f"{entrant.name}: {result.outcome.detail}")
    return observer.answer.answer
