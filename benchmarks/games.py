"""Every game beside GOPS: `python -m benchmarks.games` prints the table of the book.

Games a second are whole matches of as few bots as can play, which draw, in one process.
"""

from __future__ import annotations

from arena import Game, Play
from arena.host import Match
from arena.players import BotPlayer, RandomBot
from arena.plugins import get_plugins
from benchmarks.ratios import measure_rate

GAMES = 150  # of each game
SHORT = {"hearts": {"deals": 1}}  # one deal of what else goes on to a limit
HEAD = """| game | games a second | of GOPS |
| --- | --- | --- |"""


def measure_speed(game: Game) -> float:
    """Return the matches per second of random bots, with as few seats as the game has."""
    variant, seats = game.read_variant(SHORT.get(game.name, {})), max(2, game.seats[0])

    def play(games: int) -> None:
        for at in range(games):
            Match(
                Play.deal(variant, seats, f"{at}"),
                [BotPlayer(RandomBot()) for _ in range(seats)],
            ).run()

    play(5)
    return measure_rate(play, GAMES)


def render_table() -> str:
    """Return the table in Markdown, GOPS first."""
    games = sorted(get_plugins().games.values(), key=lambda game: (game.name != "gops", game.name))
    rates = {game.name: measure_speed(game) for game in games}
    rows = [
        f"| `{game}` | {speed:.0f} | {speed / rates['gops']:.2f} |" for game, speed in rates.items()
    ]
    return "\n".join([HEAD, *rows])


if __name__ == "__main__":
    print(render_table())
