"""The solution of GOPS against every bundled opponent, in points and in matches won.

`python -m benchmarks.gops_opponents --games 1000` plays both `nash` and `nash-win`, each with as
many cards as there is a table for (`arena gops solve`), at most 13. Each deal is played twice, with
the seats swapped; intervals are of 95 %, over deals. A draw is half a match won.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import mean, stdev

import click
from attrs import asdict, frozen

from arena import Game, UserError
from arena.host import HostConfig, Series, host, parse_entrant, parse_entrants
from arena.plugins import get_plugins

CARDS = range(13, 4, -1)
SOLUTIONS = ("nash", "nash-win")

HEAD = f"{'':9}{'cards':>6} {'against':15}{'games':>6}{'points a game':>18}{'matches won, %':>20}"


@frozen
class Mean:
    """A mean over deals, and how far it may be off (95 %)."""

    value: float
    reach: float

    @classmethod
    def of(cls, deals: Sequence[float]) -> Mean:
        """Return it."""
        return cls(mean(deals), 1.96 * stdev(deals) / sqrt(len(deals)))

    @property
    def behind(self) -> bool:
        """Whether the value is below 0, beyond what chance may do."""
        return self.value + self.reach < 0


@frozen
class Meeting:
    """What one made of the games against another."""

    bot: str
    cards: int
    other: str
    games: int
    points: Mean  # more than the other, a game
    won: Mean  # share of the matches, less the other's share, a draw being half a match


def largest(game: Game, bot: str) -> int:
    """Return the most cards for which the bot has a table."""
    for cards in CARDS:
        try:
            parse_entrant(game, bot).check_support(game.read_variant({"cards": cards}), 2)
        except UserError:
            continue
        return cards
    raise UserError(f"{bot}: no table, not even of {CARDS[-1]} cards")


def meeting(game: Game, bot: str, cards: int, other: str, games: int) -> Meeting:
    """Play, and count."""
    variant = game.read_variant({"cards": cards})
    series = Series(
        game, variant, parse_entrants(game, [f"solution={bot}", other]), f"{bot}/{other}"
    )
    ahead: list[float] = []
    for spec, seated in series.iter_matches(games):
        scores = host(spec, seated, HostConfig()).outcome.scores
        assert scores is not None, "the match is void"
        me = spec.names.index("solution")
        ahead.append(float(scores[me] - scores[1 - me]))
    deals = [*zip(ahead[::2], ahead[1::2], strict=False)]  # an odd one stays out
    points = Mean.of([sum(deal) / 2 for deal in deals])
    won = Mean.of([sum((one > 0) - (one < 0) for one in deal) / 2 for deal in deals])
    return Meeting(bot, cards, other, games, points, won)


def meetings(bots: Sequence[str], games: int) -> Iterator[Meeting]:
    """Play all."""
    game = get_plugins().find_game("gops")
    others = [name for name in game.bots if name not in SOLUTIONS]
    for bot in bots:
        cards = largest(game, bot)
        for other in others:
            yield meeting(game, bot, cards, other, games)


@click.command()
@click.option("--games", default=1000, show_default=True, type=click.IntRange(4))
@click.option("--bot", "bots", multiple=True, default=SOLUTIONS, show_default=True)
@click.option("--json", "as_json", is_flag=True)
def main(games: int, bots: tuple[str, ...], as_json: bool) -> None:
    """Print how the solution fares."""
    if not as_json:
        click.echo(HEAD)
    for one in meetings(bots, games):
        click.echo(json.dumps(asdict(one)) if as_json else line(one))


def line(one: Meeting) -> str:
    """Write a meeting as a line of the table."""
    won, reach = 50 + 50 * one.won.value, 50 * one.won.reach
    points = f"{one.points.value:+.2f} ± {one.points.reach:.2f}"
    what = f"{one.bot:9}{one.cards:6} {one.other:15}{one.games:6}"
    return f"{what}{points:>18}{f'{won:.1f} ± {reach:.1f}':>20}"


if __name__ == "__main__":
    main()
