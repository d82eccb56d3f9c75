"""A test of a bot whose process plays match after match: two matches with one process."""

from __future__ import annotations

from attrs import evolve

from arena.check.report import Finding
from arena.check.trials import Trial
from arena.host import HostConfig, Limits, PlayerFactory, ProgramPool, host

SITUATION = "two matches in one process"


def try_second_match(trial: Trial, factory: PlayerFactory, limits: Limits) -> Finding | None:
    """Play two deals with one process; return what is wrong in or before the second.

    Args:
        trial: a match that the bot plays without a verdict.
        factory: of the bot's players, as a match has it.
        limits: of the players.
    """
    seat = trial.seat
    seated = list(trial.seated)
    seated[seat] = evolve(seated[seat], factory=factory)
    with ProgramPool() as programs:
        config = HostConfig(limits, programs=programs)
        host(trial.spec, seated, config)
        second = host(evolve(trial.spec, seed=f"{trial.spec.seed}2"), seated, config)
    if not second.get_earlier_matches(seat):
        return _report_not_ready(limits.grace)
    verdict = second.verdicts[seat]
    if verdict is None:
        return None
    return Finding(
        kind=verdict.kind.value,
        fault=True,
        situation=SITUATION,
        seat=seat,
        detail=verdict.detail,
        answered=verdict.line,
        advice="Forget at the next greeting what belongs to the last match, or leave out "
        'games = "many".',
        stderr=second.errors[seat].strip(),
    )


def _report_not_ready(grace: float) -> Finding:
    return Finding(
        kind="ready",
        fault=False,
        situation=SITUATION,
        detail="its process was not ready for a second match",
        advice=f'With games = "many", answer "ready" to MatchOver within {grace:g} s, and write '
        "nothing else. This is not a fault: the next match starts a new process, and nothing is "
        "gained.",
    )
