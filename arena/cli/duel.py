"""`arena duel`: which of two bots is better, played until it is known."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import (
    contained,
    fits,
    json_option,
    option_option,
    sandbox_option,
    seed_option,
    the_game,
    the_variant,
    with_numbers,
)
from arena.cli.lazy import Examples
from arena.cli.match import MORE_THAN_NOTHING, a_path, folder
from arena.host import MOST_WORKERS
from arena.rules import UserError, fresh

if TYPE_CHECKING:
    from arena.tournament.duel import Pair
    from arena.tournament.ratings import Sprt
    from arena.tournament.records import MatchResult

A_RATE = click.FloatRange(0, 0.5, min_open=True, max_open=True)
SELDOM = 10.0  # seconds between two lines
VERDICTS = {
    "H0": "H0 is accepted: {0} is not stronger by so much.",
    "H1": "H1 is accepted: {0} is stronger.",
    None: "Not decided.",
}


@click.command(
    cls=Examples,
    short_help="Find out which of two bots is better.",
    examples=(
        "duel {game} {bot} {other} --sprt elo0=0 elo1=20",
        'duel {game} "ruby new.rb" "ruby old.rb" --pairs 500',
        "duel {game} {bot} {other} --pairs 10 --transcripts matches",
    ),
)
@click.argument("game")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--sprt",
    nargs=2,
    metavar="elo0=X elo1=Y",
    help="Test 'A is X Elo points stronger' against 'Y', and stop when that is decided.",
)
@click.option(
    "--alpha", type=A_RATE, default=0.05, show_default=True, help="Errors of the test, if X holds."
)
@click.option(
    "--beta", type=A_RATE, default=0.05, show_default=True, help="Errors of the test, if Y holds."
)
@click.option(
    "--pairs",
    "most",
    type=click.IntRange(1),
    help="At most so many deals, each played twice. [default: 100, with --sprt 50000]",
)
@click.option(
    "--move-time", type=MORE_THAN_NOTHING, default=30, show_default=True, help="For each answer."
)
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    help="Matches at once. [default: by the cores]",
)
@click.option("--transcripts", type=a_path, metavar="FOLDER", help="Record each match there.")
@sandbox_option
@option_option
@seed_option
@json_option
@with_numbers
def duel(game: str, first: str, second: str, sprt: tuple[str, str] | None, alpha: float,
         beta: float, most: int | None, move_time: float, workers: int | None,
         transcripts: Path | None, sandbox: str, options: tuple[str, ...], seed: str | None,
         as_json: bool) -> int:  # fmt: skip
    """Have A and B play GAME, every deal twice with the seats swapped.

    The counts are of pairs with 0, 1/2, 1, 3/2 and 2 points for A. With --sprt the log
    likelihood ratio (LLR) decides when it leaves its bounds. With --json it prints an object
    at the end. Exit status: 0, or 1 if a match was void.
    """
    from arena.host import Limits, temporary
    from arena.tournament.duel import Duel

    rules = the_game(game)
    variant = the_variant(rules, options)
    fits(rules, 2)
    test = _test(sprt, alpha, beta)
    count = Count(test)
    kept = folder(transcripts) if transcripts else None
    with temporary() as room:
        limits = Limits(move_time)
        bots, seed = (first, second), seed or fresh()
        played = Duel(rules, variant, bots, seed, limits, workers, room, bool(kept),
                      contained(sandbox))  # fmt: skip
        for pair in played.pairs(most or (50_000 if test else 100)):
            count.add(pair)
            if kept:
                _record(kept, pair)
            if not as_json:
                count.show_seldom()
            if test and test.decision(count.counts):
                break
    if as_json:
        click.echo(json.dumps(count.pack()))
    else:
        count.show()
        if test:
            click.echo(VERDICTS[test.decision(count.counts)].format(count.names[0]))
    return 1 if count.void else 0


def _record(kept: Path, pair: Pair) -> None:
    """Write a pair's transcripts; what was recorded there from the same deals is overwritten."""
    from arena.records import SUFFIX

    for match in pair.matches:
        if match.transcript is None:  # the match was lost with its worker
            continue
        path = kept / f"{match.deal:04}.{match.rotation}{SUFFIX}"
        try:
            path.write_bytes(zlib.decompress(match.transcript))
        except OSError as problem:
            raise UserError(f"{path} cannot be written: {problem.strerror}") from None


def _test(sprt: tuple[str, str] | None, alpha: float, beta: float) -> Sprt | None:
    if sprt is None:
        return None
    from arena.plugins import make, pairs
    from arena.tournament.ratings import Sprt

    return make(Sprt, {**pairs(sprt), "alpha": alpha, "beta": beta})


class Count:
    """What came out so far."""

    def __init__(self, test: Sprt | None) -> None:
        self.names: tuple[str, ...] = ("A", "B")
        self.counts = [0] * 5
        self.won, self.level, self.lost = 0, 0, 0
        self.void = 0
        self.verdicts: Counter[str] = Counter()  # by name and kind, as they are shown
        self._test = test
        self._next = monotonic() + SELDOM

    def add(self, pair: Pair) -> None:
        """Count a pair."""
        first, second = pair.matches
        self.names = self._named(first)
        for match in pair.matches:
            for seat, verdict in match.verdicts.items():
                self.verdicts[f"{self._named(match)[seat]} {verdict['kind']}"] += 1
        if pair.points is None:
            self.void += 1
            return
        self.counts[pair.points] += 1
        for places in (first.places, (second.places or ())[::-1]):
            assert places
            self.won += places[0] < places[1]
            self.level += places[0] == places[1]
            self.lost += places[0] > places[1]

    def show_seldom(self) -> None:
        """Show it from time to time."""
        if monotonic() >= self._next:
            self._next = monotonic() + SELDOM
            self.show()

    def show(self) -> None:
        """Print the lines that testers of engines know."""
        found = self.pack()
        games = self.won + self.level + self.lost
        click.echo(
            f"{' vs '.join(self.names)}: {games} games,"
            f" {self.won} won, {self.level} level, {self.lost} lost"
            f" | pairs {self.counts} | Elo {_interval(found['elo'])}{self._llr(found)}"
            + "".join(f" | {what} {count} times" for what, count in self.verdicts.items())
        )

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        from arena.tournament.ratings import elo_difference
        from arena.tournament.standings import rounded

        found = elo_difference(self.counts)
        elo = {"value": found.elo, "low": found.low, "high": found.high}
        packed: dict[str, Any] = {
            "names": list(self.names),
            "won": self.won,
            "level": self.level,
            "lost": self.lost,
            "void": self.void,
            "pairs": self.counts,
            "verdicts": dict(self.verdicts),
            "elo": {name: rounded(value) for name, value in elo.items()},
        }
        if self._test:
            lower, upper = self._test.bounds
            packed["llr"] = rounded(self._test.llr(self.counts))
            packed["bounds"] = [rounded(lower), rounded(upper)]
            packed["accepted"] = self._test.decision(self.counts)
        return packed

    def _named(self, match: MatchResult) -> tuple[str, ...]:
        from arena.tournament.plan import name_of

        return tuple(map(name_of, match.seats))

    def _llr(self, found: dict[str, Any]) -> str:
        if not self._test:
            return ""
        lower, upper = found["bounds"]
        test = f"[{self._test.elo0:g}, {self._test.elo1:g}]"
        return f" | LLR {found['llr']:.2f} ({lower:.2f}, {upper:.2f}) {test}"


def _interval(elo: dict[str, float | None]) -> str:
    shown = ["?" if value is None else f"{value:+.1f}" for value in elo.values()]
    return f"{shown[0]} ({shown[1]} to {shown[2]})"
