"""The progress bar of writing a site."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def show_progress() -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar; yield its callback, which takes the replays written and planned."""
    columns = (TextColumn("replays"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    hidden = not console.is_terminal  # it would say an empty line
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("replays", total=None)
        yield lambda done, planned: bar.update(task, completed=done, total=planned)
