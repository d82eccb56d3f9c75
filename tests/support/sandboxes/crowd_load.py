"""A machine full of matches: innocents in seven languages among all attackers of the suite.

`python -m tests.support.sandboxes.crowd_load 600 200` has two hundred matches at any time, for ten minutes in each
tier, as root and as each account of `tests.sandbox.attacks.programs.accounts`; `--tier` and `--account` choose.
It prints who got which verdict, and has exit status 1 where somebody escaped, got a verdict that
it had not earned, a match was void, or anything was left.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from arena.host import parse_entrant
from arena.rules import Fault
from arena.sandbox import Sandbox
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from arena_gops import GAME
from tests.sandbox.attacks.programs.accounts import ACCOUNTS, ROOT, AttackHost
from tests.sandbox.attacks.programs.attack import PATIENT, TIERS
from tests.sandbox.attacks.programs.scene import Scene, scene
from tests.sandbox.attacks.programs.suite import ATTACKS
from tests.support.sandboxes.crowd import Crowd, Member, crowd, measure_memory_bytes, simple_cast
from tests.support.sandboxes.innocents import innocents

MB = 1 << 20
SHOWN_SIZES = 8  # of the host's memory over time


@contextmanager
def build_everybody(tier: str, account: str, place: Scene) -> Iterator[Mapping[str, Member]]:
    """Yield all there are: the crowd's own programs, innocents, and attackers of the suite."""
    with innocents(tier) as bots:
        earn_nothing: frozenset[str | None] = frozenset({None})
        meaning_well = {
            name: Member(bot, earn_nothing, harmless=True) for name, bot in bots.items()
        }
        yield {
            **simple_cast(tier, place.folder / "opponent"),
            **meaning_well,
            **attackers(tier, account, place),
        }


def attackers(tier: str, account: str, place: Scene) -> dict[str, Member]:
    """Write the attackers of the suite into a scene; return each by its number there."""
    cast = {}
    for number, attack in enumerate(ATTACKS):
        path = place.folder / "attacker" / f"{number}.py"
        path.write_text(attack.source({**place.known, "OWN": str(path)}))
        words = f"attack_{number}={sys.executable} -I -S {path} {place.word}"
        earns = {attack.expected(tier, account)}
        hurried = attack.limits.move < PATIENT.move
        cast[f"attack_{number}"] = Member(
            parse_entrant(GAME, words, Sandbox(tier, attack.resources)),
            frozenset({kind and kind.value for kind in earns | ({Fault.TIMEOUT} if hurried else set())}),
            limits=attack.limits if hurried else None,
        )  # fmt: skip
    return cast


def load(tier: str, seconds: float, concurrent: int, account: str = ROOT) -> dict[str, Any]:
    """Play a crowd of everybody in a tier; return what came of it, as JSON."""
    with scene() as place:
        with build_everybody(tier, account, place) as cast:
            place.look("host", "opponent", "attacker")
            found = crowd(cast, place.folder / "tmp", seconds, concurrent)
        del cast
        gc.collect()  # the copies of bots go with it
        untouched = _why_touched(place)
    return {
        "matches": found.matches,
        "wrong": _said_wrong(found) + untouched,
        "verdicts": sorted(
            f"{_named(name)}: {kind or '-'}: {times}"
            for (name, kind), times in found.verdicts.items()
        ),
        "host MB": [size // MB for size in _spread(found.memory)],
        "supervisor MB": measure_memory_bytes(SUPERVISOR_CLIENT._process.pid) // MB
        if SUPERVISOR_CLIENT._process
        else 0,
    }


def _why_touched(place: Scene) -> list[str]:
    """Return how a scene is not as it was."""
    try:
        place.assert_untouched()
    except AssertionError:
        return [f"touched: {traceback.format_exc()}"]
    return []


def _said_wrong(found: Crowd) -> list[str]:
    """Say all that was wrong, a line each."""
    kinds = {"void": found.void, "not earned": found.unearned, "escaped": found.escapes}
    lines = [
        f"{times} x {kind}: {_named(text)}"
        for kind, counted in kinds.items()
        for text, times in counted.items()
        if times
    ]
    return lines + [f"left: {resource}: {those}" for resource, those in found.left.items() if those]


def _named(text: str) -> str:
    """Put an attack's name in place of its number."""
    head, sep, rest = text.partition(":")
    number = head.removeprefix("attack_")
    return f"{ATTACKS[int(number)].name}{sep}{rest}" if number != head else text


def _spread(sizes: list[int]) -> list[int]:
    return sizes[:: max(1, len(sizes) // SHOWN_SIZES)]


def load_as(account: str, tier: str, seconds: float, concurrent: int) -> dict[str, Any] | str:
    """Play as an account; return why that cannot be done, where it cannot."""
    if account == ROOT:
        return load(tier, seconds, concurrent)
    return AttackHost.ask_once(
        account, tier, what="load", seconds=seconds, concurrent=concurrent, account=account
    )


def main() -> int:
    """Play, and print what came of it; return 1 if anything was wrong."""
    words = ArgumentParser(description=__doc__)
    words.add_argument("seconds", type=float)
    words.add_argument("concurrent", type=int)
    words.add_argument("--tier", choices=TIERS, action="append")
    words.add_argument("--account", choices=(ROOT, *ACCOUNTS), action="append")
    given = words.parse_args()
    wrong = 0
    for account in given.account or ([ROOT, *ACCOUNTS] if os.getuid() == 0 else [ROOT]):
        for tier in given.tier or TIERS:
            found = load_as(account, tier, given.seconds, given.concurrent)
            if isinstance(found, str):
                print(f"{account}, {tier}: not played: {found}", flush=True)  # noqa: T201
                continue
            print(f"{account}, {tier}: {found.pop('matches')} matches")  # noqa: T201
            wrong += len(found["wrong"])
            for heading, lines in found.items():
                shown = lines if isinstance(lines, list) else [lines]
                print(f"  {heading}:", *shown, sep="\n    ", flush=True)  # noqa: T201
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
