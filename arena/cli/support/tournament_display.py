"""The display of a running tournament: live on a terminal, plain lines elsewhere, or JSON."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import click
from attrs import frozen
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.segment import Segment, SegmentLines
from rich.text import Text

from arena.records import describe_verdict
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.match_record import MatchRecord
from arena.tournament.run.monitor import Monitor
from arena.wires import to_printable

if TYPE_CHECKING:
    from arena.tournament.store import Store

MAX_NOTES = 6  # of verdicts and other notes
SCREEN_PARTS = 8  # notes take at most this fraction of the screen
REDRAW_SECONDS = 0.25  # between two frames
PROGRESS_SECONDS = 10.0  # between two plain lines
REFIT_TIME_PARTS = 20  # fitting ratings takes at most this fraction of the time
RATE_WINDOW_SECONDS = 30.0  # the period of the rate


@contextmanager
def open_monitor(tournament: TournamentSpec, *, as_json: bool) -> Iterator[CountingMonitor]:
    """Open the monitor for standard output: JSON, a live display, or plain lines."""
    console = Console(highlight=False)
    if as_json:
        yield JsonMonitor(tournament)
    elif not console.is_terminal:
        yield PlainMonitor(tournament)
    else:
        with Live(console=console, auto_refresh=False) as live:
            monitor = LiveMonitor(tournament, live)
            yield monitor


class CountingMonitor(Monitor):
    """Base class of the displays: counts the events of a run."""

    def __init__(self, tournament: TournamentSpec) -> None:
        self.tournament = tournament
        self.wrong = False  # whether an entrant was excluded or a match void
        self.over = 0  # finished matches of this run
        self.began = monotonic()  # when matches began
        self.store: Store | None = None
        self._playing = False
        self._times: deque[float] = deque()

    def on_open(self, store: Store) -> None:
        """Store a reference to the opened store."""
        self.store = store
        self._before = store.progress.count_matches().stored

    def on_tick(self) -> None:
        """Start the clock once matches are played."""
        if not self._playing:
            self._playing, self.began = True, monotonic()

    def on_reopen(self, matches: int) -> None:
        """Count these matches no more."""
        self._before -= matches

    def on_match(self, record: MatchRecord) -> None:
        """Count a finished match."""
        self.over += 1
        self._times.append(monotonic())
        if record.is_void:
            self.wrong = True
            self.on_message(f"match {record.match} is void: {record.detail}")
        for seat in record.seats:
            if verdict := seat.failure:
                failure = describe_verdict(verdict.pack())
                self.note(f"{seat.name}: {verdict.kind} in match {record.match}: {failure}")

    def on_leave_out(self, text: str) -> None:
        """Record that an entrant was excluded."""
        self.wrong = True
        self.on_message(text)

    def note(self, text: str) -> None:
        """Show a verdict, given as text; subclasses override this."""

    @property
    def rate(self) -> float:
        """Return the recent rate of matches per second."""
        now = monotonic()
        while self._times and self._times[0] < now - RATE_WINDOW_SECONDS:
            self._times.popleft()
        return len(self._times) / max(0.001, min(RATE_WINDOW_SECONDS, now - self.began))

    @property
    def progress(self) -> str:
        """The progress of the run as a line."""
        over, rate = self._before + self.over, self.rate
        total = self.tournament.file.matches
        if total is None or over >= total:
            return self.summary
        if not rate:
            return f"{over} of {total} matches"
        left = format_duration((total - over) / rate)
        return f"{over} of {total} matches, {rate:.3g} a second, {left} left"

    @property
    def summary(self) -> str:
        """The number of finished matches as a line."""
        over, rate = self._before + self.over, self.rate
        return f"{over} matches are over" + f", {rate:.3g} a second" * bool(rate)


def format_duration(seconds: float) -> str:
    """Format a duration.

    >>> format_duration(3725)
    '1:02:05'
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class PlainMonitor(CountingMonitor):
    """Prints lines at intervals."""

    def __init__(self, tournament: TournamentSpec) -> None:
        super().__init__(tournament)
        self._next = self.began + PROGRESS_SECONDS
        self._verdicts: Counter[str] = Counter()

    def on_message(self, text: str) -> None:
        """Print the message."""
        click.echo(to_printable(text), err=True)

    def on_prepare(self, text: str) -> None:
        """Print which bot is being built or checked."""
        self.on_message(text)

    def note(self, text: str) -> None:
        """Print the first verdict of each kind; `arena standings` counts the others."""
        kind = text.partition(" in match")[0]
        self._verdicts[kind] += 1
        if self._verdicts[kind] == 1:
            self.on_message(text)

    def on_tick(self) -> None:
        """Print the progress at intervals."""
        super().on_tick()
        if monotonic() >= self._next:
            self._next = monotonic() + PROGRESS_SECONDS
            self.on_message(self.progress)

    def on_finish(self) -> None:
        """Print the standings."""
        from arena.tournament.results.standings_tables import (
            build_overview,  # slow, and not needed before
        )

        assert self.store
        self.on_message(self.summary)
        console = Console(highlight=False)
        for table in build_overview(self.store, console.width):
            console.print(table)


class JsonMonitor(PlainMonitor):
    """Prints a JSON object for each match, and nothing else, on standard output."""

    def on_match(self, record: MatchRecord) -> None:
        """Print the match as JSON."""
        super().on_match(record)
        click.echo(json.dumps(record.pack_report()))

    def on_finish(self) -> None:
        """Print the number of finished matches."""
        self.on_message(self.summary)


class LiveMonitor(CountingMonitor):
    """Shows the progress, the standings and the last verdicts on a terminal."""

    def __init__(self, tournament: TournamentSpec, live: Live) -> None:
        super().__init__(tournament)
        self._live = live
        self._last: deque[str] = deque(maxlen=MAX_NOTES)
        self._ranking: list[list[Segment]] = []  # lines
        self._refit = self._redraw = self.began
        self.on_prepare(f"reading the entrants of {tournament.stem}")

    def on_message(self, text: str) -> None:
        """Print the message above the display, where it stays."""
        self._live.console.print(to_printable(text), style="yellow", markup=False)

    def on_prepare(self, text: str) -> None:
        """Show at once which bot is being built or checked."""
        self._live.update(build_line(text), refresh=True)

    def note(self, text: str) -> None:
        """Show the note until newer ones replace it."""
        self._last.append(text)

    def on_tick(self) -> None:
        """Redraw a few times a second; refit the ratings as often as the time limit allows."""
        super().on_tick()
        now = monotonic()
        if now < self._redraw:
            return
        if self.over and now >= self._refit:
            took = self._rank()
            self._refit = monotonic() + max(1.0, min(REFIT_TIME_PARTS * took, now - self.began))
        self._live.update(self._render(), refresh=True)
        self._redraw = monotonic() + REDRAW_SECONDS

    def on_finish(self) -> None:
        """Print the complete final standings when the display ends."""
        self._rank()
        ranking = SegmentLines(self._ranking, new_lines=True)
        self._live.update(Group(ranking, *self._notes(), build_line(self.summary)))

    def _rank(self) -> float:
        """Compute and draw the standings; return the seconds that took, without the first import.

        They are drawn once, and not in each frame: a large table takes Rich a while.
        """
        from arena.tournament.results.standings_tables import build_overview

        began, console = monotonic(), self._live.console
        if self.store:
            tables = Group(*build_overview(self.store, console.width))
            self._ranking = console.render_lines(tables, pad=False)
        return monotonic() - began

    def _render(self) -> RenderableType:
        return ShortenedStandings(self._ranking, [*self._notes(), build_line(self.progress)])

    def _notes(self) -> list[Text]:
        """Return the last notes, few enough to leave most of the screen to the standings."""
        few = max(1, self._live.console.height // SCREEN_PARTS)
        return [build_line(text, "yellow") for text in [*self._last][-few:]]


@frozen
class ShortenedStandings:
    """Lines of standings that fit the height of a terminal, and lines that are always visible."""

    standings: Sequence[list[Segment]]
    lines: Sequence[Text]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the standings and the lines."""
        rows = self.standings
        room = console.height - len(self.lines) - 1
        if len(rows) > room:
            below = len(rows) - max(0, room - 1)
            rows = rows[:-below]
            more = build_line(f"{below} lines more; `arena standings` shows all", "dim")
        else:
            more = None
        yield SegmentLines(rows, new_lines=True)
        yield from [more, *self.lines] if more else self.lines


def build_line(text: str, style: str = "") -> Text:
    """Return a text that is cut off at the width of the terminal."""
    return Text(to_printable(text), style=style, no_wrap=True, overflow="ellipsis")
