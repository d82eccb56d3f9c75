"""The solution of GOPS against every bundled opponent, in points and in matches won.

`python -m benchmarks.gops.opponents --games 1000` plays both `nash` and `nash-win`, each with as
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
    """A mean over deals, and half the width of its 95 % interval."""

    value: float
    half_width: float

    @classmethod
    def of(cls, deals: Sequence[float]) -> Mean:
        """Compute the mean of figures that have one value for each deal."""
        return cls(mean(deals), 1.96 * stdev(deals) / sqrt(len(deals)))

    @property
    def behind(self) -> bool:
        """Whether the value is significantly below 0."""
        return self.value + self.half_width < 0


@frozen
class Meeting:
    """The result of the games of one bot against another."""

    bot: str
    cards: int
    other: str
    games: int
    points: Mean  # difference of the points, per game
    won: Mean  # share of matches won less the share lost; a draw is half of each


def find_most_cards(game: Game, bot: str) -> int:
    """Return the largest number of cards for which the bot has a table."""
    for cards in CARDS:
        try:
            parse_entrant(game, bot).check_support(game.read_variant({"cards": cards}), 2)
        except UserError:
            continue
        return cards
    raise UserError(f"{bot}: no table, not even of {CARDS[-1]} cards")


def play_meeting(game: Game, bot: str, cards: int, other: str, games: int) -> Meeting:
    """Play the games of a bot against another, and compute the result."""
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
    won = Mean.of([sum((lead > 0) - (lead < 0) for lead in deal) / 2 for deal in deals])
    return Meeting(bot, cards, other, games, points, won)


def play_meetings(bots: Sequence[str], games: int) -> Iterator[Meeting]:
    """Play each bot against all bundled bots that are not solutions."""
    game = get_plugins().find_game("gops")
    others = [name for name in game.bots if name not in SOLUTIONS]
    for bot in bots:
        cards = find_most_cards(game, bot)
        for other in others:
            yield play_meeting(game, bot, cards, other, games)


@click.command()
@click.option("--games", default=1000, show_default=True, type=click.IntRange(4))
@click.option("--bot", "bots", multiple=True, default=SOLUTIONS, show_default=True)
@click.option("--json", "as_json", is_flag=True)
def main(games: int, bots: tuple[str, ...], as_json: bool) -> None:
    """Print the results of the solution against every bundled bot."""
    if not as_json:
        click.echo(HEAD)
    for meeting in play_meetings(bots, games):
        click.echo(json.dumps(asdict(meeting)) if as_json else format_row(meeting))


def format_row(meeting: Meeting) -> str:
    """Format a meeting as a row of the table."""
    won, half_width = 50 + 50 * meeting.won.value, 50 * meeting.won.half_width
    points = f"{meeting.points.value:+.2f} ± {meeting.points.half_width:.2f}"
    names = f"{meeting.bot:9}{meeting.cards:6} {meeting.other:15}{meeting.games:6}"
    return f"{names}{points:>18}{f'{won:.1f} ± {half_width:.1f}':>20}"


if __name__ == "__main__":
    main()
