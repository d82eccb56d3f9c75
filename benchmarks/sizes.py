"""What each command, page and fit costs by the size of a tournament, up to ten million matches.

    python -m benchmarks.sizes 0.01 0.1         # a hundredth and a tenth of the full size
    python -m benchmarks.sizes 1 --table 2 --only standings --only "page: standings"
    python -m benchmarks.sizes 0.1 --database postgresql://USER@HOST/NAME   # which is empty

The full size is 10,000 entrants with 2,000 matches each. They are put into the database without
being played: in each round everybody meets somebody by lot, and wins by its strength. Each command
and page is a process of its own. What is printed are processor seconds, of all its threads and
children, and the peak of its memory.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from attrs import frozen

from arena.tournament.file.reader import load
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.run.tournament_run import TournamentRun
from arena.tournament.store import Facts, Store
from arena.tournament.store.connection import Connection, format_marks
from arena.tournament.store.schema import TABLES
from benchmarks.ratios import ARENA

ENTRANTS = 10_000
DEALS_EACH = 1000  # a deal of two is two matches
OPEN_DEALS = 20  # planned, and not played yet
SPREAD = 1.0  # of log strengths
LATE = 1 / 1000  # matches with a verdict
CHUNK_SEATS = 200_000  # of deals that are written at once
MEGABYTE = 1024  # in the unit of ru_maxrss
INDEXES = {index: made for made, index in re.findall(r"(CREATE INDEX (\w+)[^;]+)", TABLES)}

FILE = """game = "{game}"
format = "king-of-the-hill"
table = {table}
matches = {matches}
seed = "1"
workers = 1
database = "{database}"
"""


@frozen
class Size:
    """A tournament to fill and to measure."""

    share: float  # of the full size
    table: int  # seats of a match

    @property
    def entrants(self) -> int:
        """The number of entrants, which fill all tables."""
        return max(self.table, round(ENTRANTS * self.share) // self.table * self.table)

    @property
    def deals(self) -> int:
        """The number of deals that are played; each in as many matches as there are seats."""
        return self.entrants * DEALS_EACH // self.table

    @property
    def matches(self) -> int:
        """The number of matches that are played."""
        return self.deals * self.table


def fill(folder: Path, size: Size, address: str) -> Path:
    """Fill a database; return the tournament's file beside it."""
    file = folder / "sizes.toml"
    game = "gops" if size.table == 2 else "bs"
    missing = OPEN_DEALS * size.table
    words = FILE.format(
        game=game, table=size.table, matches=size.matches + missing, database=address
    )
    names = [f'[[entrant]]\nname = "bot{n}"\nbot = "random"\n' for n in range(size.entrants)]
    file.write_text("\n".join([words, *names]))
    spec = load(file)
    with TournamentRun.claim(spec) as run:
        store = run.store
        terms = FormatTerms(size.table, size.matches + missing, size.entrants)
        store.facts.set(Facts.level, 0.95)
        store.facts.set(Facts.first_entrants, size.entrants)
        store.facts.set(Facts.terms, terms)
        _fill_tables(store, size)
    return file


def _fill_tables(store: Store, size: Size) -> None:
    with store.begin_write() as connection:
        for index in INDEXES:
            connection.execute(f"DROP INDEX {index}")
    for table, columns in _build_columns(size):
        with store.begin_write() as connection:
            _insert(connection, table, columns)
    with store.begin_write() as connection:
        for create in INDEXES.values():
            connection.execute(create)
        if connection.is_server:
            connection.execute("ANALYZE")


def _insert(connection: Connection, table: str, columns: dict[str, list[Any]]) -> None:
    rows = zip(*columns.values(), strict=True)
    names = ", ".join(f'"{name}"' for name in columns)
    if not connection.is_server:
        connection.execute_many(
            f"INSERT INTO {table} ({names}) VALUES ({format_marks([*columns])})", rows
        )
        return
    with connection.raw.cursor().copy(f"COPY {table} ({names}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _build_columns(size: Size) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """Yield columns of a table: some rounds of deals, their matches, and the seats of these."""
    draw, n, table = np.random.default_rng(1), size.entrants, size.table
    strength = draw.normal(0, SPREAD, n)
    rounds = max(1, CHUNK_SEATS // n)
    for first in range(0, DEALS_EACH, rounds):
        some = range(first, min(first + rounds, DEALS_EACH))
        seated = np.concatenate([draw.permutation(n).reshape(-1, table) for _ in some])
        start = first * n // table
        yield "deals", _build_deals(seated, start)
        yield from _build_results(seated, start, strength, draw)
    yield (
        "deals",
        _build_deals(
            np.concatenate([draw.permutation(n)[:table][None] for _ in range(OPEN_DEALS)]),
            size.deals,
        ),
    )


def _build_deals(seated: np.ndarray[Any, Any], start: int) -> dict[str, list[Any]]:
    count, table = seated.shape
    return {
        "number": [*range(start, start + count)],
        "seats": [f"[{','.join(map(str, row))}]" for row in (seated + 1).tolist()],
        "rotations": [table] * count,
        "stage": [""] * count,
        "state": ["[]"] * count,
    }


def _build_results(
    seated: np.ndarray[Any, Any], start: int, strength: np.ndarray[Any, Any], draw: Any
) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    count, table = seated.shape
    matches = count * table
    deal = np.repeat(np.arange(start, start + count), table)
    rotation = np.tile(np.arange(table), count)
    yield "matches", {
        "deal": deal.tolist(), "rotation": rotation.tolist(), "end": ["finished"] * matches,
        "rounds": [13] * matches, "detail": [""] * matches, "seconds": [0.01] * matches,
        "stored": [f"2026-01-01T00:00:00.{number % 1000:03}Z" for number in range(matches)],
    }  # fmt: skip
    sat = np.stack([np.roll(seated, turn, axis=1) for turn in range(table)], axis=1)
    sat = sat.reshape(matches, table)
    luck = strength[sat] + draw.gumbel(size=sat.shape)
    place = 1 + np.argsort(np.argsort(-luck, axis=1), axis=1)
    late = draw.random(sat.shape) < LATE
    kinds = ["timeout" if one else None for one in late.ravel().tolist()]
    yield "seats", {
        "deal": np.repeat(deal, table).tolist(), "rotation": np.repeat(rotation, table).tolist(),
        "seat": np.tile(np.arange(table), matches).tolist(), "entrant": (sat + 1).ravel().tolist(),
        "score": np.round(45 + 3 * luck, 0).ravel().tolist(), "place": place.ravel().tolist(),
        "used": [0.005] * sat.size, "kind": kinds,
        "verdict": [kind and '{"kind":"timeout"}' for kind in kinds],
    }  # fmt: skip


COMMANDS: dict[str, tuple[str, ...]] = {
    "standings": ("standings", "{file}"),
    "standings --json": ("standings", "{file}", "--json"),
    "standings --head-to-head": ("standings", "{file}", "--head-to-head"),
    "standings --head-to-head --format csv": (
        "standings", "{file}", "--head-to-head", "--format", "csv",
    ),
    "matches": ("matches", "{file}"),
    "matches --bot": ("matches", "{file}", "--bot", "bot1"),
    "matches --verdict": ("matches", "{file}", "--verdict", "timeout"),
    "insights": ("insights", "{file}"),
    "insights --compare": ("insights", "{file}", "--compare", "bot1", "bot2"),
    "export csv": ("export", "{file}", "--out", "{folder}/all.csv"),
    "export parquet": ("export", "{file}", "--format", "parquet", "--out", "{folder}/all.parquet"),
    "tournament add": ("tournament", "add", "{file}", "hard"),
    "tournament withdraw": ("tournament", "withdraw", "{file}", "bot5"),
    "tournament run, resumed": ("tournament", "run", "{file}"),
    "site --replays none": ("site", "{file}", "{folder}/site", "--replays", "none"),
}  # fmt: skip

PAGES = {
    "standings": "", "standings.json": "standings.json", "matrix": "matrix",
    "history": "curves", "matches": "matches", "matches of a bot": "matches?bot=bot1",
    "last matches": "matches?before=40.0", "bot": "bots/bot1",
    "compare": "compare?bot=bot1&against=bot2", "feed": "feed.atom",
}  # fmt: skip


def measure_page(file: Path, path: str) -> None:
    """Ask for a page of a new server, and say how long it is."""
    from arena_web.app import build_application
    from arena_web.routes import SourcePages
    from arena_web.sources import open_sources
    from benchmarks.web import call

    async def ask() -> int:
        pages = SourcePages(open_sources([str(file)]))
        app = build_application(pages.routes, limits={}, on_shutdown=[pages.close])
        answer = await call(app, f"/t/sizes/{path}")
        assert answer.status in {200, 304}, (path, answer.status, answer.body[:200])
        zipped = answer.headers.get(b"content-encoding") == b"gzip"
        return len(gzip.decompress(answer.body) if zipped else answer.body)

    print(f"{asyncio.run(ask()) / 1000:.0f} kB")


def load_results(file: Path) -> Any:
    """Read all results."""
    with Store.open(load(file).database, write=False) as store:
        return store.seats.load_results()


def fit_ratings(file: Path) -> None:
    """Read all results, and fit the ratings."""
    from arena.tournament.ratings import BradleyTerry

    BradleyTerry().fit(load_results(file))


def count_totals(file: Path) -> None:
    """Count matches, verdicts and seconds of all entrants."""
    with Store.open(load(file).database, write=False) as store:
        store.seats.count_totals()


def count_matches(file: Path) -> None:
    """Count the matches by their state."""
    with Store.open(load(file).database, write=False) as store:
        store.progress.count_matches()


def load_past(file: Path) -> None:
    """Count who has met whom, as a run that plans does."""
    with Store.open(load(file).database, write=False) as store:
        past = store.deals.load_past()
        assert past.plays


def plan(file: Path) -> None:
    """Plan the next matches of a king of the hill."""
    from random import Random

    from arena.tournament.formats.king_of_the_hill import KingOfTheHill

    with Store.open(load(file).database, write=False) as store:
        past, field = store.deals.load_past(), tuple(store.entrant_directory.ids)
        terms = FormatTerms(load(file).seats_per_match, 10**9, len(field))
        assert KingOfTheHill().next(field, past, terms, Random(1))


def resume(file: Path) -> None:
    """Go on with the run until its first match is over."""
    from arena.tournament import Tournament

    class FirstMatchError(Exception):
        """The first match is over."""

    def stop(*_: object) -> None:
        raise FirstMatchError

    with suppress(FirstMatchError):
        Tournament.load(file).run(stop)
        raise AssertionError("nothing was left to play")


PARTS: dict[str, Callable[[Path], object]] = {
    "load results": load_results, "fit": fit_ratings, "totals": count_totals,
    "counts": count_matches, "past": load_past, "plan": plan, "resume": resume,
}  # fmt: skip


def measure(words: Iterable[str]) -> tuple[float, float, str]:
    """Return the processor seconds of a process, its peak in megabytes, and its last line."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        pid = os.fork()
        if not pid:
            os.nice(10)
            target = os.open(out, os.O_CREAT | os.O_WRONLY)
            os.dup2(target, 1)
            os.dup2(target, 2)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            program = [*words]
            os.execv(program[0], program)  # noqa: S606  # its usage alone is measured
        status, used = os.wait4(pid, 0)[1:]
        lines = out.read_text().splitlines() or [""]
    code = os.waitstatus_to_exitcode(status)
    last = lines[-1] if not code else f"status {code}: {lines[-1]}"
    return used.ru_utime + used.ru_stime, used.ru_maxrss / MEGABYTE, last[:90]


def list_programs(file: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield what is measured: its name, and the words of its process."""
    here = [sys.executable, "-m", "benchmarks.sizes"]
    for name in PARTS:
        yield f"part: {name}", [*here, "--part", name, "--file", str(file)]
    for name in PAGES:
        yield f"page: {name}", [*here, "--page", name, "--file", str(file)]
    for name, words in COMMANDS.items():
        yield name, [ARENA, *(word.format(file=file, folder=file.parent) for word in words)]


@click.command()
@click.argument("shares", type=float, nargs=-1)
@click.option("--table", type=int, default=2, help="The seats of a match.")
@click.option("--only", multiple=True, help="Only what begins with these words.")
@click.option("--database", default="sizes.db", help="The address of an empty database.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the databases here.")
@click.option("--part", help="Measure this part of a command, in this process.")
@click.option("--page", help="Ask for this page, in this process.")
@click.option("--file", type=click.Path(path_type=Path))
def main(  # noqa: PLR0917  # options of the command line
    shares: tuple[float, ...], table: int, only: tuple[str, ...], database: str, keep: Path | None,
    part: str | None, page: str | None, file: Path | None,
) -> None:  # fmt: skip
    """Fill tournaments of these shares of the full size, and measure everything."""
    if file and part:
        PARTS[part](file)
    elif file and page:
        measure_page(file, PAGES[page])
    for share in shares:
        size = Size(share, table)
        with TemporaryDirectory() as folder:
            measure_size(
                keep / f"{share:g}-{table}" if keep else Path(folder), size, database, only
            )


def measure_size(folder: Path, size: Size, database: str, only: tuple[str, ...]) -> None:
    """Fill a tournament, unless it is there, and print what everything costs."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "sizes.toml"
    if not file.exists():
        fill(folder, size, database)
    print(f"\n{size.entrants} entrants, {size.matches} matches of {size.table}", flush=True)
    for name, words in list_programs(file):
        if not only or name.startswith(only):
            seconds, megabytes, last = measure(words)
            print(f"{name:40} {seconds:8.2f} s {megabytes:7.0f} MB  {last}", flush=True)


if __name__ == "__main__":
    main()
