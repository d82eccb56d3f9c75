"""Reviews: which planted errors do they name? `python -m benchmarks.reviews` prints the table.

The best bot of a game is made to err up to three times in a match, and loses.
An error is the worst of some other answers, if it costs much by what the seat knows: by playouts of
that bot in all seats. Kuhn poker is left out: there the equilibrium says what answers cost, and
reviews go by that. A review names an error if one of its moments leads to that answer.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import count, islice
from time import process_time
from typing import ClassVar

import click
from attrs import frozen

from arena.host import Entrant, configure, play_match
from arena.players import Bot
from arena.plugins import Game, get_plugins
from arena.records import Transcript, parse_text
from arena.search import Juncture, SearchingBot, Substitutes, Worlds, compare, rewind
from arena_web.hints import find_hint_source
from arena_web.review.reviewer import review_match

BESTS = {
    "coup": "counter", "gops": "outbid", "hearts": "counter", "briscola": "counter",
    "bs": "counter",
}  # fmt: skip
SHORT = {"hearts": {"deals": 1}, "bs": {"max_turns": 150}}
SEATS = {"hearts": 4}
MATCHES = 5
MAX_ERRORS = 3
PLAYS_ON = {"hearts": "low"}  # where the best bot takes too long to play on
LEAST_COST = 0.15  # of an error, in what an end is worth
SURE = 2.5  # standard errors of that
ALTERNATIVES = 4  # of which the worst is the error
PLAYOUTS = 160  # to find it
SHARE_TRIED = 0.7  # of the questions


class ErringBot(SearchingBot):
    """Plays as the best bot of the game, but errs now and then."""

    best: ClassVar[type[Bot]]
    plays_on: ClassVar[type[Bot]]
    errors: ClassVar[list[tuple[int, int]]]  # the round, and how many asks of it were over

    def choose_at(self, juncture: Juncture) -> object:
        """Return the best bot's answer, or a bad one."""
        random = self.build_random(juncture)
        own = Substitutes(self.best, [])
        answer, *_ = own.list_answers(juncture, f"{random.getrandbits(64)}")
        drawn = {juncture.question.options.draw(random) for _ in range(2 * ALTERNATIVES)}
        others = sorted(drawn - {answer}, key=repr)[:ALTERNATIVES]
        if not others or len(self.errors) == MAX_ERRORS or random.random() > SHARE_TRIED:
            return answer
        worlds = Worlds(juncture, Substitutes(self.plays_on, [self.plays_on]), random)
        compared = compare(worlds, [answer, *others], PLAYOUTS, keep=answer)
        if compared is None:
            return answer
        worst = min(others, key=compared.mean)
        cost, error, _ = compared.gain(answer, worst)
        if cost < max(LEAST_COST, SURE * error):
            return answer
        self.errors.append((juncture.number, len(juncture.asks)))
        return worst


@frozen
class ErringMatch:
    """A lost match, with the lines of the answers that were errors."""

    game: str
    text: str  #: its transcript
    lines: tuple[int, ...]

    @property
    def transcript(self) -> Transcript:
        """Its transcript."""
        return parse_text(self.text)


def plant_errors(game: Game, seed: int) -> ErringMatch | None:
    """Play a match in which the first entrant errs; return it if it is lost and has some."""
    best = game.bots[BESTS[game.name]]
    plays_on = game.bots[PLAYS_ON.get(game.name, BESTS[game.name])]
    errors = list[tuple[int, int]]()
    members = {"best": best, "plays_on": plays_on, "errors": errors}
    erring: type[Bot] = type("Erring", (ErringBot,), members)
    others = [BESTS[game.name]] * (SEATS.get(game.name, 2) - 1)
    entrants: list[Entrant | str] = [configure(erring, name="erring"), *others]
    match = play_match(game.name, entrants, seed=seed, options=SHORT.get(game.name, {}))
    seat = match.names.index("erring")
    places = match.outcome.places
    if not places or places[seat] == 1 or not errors:
        return None
    junctures = rewind(game, match.transcript, seat)
    lines = [line for line, at in junctures if (at.number, len(at.asks)) in errors]
    return ErringMatch(game.name, match.transcript.text, tuple(lines))


def find_seat(match: ErringMatch) -> int:
    """Return the seat that erred."""
    return match.transcript.header.names.index("erring")


def list_named(match: ErringMatch) -> list[int]:
    """Return the errors that the review of a match names."""
    transcript = match.transcript
    game = get_plugins().find_game(match.game)
    source = find_hint_source(game.name, transcript.header.read_variant(game), transcript.seats)
    seat = find_seat(match)
    review = review_match(transcript, seat, source)
    answers = [line.number for line in transcript.lines if line.value.get("from") == seat]
    told = [bisect_left(answers, moment.line) for moment in review.moments]
    return [line for line in match.lines if answers.index(line) in told]


def plant_matches(game: Game, matches: int, first_seed: int) -> list[ErringMatch]:
    """Return so many matches with errors, of the first seeds that give some."""
    erring = (match for seed in count(first_seed) if (match := plant_errors(game, seed)))
    return [*islice(erring, matches)]


@click.command()
@click.argument("games", nargs=-1)
@click.option("--matches", default=MATCHES, help="Lost matches of each game.")
@click.option("--first-seed", default=1, help="Of the matches: other seeds, other errors.")
def main(games: tuple[str, ...], matches: int, first_seed: int) -> None:
    """Print how many errors each game's reviews name, and how long a review takes at most."""
    print("| game | errors named | longest review, processor time |\n| --- | --- | --- |")
    for name in games or BESTS:
        planted = plant_matches(get_plugins().find_game(name), matches, first_seed)
        named, longest = 0, 0.0
        for match in planted:
            begun = process_time()
            named += len(list_named(match))
            longest = max(longest, process_time() - begun)
        errors = sum(len(match.lines) for match in planted)
        print(f"| `{name}` | {named} of {errors} | {longest:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
