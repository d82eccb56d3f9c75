"""Innocent programs that start children all the time, in seven languages, played in sandboxes.

None of them may ever get a verdict, nor be refused a child. `python -m tests.support.sandboxes.innocents 1000`
plays so many matches in each tier, as each account of `tests.sandbox.attacks.programs.accounts` where root runs
it, prints what was wrong, and has exit status 1 if anything was.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path

from attrs import define, field

from arena.host import Entrant, HostConfig, Limits, Result, Series, host, parse_entrant
from arena.rules import End
from arena.sandbox import Sandbox
from arena_gops import GAME, Gops
from tests.sandbox.attacks.programs.accounts import ACCOUNTS, ROOT, AttackHost
from tests.sandbox.attacks.programs.attack import TIERS
from tests.support.sandboxes.innocent_programs import INNOCENTS, Innocent

LIMITS = Limits(move=60.0, start=60.0, grace=10.0)  # nobody is late, however busy the machine is
CARDS = 3
REPORT_EVERY = 100  # matches


@define
class Tally:
    """What came of matches of innocents."""

    matches: int = 0
    wrong: Counter[str] = field(factory=Counter)  # what was, and how often
    missing: list[str] = field(factory=list)  # languages that are not installed

    def add(self, result: Result) -> None:
        """Count a match: a verdict, a word of complaint, or its end without a winner is wrong."""
        self.matches += 1
        if result.outcome.end is End.VOID:
            self.wrong[f"void: {result.problem}"] += 1
        for name, verdict, said in zip(
            result.spec.names, result.verdicts, result.errors, strict=True
        ):
            if verdict:
                self.wrong[f"{name}: {verdict.kind}: {verdict.detail}"] += 1
            elif said.strip():
                self.wrong[f"{name}: said: {said.strip().splitlines()[-1]}"] += 1


@contextmanager
def innocents(tier: str, names: Collection[str] = INNOCENTS) -> Iterator[Mapping[str, Entrant]]:
    """Yield those of these innocents that this machine can play, built, in a sandbox of this tier."""
    with tempfile.TemporaryDirectory(prefix="innocents-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield {
            name: parse_entrant(GAME, str(write(innocent, name, Path(folder))), Sandbox(tier))
            for name, innocent in INNOCENTS.items()
            if name in names and shutil.which(innocent.needs)
        }


def write(innocent: Innocent, name: str, folder: Path) -> Path:
    """Write an innocent as a bot's folder; return it."""
    home = folder / name
    home.mkdir()
    (home / innocent.file).write_text(innocent.text)
    build = f'build = "{innocent.build}"\n' if innocent.build else ""
    (home / "bot.toml").write_text(f'name = "{name}"\ncommand = "{innocent.command}"\n{build}')
    return home


def play(tier: str, matches: int, concurrent: int = 2, first: int = 0) -> Tally:
    """Play so many matches in a tier, some of them at once; everybody meets everybody."""
    found, lock, numbers = Tally(), threading.Lock(), count(first)
    installed = [name for name, innocent in INNOCENTS.items() if shutil.which(innocent.needs)]
    found.missing = sorted({*INNOCENTS} - {*installed})
    pairs = {number: _pair(installed, number) for number in range(first, first + matches)}
    with innocents(tier, {*chain(*pairs.values())}) as bots:

        def work() -> None:
            while (number := next(numbers)) in pairs:
                two = tuple(bots[name] for name in pairs[number])
                ((spec, seated),) = Series.create(GAME, Gops(CARDS), two, None).iter_matches(1)
                result = host(spec, seated, HostConfig(LIMITS))
                with lock:
                    found.add(result)
                    if found.matches % REPORT_EVERY == 0:
                        print(f"{tier}: {found.matches} matches", file=sys.stderr)  # noqa: T201

        workers = [threading.Thread(target=work) for _ in range(concurrent)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return found


def _pair(bots: Sequence[str], number: int) -> tuple[str, str]:
    """Return who plays a match: each innocent is in the first few, and meets another each time."""
    half, turn = divmod(number, (len(bots) + 1) // 2)
    first = 2 * turn % len(bots)
    return bots[first], bots[(first + 1 + half % (len(bots) - 1)) % len(bots)]


def play_as(account: str, tier: str, matches: int, concurrent: int) -> Tally | str:
    """Play as an account; return why that cannot be done, where it cannot."""
    if account == ROOT:
        return play(tier, matches, concurrent)
    answer = AttackHost.ask_once(
        account, tier, what="innocents", matches=matches, concurrent=concurrent
    )
    if isinstance(answer, str):
        return answer
    return Tally(answer["matches"], Counter(answer["wrong"]), answer["missing"])


def main() -> int:
    """Play, and print what was wrong; return 1 if anything was."""
    words = ArgumentParser(description=__doc__)
    words.add_argument("matches", type=int)
    words.add_argument("--tier", choices=TIERS, action="append")
    words.add_argument("--account", choices=(ROOT, *ACCOUNTS), action="append")
    words.add_argument("--concurrent", type=int, default=2)
    given = words.parse_args()
    wrong = 0
    for account in given.account or ACCOUNTS:
        for tier in given.tier or TIERS:
            found = play_as(account, tier, given.matches, given.concurrent)
            if isinstance(found, str):
                print(f"{account}, {tier}: not played: {found}")  # noqa: T201
                continue
            missing = f"; not installed: {', '.join(found.missing)}" if found.missing else ""
            print(f"{account}, {tier}: {found.matches} matches{missing}")  # noqa: T201
            for problem, times in found.wrong.most_common():
                print(f"  {times} x {problem}")  # noqa: T201
            wrong += found.wrong.total() + (found.matches < given.matches)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
