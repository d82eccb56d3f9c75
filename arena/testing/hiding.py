"""Does a game hide what it says it does, or nothing, as it says?"""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from arena.plugins import Game
from arena.testing.cases import Case
from arena.testing.cpu_limit import cpu_limit
from arena.testing.hearing import watching
from arena.testing.rolls import rolls_in_secret
from arena.testing.secrecy import another_than
from arena.testing.snapshots import Heard, everything, snapshots

ENOUGH = 50  # cases in which something hidden is looked for


def something_is_hidden(game: Game, drawn: SearchStrategy[Case], seconds: float) -> None:
    """Some seat may not tell some position from another one, or what a round has drawn."""
    alone: list[Heard] = []

    def hides(case: Case) -> bool:
        with cpu_limit(seconds):
            alone.extend(told_alone(game, case)[:1])
            return differs(game, case) or rolls_in_secret(game, case)

    quiet = settings(
        max_examples=ENOUGH, database=None, deadline=None, suppress_health_check=[*HealthCheck],
        phases=[Phase.generate],
    )  # fmt: skip
    try:
        find(drawn, hides, settings=quiet, random=Random(0))
    except NoSuchExample:
        raise AssertionError(
            f"`resample_hidden` has never given another position: {_but(alone)}"
        ) from None


def _but(alone: list[Heard]) -> str:
    """Say what is wrong, or lacking, where nothing seems hidden."""
    if not alone:
        return "nothing would be hidden; say `nothing_hidden = True` if that is so"
    return (
        f"nothing would be hidden, but seat {alone[0].seat} is told {alone[0].message} alone;"
        " let `resample_hidden` exchange what others hold, or `announce` what all may know"
    )


def differs(game: Game, case: Case) -> bool:
    """Say whether some position has another one that a seat may not tell from it."""
    return any(
        another_than(snapshot, seat) is not None
        for snapshot in snapshots(game, case)
        for seat in watching(case)
    )


def told_alone(game: Game, case: Case) -> list[Heard]:
    """Return what is told to one seat where there are others."""
    told = (one for one in everything(game, case) if one.what == "tell")
    return [one for one in told if one.seat is not None and case.seats > 1]


def nothing_is_hidden(game: Game, case: Case) -> None:
    """No seat has another position than that which is, and none is told anything alone."""
    for snapshot in snapshots(game, case):
        for seat in range(case.seats):
            assert another_than(snapshot, seat) is None, (
                f"`nothing_hidden = True` is said, and for seat {seat} there is another position"
            )
    for one in told_alone(game, case):
        raise AssertionError(
            f"`nothing_hidden = True` is said, and seat {one.seat} is told {one.message} alone;"
            " `announce` what all may know, or take the word back"
        )
