"""`arena duel`: play two bots against each other until it is clear which is better."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from arena.cli.match import PATH_TYPE, move_time_option, prepare_folder
from arena.cli.support.commands import (
    ExampleCommand,
    choose_sandbox,
    find_game,
    json_option,
    option_option,
    parse_variant,
    raise_usage_errors,
    require_tournament_extra,
    sandbox_option,
    seed_option,
    table_option,
)
from arena.host import MAX_WORKERS
from arena.rules import UserError, generate_seed

if TYPE_CHECKING:
    from arena.tournament.duel import DealPair
    from arena.tournament.models import MatchResult
    from arena.tournament.ratings import Sprt

ERROR_RATE = click.FloatRange(0, 0.5, min_open=True, max_open=True)
PROGRESS_SECONDS = 10.0  # between two lines
DECISIONS = {
    "H0": "H0 is accepted: {0} is not that much stronger.",
    "H1": "H1 is accepted: {0} is stronger.",
    None: "Not decided.",
}


@click.command(
    cls=ExampleCommand,
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
    help="Test 'A is X Elo points stronger' against 'Y points', and stop once that is decided.",
)
@click.option(
    "--alpha",
    type=ERROR_RATE,
    default=0.05,
    show_default=True,
    help="Error rate of the test if X is true.",
)
@click.option(
    "--beta",
    type=ERROR_RATE,
    default=0.05,
    show_default=True,
    help="Error rate of the test if Y is true.",
)
@click.option(
    "--pairs",
    "most",
    type=click.IntRange(1),
    help="Maximum number of deals; each is played twice. [default: 100; with --sprt 50000]",
)
@move_time_option
@click.option(
    "--workers",
    type=click.IntRange(1, MAX_WORKERS),
    help="Number of parallel matches. [default: by the number of cores]",
)
@click.option(
    "--transcripts",
    type=PATH_TYPE,
    metavar="FOLDER",
    help="Save a transcript of each match in FOLDER.",
)
@table_option
@sandbox_option
@option_option
@seed_option
@json_option
@require_tournament_extra
def duel(game: str, first: str, second: str, sprt: tuple[str, str] | None, alpha: float,
         beta: float, most: int | None, move_time: float, workers: int | None,
         transcripts: Path | None, table: int | None, sandbox: str, options: tuple[str, ...],
         seed: str | None, as_json: bool) -> int:  # fmt: skip
    """Play A against B in GAME, every deal twice with the seats swapped.

    In a game of teams each has all seats of one, or is "team:BOT BOT", a bot for each seat. Where
    nobody plays against anybody, each plays every deal alone, and the output compares the games
    won and the scores.

    The output counts the pairs in which A scored 0, 1/2, 1, 3/2 and 2 points. With --sprt,
    the duel ends when the log likelihood ratio (LLR) leaves its bounds. With --json it
    prints one object at the end. Exit status: 0, or 1 if a match was void.
    """
    from arena.host import Limits, split_bot_name, split_team, temporary_folder
    from arena.rules import find_sides
    from arena.tournament.duel import Duel, choose_duel_table

    rules = find_game(game)
    variant = parse_variant(rules, options)
    with raise_usage_errors():
        partners = max(len(split_team(split_bot_name(bot)[1])) for bot in (first, second))
        table = choose_duel_table(rules, variant, table, partners=partners)
    cooperative = len(find_sides(variant, table)) == 1
    if cooperative and sprt:
        raise click.UsageError(f"--sprt needs opponents; nobody plays against anybody in {game}")
    test = _build_test(sprt, alpha, beta)
    count = CooperativeScore() if cooperative else DuelScore(test)
    kept = _prepare_transcripts(transcripts) if transcripts else None
    with temporary_folder() as room:
        limits = Limits(move_time)
        bots, seed = (first, second), seed or generate_seed()
        played = Duel(rules, variant, bots, seed, limits, workers, room, bool(kept),
                      choose_sandbox(sandbox), table)  # fmt: skip
        for pair in played.play(most or (50_000 if test else 100)):
            count.add(pair)
            if kept:
                _write_transcripts(kept, pair)
            if not as_json:
                count.show_periodically()
            if test and test.decide(count.counts):
                break
    if as_json:
        click.echo(json.dumps(count.pack()))
    else:
        count.show()
        if test:
            click.echo(DECISIONS[test.decide(count.counts)].format(count.names[0]))
    return 1 if count.void else 0


def _prepare_transcripts(path: Path) -> Path:
    from arena.cli.support.match_reports import check_folder_name

    check_folder_name(path, "--transcripts")
    return prepare_folder(path)


def _write_transcripts(kept: Path, pair: DealPair) -> None:
    """Write the transcripts of a pair; earlier transcripts of the same deals are overwritten."""
    from arena.records import SUFFIX

    for match in pair.matches:
        if match.transcript is None:  # lost with its worker
            continue
        path = kept / f"{match.deal:04}.{match.rotation}{SUFFIX}"
        try:
            path.write_bytes(zlib.decompress(match.transcript))
        except OSError as problem:
            raise UserError(f"{path} cannot be written: {problem.strerror}") from None


def _build_test(sprt: tuple[str, str] | None, alpha: float, beta: float) -> Sprt | None:
    if sprt is None:
        return None
    from arena.plugins import build_with_parameters, parse_pairs
    from arena.tournament.ratings import Sprt

    return build_with_parameters(Sprt, {**parse_pairs(sprt), "alpha": alpha, "beta": beta})


class DuelScore:
    """The score so far."""

    def __init__(self, test: Sprt | None) -> None:
        self.names: tuple[str, ...] = ("A", "B")
        self.counts = [0] * 5
        self.won, self.level, self.lost = 0, 0, 0
        self.void = 0
        self.verdicts: Counter[str] = Counter()  # by name and kind, as displayed
        self._build_test = test
        self._next = monotonic() + PROGRESS_SECONDS

    def add(self, pair: DealPair) -> None:
        """Count a pair."""
        first, second = pair.matches
        self.names = self._list_names(first)
        for match in pair.matches:
            self._count_verdicts(match)
        if pair.points is None:
            self.void += 1
            return
        self.counts[pair.points] += 1
        for places in (first.places, (second.places or ())[::-1]):
            assert places
            self.won += places[0] < places[1]
            self.level += places[0] == places[1]
            self.lost += places[0] > places[1]

    def _count_verdicts(self, match: MatchResult) -> None:
        names = self._list_names(match)
        for seat, verdict in match.verdicts.items():
            self.verdicts[f"{names[seat]} {verdict['kind']}"] += 1

    def show_periodically(self) -> None:
        """Print the score at intervals."""
        if monotonic() >= self._next:
            self._next = monotonic() + PROGRESS_SECONDS
            self.show()

    def show(self) -> None:
        """Print the score in the format of chess engine tests."""
        found = self.pack()
        games = self.won + self.level + self.lost
        click.echo(
            f"{' vs '.join(self.names)}: {games} games,"
            f" {self.won} won, {self.level} level, {self.lost} lost"
            f" | pairs {self.counts} | Elo {_format_interval(found['elo'])}"
            f" | {_format_share(found['share'])} of the points"
            f"{self._format_llr(found)}{self._format_verdicts()}"
        )

    def _format_verdicts(self) -> str:
        return "".join(
            f" | {description} {count} times" for description, count in self.verdicts.items()
        )

    def pack(self) -> dict[str, Any]:
        """Return the score as JSON."""
        from arena.tournament.ratings import estimate_duel_share, estimate_elo_difference
        from arena.tournament.standings import round_value

        share = estimate_duel_share(self.counts)
        found = estimate_elo_difference(self.counts)
        elo = {"value": found.elo, "low": found.low, "high": found.high}
        packed: dict[str, Any] = {
            "names": list(self.names),
            "won": self.won,
            "level": self.level,
            "lost": self.lost,
            "void": self.void,
            "pairs": self.counts,
            "verdicts": dict(self.verdicts),
            "share": {
                "value": round_value(share.share),
                "low": round_value(share.low),
                "high": round_value(share.high),
            },
            "elo": {name: round_value(value) for name, value in elo.items()},
        }
        if self._build_test:
            lower, upper = self._build_test.bounds
            packed["llr"] = round_value(self._build_test.compute_llr(self.counts))
            packed["bounds"] = [round_value(lower), round_value(upper)]
            packed["accepted"] = self._build_test.decide(self.counts)
        return packed

    def _list_names(self, match: MatchResult) -> tuple[str, ...]:
        from arena.tournament.models import get_name

        return tuple(map(get_name, match.seats))

    def _format_llr(self, found: dict[str, Any]) -> str:
        if not self._build_test:
            return ""
        lower, upper = found["bounds"]
        test = f"[{self._build_test.elo0:g}, {self._build_test.elo1:g}]"
        return f" | LLR {found['llr']:.2f} ({lower:.2f}, {upper:.2f}) {test}"


class CooperativeScore(DuelScore):
    """The score so far where each bot plays every deal alone."""

    def __init__(self) -> None:
        super().__init__(None)
        self._won: list[tuple[bool, bool]] = []
        self._scores: list[tuple[float, float]] = []

    def add(self, pair: DealPair) -> None:
        """Count a deal."""
        self.names = tuple([self._list_names(match)[0] for match in pair.matches])
        for match in pair.matches:
            self._count_verdicts(match)
        first, second = pair.matches
        if not (first.places and second.places and first.scores and second.scores):
            self.void += 1
            return
        self._won.append((first.places[0] == 1, second.places[0] == 1))
        self._scores.append((first.scores[0], second.scores[0]))

    def show(self) -> None:
        """Print the score."""
        found, deals = self.pack(), len(self._won)
        won, lead = found["won"], found["won_difference"]
        value, low, high = (100 * end for end in lead.values())
        scores, more = found["mean_scores"], found["score_difference"]
        means = " and ".join("?" if mean is None else f"{mean:.2f}" for mean in scores)
        click.echo(
            f"{' vs '.join(self.names)}: {deals} deals, won {won[0]} and {won[1]}"
            f" | {value:+.0f} % of the games ({low:+.0f} to {high:+.0f})"
            f" | mean scores {means}, {_format_interval(more, 2)}" + self._format_verdicts()
        )

    def pack(self) -> dict[str, Any]:
        """Return the score as JSON; differences are those of the first bot to the second."""
        import numpy as np

        from arena.tournament.ratings import compare_over_deals

        won, scores = np.array(self._won, float), np.array(self._scores)
        found = compare_over_deals(won.reshape(-1, 2), scores.reshape(-1, 2)).pack()
        return {
            "names": list(self.names),
            **found,
            "won": [*map(int, found["won"])],
            "void": self.void,
            "verdicts": dict(self.verdicts),
        }


def _format_interval(elo: dict[str, float | None], digits: int = 1) -> str:
    shown = ["?" if value is None else f"{value:+.{digits}f}" for value in elo.values()]
    return f"{shown[0]} ({shown[1]} to {shown[2]})"


def _format_share(share: dict[str, float]) -> str:
    value, low, high = (100 * end for end in share.values())
    return f"{value:.0f} % ({low:.0f} to {high:.0f})"
