"""Watching a tournament: a live display on a terminal, plain lines elsewhere, JSON for programs."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from arena.cli.screen import Fitted, a_line
from arena.records import pack_match, pack_seat
from arena.rules import End
from arena.tournament.file import TournamentSpec
from arena.tournament.plan import name_of, version_of
from arena.tournament.records import MatchResult
from arena.tournament.runner import Monitor
from arena.wires import printable

if TYPE_CHECKING:
    from arena.tournament.store import Store

LINES = 6  # of verdicts and the like that are shown
SHARE = 8  # of the screen: they may take one part in so many
OFTEN = 0.25  # seconds between two pictures
SELDOM = 10.0  # seconds between two plain lines
REFIT = 20  # the ratings may take one part in so many of the time
MEMORY = 30.0  # seconds that the rate is judged by


class CountingMonitor(Monitor):
    """Counts what happens; what is shown, and how, is for those who derive from it."""

    def __init__(self, tournament: TournamentSpec) -> None:
        self.tournament = tournament
        self.wrong = False  # was somebody left out, or a match void?
        self.over = 0  # matches of this run
        self.began = monotonic()  # to play, once that is so
        self.store: Store | None = None
        self._playing = False
        self._times: deque[float] = deque()

    def opened(self, store: Store) -> None:
        """See the store from which everything can be read."""
        self.store = store
        self._before = store.counts().stored

    def tick(self) -> None:
        """See that matches are played, and no bots built or checked any more."""
        if not self._playing:
            self._playing, self.began = True, monotonic()

    def done(self, done: MatchResult) -> None:
        """Count a match."""
        self.over += 1
        self._times.append(monotonic())
        if done.end is End.VOID:
            self.wrong = True
            self.say(f"match {done.key} is void: {done.detail}")
        for seat, verdict in done.verdicts.items():
            name = name_of(done.seats[seat])
            self.note(f"{name}: {verdict['kind']} in match {done.key}: {verdict['detail']}")

    def left_out(self, text: str) -> None:
        """See that somebody takes part no more."""
        self.wrong = True
        self.say(text)

    def note(self, text: str) -> None:
        """See a verdict, in words."""

    @property
    def rate(self) -> float:
        """Return matches a second, lately."""
        now = monotonic()
        while self._times and self._times[0] < now - MEMORY:
            self._times.popleft()
        return len(self._times) / max(0.001, min(MEMORY, now - self.began))

    @property
    def progress(self) -> str:
        """Say how far it is."""
        over, rate = self._before + self.over, self.rate
        total = self.tournament.file.matches
        if total is None or over >= total:
            return self.summary
        if not rate:
            return f"{over} of {total} matches"
        left = clock((total - over) / rate)
        return f"{over} of {total} matches, {rate:.3g} a second, {left} left"

    @property
    def summary(self) -> str:
        """Say how far it came."""
        over, rate = self._before + self.over, self.rate
        return f"{over} matches are over" + f", {rate:.3g} a second" * bool(rate)


def clock(seconds: float) -> str:
    """Return a time as people read it.

    >>> clock(3725)
    '1:02:05'
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Plain(CountingMonitor):
    """Writes a line now and then."""

    def __init__(self, tournament: TournamentSpec) -> None:
        super().__init__(tournament)
        self._next = self.began + SELDOM
        self._verdicts: Counter[str] = Counter()

    def say(self, text: str) -> None:
        """Write it."""
        click.echo(printable(text), err=True)

    def preparing(self, text: str) -> None:
        """Write who is being built or checked."""
        self.say(text)

    def note(self, text: str) -> None:
        """Write the first verdict of each kind; the others are counted by `arena standings`."""
        kind = text.partition(" in match")[0]
        self._verdicts[kind] += 1
        if self._verdicts[kind] == 1:
            self.say(text)

    def tick(self) -> None:
        """Say how far it is, from time to time."""
        super().tick()
        if monotonic() >= self._next:
            self._next = monotonic() + SELDOM
            self.say(self.progress)

    def finished(self) -> None:
        """Show how everybody stands."""
        from arena.tournament.ranking import overview  # slow, and not needed before

        assert self.store
        self.say(self.summary)
        console = Console(highlight=False)
        for table in overview(self.store, console.width):
            console.print(table)


class Json(Plain):
    """Prints an object for each match, and says nothing else on standard output."""

    def done(self, done: MatchResult) -> None:
        """Print it."""
        super().done(done)
        click.echo(json.dumps(packed(done)))

    def finished(self) -> None:
        """Say how far it came."""
        self.say(self.summary)


def packed(done: MatchResult) -> dict[str, object]:
    """Return a match as `arena tournament run --json` prints it."""
    seats = [
        pack_seat(
            seat,
            name_of(one),
            score=done.scores[seat] if done.scores else None,
            place=done.places[seat] if done.places else None,
            verdict=done.verdicts.get(seat),
            seconds=done.used[seat],
            stderr=done.errors.get(seat, ""),
            version=version_of(one),
        )
        for seat, one in enumerate(done.seats)
    ]
    return pack_match(done.key, done.end, done.rounds, seats, seconds=round(done.seconds, 6))


class Lively(CountingMonitor):
    """Shows progress, standings with their intervals, and the last verdicts, on a terminal."""

    def __init__(self, tournament: TournamentSpec, live: Live) -> None:
        super().__init__(tournament)
        self._live = live
        self._last: deque[str] = deque(maxlen=LINES)
        self._ranking: list[RenderableType] = []
        self._refit = self._redraw = self.began
        self.preparing(f"reading the entrants of {tournament.stem}")

    def say(self, text: str) -> None:
        """Write it above the display, where it stays."""
        self._live.console.print(printable(text), style="yellow", markup=False)

    def preparing(self, text: str) -> None:
        """Show who is being built or checked, at once: nothing ticks meanwhile."""
        self._live.update(a_line(text), refresh=True)

    def note(self, text: str) -> None:
        """Show it until others have come."""
        self._last.append(text)

    def tick(self) -> None:
        """Draw anew, a few times a second; the ratings are computed as often as they are cheap."""
        super().tick()
        now = monotonic()
        if now < self._redraw:
            return
        if self.over and now >= self._refit:
            took = self._rank()
            self._refit = monotonic() + max(1.0, min(REFIT * took, now - self.began))
        self._live.update(self._drawn(), refresh=True)
        self._redraw = monotonic() + OFTEN

    def finished(self) -> None:
        """Leave the last standings on the screen, whole, when the display ends."""
        self._rank()
        self._live.update(Group(*self._ranking, *self._notes(), a_line(self.summary)))

    def _rank(self) -> float:
        """Compute the standings; return the seconds that it took, without those of an import."""
        from arena.tournament.ranking import overview

        began = monotonic()
        if self.store:
            self._ranking = [*overview(self.store, self._live.console.width)]
        return monotonic() - began

    def _drawn(self) -> RenderableType:
        return Fitted(self._ranking, [*self._notes(), a_line(self.progress)])

    def _notes(self) -> list[Text]:
        """Return the last verdicts, as many as leave most of a small screen to the standings."""
        few = max(1, self._live.console.height // SHARE)
        return [a_line(text, "yellow") for text in [*self._last][-few:]]


@contextmanager
def monitor(tournament: TournamentSpec, *, as_json: bool) -> Iterator[CountingMonitor]:
    """Return who watches a run, as it suits what standard output is."""
    console = Console(highlight=False)
    if as_json:
        yield Json(tournament)
    elif not console.is_terminal:
        yield Plain(tournament)
    else:
        with Live(console=console, auto_refresh=False) as live:
            watching = Lively(tournament, live)
            yield watching
