"""A session of matches between a person at the terminal and bots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import IO

import click
from attrs import define, field

from arena.cli.support.commands import check_support, find_game, parse_variant, raise_usage_errors
from arena.cli.support.match_reports import TranscriptRecorder
from arena.host import (
    Entrant,
    HostConfig,
    PeopleTable,
    Result,
    Series,
    WorkingFolder,
    host,
    parse_opponents,
    seat_people,
)
from arena.players import Keyboard, Person, Player, Screen, open_keyboard
from arena.plugins import AcceptedAnswer, Game, MatchSpec, Observer, get_plugins
from arena.records import format_outcome, format_placings
from arena.rules import (
    Play,
    Seat,
    UserError,
    Variant,
    Verdict,
    find_sides,
    format_count,
    join_words,
    rank_seats,
)
from arena.tournament import Opponent, choose_first_opponent, list_opponents

PERSON_NAME = "player"
WELCOME = "Type `help` for the rules and the question again. Ctrl-D leaves."


def run_session(
    game: str,
    against: tuple[str, ...],
    options: tuple[str, ...],
    seed: str | None,
    transcripts: Path | None,
    *,
    beside: tuple[str, ...] = (),
    table: int | None = None,
) -> None:
    """Play matches until the person stops; partners are `beside`."""
    rules = find_game(game)
    variant, screen = parse_variant(rules, options), Screen(sys.stdout)
    partners = parse_opponents(rules, beside)
    human = PersonFactory(rules, screen, [PERSON_NAME])
    place = partial(seat_player, rules, variant, partners, table, human)
    seated = place(against) if against or beside else None
    if seated is None:
        require_terminal(rules)
    with open_keyboard() as typed:
        human.keyboard = typed
        seated = seated or ask_for_opponents(rules, typed, screen, place)
        screen.show([*rules.presentation.typed_rules.splitlines(), "", WELCOME, ""])
        recording = TranscriptRecorder(transcripts, several=True) if transcripts else None
        for number in count():
            series = Series.create(rules, variant, seated.entrants, seed, seated.seats)
            if not (_play_match(series, human, recording, number) and _wants_rematch(human)):
                break


def _play_match(
    series: Series, human: PersonFactory, recording: TranscriptRecorder | None, number: int
) -> bool:
    """Play the match of this number; return whether the person played to its end."""
    for spec, seated in series.iter_matches(1):
        human.names[:] = spec.names
        human.screen.show(_describe_partners(spec))
        so_far = MatchScoreTracker(spec, PERSON_NAME)
        observers = [*get_plugins().build_observers(spec), so_far]
        if recording:
            observers.append(recording.build_observer(spec, number))
        try:
            result = host(spec, seated, HostConfig(), observers)
        except KeyboardInterrupt:
            human.screen.show(["", *so_far.describe_score()])
            raise
        left = PERSON_NAME in [spec.names[seat] for seat in result.outcome.verdicts]
        human.screen.show(["", *(so_far.left if left else _describe_end(result))])
        return not left
    return False


def _describe_partners(spec: MatchSpec) -> list[str]:
    """Return a line on who plays together with the person, if anybody does."""
    own = spec.names.index(PERSON_NAME)
    sides = find_sides(spec.variant, len(spec.names))
    side = next(side for side in sides if own in side)
    partners = [spec.names[seat] for seat in side if seat != own]
    if not partners:
        return []
    return [f"You play together with {join_words(partners, 'and')}.", ""]


def _describe_end(result: Result) -> list[str]:
    """Return the verdicts and the outcome of a match, as lines."""
    names, outcome = result.spec.names, result.outcome
    failed = [
        f"*** {names[seat]}: {verdict.kind}, {verdict.describe()}"
        for seat, verdict in outcome.verdicts.items()
    ]
    return [*failed, *format_outcome(names, outcome, result.spec.game.unit)]


def _wants_rematch(human: PersonFactory) -> bool:
    """Ask whether to play again; any answer but yes means no."""
    human.screen.show(["", "Play again? (y/n)"])
    human.keyboard.prompt(human.screen.file)
    line = human.keyboard.wait() or ""
    return line.lower() in ("y", "yes")


@define
class PersonFactory:
    """Creates the player for the person at the terminal, once there is a keyboard."""

    game: Game
    screen: Screen
    names: list[str]  # in seat order, for the next match
    keyboard: Keyboard = field(init=False)
    is_program = False
    sandbox = None

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Return the player for a seat."""
        narrator = self.game.build_narrator(seat, self.names)
        return Person(narrator, self.keyboard, self.screen, self.game.presentation.typed_rules)


class MatchScoreTracker(Observer):
    """Tracks the score of a match by replaying it, answer by answer."""

    def __init__(self, spec: MatchSpec, player: str) -> None:
        self._spec, self._player = spec, player
        self._play = Play.deal(spec.variant, len(spec.names), spec.seed)
        self.left: list[str] = []  # the score when the player left

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Replay an answer; ignore errors of the rules, which make the match void anyway."""
        with suppress(Exception):
            self._play.answer(answer.seat, answer.answer)

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Store the score when the player leaves, since bots may play on."""
        if self._spec.names[seat] == self._player:
            self.left = self.describe_score()

    def describe_score(self) -> list[str]:
        """Return the current score as lines."""
        names, scores = self._spec.names, self._play.scores
        played = format_count(self._play.rounds, self._spec.game.unit)
        head = f"You left the table after {played}. The score so far:"
        return [head, *format_placings(names, rank_seats(self._play, {}), scores)]


def seat_player(
    game: Game,
    variant: Variant,
    partners: Sequence[Entrant],
    table: int | None,
    human: PersonFactory,
    texts: Iterable[str],
) -> PeopleTable:
    """Seat the person with the named bots; raise a usage error where they cannot play."""
    person, others = Entrant(PERSON_NAME, PERSON_NAME, human), parse_opponents(game, texts)
    with raise_usage_errors():
        seated = seat_people(game, variant, [person], others, partners=partners, table=table)
    check_support(seated.players[1:], variant, seated.seats)
    return seated


def require_terminal(game: Game) -> None:
    """Raise a usage error if there is no terminal for a prompt."""
    if not sys.stdin.isatty():
        known = ", ".join(bot.name for bot in list_opponents(game)) or "a program"
        raise click.UsageError(f"name an opponent with --against BOT (available: {known})")


def ask_for_opponents(
    game: Game,
    keyboard: Keyboard,
    screen: Screen,
    place: Callable[[Sequence[str]], PeopleTable],
) -> PeopleTable:
    """Prompt for opponents until they can play; raise a usage error at the end of input."""
    opponents = list_opponents(game)
    first = choose_first_opponent(opponents)
    screen.show(_format_opponents(opponents))
    while True:
        screen.show([f"Who do you want to play against?{_describe_input(game, first)}"])
        keyboard.prompt(screen.file)
        if (line := keyboard.wait()) is None:
            raise click.UsageError("no opponent was named")
        try:
            return place(_parse_choice(first, line))
        except (UserError, click.UsageError) as problem:
            screen.show([f"  Invalid: {problem}"])


def _format_opponents(opponents: Sequence[Opponent]) -> list[str]:
    """Return a line for each opponent: level (if measured), name and summary."""
    width = max((len(bot.name) for bot in opponents), default=0)
    levels = max((len(bot.level) + 2 for bot in opponents if bot.level), default=0)
    return [f"  {bot.level:<{levels}}{bot.name:<{width}}  {bot.summary}" for bot in opponents]


TWO_PLAYERS = 2  # seats


def _describe_input(game: Game, first: Opponent | None) -> str:
    """Return a hint on the default opponent, and on naming several."""
    enter = f" (Enter: {first.name})" if first else ""
    several = " Separate several with commas." if game.seats[-1] > TWO_PLAYERS else ""
    return f"{enter}{several}"


def _parse_choice(first: Opponent | None, line: str) -> list[str]:
    """Return the bots named in a line, or the default for an empty line."""
    if line:
        return line.split(",")
    return [first.name] if first else []
